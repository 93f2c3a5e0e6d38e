"""
A density of your own, given by a formula
=========================================

Sometimes there are no data, but a formula for a density that is known up to a constant: a
posterior, an energy. A flow can learn it by making itself as close to the formula as it can.
Then it draws independent samples, and knows their density exactly, which gives the missing
constant as well.
"""

import matplotlib.pyplot as plt
import numpy as np

import riemflow as rf

# %%
# The target
# ----------
#
# The target is an unnormalised density on the sphere, of the family of Fisher and Bingham: log
# p(x) = xᵀ A x + b·x. With this A there are two modes, at opposite ends of an axis; b makes one
# of them heavier. A target is a function that takes points ``[n, 3]`` and returns the
# log-density of each, and its gradient with respect to the three coordinates.

A = np.diag([3.0, -1.0, -2.0])
b = np.array([0.6, 0.4, 0.8])


def target(x):
    return np.einsum("ni,ij,nj->n", x, A, x) + x @ b, 2 * x @ A + b


# %%
# The fit
# -------
#
# The measure of closeness is the *reverse Kullback–Leibler divergence*, KL(flow ‖ target): the
# mean, over draws of the flow, of how much its log-density exceeds the target's. It needs no
# draws of the target.

found = rf.fit_target(target, "sphere:2", iterations=400, width=32, time_limit=10)
flow = found.density

# %%
# How close it is
# ---------------
#
# Over draws of the flow, weights w = target/flow would all be equal if the flow were right.
# Their mean is the normalising constant; how much they vary is said by the *effective sample
# size*, (Σw)²/Σw², as a share of the draws. 100 % is perfect. Here is the constant beside that
# of a sum over a fine grid.

x = flow.sample(20_000, seed=1)
log_w = target(x)[0] - flow.log_prob(x)
w = np.exp(log_w)
error = w.std() / np.sqrt(len(w))

step = 1.5  # degrees
lat, lon = np.meshgrid(
    np.arange(-90 + step / 2, 90, step), np.arange(-180, 180, step), indexing="ij"
)
grid = rf.from_latlon(lat.ravel(), lon.ravel())
area = np.cos(np.radians(lat.ravel())) * np.radians(step) ** 2
constant = np.sum(np.exp(target(grid)[0]) * area)

print(f"constant: {w.mean():.3f} ± {error:.3f} by draws, {constant:.3f} on a grid")
print(f"effective sample size: {w.sum() ** 2 / (w**2).sum() / len(w):.1%}")

# %%
# The picture
# -----------
#
# The flow and the target, normalised, from the same side, as maps in latitude and longitude. A
# mode that the flow had not found would be missing on the left.

fig, axes = plt.subplots(1, 2, figsize=(9.5, 3), sharey=True, layout="constrained")
for ax, name, log_p in (
    (axes[0], "flow", flow.log_prob(grid)),
    (axes[1], "target", target(grid)[0] - np.log(constant)),
):
    p = np.exp(log_p).reshape(lat.shape)
    picture = ax.pcolormesh(lon, lat, p, vmin=0, vmax=1.1, shading="auto")
    ax.set(title=name, xlabel="longitude", xticks=range(-180, 181, 90))
    ax.set_yticks(range(-90, 91, 45))
axes[0].set_ylabel("latitude")
fig.colorbar(picture, ax=axes, label="density per steradian")
plt.show()
