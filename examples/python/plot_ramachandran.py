"""
Torsion angles of proteins: a Ramachandran plot
===============================================

The backbone of a protein is described, at each residue, by two torsion angles, φ and ψ. Most
pairs of them are impossible, because atoms would collide. A Ramachandran plot shows where the
pairs of known structures are; a residue far from all of them is suspect, and worth another look
at the structure.

Two angles are a point on a torus: 180° is next to −180°. A density on the torus has no seam
there.
"""

import matplotlib.pyplot as plt
import numpy as np

import riemflow as rf

# %%
# The data
# --------
#
# ``torsions`` is a data set inside the library: 8,000 residues of each of four classes, of which
# the general ones come first. A quarter of these is kept aside, and judged at the end by a
# density that has never seen them. On a torus the coordinates are radians.

angles = rf.read("torsions").points[:8000]
angles = angles[np.random.default_rng(0).permutation(len(angles))]
known, new = angles[:6000], angles[6000:]

# %%
# The fit
# -------
#
# A *kernel density* is a small bump on each data point, added up. The width of the bumps is
# chosen by how well they predict points that are left out. For thousands of points in two
# dimensions it is as good as the default of :func:`riemflow.fit`, and quicker.

density = rf.KernelDensity("torus:2", dedup=True, time_limit=6).fit(known)
print(density.score(new))

# %%
# Favoured and allowed regions
# ----------------------------
#
# Crystallographers call a residue *favoured* if it lies in the smallest region that holds 98 %
# of good residues, and *allowed* in the one that holds nearly all; 99.8 % is taken here. The
# smallest region of a given probability is the set where the density is above some level. That
# level is a percentile: of points drawn from the density, 2 % have a density below the level of
# the 98 % region.

drawn = density.log_prob(density.sample(20_000, seed=1))
favoured, allowed = np.percentile(drawn, [2, 0.2])
print(f"log-density: favoured above {favoured:.2f}, allowed above {allowed:.2f}")

# %%
# The residues that were kept aside
# ---------------------------------
#
# If the density is right, 2 % of new residues are not favoured and 0.2 % are outliers. What is
# counted agrees with that within the error of counting, and the few outliers have names in a
# real structure.

scores = density.log_prob(new)
outlier = scores < allowed
print(f"of {len(new)} new residues {np.mean(scores < favoured):.1%} are not favoured,")
print(f"and {np.mean(outlier):.2%} are outliers")

# %%
# The plot
# --------

side = np.radians(np.arange(-180, 181, 1.5))
phi, psi = np.meshgrid(side, side)
log_p = density.log_prob(np.stack([phi.ravel(), psi.ravel()], axis=1))
surface = np.degrees(phi), np.degrees(psi), log_p.reshape(phi.shape)

fig, ax = plt.subplots(figsize=(6, 5.4))
picture = ax.pcolormesh(*surface, cmap="YlGnBu", shading="auto", vmin=allowed - 3)
ax.contour(*surface, levels=[allowed, favoured], colors=["tab:orange", "tab:red"])
ax.plot(*np.degrees(new[~outlier]).T, ".", color="black", markersize=1)
ax.plot(*np.degrees(new[outlier]).T, "x", color="tab:red", label="outliers")
ax.plot([], [], color="tab:red", label="98 % (favoured)")
ax.plot([], [], color="tab:orange", label="99.8 % (allowed)")
ax.set(xlabel="φ in degrees", ylabel="ψ in degrees", aspect="equal")
ax.set(xlim=(-180, 180), ylim=(-180, 180))
ax.set_xticks(range(-180, 181, 60))
ax.set_yticks(range(-180, 181, 60))
ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=3, frameon=False)
fig.colorbar(picture, label="log-density per rad²", extend="min")
fig.tight_layout()
plt.show()
