"""
A tree in the hyperbolic plane
==============================

Trees and hierarchies fit into hyperbolic space with little distortion, because there the
circumference of a circle grows exponentially with its radius, as the number of leaves does with
the depth of a tree. The *Poincaré disk* (``ball:2``) is a map of the hyperbolic plane: the rim
is infinitely far away, and the shortest ways are arcs that meet it at right angles.

This example places the nodes of random trees in the disk, as an embedding would, and learns
their density.
"""

import matplotlib.pyplot as plt
import numpy as np

import riemflow as rf

disk = rf.manifold("ball:2")
rng = np.random.default_rng(0)

# %%
# Trees
# -----
#
# A node's children lie one unit of hyperbolic distance ahead, to the left and to the right,
# give or take. ``exp(x, v)`` is the point where the shortest way that begins at x with the
# velocity v arrives after one unit of time; ``log`` is its inverse, and gives the direction
# back to the parent. Lengths of velocities are hyperbolic: near the rim one unit is a small
# step on the map.


def rotated(v, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * v[:, 0] - s * v[:, 1], s * v[:, 0] + c * v[:, 1]], axis=1)


def tree(depth):
    """Nodes [n, 2], and for each its parent's number."""
    root = np.zeros((1, 2))
    angles = np.radians([90, 210, 330]) + 0.15 * rng.normal(size=3)
    lengths = rng.uniform(0.4, 0.6, (3, 1))  # on the map, half of the hyperbolic ones
    ahead = lengths * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    nodes = np.concatenate([root, disk.exp(np.repeat(root, 3, axis=0), ahead)])
    parents = np.array([-1, 0, 0, 0])
    level = np.array([1, 2, 3])
    for _ in range(depth - 1):
        above = parents[level]
        distance = disk.distance(nodes[level], nodes[above])
        back = disk.log(nodes[level], nodes[above]) / distance[:, None]
        children = []
        for turn in np.radians([130, 230]):
            direction = rotated(back, turn + 0.15 * rng.normal(size=len(level)))
            length = rng.uniform(0.8, 1.2, (len(level), 1))
            children.append(disk.exp(nodes[level], length * direction))
        parents = np.concatenate([parents, level, level])
        level = np.arange(len(nodes), len(nodes) + 2 * len(level))
        nodes = np.concatenate([nodes, *children])
    return nodes, parents


forest = [tree(5) for _ in range(30)]
points = np.concatenate([nodes[1:] for nodes, _ in forest])


def from_root(x):
    return disk.distance(np.zeros_like(x), x)


print(f"{len(points)} nodes, up to {from_root(points).max():.2f} from the root")

# %%
# The fit
# -------
#
# A *kernel density* is a small bump on each point, here of hyperbolic shape: its width is
# measured along the manifold, and it integrates to 1 there.

density = rf.KernelDensity("ball:2", kernel="local", time_limit=4).fit(points)
print("mass: {:.5f} ± {:.0e}".format(*density.mass()))

# %%
# The picture
# -----------
#
# The density is per unit of *hyperbolic* area. On the left it is drawn with one of the trees,
# whose edges are shortest ways. On the right is the same density against the distance from the
# root: leaves are far out, where most of the area is.

side = np.linspace(-0.999, 0.999, 201)
x, y = np.meshgrid(side, side)
inside = x**2 + y**2 < 0.998
p = np.full(x.shape, np.nan)
p[inside] = np.exp(density.log_prob(np.stack([x[inside], y[inside]], axis=1)))

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.8), width_ratios=[1, 0.9])
picture = left.pcolormesh(x, y, p, cmap="YlOrBr", shading="auto", rasterized=True)
nodes, parents = forest[0]
for child in range(1, len(nodes)):
    begin, end = nodes[[parents[child]]], nodes[[child]]
    way = np.linspace(0, 1, 12)[:, None] * disk.log(begin, end)
    edge = disk.exp(np.repeat(begin, 12, axis=0), way)
    left.plot(*edge.T, color="tab:blue", linewidth=0.7)
left.add_patch(plt.Circle((0, 0), 1, fill=False, color="black"))
left.set(aspect="equal", xlim=(-1.02, 1.02), ylim=(-1.02, 1.02))
left.axis("off")
fig.colorbar(picture, ax=left, shrink=0.8, label="probability per hyperbolic area")

drawn = density.sample(5000, seed=1)
bins = np.linspace(0, 6.5, 40)
right.hist(from_root(points), bins, density=True, color="0.8", label="nodes")
right.hist(from_root(drawn), bins, density=True, histtype="step", color="red", label="draws")
right.set(xlabel="hyperbolic distance from the root", ylabel="share per unit")
right.legend(loc="upper left")
fig.tight_layout()
plt.show()
