"""A fitted density: values, draws, integrals, grids, pictures."""

from __future__ import annotations

import base64
import html
import json
import math
import os
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _core
from ._progress import Listener, ProgressOption
from .errors import Error, RiemflowWarning, in_python
from .manifolds import Manifold
from .reading import PointSet

__all__ = ["Check", "Density", "Mass", "Probability", "Score", "load"]


class Score(NamedTuple):
    """The mean log-density of points in nats, and its standard error."""

    mean: float
    standard_error: float
    points: int  #: that have a density
    failed: int  #: whose density could not be computed


class Mass(NamedTuple):
    """The integral of a density over the whole manifold."""

    value: float
    error: float  #: what the value is known to


class Probability(NamedTuple):
    """The probability of a region, and what it is known to."""

    value: float
    error: float
    area_km2: float
    uniform: float  #: the area's share of the sphere
    region: str

    @property
    def ratio(self) -> float:
        """The probability as a multiple of the uniform density's."""
        return self.value / self.uniform


class Check(NamedTuple):
    """Whether a likelihood is to be trusted, and why (not)."""

    trustworthy: bool
    verdict: str  #: a sentence
    reasons: List[str]  #: against trust
    mass: Mass
    details: Dict[str, Any]  #: all that was measured

    def __bool__(self) -> bool:
        return self.trustworthy


def _warn(message: str) -> None:
    if message:
        warnings.warn(in_python(message), RiemflowWarning, stacklevel=3)


class Density:
    """A fitted probability density on a manifold, with respect to the Riemannian volume.

    `fit` and `load` make them. Calls from several threads are safe; the interpreter is free while they compute. A
    density pickles, and is equal to another with the same content.

    Attributes
    ----------
    manifold : Manifold
        Where it lives.
    kind : str
        "pool", "kde", "kernels", "normal-mixture", "vmf-mixture", "riemannian", …
    info : dict
        All that the model records of itself: configuration, data, scores on held-out points.
    members : list of Density
        Of a pool; else empty.
    weights : ndarray
        Of the members; else [1].

    Examples
    --------
    >>> import numpy as np, riemflow as rf
    >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(500, seed=1)
    >>> density = rf.fit(X, "sphere:2", model="kde")
    >>> density
    <riemflow.Density kde on sphere:2>
    >>> density.log_prob([[0.0, 0.0, 1.0]]) > density.log_prob([[0.0, 0.0, -1.0]])
    array([ True])
    """

    def __init__(self, core: Any) -> None:
        self._core = core
        self.manifold = Manifold(core.manifold)

    # --- what it is ---------------------------------------------------------------------------------------------
    @property
    def kind(self) -> str:
        """The kind of model."""
        return self._core.kind

    @property
    def info(self) -> Dict[str, Any]:
        """All that the model records of itself."""
        return json.loads(self._core.info())

    @property
    def members(self) -> List["Density"]:
        """Of a pool; else empty."""
        return [Density(member) for member in self._core.members()]

    @property
    def weights(self) -> np.ndarray:
        """Of the members; else [1]."""
        return self._core.weights()

    @property
    def name(self) -> str:
        """Its name as a member of a pool, or its kind."""
        return self._core.name

    @property
    def tolerance(self) -> float:
        """Of its solvers; 0 where there is none."""
        return self._core.tolerance

    def __repr__(self) -> str:
        return f"<riemflow.Density {self.name} on {self.manifold.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Density) and self._core.to_bytes() == other._core.to_bytes()

    def __hash__(self) -> int:
        return hash(self._core.to_bytes())

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_from_bytes, (self._core.to_bytes(),))

    def evaluated(self, tolerance: float = 0.0, threads: int = 0, device: str = "cpu") -> "Density":
        """The same density, computed otherwise.

        Parameters
        ----------
        tolerance : float
            Of the solver, relative and absolute; 0: the model's own.
        threads : int
            0: one for each core.
        device : {"cpu", "cuda", "auto"}

        Returns
        -------
        Density

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(100)
        >>> density = rf.fit(X, "sphere:2", model="kde").evaluated(threads=1)
        """
        return Density(self._core.evaluated(tolerance, threads, device))

    # --- values -------------------------------------------------------------------------------------------------
    def _points(self, points: Any) -> np.ndarray:
        if isinstance(points, PointSet):
            return points.points
        if _arrays.is_read(points):
            return _arrays.read(points, self.manifold.name).points
        return _arrays.points_on(points, self.manifold.name, self.manifold.ambient)

    def log_prob(self, points: Any) -> np.ndarray:
        """Logarithms of the density, in nats.

        Parameters
        ----------
        points : array_like [n, ambient], PointSet, DataFrame or path
            On the manifold. Arrays of float64 or float32 in rows are read where they lie.

        Returns
        -------
        ndarray [n]
            NaN, with a warning, where the density could not be computed.

        Raises
        ------
        Error
            Names the first point that is not on the manifold, and why.

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.manifold("torus:1").random_uniform(200, seed=1)
        >>> rf.fit(X, "torus:1", model="kde").log_prob([0.0, 1.0]).shape
        (2,)
        """
        values, message = self._core.log_prob(self._points(points))
        _warn(message)
        return values

    def log_prob_gradient(self, points: Any) -> Tuple[np.ndarray, np.ndarray]:
        """Logarithms of the density, and their exact gradients in the points.

        Parameters
        ----------
        points : array_like [n, ambient]

        Returns
        -------
        values : ndarray [n]
        gradients : ndarray [n, ambient]
            Partial derivatives in the coordinates of the points; on spheres tangent to them.

        Examples
        --------
        >>> import numpy as np, riemflow as rf
        >>> X = rf.distributions.normal(2).sample(500, seed=1)
        >>> values, gradients = rf.fit(X, "euclidean:2", model="kde").log_prob_gradient([[1.0, 0.0]])
        >>> bool(gradients[0, 0] < 0)  # downhill
        True
        """
        values, gradients, message = self._core.log_prob_gradient(self._points(points))
        _warn(message)
        return values, gradients

    def score(self, points: Any, sample_weight: Any = None) -> Score:
        """The mean log-density of points, in nats, and its standard error.

        Parameters
        ----------
        points : array_like [n, ambient], PointSet, DataFrame or path
        sample_weight : array_like [n], optional
            How much each point counts in the mean, from 0; unless given, the weights of a `PointSet`, if it has some.

        Returns
        -------
        Score
            mean, standard_error, points, failed.

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.manifold("sphere:2").random_uniform(300, seed=1)
        >>> score = rf.fit(X, "sphere:2", model="kde").score(X)
        >>> score.points
        300
        """
        weights = points.weights if sample_weight is None and isinstance(points, PointSet) else sample_weight
        return Score(*self._core.score(self._points(points), _arrays.weights_for(weights)))

    def sample(self, n: int, seed: int = 0) -> np.ndarray:
        """Draws.

        Parameters
        ----------
        n : int
        seed : int
            Same seed, same draws.

        Returns
        -------
        ndarray [n, ambient]

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.manifold("sphere:2").random_uniform(300, seed=1)
        >>> rf.fit(X, "sphere:2", model="kde").sample(10, seed=2).shape
        (10, 3)
        """
        points, message = self._core.sample(n, seed, 0)
        _warn(message)
        return points

    # --- integrals ----------------------------------------------------------------------------------------------
    def mass(self, accuracy: float = 5e-4, seed: int = 0) -> Mass:
        """The integral over the whole manifold, which is 1 for a density that is to be trusted.

        Parameters
        ----------
        accuracy : float
            That is good enough.
        seed : int
            Of the draws, where it is found by draws.

        Returns
        -------
        Mass
            value and error.

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
        >>> mass = rf.fit(X, "sphere:2", model="kde").mass()
        >>> abs(mass.value - 1) < 1e-3
        True
        """
        value, error, _ = self._core.mass(accuracy, seed)
        return Mass(value, error)

    def check(self, points: int = 2000, seed: int = 0, progress: ProgressOption = None) -> Check:
        """Is this likelihood to be trusted? Mass, round trips, accuracy, failures.

        Parameters
        ----------
        points : int
            Samples to follow there and back.
        seed : int
        progress : bool or callable, optional

        Returns
        -------
        Check
            True where it is to be trusted; with a sentence, the reasons against and all numbers.

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
        >>> rf.fit(X, "sphere:2", model="kde").check().verdict
        'trustworthy'
        """
        listener = Listener(progress)
        try:
            found = json.loads(self._core.check(points, seed, listener))
        finally:
            listener.clear()
        mass = found["mass"]
        return Check(found["trustworthy"], in_python(found.pop("sentence")), found["reasons"],
                     Mass(mass["value"], mass["error"]), found)

    def prob(self, *, circle: Optional[Tuple[float, float, float]] = None,
             box: Optional[Tuple[float, float, float, float]] = None, polygon: Any = None, accuracy: float = 1e-3,
             evaluations: int = 400_000) -> Probability:
        """The probability of a region of the Earth, on sphere:2.

        Parameters
        ----------
        circle : (lat, lon, km), optional
            All within so many kilometres of a place.
        box : (west, south, east, north), optional
            Between two meridians and two parallels in degrees, eastward, also across the antimeridian.
        polygon : path, dict, list of (lon, lat), or what has __geo_interface__, optional
            A GeoJSON file, a geometry of GeoJSON, or a ring of longitudes and latitudes.
        accuracy : float
            Relative error that is good enough.
        evaluations : int
            Of flows, at most.

        Returns
        -------
        Probability
            value, error, area_km2, uniform (the area's share of the sphere), ratio.

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
        >>> around_the_pole = rf.fit(X, "sphere:2", model="kde").prob(circle=(90, 0, 3000))
        >>> around_the_pole.value > around_the_pole.uniform
        True
        """
        if sum(region is not None for region in (circle, box, polygon)) != 1:
            raise Error("prob needs one region", "give one of circle=(lat, lon, km), box=(west, south, east, north) and "
                        "polygon=", 2)
        how = (accuracy, evaluations)
        if circle is not None:
            found = self._core.circle(*_numbers(circle, 3, "circle", "(lat, lon, km)"), *how)
        elif box is not None:
            found = self._core.box(*_numbers(box, 4, "box", "(west, south, east, north)"), *how)
        elif isinstance(polygon, (str, os.PathLike)):
            found = self._core.polygon_file(os.fspath(polygon), *how)
        else:
            found = self._core.polygon_text(json.dumps(_geometry(polygon)), *how)
        if not found["converged"]:
            _warn(f"the probability of {found['name']} did not reach the accuracy of {accuracy:g}: give more "
                  "evaluations, or a larger accuracy")
        return Probability(found["value"], found["error"], found["area_km2"], found["uniform"], found["name"])

    def grid(self, resolution: Optional[float] = None, *, per: Optional[str] = None, cell: str = "mean",
             extent: Optional[float] = None, longitude: float = -180, progress: ProgressOption = None) -> Any:
        """The density on a regular grid of a manifold of two dimensions.

        Parameters
        ----------
        resolution : float, optional
            Side of a cell: degrees on sphere:2 and torus:2, 1 unless given; coordinates elsewhere.
        per : {"sr", "km2", "rad2", "volume", "euclid"}, optional
            What the density is per; the manifold's own measure unless given.
        cell : {"mean", "centre"}
            What a cell holds: the density's mean in it, so that masses add up to 1, or that at its centre.
        extent : float, optional
            Half the side of the square, on euclidean:2.
        longitude : {-180, 0}
            Where the columns begin, on sphere:2.
        progress : bool or callable, optional

        Returns
        -------
        xarray.Dataset
            `density` and `log_density` with coordinates, units and attributes of the CF conventions; where xarray is
            missing, a dict of arrays.

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
        >>> grid = rf.fit(X, "sphere:2", model="kde").grid(resolution=10)
        >>> grid.density.shape
        (18, 36)
        >>> grid.density.units
        'sr-1'
        """
        if longitude not in (-180, 0):
            raise Error(f"longitude {longitude}", "the columns begin at -180 or at 0", 2, "longitude", str(longitude))
        listener = Listener(progress)
        command = "riemflow.Density.grid(" + ", ".join(
            f"{name}={value!r}" for name, value in
            (("resolution", resolution), ("per", per), ("extent", extent)) if value is not None) + ")"
        try:
            found = self._core.grid(per or "", longitude, resolution or 0.0, extent or 0.0, cell, command, listener)
        finally:
            listener.clear()
        if found["failed"]:
            _warn(f"the density could not be computed in {found['failed']} cells; they are nan")
        variables = found["variables"]
        attributes = {**found["attributes"], "mass": found["mass"], "mass_error": found["mass_error"]}
        try:
            import xarray
        except ImportError:
            return {**{name: values for name, (_, values, _) in variables.items()}, "attributes": attributes}
        # xarray has the fill value as encoding, not as an attribute.
        data = {name: (dims, values, {k: v for k, v in attrs.items() if k != "_FillValue"})
                for name, (dims, values, attrs) in variables.items()}
        coords = {name: data.pop(name) for name in list(data) if data[name][0] == [name]}
        return xarray.Dataset(data, coords, attributes)

    def trajectories(self, points: Any = 100, frames: int = 11, seed: int = 0) -> Tuple[np.ndarray, np.ndarray]:
        """Paths from the base of a flow (time 0) to the density (time 1); of a pool those of its leading flow.

        Parameters
        ----------
        points : int or array_like [n, ambient]
            How many draws of the base to follow, or the points where paths are to end.
        frames : int
            Times at which they are seen, from 2.
        seed : int
            Of the draws.

        Returns
        -------
        times : ndarray [frames]
        paths : ndarray [frames, n, ambient]

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
        >>> flow = rf.Flow("sphere:2", width=8, depth=1, iterations=5).fit(X)
        >>> times, paths = flow.trajectories(4, frames=3)
        >>> paths.shape
        (3, 4, 3)
        """
        if frames < 2:
            raise Error(f"{frames} frames", "give 2 or more", 2, "frames", str(frames))
        if isinstance(points, (int, np.integer)):
            paths, message = self._core.paths_from_base(int(points), frames, seed)
        else:
            paths, message = self._core.paths_to_points(self._points(points), frames)
        _warn(message)
        return np.linspace(0, 1, frames), paths

    # --- files and pictures -------------------------------------------------------------------------------------
    def save(self, path: Union[str, os.PathLike]) -> None:
        """Write a model file, which `load` and every command of the tool read.

        Parameters
        ----------
        path : path
            A file that is there is replaced if it is a model too.

        Examples
        --------
        >>> import os, tempfile, riemflow as rf
        >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
        >>> density = rf.fit(X, "sphere:2", model="kde")
        >>> path = os.path.join(tempfile.mkdtemp(), "pole.model")
        >>> density.save(path)
        >>> rf.load(path) == density
        True
        """
        self._core.save(os.fspath(path))

    def plot(self, data: Any = None, *, format: Optional[str] = None, ax: Any = None, title: str = "",
             per: Optional[str] = None, scale: Optional[str] = None, contours: Sequence[float] = (),
             samples: int = 0, trajectories: int = 0, seed: int = 0, resolution: Optional[float] = None,
             extent: Optional[float] = None, projection: Optional[str] = None,
             center: Optional[Tuple[float, float]] = None, coastlines: bool = True, width: Optional[float] = None,
             dpi: float = 300, progress: ProgressOption = None) -> Any:
        """Draw the density.

        Without a format it is drawn on axes of matplotlib, in coordinates that other things can be drawn in as well:
        longitude and latitude on the Earth, degrees on the torus, coordinates elsewhere. With one, the library's own
        figure is returned: a map of the Earth in a projection, the hyperbolic disk, a Ramachandran plot, samples by
        pairs of coordinates.

        Parameters
        ----------
        data : array_like, PointSet or path, optional
            Points to draw; those of the fit are told apart as training and test points in the library's figures.
        format : {"png", "svg", "pdf"}, optional
            Of the figure that is returned as bytes.
        ax : matplotlib Axes, optional
            To draw on; new ones unless given.
        title : str
        per : str, optional
            As in `grid`.
        scale : {"linear", "log"}, optional
            Of the colours; log on maps unless given.
        contours : sequence of float
            Per cents of the mass whose smallest regions are outlined: (50, 90).
        samples, trajectories : int
            Draws and paths to draw, with a format.
        seed : int
        resolution, extent : float, optional
            As in `grid`.
        projection : {"robinson", "mollweide", "plate-carree", "orthographic"}, optional
            Of a map, with a format.
        center : (lat, lon), optional
            Middle of a map, with a format.
        coastlines : bool
        width : float, optional
            In mm, with a format.
        dpi : float
            With a format.
        progress : bool or callable, optional

        Returns
        -------
        matplotlib Axes, or bytes

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
        >>> density = rf.fit(X, "sphere:2", model="kde")
        >>> density.plot(format="png", resolution=5)[:4]
        b'\\x89PNG'
        """
        if format is None:
            refused = {"samples": samples, "trajectories": trajectories, "projection": projection, "center": center,
                       "width": width}
            for name, value in refused.items():
                if value:
                    raise Error(f"plot's {name} without a format", "give format='png', 'svg' or 'pdf'", 2, name)
            from ._plot import draw_axes
            return draw_axes(self, data, ax, title, per, scale, contours, resolution, extent, coastlines, progress)
        if ax is not None:
            raise Error("plot has both a format and axes", "give one of them", 2, "ax")
        choice = _core.FigureChoice()
        choice.format, choice.title, choice.per, choice.scale = format, title, per or "", scale or ""
        choice.contours = sorted(float(percent) for percent in contours)
        choice.samples, choice.trajectories, choice.seed = samples, trajectories, seed
        choice.resolution, choice.extent = resolution or 0.0, extent or 0.0
        choice.projection, choice.center, choice.coastlines = projection or "", center, coastlines
        choice.width, choice.dpi = width or 0.0, dpi
        listener = Listener(progress)
        try:
            return self._core.figure(self._drawn(data), choice, listener)
        finally:
            listener.clear()

    def _drawn(self, data: Any) -> Any:
        return data if data is None or isinstance(data, str) else (
            os.fspath(data) if isinstance(data, os.PathLike) else self._points(data))

    def report(self, path: Union[str, os.PathLike], data: Any = None, *, title: str = "", log: Any = None,
               progress: ProgressOption = None) -> str:
        """Write one HTML page with an interactive globe, scores, learning curves and the verdict of `check`.

        Parameters
        ----------
        path : path
            The page.
        data : array_like, PointSet or path, optional
            To draw and to score.
        title : str
        log : path, optional
            What `fit(log=…)` wrote, for the learning curves.
        progress : bool or callable, optional

        Returns
        -------
        str
            The verdict.

        Examples
        --------
        >>> import os, tempfile, riemflow as rf
        >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
        >>> path = os.path.join(tempfile.mkdtemp(), "report.html")
        >>> rf.fit(X, "sphere:2", model="kde").report(path)
        'trustworthy'
        """
        listener = Listener(progress)
        try:
            return in_python(self._core.report(os.fspath(path), self._drawn(data), title,
                                               os.fspath(log) if log is not None else "", listener))
        finally:
            listener.clear()

    def torch(self) -> Any:
        """The density for PyTorch: an object as of torch.distributions, differentiable in the points.

        Returns
        -------
        TorchDensity
            With log_prob(tensor) and sample(shape).

        Examples
        --------
        >>> import pytest, riemflow as rf
        >>> torch = pytest.importorskip("torch")  # doctest: +SKIP
        >>> density.torch().log_prob(torch.tensor([[0.0, 0.0, 1.0]], requires_grad=True))  # doctest: +SKIP
        """
        from ._torch import TorchDensity
        return TorchDensity(self)

    def _repr_html_(self) -> str:
        fit = self.info["metadata"].get("provenance") or {}
        rows = [("density", f"{self.name} on {self.manifold.name}"),
                ("numbers", f"{self.info['parameters']:,}")]
        for label, key in (("validation", "validation_nll"), ("test", "test_nll"), ("uniform or base", "reference_nll")):
            value = fit.get(key)
            if isinstance(value, (int, float)) and math.isfinite(value):
                error = fit.get(key + "_standard_error")
                spread = f" ± {error:.4f}" if isinstance(error, (int, float)) and math.isfinite(error) else ""
                rows.append((label, f"{-value:.4f}{spread} nats per point"))
        table = "".join(f"<tr><th style='text-align:left'>{html.escape(label)}</th><td style='text-align:left'>"
                        f"{html.escape(text)}</td></tr>" for label, text in rows)
        picture = ""
        if self.manifold.dimension == 2:
            if not hasattr(self, "_thumbnail"):
                # Densities at the centres of coarse cells: some thousand evaluations.
                choice = _core.FigureChoice()
                choice.format, choice.width, choice.dpi, choice.cell = "png", 90.0, 110.0, "centre"
                if self.manifold._core.picture in ("globe", "torus"):
                    choice.resolution = 4.0
                try:
                    self._thumbnail = self._core.figure(None, choice, None)
                except Error:
                    self._thumbnail = b""
            if self._thumbnail:
                picture = ("<img alt='density' src='data:image/png;base64,"
                           f"{base64.b64encode(self._thumbnail).decode()}'>")
        return f"<div><table>{table}</table>{picture}</div>"


def _numbers(values: Any, n: int, name: str, shape: str) -> List[float]:
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != n:
        raise Error(f"{name} is {values!r}", f"give {name}={shape}", 2, name, str(values))
    return numbers


def _geometry(polygon: Any) -> Any:
    """As GeoJSON."""
    polygon = getattr(polygon, "__geo_interface__", polygon)
    if isinstance(polygon, dict):
        return polygon
    ring = [[float(lon), float(lat)] for lon, lat in polygon]
    if ring and ring[0] != ring[-1]:
        ring.append(ring[0])
    return {"type": "Polygon", "coordinates": [ring]}


def _from_bytes(data: bytes) -> Density:
    return Density(_core.from_bytes(data, "pickle"))


def load(path: Union[str, os.PathLike]) -> Density:
    """Read a model file that `Density.save` or the tool wrote.

    Parameters
    ----------
    path : path

    Returns
    -------
    Density

    Raises
    ------
    Error
        Where there is no such file, or it is damaged.

    Examples
    --------
    >>> import riemflow as rf
    >>> rf.load("nowhere.model")
    Traceback (most recent call last):
        ...
    riemflow.errors.Error: cannot open nowhere.model: No such file or directory; check the path
    """
    return Density(_core.load(os.fspath(path)))
