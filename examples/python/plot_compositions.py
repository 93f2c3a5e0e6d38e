"""
Proportions, and numbers between two ends
=========================================

Sand, silt and clay add to 1, and each is at least 0. Such rows are points of ``simplex:2``. Numbers
between two ends, as a cloud cover from 0 to 1, are points of ``interval:1``. A density of these
spaces has all of its mass inside: an ordinary kernel density has some outside, and too
little near the ends, where many such data are.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats

import riemflow as rf

# %%
# Soils
# -----
#
# Eight hundred soils are simulated: loams, and sands, some of which have no clay at all. Zeros
# are points like others here; logarithms of ratios, the usual way, do not have them. Laboratories
# give per cents, which are divided by their sum.

rng = np.random.default_rng(0)
loam, sand = rng.dirichlet([8, 8, 4], 500), rng.dirichlet([14, 2, 0.5], 300)
per_cent = 100 * rng.permutation(np.concatenate([loam, sand]))
soils = pd.DataFrame(per_cent.round(1), columns=["sand", "silt", "clay"])
soils = soils.div(soils.sum(axis=1), axis=0)
print(soils.head(3).round(3).to_string(index=False))
print(f"{(soils == 0).any(axis=1).sum()} soils have a zero")

# %%
# A data frame or a file has the proportions themselves. Inside, and in arrays, a point is their
# square roots, a unit vector: ``points**2`` gives the proportions of draws. The volume is
# that of the square roots, π/2 in all for three proportions, and does not prefer the middle to
# the rim: distances are half of Fisher and Rao's.

known, held_out = soils[:640], soils[640:]
density = rf.fit(known, "simplex:2", dedup=True, time_limit=4)
dirichlet = rf.distributions.uniform("simplex:2")  # Dirichlet's with parameters 1/2

points = rf.read(held_out, "simplex:2").points
print(f"held-out soils: {density.score(held_out).mean:.3f} nats per soil")
print(f"uniform:        {dirichlet.log_prob(points).mean():.3f}")
drawn = density.sample(4, seed=1) ** 2
print(pd.DataFrame(drawn, columns=soils.columns).round(3).to_string(index=False))

# %%
# A density per unit of sand and silt, as in most papers, is another number for the same thing.
# Its logarithm is log p − ½ Σ log pᵢ − n log 2, with n = 2, and has no value where a proportion is 0.


def per_sand_and_silt(p):
    return density.log_prob(np.sqrt(p)) - 0.5 * np.log(p).sum(axis=1) - 2 * np.log(2)


print(f"per sand and silt at a loam: {np.exp(per_sand_and_silt(np.array([[0.4, 0.4, 0.2]])))[0]:.1f}")

# %%
# The triangle
# ------------
#
# The density is drawn over the triangle, per unit of the space's own volume. Soils without clay
# lie on the lower side, and have a density as others.

side = 200
i, j = np.meshgrid(np.arange(side + 1), np.arange(side + 1))
i, j = i[i + j <= side], j[i + j <= side]
p = np.stack([side - i - j, i, j], axis=1) / side


def corners(p):
    """Sand at the left, silt at the right, clay at the top."""
    return p[:, 1] + p[:, 2] / 2, p[:, 2] * np.sqrt(3) / 2


fig, ax = plt.subplots(figsize=(6.2, 4.8), layout="constrained")
values = np.exp(density.log_prob(np.sqrt(p)))
picture = ax.tripcolor(
    *corners(p), values, cmap="YlOrBr", shading="gouraud", vmax=np.percentile(values, 99.5)
)
ax.plot(*corners(held_out.to_numpy()), ".", color="tab:blue", markersize=4, clip_on=False)
ax.plot([0, 1, 0.5, 0], [0, 0, np.sqrt(3) / 2, 0], color="black", linewidth=0.8)
for x, y, name in ((-0.02, -0.05, "sand"), (1.02, -0.05, "silt"), (0.5, 0.89, "clay")):
    ax.text(x, y, name, ha="center")
ax.set(aspect="equal", xlim=(-0.1, 1.1), ylim=(-0.08, 0.95))
ax.axis("off")
fig.colorbar(picture, ax=ax, shrink=0.8, label="density per volume of the simplex", extend="max")
plt.show()

# %%
# Cloud cover
# -----------
#
# The sky is often clear or covered, and seldom in between. On ``interval:1,from=0,to=1`` the ends
# are points like others, and the density is per unit of length. A *kernel density*, a bump on each
# point, is enough in one dimension, and smooth. SciPy's has a part of its mass below 0 and above 1.

cover = rng.beta(0.5, 0.4, 2000)
known, held_out = cover[:1600], cover[1600:]
inside = rf.KernelDensity("interval:1,from=0,to=1").fit(known)
plain = stats.gaussian_kde(known)
outside = 1 - plain.integrate_box_1d(0, 1)
print(f"kernel density of SciPy: {outside:.1%} of the mass is outside")
print(f"held out, on the interval: {inside.score(held_out).mean:.3f} nats")
print(f"held out, SciPy's:         {plain.logpdf(held_out).mean():.3f}")
print(f"held out, the truth:       {stats.beta(0.5, 0.4).logpdf(held_out).mean():.3f}")

fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.hist(cover, np.linspace(0, 1, 41), density=True, color="0.85", label="data")
inside.plot(ax=ax)
x = np.linspace(-0.2, 1.2, 300)
ax.plot(x, plain(x), color="tab:red", linestyle="--")
ax.lines[0].set_label("on the interval")
ax.lines[1].set_label("SciPy's kernel density")
ax.set(xlabel="cloud cover", xlim=(-0.2, 1.2), ylim=(0, 5))
ax.legend(loc="upper center")
plt.show()
