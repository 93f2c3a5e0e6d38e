"""
Axes: directions without a sign
===============================

The pole of a fault plane, the long axis of a pebble and the c-axis of a crystal of ice have no
head and no tail: x and −x are the same. Their space is ``axis:2``. The classical densities there
are Watson's and Bingham's, with one cluster or one belt; this example compares them with the
default fit, on axes that they suit and on axes that they do not.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import riemflow as rf

# %%
# The data
# --------
#
# Two sets of axes are simulated. The first is a fabric: c-axes in a belt that is denser at one
# side, drawn from a Bingham distribution. The second are the poles of faults: a pair of conjugate
# sets, and some of any direction.
#
# Rows of latitude and longitude in degrees are axes too. For poles that point downward, the plunge
# is the latitude with its sign turned, and the trend, which runs clockwise from north, may be
# read as a longitude: both ends of an axis give the same point.

rng = np.random.default_rng(2)
n = 1000
fabric = rf.distributions.bingham([-12.0, -2.5, 0.0]).sample(n, seed=1)


def around(trend, plunge, spread, n):
    """Trends and plunges in degrees of axes about one."""
    end = rf.from_latlon([-plunge], [trend])
    return end + np.radians(spread) * rng.normal(size=(n, 3))


faults = [around(60, 25, 9, 450), around(125, 35, 12, 400), rng.normal(size=(150, 3))]
faults = np.concatenate(faults)
faults = rng.permutation(faults / np.linalg.norm(faults, axis=1, keepdims=True))
lat, lon = rf.to_latlon(faults)
faults = pd.DataFrame({"lat": lat, "lon": lon})
data = {"fabric": fabric, "faults": rf.read(faults, "axis:2").points}

# %%
# Held-out axes
# -------------
#
# A fifth of the axes is kept aside, and judges four models by the mean log-density, in nats per
# axis. All axes have an area of 2π steradians, half the sphere's. Watson's and Bingham's
# distributions are densities on the whole sphere, the same at both ends, so that of an axis it is
# twice as much: log 2 is added.

fits = {
    "Watson": rf.distributions.fit_watson,
    "Bingham": rf.distributions.fit_bingham,
    "kernel density": rf.KernelDensity("axis:2", time_limit=2).fit,
    "default": lambda known: rf.fit(known, "axis:2", time_limit=3),
}
models = {}
for which, points in data.items():
    known, held_out = points[:800], points[800:]
    print(f"{which} (uniform: {-np.log(2 * np.pi):.3f})")
    values = {}
    for name, fit in fits.items():
        model = models[which, name] = fit(known)
        of_sphere = isinstance(model, rf.distributions.Distribution)
        values[name] = model.log_prob(held_out) + np.log(2) * of_sphere
    best = max(values, key=lambda name: values[name].mean())
    for name, value in values.items():
        loss = values[best] - value
        error = loss.std() / np.sqrt(len(loss))
        note = "the best" if name == best else f"{loss.mean():.3f} ± {error:.3f} below the best"
        print(f"    {name:15s}{value.mean():8.3f}   {note}")

# %%
# The fabric was drawn from a Bingham distribution, so nothing can beat Bingham's on it but by
# chance, and a difference of less than two of its errors is none: the default does not lose by not
# knowing. Watson's is round about its axis, and cannot be a belt with a denser side. The faults
# have two clusters, which neither classical density can have; both say that poles are likely
# between the sets, where there are hardly any. The plain kernel density is about as good as the
# default: axes are of two dimensions, and smooth.
#
# Stereograms
# -----------
#
# The lower hemisphere, north being upward, in Schmidt's projection, which keeps areas: the density
# of the faults' poles by Bingham and by the default, as multiples of the uniform density.


def schmidt(points):
    """East and north on a disk of radius 1, of the lower end of each axis."""
    lower = np.where(points[:, 2:] > 0, -points, points)
    return (lower[:, [1, 0]] / np.sqrt(1 - lower[:, 2:])).T


side = np.linspace(-1, 1, 161)
east, north = np.meshgrid(side, side)
r2 = east**2 + north**2
inside = r2 <= 1
scale = np.sqrt(2 - r2[inside])
at = np.stack([north[inside] * scale, east[inside] * scale, r2[inside] - 1], axis=1)

fig, axes = plt.subplots(1, 2, figsize=(8.6, 4), layout="constrained")
for ax, name in zip(axes, ("Bingham", "default")):
    model = models["faults", name]
    log_p = model.log_prob(at) + np.log(2) * (name == "Bingham")
    multiples = np.full(east.shape, np.nan)
    multiples[inside] = 2 * np.pi * np.exp(log_p)
    picture = ax.pcolormesh(east, north, multiples, cmap="YlGnBu", rasterized=True, shading="auto")
    ax.plot(*schmidt(data["faults"][800:]), ".", color="tab:red", markersize=3)
    ax.add_patch(plt.Circle((0, 0), 1, fill=False, color="black"))
    ax.text(0, 1.03, "N", ha="center")
    ax.set(aspect="equal", xlim=(-1.05, 1.05), ylim=(-1.05, 1.12))
    ax.set_title(name, pad=8)
    ax.axis("off")
    fig.colorbar(picture, ax=ax, shrink=0.8, label="multiples of uniform")
plt.show()
