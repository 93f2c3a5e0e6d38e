"""
Wind directions on a circle
===========================

A direction is a point on a circle: 359° is next to 1°. A histogram or an ordinary kernel
density cuts the circle open at north, and a density that is fitted there comes out too low on
both sides of the cut. ``torus:1`` is the circle, and has no such place.
"""

import matplotlib.pyplot as plt
import numpy as np

import riemflow as rf

# %%
# Three thousand measurements
# ---------------------------
#
# The directions are simulated, so that the truth is known: a prevailing wind from just west of
# north, a broad one from the south-west, and some from anywhere. The von Mises distribution is
# the circle's normal distribution; its concentration κ is about 1/variance.

rng = np.random.default_rng(0)
shares = np.array([0.45, 0.4, 0.15])
means = np.radians([352, 230, 0])  # clockwise from north
kappas = np.array([25.0, 4.0, 0.0])
which = rng.choice(3, size=3000, p=shares)
direction = rng.vonmises(means[which], kappas[which])


def truth(angle):
    bumps = np.exp(kappas * np.cos(angle[:, None] - means)) / (2 * np.pi * np.i0(kappas))
    return bumps @ shares


# %%
# The fit
# -------
#
# Points are rows, so that directions are a column of radians.

density = rf.KernelDensity("torus:1").fit(direction[:, None])
print("mass: {:.6f} ± {:.0e}".format(*density.mass()))

# %%
# A wind rose
# -----------
#
# The bars are a histogram; the line is the density, and the dashed line is the one that the
# data were drawn from. The scale is the same for all three: probability per radian.

angle = np.linspace(0, 2 * np.pi, 721)
p = np.exp(density.log_prob(angle[:, None]))

fig, ax = plt.subplots(figsize=(5.6, 5.6), subplot_kw={"projection": "polar"})
ax.set_theta_zero_location("N")
ax.set_theta_direction(-1)
edges = np.linspace(0, 2 * np.pi, 37)
height, _ = np.histogram(np.mod(direction, 2 * np.pi), edges, density=True)
width = np.diff(edges)
ax.bar(edges[:-1], height, width, align="edge", color="0.85", label="histogram")
ax.plot(angle, truth(angle), "--", color="black", linewidth=1, label="truth")
ax.plot(angle, p, color="tab:blue", linewidth=2, label="density")
ax.set_thetagrids(range(0, 360, 45), ["N", "NE", "E", "SE", "S", "SW", "W", "NW"])
ax.set_rlabel_position(100)
ax.legend(loc="lower left", bbox_to_anchor=(-0.12, -0.12))
plt.show()

# %%
# The probability of a sector
# ---------------------------
#
# In one dimension an integral is a mean times a width. The sector across north is no special
# case.

sector = np.radians(np.linspace(-22.5, 22.5, 1001))
inside = np.exp(density.log_prob(sector[:, None])).mean() * np.radians(45)
exact = truth(sector).mean() * np.radians(45)
print(f"wind from the north (±22.5°): {inside:.3f}; the truth is {exact:.3f}")
