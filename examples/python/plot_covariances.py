"""
Covariances and diffusion tensors
=================================

Diffusion tensors and covariances are symmetric positive definite matrices. Their sum is one again,
but not their difference, and a density of their entries, as if these were any numbers, has mass
where there is no such matrix. ``spd:n`` has a distance of its own, which is the same in every
system of coordinates, and densities whose draws are all positive definite.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse

import riemflow as rf

# %%
# The data
# --------
#
# Diffusion tensors of two kinds are simulated in the plane of a slice, in μm²/ms: those of a bundle
# of fibres, long in one direction, which bends, and those of grey matter, nearly round. A point is
# the upper triangle s11, s12, s22, row by row; files may have these columns, or all four.

rng = np.random.default_rng(0)


def tensors(angle, along, across):
    c, s = np.cos(angle), np.sin(angle)
    s12 = (along - across) * c * s
    return np.stack([along * c**2 + across * s**2, s12, along * s**2 + across * c**2], axis=1)


n = 600
fibres = tensors(rng.normal(0.8, 0.25, n), rng.lognormal(0.5, 0.12, n), rng.lognormal(-2.0, 0.3, n))
grey = tensors(rng.uniform(0, np.pi, n), rng.lognormal(-0.1, 0.1, n), rng.lognormal(-0.25, 0.1, n))
points = rng.permutation(np.concatenate([fibres, grey]))
known, held_out = points[:960], points[960:]

# %%
# The distance
# ------------
#
# The distance of two matrices is that of Fisher and Rao for covariances, times √2: the root of the
# sum of the squares of the logarithms of the generalised eigenvalues. It does not change when both
# are seen in other coordinates, A S Aᵀ.

space = rf.manifold("spd:2")


def full(points):
    return points[..., [[0, 1], [1, 2]]]


def triangle(matrices):
    i, j = np.triu_indices(2)
    return matrices[..., i, j]


A = np.array([[2.0, 1.0], [0.0, 0.5]])
turned = triangle(A @ full(points[:2]) @ A.T)
print(f"distance {space.distance(points[0], points[1]):.6f}")
print(f"in other coordinates {space.distance(*turned):.6f}")

# %%
# The fit
# -------
#
# The density is with respect to the volume of this geometry, of which there is infinitely much:
# there is no uniform density to compare with. So a fit of the three numbers as they are, on
# ``euclidean:3``, is the yardstick. With respect to ds11 ds12 ds22, a density is √2 det(S)^(−3/2)
# times that with respect to the volume; the factor makes the scores comparable. Where matrices are
# not near the border of the positive definite ones, the scores differ little. The draws do: some
# of those in the three numbers are no such matrices.

density = rf.fit(known, "spd:2", time_limit=4)
plain = rf.fit(known, "euclidean:3", time_limit=4)

in_numbers = density.log_prob(held_out) + 0.5 * np.log(2) - 1.5 * np.log(np.linalg.det(full(held_out)))
difference = in_numbers - plain.log_prob(held_out)
error = difference.std() / np.sqrt(len(difference))
print(f"on spd:2       {in_numbers.mean():.3f} nats per tensor")
print(f"on euclidean:3 {plain.score(held_out).mean:.3f}")
print(f"difference {difference.mean():.3f} ± {error:.3f}")


def not_positive(points):
    return np.mean(np.linalg.eigvalsh(full(points))[:, 0] <= 0)


drawn = density.sample(5000, seed=1)
print(f"draws that are no such matrix: {not_positive(drawn):.2%} of spd:2, ", end="")
print(f"{not_positive(plain.sample(5000, seed=1)):.2%} of euclidean:3")

# %%
# Samples as ellipses
# -------------------
#
# The ellipse of a tensor has its eigenvectors for axes, and the roots of its eigenvalues for
# lengths. On the left are held-out tensors, in the middle as many draws; their colour is the
# log-density. On the right is the fractional anisotropy, 0 for a circle and 1 for a line.


def ellipses(ax, points, title):
    colours = plt.cm.viridis(plt.Normalize(*levels)(density.log_prob(points)))
    for k, (tensor, colour) in enumerate(zip(full(points), colours)):
        lengths, directions = np.linalg.eigh(tensor)
        angle = np.degrees(np.arctan2(directions[1, 1], directions[0, 1]))
        size = 0.6 * np.sqrt(lengths[::-1])
        ax.add_patch(Ellipse((k % 8, k // 8), *size, angle=angle, color=colour))
    ax.set(aspect="equal", xlim=(-0.7, 7.7), ylim=(-0.7, 7.7), title=title)
    ax.axis("off")


def anisotropy(points):
    small, large = np.linalg.eigvalsh(full(points)).T
    return (large - small) / np.sqrt(large**2 + small**2)


levels = np.percentile(density.log_prob(drawn), [2, 98])
fig, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
ellipses(axes[0], held_out[:64], "held-out tensors")
ellipses(axes[1], drawn[:64], "draws")
bins = np.linspace(0, 1, 31)
axes[2].hist(anisotropy(points), bins, density=True, color="0.8", label="tensors")
axes[2].hist(anisotropy(drawn), bins, density=True, histtype="step", color="tab:red", label="draws")
axes[2].set(xlabel="fractional anisotropy", ylabel="share per unit")
axes[2].legend()
plt.show()
