"""Densities for data."""

from __future__ import annotations

import inspect
import os
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _core, _options
from ._progress import Listener, ProgressOption
from .density import Density
from .distributions import Distribution
from .errors import Error, Interrupted
from .reading import PointSet, read

__all__ = ["Comparison", "Flow", "KernelDensity", "LearnedKernels", "NormalMixture", "Pool", "TargetFit", "VonMisesFisherMixture", "compare", "fit",
           "fit_target"]


def _data(points: Any, manifold: Any, options: Dict[str, Any]) -> Tuple[Any, str]:
    """What the library fits to: points that were read, or an array; and the name of the manifold, empty if the points
    know it."""
    name = _arrays.name_of(manifold)
    if isinstance(points, PointSet):
        if name and _core.Manifold(name).name != points.manifold:
            raise Error(f"points on {points.manifold} for {name}", "leave out `manifold`, or read them anew with it",
                        2, "manifold", name)
        if options.get("weights") is not None:
            raise Error("`weights` with points that were read before", "give it to `read`, or give `sample_weight`", 2,
                        "weights", str(options["weights"]))
        return points._data, ""
    if _arrays.is_read(points):
        reading = {key: options.get(key) for key in ("columns", "format", "data_dir", "weights")}
        read_points = read(points, name, units=options.get("units") or "auto",
                           skip_invalid=bool(options.get("skip_invalid")), **reading)
        return read_points._data, ""
    for key in _options._READING:
        if options.get(key) is not None:
            instead = "give them as `sample_weight`" if key == "weights" else "leave it out"
            raise Error(f"`{key}` with an array", f"it is of files and data frames: {instead}", 2, key)
    if not name or name == "euclidean":
        array = _arrays.rows(points)
        if name:
            return array, f"euclidean:{array.shape[1]}"
        if array.shape[1] != 3:
            raise Error(f"points of {array.shape[1]} numbers without a `manifold`",
                        "name it, as in manifold='torus:2'; without one they are unit vectors on sphere:2", 2, "manifold")
        return array, "sphere:2"
    return _arrays.points_on(points, name, _core.Manifold(name).ambient), name


def _gpu_environment(options: Mapping[str, Any]) -> None:
    """What a process of several flows on one GPU needs before it begins."""
    if options.get("device") in ("cuda", "auto"):
        os.environ.setdefault("CUDA_MODULE_LOADING", "EAGER")
        os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")


def _fit(points: Any, manifold: Any, sample_weight: Any, progress: ProgressOption, options: Dict[str, Any],
         known: Optional[Iterable[str]] = None, of: str = "fit") -> Density:
    options = {key: value for key, value in options.items() if value is not None}
    preset = options.pop("preset", None)
    values = _options.values_of(options, known, of)
    data, name = _data(points, manifold, options)
    if name:
        values["manifold"] = name
    _gpu_environment(options)
    listener = Listener(progress)
    try:
        core, stopped = _core.fit(data, values, preset, _arrays.weights_for(sample_weight), "points", listener)
    finally:
        listener.clear()
    density = Density(core) if core is not None else None
    if stopped == "interrupted":
        raise Interrupted(density)
    assert density is not None
    return density


def fit(points: Any, manifold: Any = None, *, time_limit: Any = None, seed: int = 0, sample_weight: Any = None,
        progress: ProgressOption = None, **options: Any) -> Density:
    """Fit a density to points.

    The default is a pool: kernel densities and flows, weighed on points that they have not seen, as good as the time
    limit allows. With a setting of one model, such as ``width`` or ``model="kde"``, that is fitted.

    Parameters
    ----------
    points : array_like [n, ambient], PointSet, DataFrame, Dataset or path
        One point a row: unit vectors on the sphere, radians on the torus, quaternions w x y z of rotations, upper
        triangles of matrices, square roots of proportions. Of files and frames, columns are found by their names, and
        made into such; `from_latlon` makes unit vectors.
    manifold : str or Manifold, optional
        Where they live: "sphere:2", "torus:2", "ball:2,K=-1", "euclidean:3", "rotation:3", "sphere:2 x torus:1"; `Manifold`
        has them all. Unless given, an array is one of unit vectors on sphere:2, and of files and frames it is inferred.
    time_limit : float or str, optional
        Seconds, or "10m", "2h"; "none": no limit. Unless given, 60 seconds for the default and none for a single model.
    seed : int
        Of the split, the first parameters and all noise.
    sample_weight : array_like [n], optional
        How much each point counts, from 0; a weight of 2 is as the point given twice. Unless given, those that a file or
        frame was read with (`weights`), if any.
    progress : bool or callable, optional
        A line on standard error, which is there unless given in terminals and notebooks; or what is called with a
        `Progress`.
    preset : {presets}, optional
        Settings to start from.
{options}

    Returns
    -------
    Density

    Raises
    ------
    Error
        For points that are not on the manifold, and settings that make no sense.
    Interrupted
        After Ctrl-C, with the best density so far as its `density`.

    Examples
    --------
    >>> import riemflow as rf
    >>> quakes = rf.read("earthquakes")
    >>> density = rf.fit(quakes, dedup=True, model="kde", kernel="one")
    >>> density.score(quakes).mean > -2.531  # better than the uniform density
    True
    """
    return _fit(points, manifold, sample_weight, progress, {"seed": seed, "time_limit": time_limit, **options},
                [name for name in _options.TABLE if name not in ("manifold", "target")] + ["preset"])


class TargetFit(NamedTuple):
    """A flow that was fitted to a target, and how near it is."""

    density: Density
    scores: Dict[str, float]  #: reverse_kl, forward_kl and their errors, effective_share, missed_share


def fit_target(target: Any, manifold: Any = None, *, draw: Any = None, time_limit: Any = None, seed: int = 0,
               progress: ProgressOption = None, **options: Any) -> TargetFit:
    """Fit a flow to a density that is known by its formula, by reverse KL divergence.

    Parameters
    ----------
    target : Distribution or callable
        A function of an array [n, ambient] that returns the logarithms of the density [n], of any normalisation, and
        their gradients [n, ambient] in the coordinates of the points. It is called for a few points at a time, from
        several threads in turn.
    manifold : str or Manifold, optional
        Of a callable.
    draw : callable, optional
        draw(n, seed) returns n draws [n, ambient] of the target, which must be normalised then. With it, training starts
        by likelihood on draws, which finds all modes, and what the flow misses of the target is known.
    time_limit : float or str, optional
        Seconds, or "10m"; no limit unless given.
    seed : int
    progress : bool or callable, optional
    **options
        Those of `Flow`.

    Returns
    -------
    TargetFit
        density and scores.

    Examples
    --------
    >>> import riemflow as rf
    >>> target = rf.distributions.vmf([0, 0, 1], 3)
    >>> found = rf.fit_target(target, width=16, depth=2, iterations=60, forward_start=30, batch=100)
    >>> found.scores["reverse_kl"] < 1
    True
    """
    known = [*_options.names_for("riemannian"), "seed", "time_limit", "model"]
    if time_limit is not None:
        options["time_limit"] = time_limit
    if isinstance(target, Distribution):
        core, name = target._core, target.manifold.name
    elif callable(target):
        if manifold is None:
            raise Error("a target without a `manifold`", "name it, as in manifold='torus:2'", 2, "manifold")
        name = _arrays.name_of(manifold)
        core = _core.callable_target(target, draw, _core.Manifold(name).ambient,
                                     getattr(target, "__name__", type(target).__name__))
        if draw is None:
            options.setdefault("forward_start", 0)
    else:
        raise TypeError(f"the target is a {type(target).__name__}; a distribution or a function is expected")
    values = _options.values_of({"seed": seed, **options}, known, "fit_target")
    values["objective"] = "reverse-kl"
    listener = Listener(progress)
    try:
        found, stopped, scores = _core.fit_to_target(core, name, values, listener)
    finally:
        listener.clear()
    density = Density(found) if found is not None else None
    if stopped == "interrupted":
        raise Interrupted(density)
    assert density is not None
    return TargetFit(density, scores)


class _Recipe:
    """A kind of model with its options; fit() makes the density."""

    _model = ""

    def __init__(self, manifold: Any = None, *, time_limit: Any = None, seed: int = 0, **options: Any) -> None:
        self.manifold = manifold
        self.options: Dict[str, Any] = {"seed": seed, **options}
        if time_limit is not None:
            self.options["time_limit"] = time_limit
        _options.values_of(self.options, self._known(), type(self).__name__)

    @classmethod
    def _known(cls) -> List[str]:
        return [*_options.names_for(cls._model), "seed", "time_limit", *_options._READING]

    def __repr__(self) -> str:
        shown = [repr(self.manifold)] if self.manifold is not None else []
        shown += [f"{key}={value!r}" for key, value in self.options.items() if (key, value) != ("seed", 0)]
        return f"riemflow.{type(self).__name__}({', '.join(shown)})"

    def fit(self, points: Any, sample_weight: Any = None, progress: ProgressOption = None) -> Density:
        """Fit it to points.

        Parameters
        ----------
        points : array_like [n, ambient], PointSet, DataFrame, Dataset or path
        sample_weight : array_like [n], optional
        progress : bool or callable, optional

        Returns
        -------
        Density
        """
        return _fit(points, self.manifold, sample_weight, progress, {**self.options, "model": self._model},
                    [*self._known(), "model"], type(self).__name__)


class Flow(_Recipe):
    """A flow on the manifold itself: a simple density that a learned field carries to the data.

    Parameters
    ----------
    manifold : str or Manifold, optional
        Of arrays, sphere:2 unless given; of files and frames it is inferred.
    time_limit : float or str, optional
    seed : int
{options}

    Examples
    --------
    >>> import riemflow as rf
    >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
    >>> rf.Flow("sphere:2", width=8, depth=1, iterations=5).fit(X)
    <riemflow.Density riemannian on sphere:2>
    """

    _model = "riemannian"


class LearnedKernels(_Recipe):
    """A kernel density whose kernels a network says: for each point six, by how its neighbours lie.

    The network is trained on points of the data that are held out afresh at each step, in some twenty seconds for five
    thousand points.

    Parameters
    ----------
    manifold : str or Manifold, optional
        Of arrays, sphere:2 unless given; of files and frames it is inferred.
    time_limit : float or str, optional
    seed : int
{options}

    Examples
    --------
    >>> import riemflow as rf
    >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(100, seed=1)
    >>> rf.LearnedKernels("sphere:2", time_limit=2).fit(X)
    <riemflow.Density kernels on sphere:2>
    """

    _model = "kernels"


class NormalMixture(_Recipe):
    """A mixture of normals with means, covariances and weights of their own, by EM, on any manifold.

    As many normals as held-out points like best; the density is the mean over several starts. For smooth data, which it
    needs few numbers for.

    Parameters
    ----------
    manifold : str or Manifold, optional
        Of arrays, sphere:2 unless given; of files and frames it is inferred.
    time_limit : float or str, optional
    seed : int
{options}

    Examples
    --------
    >>> import riemflow as rf
    >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(100, seed=1)
    >>> rf.NormalMixture("sphere:2").fit(X)
    <riemflow.Density normal-mixture on sphere:2>
    """

    _model = "normal-mixture"


class VonMisesFisherMixture(_Recipe):
    """A mixture of von Mises-Fisher distributions, on a sphere.

    Parameters
    ----------
    manifold : str or Manifold, optional
        Of arrays, sphere:2 unless given; of files and frames it is inferred.
    time_limit : float or str, optional
    seed : int
{options}

    Examples
    --------
    >>> import riemflow as rf
    >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
    >>> rf.VonMisesFisherMixture("sphere:2", components=2, optimizer="em").fit(X)
    <riemflow.Density vmf-mixture on sphere:2>
    """

    _model = "vmf-mixture"


class Pool(_Recipe):
    """The default: learned kernels and what adds to them, weighed on points that they have not seen.

    Parameters
    ----------
    manifold : str or Manifold, optional
        Of arrays, sphere:2 unless given; of files and frames it is inferred.
    time_limit : float or str, optional
    seed : int
{options}

    Examples
    --------
    >>> import riemflow as rf
    >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
    >>> pool = rf.Pool.of([rf.KernelDensity("sphere:2", bandwidth=h).fit(X) for h in (0.1, 0.3)], [0.5, 0.5])
    >>> len(pool.members)
    2
    """

    _model = "pool"

    @staticmethod
    def of(members: Sequence[Density], weights: Sequence[float]) -> Density:
        """A pool of densities of one manifold with given weights.

        Parameters
        ----------
        members : sequence of Density
        weights : sequence of float
            From 0, scaled to sum 1; members without weight are left out.

        Returns
        -------
        Density
        """
        return Density(_core.pool([member._core for member in members], [float(weight) for weight in weights]))


class KernelDensity(_Recipe):
    """A kernel density: a bump on each point, and a share of the uniform (or base) density.

    Parameters
    ----------
    manifold : str or Manifold, optional
        Of arrays, sphere:2 unless given; of files and frames it is inferred.
    bandwidth : float or array_like [n], optional
        The width of the bumps, or of each, in units of the manifold's distance. Chosen on held-out points unless given;
        with it all points are centres and nothing else is chosen.
    wide : float
        The share of the uniform (or base) density beside given bandwidths, above 0.
    time_limit : float or str, optional
    seed : int
{options}

    Examples
    --------
    >>> import riemflow as rf
    >>> X = rf.distributions.normal(2).sample(300, seed=1)
    >>> rf.KernelDensity("euclidean:2", bandwidth=0.3).fit(X).log_prob([[0.0, 0.0]]).round(1)
    array([-1.9])
    """

    _model = "kde"

    def __init__(self, manifold: Any = None, *, bandwidth: Any = None, wide: float = 1e-9, time_limit: Any = None,
                 seed: int = 0, **options: Any) -> None:
        super().__init__(manifold, time_limit=time_limit, seed=seed, **options)
        self.bandwidth, self.wide = bandwidth, wide
        if bandwidth is not None:
            for name in options:
                if name not in _options._READING:
                    raise Error(f"`{name}` with a `bandwidth`", "nothing is chosen then: leave it out", 2, name)

    def fit(self, points: Any, sample_weight: Any = None, progress: ProgressOption = None) -> Density:
        """Fit it to points.

        Parameters
        ----------
        points : array_like [n, ambient], PointSet, DataFrame, Dataset or path
        sample_weight : array_like [n], optional
        progress : bool or callable, optional

        Returns
        -------
        Density
        """
        if self.bandwidth is None:
            return super().fit(points, sample_weight, progress)
        data, name = _data(points, self.manifold, self.options)
        centres = data if name else data.points
        widths = np.atleast_1d(_arrays.numbers(self.bandwidth, "bandwidths").astype(np.float64))
        weights = data.weights if sample_weight is None and not name else _arrays.weights_for(sample_weight)
        return Density(_core.kernel_density(name or data.manifold, centres, widths, weights, float(self.wide)))


class Comparison(NamedTuple):
    """What `compare` returns."""

    table: Any  #: a DataFrame where pandas is, else a list of dicts: one row a method and protocol
    runs: Any  #: the same of every fit; `log_densities` has those of its test points


def compare(points: Any, manifold: Any = None, *, methods: Optional[Sequence[str]] = None,
            rows: Optional[Mapping[str, Mapping[str, Any]]] = None,
            protocols: Sequence[str] = ("customary", "distinct"), seeds: Sequence[int] = range(5),
            time_limit: Any = 60, split: Any = "80/10/10", group_within: Optional[str] = None, threads: int = 0,
            device: str = "cpu", jobs: int = 1, sample_weight: Any = None, progress: ProgressOption = None,
            **reading: Any) -> Comparison:
    """Fit kernel densities, mixtures and flows on the same splits, and tabulate their scores on held-out points.

    Parameters
    ----------
    points : array_like [n, ambient], PointSet, DataFrame, Dataset or path
        With their duplicates.
    manifold : str or Manifold, optional
        Of arrays, sphere:2 unless given; of files and frames it is inferred.
    methods : list of str, optional
        Of {methods}; all that the manifold has unless given.
    rows : dict of dict, optional
        Rows of one's own: a name, and keywords of `fit`, `preset` among them.
    protocols : sequence of str
        "customary": equal points fall on both sides of a split; "distinct": one of each is kept.
    seeds : sequence of int
        Of the splits, one after the other.
    time_limit : float or str
        Of each fit.
    split, group_within, threads, device
        As in `fit`.
    jobs : int
        Fits side by side, which share the threads.
    sample_weight : array_like [n], optional
        How much each point counts, as in `fit`: in all fits, and in the scores.
    progress : bool or callable, optional
    **reading
        columns, weights, units, format and skip_invalid, of files.

    Returns
    -------
    Comparison
        table: nll is the mean negative log-likelihood per test point in nats, with its standard error; to_best_kernel
        the paired difference to the best kernel density, below 0 where the method is better. runs: the single fits.

    Examples
    --------
    >>> import riemflow as rf
    >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
    >>> found = rf.compare(X, "sphere:2", methods=["uniform", "kernel-one"], protocols=["distinct"], seeds=range(2))
    >>> list(found.table.method)
    ['uniform', 'kernel-one']
    """
    chosen = list(seeds)
    if not chosen or chosen != list(range(chosen[0], chosen[0] + len(chosen))):
        raise Error(f"seeds {chosen}", "give numbers one after the other, as range(5)", 2, "seeds")
    options: Dict[str, Any] = {"split": split, "threads": threads, "time_limit": time_limit, "device": device,
                               "group_within": group_within, **reading}
    known = ["split", "threads", "time_limit", "device", "group_within", *_options._READING]
    settings = _options.values_of(options, known, "compare")
    data, name = _data(points, manifold, reading)
    settings["manifold"] = name or data.manifold
    for key in _options._READING:
        settings.pop(key.replace("_", "-"), None)
    own: Dict[str, Tuple[str, Dict[str, str]]] = {}
    for label, wanted in (rows or {}).items():
        wanted = dict(wanted)
        preset = wanted.pop("preset", "default")
        own[label] = (preset, _options.values_of(wanted, None, f"rows['{label}']"))
    _gpu_environment(options)
    listener = Listener(progress)
    try:
        found = _core.compare(data, settings, list(methods) if methods is not None else None, own, list(protocols),
                              chosen[0], chosen[-1], jobs, _arrays.weights_for(sample_weight), listener)
    finally:
        listener.clear()
    try:
        import pandas
    except ImportError:
        return Comparison(found["table"], found["runs"])
    return Comparison(pandas.DataFrame(found["table"]), pandas.DataFrame(found["runs"]))


def _document() -> None:
    """The options of the table, in the docstrings and signatures."""
    by_keyword = [name for name in _options.TABLE if name not in ("manifold", "seed", "time_limit", "target")]
    presets = ", ".join(f'"{name}"' for name in _core.preset_names())
    assert fit.__doc__ and compare.__doc__
    fit.__doc__ = fit.__doc__.replace("{presets}", "{" + presets + "}").replace(
        "{options}", _options.documentation(by_keyword))
    signature = inspect.signature(fit)
    parameters = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
                   for name in ["preset", *by_keyword]]
    fit.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    compare.__doc__ = compare.__doc__.replace("{methods}", ", ".join(f'"{name}"' for name in _core.method_names()))
    for recipe in (Flow, LearnedKernels, NormalMixture, VonMisesFisherMixture, Pool, KernelDensity):
        assert recipe.__doc__
        recipe.__doc__ = recipe.__doc__.replace("{options}", _options.documentation(_options.names_for(recipe._model)))


_document()
