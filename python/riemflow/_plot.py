"""Densities on axes of matplotlib."""

from __future__ import annotations

from typing import Any, List, NamedTuple, NoReturn, Optional, Sequence

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


# What the library draws a grid of, by the coordinates of the manifold.
_GRIDS = ("globe", "torus", "disk", "plane")


class _Axis(NamedTuple):
    """A coordinate that is drawn, from where to where."""

    label: str
    low: float
    high: float
    unit: str
    periodic: bool


def _refuse(manifold: Any) -> NoReturn:
    raise Error(f"plot on axes of a density on {manifold.name}",
                f"give format='png' for the library's figure: {manifold._core.picture_words}", 2)


def _drawn_axes(density: Any, points: Optional[np.ndarray], extent: Optional[float]) -> List[_Axis]:
    """The axes that the library draws this manifold over; those without ends as far as there are points."""
    manifold = density.manifold
    drawn = manifold._core.drawn_axes()
    if drawn is None:
        _refuse(manifold)
    names = [name for name, *_ in drawn]
    axes = []
    for i, (name, unit, low, high, periodic) in enumerate(drawn):
        if not (np.isfinite(low) and np.isfinite(high)):
            seen = manifold._core.places(density.sample(2000) if points is None else points)[:, i]
            first, last = float(seen.min()), float(seen.max())
            half = extent or 0.6 * (last - first)
            middle = (first + last) / 2
            low, high = max(low, middle - half), min(high, middle + half)
        number = str(i + 1) if names.count(name) > 1 else ""
        axes.append(_Axis(name + number + (f" [{unit}]" if unit else ""), low, high, unit, periodic))
    return axes


def _surface(density: Any, points: Optional[np.ndarray], resolution: Optional[float], extent: Optional[float]) -> Any:
    """x, y, the density and the volume of a unit of them at the centres of cells, of a space that `grid` does not have;
    labels, and whether both axes are degrees."""
    core = density.manifold._core
    axes = _drawn_axes(density, points, extent)
    if len(axes) != 2:
        _refuse(density.manifold)
    degrees = all(axis.unit == "degrees" for axis in axes)
    step = resolution or (2.0 if degrees else None)
    cells = [180 if step is None else max(1, round((axis.high - axis.low) / step)) for axis in axes]
    x, y = (axis.low + (axis.high - axis.low) * (np.arange(n) + 0.5) / n for axis, n in zip(axes, cells))
    at, volume = core.placed(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2))
    shape = (len(y), len(x))
    return x, y, np.exp(density.log_prob(at)).reshape(shape), volume.reshape(shape), [axis.label for axis in axes], degrees


def draw_axes(density: Any, data: Any, ax: Any, title: str, per: Optional[str], scale: Optional[str],
              contours: Sequence[float], resolution: Optional[float], extent: Optional[float], coastlines: bool,
              progress: ProgressOption) -> Any:
    """The density of a manifold of one or two dimensions; its points over it."""
    manifold = density.manifold
    points = None if data is None else density._points(data)
    if manifold.dimension == 1:
        return _curve(density, points, _axes(ax), title, extent)
    if manifold.dimension != 2:
        _refuse(manifold)
    from matplotlib.colors import LogNorm, Normalize
    picture = manifold._core.picture
    earth = False
    if picture in _GRIDS:
        if picture == "plane" and extent is None:
            extent = 1.1 * float(np.abs(density.sample(2000) if points is None else points).max())
        grid = density.grid(resolution, per=per, extent=extent, progress=progress)
        names = [str(name) for name in grid.density.dims]
        rows, columns = (grid[name] for name in names)
        # The first coordinate is the latitude on the Earth and the abscissa elsewhere.
        earth = picture == "globe"
        first, second, shown = (columns, rows, grid.density.values) if earth else (rows, columns, grid.density.values.T)
        x, y = first.values, second.values
        degrees = str(first.attrs["units"]).startswith("degree")
        labels = [str(axis.attrs["long_name"]) + (" [degrees]" if degrees else "") for axis in (first, second)]
        legend, even = grid.density.attrs["long_name"], True
        across, up = np.meshgrid(x, y)
        at = np.stack([across, up], axis=-1).reshape(-1, 2)
        if earth:
            volume = np.cos(np.radians(up))
        elif per == "euclid":
            volume = np.ones_like(up)
        else:
            volume = np.exp(manifold._core.log_volume_density(at)).reshape(up.shape)
    else:
        if per is not None:
            raise Error(f"plot's per on {manifold.name}", f"leave it out: densities are per {manifold._core.unit_of_volume}",
                        2, "per")
        x, y, shown, volume, labels, even = _surface(density, points, resolution, extent)
        degrees, legend = even, f"probability density per {manifold._core.unit_of_volume}"
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
        levels = _highest(np.nan_to_num(shown), np.nan_to_num(shown * volume), contours)
        ax.contour(x, y, shown, levels=levels, colors="white", linewidths=0.8)
    if points is not None:
        places = _places(manifold, points, degrees)
        ax.plot(places[:, 0], places[:, 1], ".", color="tab:orange", markersize=2, alpha=0.5)
    ax.set_xlim(x[0] - (x[1] - x[0]) / 2, x[-1] + (x[1] - x[0]) / 2)
    ax.set_ylim(y[0] - (y[1] - y[0]) / 2, y[-1] + (y[1] - y[0]) / 2)
    if even:
        ax.set_aspect("equal")
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    ax.set_title(title)
    return ax


def _places(manifold: Any, points: np.ndarray, degrees: bool) -> np.ndarray:
    """Points in the coordinates of the axes, a row each; of angles in degrees where these are."""
    axes = manifold._core.drawn_axes()
    if axes is None:
        return points
    places = manifold._core.places(points)
    if degrees:
        for i, (_, unit, *_rest) in enumerate(axes):
            if unit == "radians":
                places[:, i] = np.degrees(places[:, i])
    return places


def _curve(density: Any, points: Optional[np.ndarray], ax: Any, title: str, extent: Optional[float]) -> Any:
    """A density of one dimension over its coordinate."""
    core = density.manifold._core
    (axis,) = _drawn_axes(density, points, extent)
    x = np.linspace(axis.low, axis.high, 1000, endpoint=not axis.periodic)
    ax.plot(x, np.exp(density.log_prob(core.placed(x[:, None])[0])))
    if points is not None:
        marks = core.places(points)[:, 0]
        ax.plot(marks, np.zeros_like(marks), "|", color="tab:orange", alpha=0.5)
    ax.set_xlabel(axis.label)
    ax.set_ylabel(f"probability density per {core.unit_of_volume}")
    ax.set_title(title)
    return ax
