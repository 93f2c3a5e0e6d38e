"""Probability densities on curved spaces: places on the Earth, directions and axes, angles and times of day, rotations and
orientations of crystals, hyperbolic space, covariances, proportions, frames and subspaces, numbers above 0 or between ends,
and products of any of these. The reference of `Manifold` has their names.

>>> import riemflow as rf
>>> quakes = rf.read("earthquakes")                             # points, and what was assumed about them
>>> density = rf.fit(quakes, dedup=True, model="kde")           # without a model: the best in 60 seconds
>>> density.prob(circle=(35.7, 139.7, 300)).ratio > 10          # around Tokyo, against the uniform density
True

`fit` makes a `Density`: log_prob, sample, prob, grid, plot, save.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core, distributions
from ._progress import Progress
from .density import Check, Density, Mass, Probability, Score, load
from .errors import Error, Interrupted, RiemflowWarning
from .fitting import (Comparison, Flow, KernelDensity, LearnedKernels, NormalMixture, Pool, TargetFit,
                      VonMisesFisherMixture, compare, fit, fit_target)
from .manifolds import Manifold, manifold
from .reading import PointSet, from_latlon, read, to_latlon

if TYPE_CHECKING:
    from .estimator import DensityEstimator

__version__: str = _core.version

__all__ = [
    "Check", "Comparison", "Density", "DensityEstimator", "Error", "Flow", "Interrupted", "KernelDensity",
    "LearnedKernels", "Manifold", "Mass", "NormalMixture", "PointSet", "Pool", "Probability", "Progress", "RiemflowWarning", "Score", "TargetFit",
    "VonMisesFisherMixture", "compare", "distributions", "fit", "fit_target", "from_latlon", "load", "manifold", "read",
    "to_latlon",
]


def __getattr__(name: str) -> Any:
    """DensityEstimator when it is first asked for: scikit-learn takes its time to load, and may be missing."""
    if name == "DensityEstimator":
        from .estimator import DensityEstimator
        return DensityEstimator
    raise AttributeError(f"module 'riemflow' has no attribute {name!r}")


def __dir__() -> Any:
    return sorted([*globals(), "DensityEstimator"])
