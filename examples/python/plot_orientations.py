"""
Orientations of crystals: texture, pole figures and sections
============================================================

A rolled metal has *texture*: the lattices of its grains prefer some orientations. An orientation
is a rotation, known up to the 24 rotations that carry a cube onto itself, and the density of
orientations, the ODF, has this symmetry too. Here such a density is fitted to Euler angles, and
drawn as crystallographers draw it: as pole figures and as sections of constant φ₂.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.spatial.transform import Rotation

import riemflow as rf

# %%
# The data
# --------
#
# A thousand grains are simulated, with components of rolled copper: Copper, S and Brass, each in
# its four variants of the sheet's symmetry, about which grains scatter by some degrees. A map by
# electron backscatter diffraction has such rows: Bunge's angles φ₁, Φ, φ₂ in degrees.

rng = np.random.default_rng(0)
components = {"Copper": (90, 35, 45), "S": (59, 37, 63), "Brass": (35, 45, 0)}
variants = np.concatenate([np.diag([1, 1, 1]), np.diag([1, -1, -1]), np.diag([-1, 1, -1])])
variants = Rotation.from_matrix([*variants.reshape(3, 3, 3), np.diag([-1, -1, 1])])


def bunge(euler):
    """Rotations that carry directions of the crystal to directions of the sheet."""
    return Rotation.from_euler("ZXZ", euler, degrees=True)


grains = []
for euler, n in zip(components.values(), (400, 400, 200)):
    scatter = Rotation.from_rotvec(np.radians(6) * rng.normal(size=(n, 3)))
    grain = variants[rng.integers(4, size=n)] * bunge(euler) * scatter
    grains.append(grain.as_euler("ZXZ", degrees=True))
grains = rng.permutation(np.concatenate(grains))
grains = pd.DataFrame(grains, columns=["phi1", "Phi", "phi2"])
grains.head(3)

# %%
# The fit
# -------
#
# ``rotation:3/432`` is the space of orientations of a cubic crystal; 432 is its proper point
# group. Columns with these names are read as Bunge's angles. Each point becomes a unit quaternion
# w x y z, with w first (SciPy has it last). A mixture of normals is fitted to 800 grains, and the
# other 200 judge it beside a *kernel density*, which is a bump on each grain.
#
# Densities are per unit of volume, which is 8π²/24 in all. Divided by the uniform density they
# are *multiples of random*, m.r.d., as in texture software.

space = rf.manifold("rotation:3/432")
known, held_out = grains[:800], grains[800:]
density = rf.NormalMixture("rotation:3/432", time_limit=4).fit(known)
kernels = rf.KernelDensity("rotation:3/432", kernel="one").fit(known)

for name, model in (("mixture of normals", density), ("kernel density", kernels)):
    score = model.score(held_out)
    gain = score.mean + np.log(space.volume)
    print(f"{name:18s} {gain:.3f} ± {score.standard_error:.3f} nats above random, per grain")

# %%
# An orientation's score
# ----------------------
#
# How usual is a grain? That of the Copper component is, the cube orientation is not. An
# orientation has 24 names, and the density is the same for all of them: turn the crystal by 90°
# about its axis z (add 90° to φ₂), or by 120° about its diagonal.


def quaternions(rotations):
    return rotations.as_quat()[:, [3, 0, 1, 2]]


def multiples(rotations):
    return space.volume * np.exp(density.log_prob(quaternions(rotations)))


asked = pd.DataFrame([*components.values(), (0, 0, 0)], [*components, "Cube"], grains.columns)
asked["m.r.d."] = space.volume * np.exp(density.log_prob(asked))
print(asked.round(2))

copper = bunge([components["Copper"]])
diagonal = Rotation.from_rotvec(np.radians(120) * np.ones(3) / np.sqrt(3))
z = Rotation.from_euler("Z", 90, degrees=True)
same = {"itself": copper, "90° about z": copper * z, "120° about 111": copper * diagonal}
for name, orientation in same.items():
    print(f"Copper, {name:14s} {multiples(orientation)[0]:.10f} m.r.d.")

# %%
# Pole figures
# ------------
#
# A pole figure shows where in the sheet the normals of a family of lattice planes point, the
# rolling direction RD being upward and the sheet's normal in the middle. Draws of the density
# give as many poles as one likes; counted in cells of equal area they are a picture in multiples
# of random. The projection is Lambert's, which keeps areas.

families = {
    "111": [(1, 1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, -1)],
    "200": [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "220": [(1, 1, 0), (1, 0, 1), (0, 1, 1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1)],
}


def poles(rotations, planes):
    """On Lambert's disk of radius 1, the upper ends of all normals."""
    normals = np.array(planes) / np.linalg.norm(planes, axis=1, keepdims=True)
    v = np.concatenate([rotations.apply(normal) for normal in normals])
    v[v[:, 2] < 0] *= -1
    return v[:, :2] / np.sqrt(1 + v[:, 2:])


def as_rotations(points):
    return Rotation.from_quat(points[:, [1, 2, 3, 0]])


drawn = as_rotations(density.sample(60_000, seed=1))
edges = np.linspace(-1, 1, 73)
middle = (edges[1:] + edges[:-1]) / 2
outside = np.hypot(*np.meshgrid(middle, middle)) > 1

fig, axes = plt.subplots(2, 3, figsize=(9.4, 6.4), layout="constrained")
for (name, planes), above, below in zip(families.items(), *axes):
    x, y = poles(drawn, planes).T
    counts = np.histogram2d(x, y, edges)[0] / (len(x) * (edges[1] - edges[0]) ** 2 / np.pi)
    shown = np.ma.array(counts, mask=outside)
    picture = above.pcolormesh(edges, edges, shown[:, ::-1], cmap="viridis", rasterized=True)
    fig.colorbar(picture, ax=above, shrink=0.8, label="m.r.d.")
    x, y = poles(bunge(grains.to_numpy()), planes).T
    below.plot(-y, x, ".", markersize=1, color="black", alpha=0.4)
    above.set_title(f"{{{name}}}", pad=14)
    for ax in (above, below):
        ax.add_patch(plt.Circle((0, 0), 1, fill=False, color="black"))
        ax.set(aspect="equal", xlim=(-1.05, 1.05), ylim=(-1.05, 1.05))
        ax.axis("off")
        ax.text(0, 1.06, "RD", ha="center", fontsize="small")
axes[0, 0].text(-1.3, 0, "density", rotation=90, va="center")
axes[1, 0].text(-1.3, 0, "grains", rotation=90, va="center")
plt.show()

# %%
# Sections of constant φ₂
# -----------------------
#
# Sections show Brass at φ₂ = 0° and, by another of its names, at 45°; Copper at 45° and, by another
# name, at 27°; and S at 63°. The density was told nothing of the sheet's own symmetry; where its
# variants differ in height, so do the numbers of grains that were drawn.

phi1, Phi = np.meshgrid(np.arange(0, 91, 2.5), np.arange(0, 91, 2.5))
fig, axes = plt.subplots(1, 4, figsize=(9.6, 2.9), sharey=True, layout="constrained")
for ax, phi2 in zip(axes, (0, 27, 45, 63)):
    euler = np.stack([phi1.ravel(), Phi.ravel(), np.full(phi1.size, phi2)], axis=1)
    values = multiples(bunge(euler)).reshape(phi1.shape)
    levels = [1, 2, 4, 8, 16, 32]
    picture = ax.contourf(phi1, Phi, values, levels=levels, cmap="YlOrRd", extend="max")
    ax.set(title=f"φ₂ = {phi2}°", xlabel="φ₁", aspect="equal")
    ax.set(xticks=(0, 45, 90), yticks=(0, 45, 90))
axes[0].set_ylabel("Φ")
axes[0].invert_yaxis()
fig.colorbar(picture, ax=axes, label="m.r.d.")
plt.show()
