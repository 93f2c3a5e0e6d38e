"""Densities on axes of matplotlib."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

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


_Span = Tuple[float, float, str]


def _spans(manifold: Any, points: Any, extent: Optional[float]) -> Optional[List[_Span]]:
    """From where to where each coordinate is drawn, and its label; None where coordinates are not drawn."""
    spans: List[_Span] = []
    for factor in manifold.name.split(" x "):
        kind, _, rest = factor.partition(":")
        dimension, *settings = rest.split(",")
        given = dict(setting.split("=") for setting in settings)
        if kind == "torus" and "L" in given:
            periods = [float(period) for period in given["L"].split(";")]
            spans += [(0.0, period, f"x{len(spans) + 1 + i}, period {period:g}")
                      for i, period in enumerate(periods * (int(dimension) // len(periods)))]
        elif kind == "torus":
            spans += [(-np.pi, np.pi, f"x{len(spans) + 1 + i} [radians]") for i in range(int(dimension))]
        elif kind == "interval":
            spans.append((float(given.get("from", 0)), float(given.get("to", 1)), f"x{len(spans) + 1}"))
        elif kind == "euclidean":
            for _ in range(int(dimension)):
                of = points() if callable(points) else points
                low, high = float(of[:, len(spans)].min()), float(of[:, len(spans)].max())
                half = extent or 0.6 * (high - low)
                spans.append(((low + high) / 2 - half, (low + high) / 2 + half, f"x{len(spans) + 1}"))
        else:
            return None
    return spans


def _surface(density: Any, points: Optional[np.ndarray], resolution: Optional[float], extent: Optional[float]) -> Any:
    """x, y and the density at the centres of cells of a space that `grid` does not have; labels."""
    manifold = density.manifold
    if manifold.name == "axis:2":
        step = resolution or 2.0
        y, x = np.arange(-90 + step / 2, 90, step), np.arange(-180 + step / 2, 180, step)
        lat, lon = np.radians(y)[:, None], np.radians(x)[None, :]
        at = np.stack(np.broadcast_arrays(np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)), axis=-1)
        labels = ("longitude [degrees]", "latitude [degrees]")
    else:
        spans = _spans(manifold, points if points is not None else lambda: density.sample(2000), extent)
        if spans is None:
            raise Error(f"plot on axes of a density on {manifold.name}",
                        "give format='png' for its samples by pairs of coordinates", 2)
        cells = 180
        x, y = (low + (high - low) * (np.arange(cells) + 0.5) / cells for low, high, _ in spans)
        at = np.stack(np.meshgrid(x, y), axis=-1)
        labels = (spans[0][2], spans[1][2])
    values = np.exp(density.log_prob(at.reshape(-1, at.shape[-1]))).reshape(len(y), len(x))
    return x, y, values, labels


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
    from matplotlib.colors import LogNorm, Normalize
    if manifold.name.split(",")[0] in ("sphere:2", "ball:2", "euclidean:2") or manifold.name == "torus:2":
        if manifold.name.startswith("euclidean") and extent is None:
            extent = 1.1 * float(np.abs(density.sample(2000) if points is None else points).max())
        grid = density.grid(resolution, per=per, extent=extent, progress=progress)
        names = [name for name in grid.density.dims]
        rows, columns = (grid[name].values for name in names)
        values = grid.density.values
        earth = names[0] == "lat"
        # The first coordinate is the latitude on the Earth and the abscissa elsewhere.
        x, y, shown = (columns, rows, values) if earth else (rows, columns, values.T)
        degrees = " [degrees]" if earth or manifold.name == "torus:2" else ""
        labels = ("longitude" + degrees, "latitude" + degrees) if earth else (names[0] + degrees, names[1] + degrees)
        legend, spherical, even = grid.density.attrs["long_name"], earth, True
    else:
        if per is not None:
            raise Error(f"plot's per on {manifold.name}", "leave it out: densities are per unit of its volume", 2, "per")
        x, y, shown, labels = _surface(density, points, resolution, extent)
        legend, earth, spherical = "probability density", False, manifold.name == "axis:2"
        even = spherical
    ax = _axes(ax)
    finite = shown[np.isfinite(shown) & (shown > 0)]
    log = scale == "log" or (scale is None and earth)
    norm = LogNorm(max(finite.min(), finite.max() * 1e-4), finite.max()) if log else Normalize(0, finite.max())
    mesh = ax.pcolormesh(x, y, shown, norm=norm, shading="nearest", rasterized=True)
    bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.7)
    bar.set_label(legend)
    if earth and coastlines:
        for ring in _core.coastlines():
            ax.plot(ring[:, 1], ring[:, 0], color="white", linewidth=0.4, alpha=0.7)
    if contours:
        area = np.cos(np.radians(y))[:, None] if spherical else np.ones_like(shown)
        levels = _highest(np.nan_to_num(shown), np.nan_to_num(shown * area), contours)
        ax.contour(x, y, shown, levels=levels, colors="white", linewidths=0.8)
    if points is not None:
        across, up = _flat(manifold, points)
        ax.plot(across, up, ".", color="tab:orange", markersize=2, alpha=0.5)
    ax.set_xlim(x[0] - (x[1] - x[0]) / 2, x[-1] + (x[1] - x[0]) / 2)
    ax.set_ylim(y[0] - (y[1] - y[0]) / 2, y[-1] + (y[1] - y[0]) / 2)
    if even:
        ax.set_aspect("equal")
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    ax.set_title(title)
    return ax


def _flat(manifold: Any, points: np.ndarray) -> Any:
    """Points in the coordinates of the axes."""
    if manifold.name == "sphere:2":
        places = _core.to_latlon(points)
        return places[:, 1], places[:, 0]
    if manifold.name == "axis:2":  # both ends
        places = _core.to_latlon(np.concatenate([points, -points]))
        return places[:, 1], places[:, 0]
    if manifold.name == "torus:2":
        points = np.degrees((points + np.pi) % (2 * np.pi) - np.pi)
    return points[:, 0], points[:, 1]


def _curve(density: Any, points: Optional[np.ndarray], ax: Any, title: str, extent: Optional[float]) -> Any:
    """A density of one dimension over its coordinate, an angle where it is periodic."""
    manifold = density.manifold
    name = manifold.name
    spans = _spans(manifold, points if points is not None else lambda: density.sample(2000), extent)
    if spans is not None:
        low, high, label = spans[0]
        x = np.linspace(low, high, 1000, endpoint=not name.startswith("torus"))
        at, across = x[:, None], None if points is None else points[:, 0]
        if name.startswith("torus") and across is not None:
            across = low + (across - low) % (high - low)
        label = "angle [radians]" if name == "torus:1" else label.replace("x1", "x")
    elif name.startswith(("sphere", "axis")):
        x = np.linspace(-np.pi, np.pi, 1000, endpoint=False)
        radius = 1.0 if name.startswith("axis") else manifold.volume / (2 * np.pi)
        at = np.stack([np.cos(x), np.sin(x)], axis=1) * radius
        across = None if points is None else np.arctan2(points[:, 1], points[:, 0])
        label = "angle [radians]"
    else:
        raise Error(f"plot on axes of a density on {name}", "give format='png' for the library's own figure", 2)
    ax.plot(x, np.exp(density.log_prob(at)))
    if across is not None:
        ax.plot(across, np.zeros_like(across), "|", color="tab:orange", alpha=0.5)
    ax.set_xlabel(label)
    ax.set_ylabel("probability density")
    ax.set_title(title)
    return ax
