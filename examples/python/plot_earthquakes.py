"""
Earthquakes: a map, and the probability of a region
===================================================

Where will the next significant earthquake be? This example learns a density from the 5,871
earthquakes of a catalogue, draws it, and asks it for the probability of a circle around Tokyo
and of a box around Italy.

A *density* on the sphere is probability per unit of area. It integrates to 1 over the whole
Earth, so that the probability of a region is its integral over that region.
"""

from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np

import riemflow as rf

# %%
# The data
# --------
#
# ``earthquakes`` is a data set inside the library; the path of your own file goes in the same
# place. Latitudes and longitudes are found by the names of their columns, and become unit
# vectors, three numbers a point.

quakes = rf.read("earthquakes")
print(f"{len(quakes)} earthquakes, {quakes.duplicates} of them in the place of another")

# %%
# The fit
# -------
#
# By default a fit takes a minute, and pools several *kernel densities* with a *flow*. This example
# is to be quick, and takes a kernel density alone: a small bump on each point, added up, whose
# width is chosen by how well the bumps predict points that are left out. ``dedup=True`` keeps one
# of each set of equal points, so that no point by which the density is tested is also one that it
# has learned from.

density = rf.fit(quakes, model="kde", dedup=True)
print(density.check().verdict)

# %%
# The *mass*, the integral over the sphere, is computed and not assumed:

print("mass: {:.6f} ± {:.0e}".format(*density.mass()))

# %%
# The map
# -------
#
# The outlines are those of the smallest region that holds nine tenths of the probability. With a ``format``, ``plot`` returns a figure for a journal; without one it draws
# on axes of matplotlib.

png = density.plot(quakes, format="png", contours=[90], resolution=1, dpi=150)
plt.figure(figsize=(9, 5))
plt.imshow(plt.imread(BytesIO(png)))
plt.axis("off")
plt.tight_layout()
plt.show()

# %%
# The probability of a region
# ---------------------------
#
# Beside the probability stands that of the uniform density, which is the region's share of the
# Earth's surface. Their ratio says how many times as likely an earthquake is there as it would
# be if earthquakes were spread evenly.

tokyo = density.prob(circle=(35.68, 139.69, 300))  # latitude, longitude, kilometres
italy = density.prob(box=(6, 36, 19, 47))  # west, south, east, north
for name, p in (("within 300 km of Tokyo", tokyo), ("a box around Italy", italy)):
    print(f"{name}: {p.value:.4f} ± {p.error:.0e}, {p.ratio:.0f} times uniform")

# %%
# The ratio as a picture
# ----------------------
#
# ``log_prob`` gives the natural logarithm of the density at any points. Less the uniform
# density's, which is 1/4π per steradian everywhere, it is the logarithm of the ratio. Here it
# is around Japan, with the circle around Tokyo.

lon, lat = np.meshgrid(np.linspace(126, 150, 161), np.linspace(28, 48, 161))
log_p = density.log_prob(rf.from_latlon(lat.ravel(), lon.ravel()))
ratio = np.exp(log_p).reshape(lat.shape) * 4 * np.pi

fig, ax = plt.subplots(figsize=(6.4, 5.6))
levels = np.arange(-2, 2.75, 0.25)
picture = ax.contourf(lon, lat, np.log10(ratio), levels, cmap="magma_r", extend="both")
where_lat, where_lon = rf.to_latlon(quakes.points)
ax.plot(where_lon, where_lat, ".", color="black", markersize=2)
sphere = rf.manifold("sphere:2")
centre = rf.from_latlon([35.68], [139.69])
turn = np.linspace(0, 2 * np.pi, 181)[:, None]
one, other = sphere.frame(centre)[0]  # of length 1, at right angles
rim = sphere.exp(centre, 300 / 6371 * (np.cos(turn) * one + np.sin(turn) * other))
rim_lat, rim_lon = rf.to_latlon(rim)
ax.plot(rim_lon, rim_lat, color="tab:cyan")
ax.set(xlim=(126, 150), ylim=(28, 48), xlabel="longitude", ylabel="latitude")
ax.set_aspect(1 / np.cos(np.radians(38)))
fig.colorbar(picture, label="times the uniform density (power of ten)")
fig.tight_layout()
plt.show()
