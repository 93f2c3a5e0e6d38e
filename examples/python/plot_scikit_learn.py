"""
With scikit-learn: pipelines, grid search, and a density that is one
====================================================================

:class:`riemflow.DensityEstimator` is an estimator as scikit-learn knows them: it can be a step
of a pipeline, and its settings can be chosen by cross-validation. This example does both, for
earthquakes. It then shows why a density on the sphere needs more than a distance on the sphere:
scikit-learn's kernel density with the haversine distance does not integrate to 1.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import riemflow as rf

lat, lon = rf.to_latlon(rf.read("earthquakes").points)
places = np.unique(np.stack([lat, lon], axis=1), axis=0)
places = np.random.default_rng(0).permutation(places)[:2000]  # not all, to be quick

# %%
# A pipeline and a grid search
# ----------------------------
#
# The first step turns latitudes and longitudes into unit vectors, the second fits a *kernel
# density*, a small bump on each point: one width for all bumps, or local ones, wider where
# points are sparse. The search takes the setting under which held-out points are most likely:
# their mean log-density is highest. Its unit, of natural logarithms, is the *nat*.

pipeline = make_pipeline(
    FunctionTransformer(lambda place: rf.from_latlon(place[:, 0], place[:, 1])),
    rf.DensityEstimator(manifold="sphere:2", model="kde", time_limit=2),
)

settings = [{"kernel": "one"}, {"kernel": "local"}]
search = GridSearchCV(pipeline, {"densityestimator__options": settings}, cv=2)
search.fit(places)
means = search.cv_results_["mean_test_score"]
for setting, mean in zip(settings, means):
    print(f"{setting['kernel']:6s} {mean:.3f} nats a point")
density = search.best_estimator_

# %%
# Does it integrate to 1?
# -----------------------
#
# scikit-learn's ``KernelDensity`` accepts the haversine metric, which is the distance along the
# ground. But it divides by the volume under a Gaussian bump *in the plane*. On the sphere the
# same bump covers less area, because circles of a given radius are smaller there. The wider the
# bump, the more is missing, and log-densities of two bandwidths, or of two models, cannot be
# compared.
#
# Both integrals are sums over the cells of a grid, density × area.

step = 1.0
grid = np.stack(
    np.meshgrid(np.arange(-90 + step / 2, 90, step), np.arange(-180, 180, step)), axis=-1
).reshape(-1, 2)
south, north = np.radians(grid[:, 0] - step / 2), np.radians(grid[:, 0] + step / 2)
area = (np.sin(north) - np.sin(south)) * np.radians(step)

bandwidths = np.array([0.05, 0.2, 0.4, 0.8, 1.2])  # radians
theirs, ours = [], []
centres = places[:100]
for bandwidth in bandwidths:
    plane = KernelDensity(bandwidth=bandwidth, metric="haversine")
    plane.fit(np.radians(centres))
    theirs.append(np.sum(np.exp(plane.score_samples(np.radians(grid))) * area))
    sphere = rf.KernelDensity("sphere:2", bandwidth=bandwidth)
    fitted = sphere.fit(rf.from_latlon(*centres.T))
    ours.append(np.sum(np.exp(fitted.log_prob(rf.from_latlon(*grid.T))) * area))
for row in zip(bandwidths, theirs, ours):
    print("bandwidth {:.2f} rad: scikit-learn {:.4f}, riemflow {:.4f}".format(*row))

fig, ax = plt.subplots(figsize=(6, 3.4))
ax.plot(bandwidths, ours, "o-", label="riemflow")
ax.plot(bandwidths, theirs, "s--", label="scikit-learn, haversine")
ax.set(xlabel="bandwidth in radians", ylabel="integral over the sphere", ylim=(0, 1.1))
ax.legend(loc="lower left")
fig.tight_layout()
plt.show()

# %%
# The density of the search, by the same sum:

print("{:.4f}".format(np.sum(np.exp(density.score_samples(grid)) * area)))
