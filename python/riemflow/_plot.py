"""Densities on axes of matplotlib."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from . import _core
from ._progress import ProgressOption
from .errors import Error


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise Error("plot needs matplotlib", "install it, or give format='png' for the library's own figure", 2) from None
    return plt.subplots()[1]


def _highest(density: np.ndarray, mass: np.ndarray, shares: Sequence[float]) -> Any:
    """Levels above which the density holds these per cents of its mass, rising."""
    order = np.argsort(-density, axis=None)
    held = np.cumsum(mass.ravel()[order]) / mass.sum()
    return sorted({float(density.ravel()[order][min(np.searchsorted(held, share / 100), held.size - 1)])
                   for share in shares})


def draw_axes(density: Any, data: Any, ax: Any, title: str, per: Optional[str], scale: Optional[str],
              contours: Sequence[float], resolution: Optional[float], extent: Optional[float], coastlines: bool,
              progress: ProgressOption) -> Any:
    """The density of a manifold of one or two dimensions; its points over it."""
    manifold = density.manifold
    points = None if data is None else density._points(data)
    if manifold.dimension == 1:
        return _curve(density, points, _axes(ax), title, extent)
    if manifold.dimension != 2:
        raise Error(f"plot on axes of a density on {manifold.name}",
                    "give format='png' for its samples by pairs of coordinates", 2)
    if manifold.name.startswith("euclidean") and extent is None:
        extent = 1.1 * float(np.abs(density.sample(2000) if points is None else points).max())
    grid = density.grid(resolution, per=per, extent=extent, progress=progress)
    from matplotlib.colors import LogNorm, Normalize
    names = [name for name in grid.density.dims]
    rows, columns = (grid[name].values for name in names)
    values = grid.density.values
    earth = names[0] == "lat"
    # The first coordinate is the latitude on the Earth and the abscissa elsewhere.
    x, y, shown = (columns, rows, values) if earth else (rows, columns, values.T)
    ax = _axes(ax)
    finite = shown[np.isfinite(shown) & (shown > 0)]
    log = scale == "log" or (scale is None and earth)
    norm = LogNorm(max(finite.min(), finite.max() * 1e-4), finite.max()) if log else Normalize(0, finite.max())
    mesh = ax.pcolormesh(x, y, shown, norm=norm, shading="nearest", rasterized=True)
    bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.7)
    bar.set_label(grid.density.attrs["long_name"])
    if earth and coastlines:
        for ring in _core.coastlines():
            ax.plot(ring[:, 1], ring[:, 0], color="white", linewidth=0.4, alpha=0.7)
    if contours:
        area = np.cos(np.radians(y))[:, None] if earth else np.ones_like(shown)
        levels = _highest(np.nan_to_num(shown), np.nan_to_num(shown * area), contours)
        ax.contour(x, y, shown, levels=levels, colors="white", linewidths=0.8)
    if points is not None:
        across, up = _flat(manifold, points)
        ax.plot(across, up, ".", color="tab:orange", markersize=2, alpha=0.5)
    ax.set_xlim(x[0] - (x[1] - x[0]) / 2, x[-1] + (x[1] - x[0]) / 2)
    ax.set_ylim(y[0] - (y[1] - y[0]) / 2, y[-1] + (y[1] - y[0]) / 2)
    ax.set_aspect("equal")
    degrees = earth or manifold.name.startswith("torus")
    labels = ("longitude", "latitude") if earth else (names[0], names[1])
    ax.set_xlabel(labels[0] + (" [degrees]" if degrees else ""))
    ax.set_ylabel(labels[1] + (" [degrees]" if degrees else ""))
    ax.set_title(title)
    return ax


def _flat(manifold: Any, points: np.ndarray) -> Any:
    """Points in the coordinates of the axes."""
    if manifold.name == "sphere:2":
        places = _core.to_latlon(points)
        return places[:, 1], places[:, 0]
    if manifold.name.startswith("torus"):
        points = np.degrees((points + np.pi) % (2 * np.pi) - np.pi)
    return points[:, 0], points[:, 1]


def _curve(density: Any, points: Optional[np.ndarray], ax: Any, title: str, extent: Optional[float]) -> Any:
    """A density of one dimension over its coordinate, an angle where it is periodic."""
    name = density.manifold.name
    if name.startswith("euclidean"):
        draws = density.sample(2000)[:, 0] if points is None else points[:, 0]
        middle, half = (draws.min() + draws.max()) / 2, extent or 0.6 * np.ptp(draws)
        x = np.linspace(middle - half, middle + half, 1000)
        at, label = x[:, None], "x"
    else:
        x = np.linspace(-np.pi, np.pi, 1000, endpoint=False)
        at = np.stack([np.cos(x), np.sin(x)], axis=1) * density.manifold.volume / (2 * np.pi) \
            if name.startswith("sphere") else x[:, None]
        label = "angle [radians]"
    ax.plot(x, np.exp(density.log_prob(at)))
    if points is not None:
        across = np.arctan2(points[:, 1], points[:, 0]) if name.startswith("sphere") else points[:, 0]
        if not name.startswith("euclidean"):
            across = (across + np.pi) % (2 * np.pi) - np.pi
        ax.plot(across, np.zeros_like(across), "|", color="tab:orange", alpha=0.5)
    ax.set_xlabel(label)
    ax.set_ylabel("probability density")
    ax.set_title(title)
    return ax
