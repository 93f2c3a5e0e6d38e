"""Densities in closed form: von Mises-Fisher, uniform, normal, wrapped normal, mixtures and products of them."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np

from . import _arrays, _core
from .manifolds import Manifold

__all__ = ["Distribution", "mixture", "named", "normal", "product", "uniform", "vmf", "wrapped_normal"]


class Distribution:
    """A density in closed form, with respect to the Riemannian volume; the functions of this module make them.

    Attributes
    ----------
    manifold : Manifold
        Where it lives.
    name : str
        As the tool's ‹target› option writes it.

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.vmf([0, 0, 1], kappa=10).manifold
    riemflow.manifold('sphere:2')
    """

    def __init__(self, core: Any, manifold: str, parts: Tuple[Any, ...]) -> None:
        self._core = core
        self.manifold = Manifold(manifold)
        self._parts = parts  # the function that made it, and its arguments

    name = property(lambda self: self._core.name, doc="Its formula.")

    def __repr__(self) -> str:
        return f"<riemflow distribution {self.name}>"

    def __reduce__(self) -> Tuple[Any, ...]:
        return (self._parts[0], self._parts[1:])

    def log_prob(self, points: Any) -> np.ndarray:
        """Logarithms of the density, in nats.

        Parameters
        ----------
        points : array_like [n, ambient]

        Returns
        -------
        ndarray [n]

        Examples
        --------
        >>> from riemflow import distributions
        >>> distributions.uniform("sphere:2").log_prob([[0.0, 0.0, 1.0]]).round(4)
        array([-2.531])
        """
        return self._core.log_prob(_arrays.rows(points, columns=self._core.ambient))

    def log_prob_gradient(self, points: Any) -> Tuple[np.ndarray, np.ndarray]:
        """Logarithms of the density and their gradients in the coordinates of the surrounding space.

        Parameters
        ----------
        points : array_like [n, ambient]

        Returns
        -------
        values : ndarray [n]
        gradients : ndarray [n, ambient]
            Of a smooth extension off the manifold: the tangential part is what is meant.

        Examples
        --------
        >>> from riemflow import distributions
        >>> values, gradients = distributions.normal(2).log_prob_gradient([[1.0, 2.0]])
        >>> gradients
        array([[-1., -2.]])
        """
        return self._core.log_prob_gradient(_arrays.rows(points, columns=self._core.ambient))

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
        >>> from riemflow import distributions
        >>> distributions.vmf([0, 0, 1], 10).sample(3).shape
        (3, 3)
        """
        return self._core.sample(n, seed)

    def entropy(self, draws: int = 100_000, seed: int = 0) -> float:
        """The entropy in nats: in closed form where there is one, else the mean of -log p over draws.

        Parameters
        ----------
        draws, seed : int
            Where it has no closed form, as of mixtures.

        Returns
        -------
        float

        Examples
        --------
        >>> from riemflow import distributions
        >>> round(distributions.uniform("torus:2").entropy(), 4)
        3.6758
        """
        known: Optional[float] = self._core.entropy()
        return known if known is not None else float(-np.mean(self.log_prob(self.sample(draws, seed))))


def vmf(mu: Any, kappa: float) -> Distribution:
    """The von Mises-Fisher distribution of the unit sphere, p(x) proportional to exp(kappa mu.x).

    Parameters
    ----------
    mu : array_like [d + 1]
        Mean direction, of any positive length.
    kappa : float
        Concentration, from 0 (uniform).

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.vmf([0, 0, 1], kappa=10).log_prob([[0.0, 0.0, 1.0]]).round(4)
    array([0.4647])
    """
    mean = np.asarray(mu, dtype=np.float64)
    return Distribution(_core.vmf(mean, float(kappa)), f"sphere:{mean.size - 1}", (vmf, mean, kappa))


def uniform(manifold: str) -> Distribution:
    """The uniform distribution of a sphere, a torus or a product of them.

    Parameters
    ----------
    manifold : str

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.uniform("torus:2").log_prob([[0.0, 0.0]]).round(4)
    array([-3.6758])
    """
    name = str(getattr(manifold, "name", manifold))
    return Distribution(_core.uniform(name), name, (uniform, name))


def normal(dimension: int) -> Distribution:
    """The standard normal distribution of R^d.

    Parameters
    ----------
    dimension : int

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.normal(1).log_prob([[0.0]]).round(4)
    array([-0.9189])
    """
    return Distribution(_core.normal(dimension), f"euclidean:{dimension}", (normal, dimension))


def wrapped_normal(mean: Any, covariance: Any = 1.0, curvature: float = -1.0) -> Distribution:
    """The wrapped normal distribution of the Poincaré ball: a normal vector of the tangent space at the origin, carried
    to the mean and wrapped by the exponential map.

    Parameters
    ----------
    mean : array_like [d]
        Inside the ball.
    covariance : float, array_like [d] or [d, d]
        In orthonormal coordinates of the tangent space at the origin: one variance for all, one per coordinate, or
        the whole matrix.
    curvature : float
        Below 0; the ball has radius 1/sqrt(-curvature).

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.wrapped_normal([0.0, 0.0], 0.5).log_prob([[0.0, 0.0]]).round(4)
    array([-1.1447])
    """
    centre = np.asarray(mean, dtype=np.float64)
    sigma = np.asarray(covariance, dtype=np.float64)
    matrix = sigma if sigma.ndim == 2 else np.diag(np.broadcast_to(sigma, centre.shape))
    return Distribution(_core.wrapped_normal(float(curvature), centre, matrix), f"ball:{centre.size},K={curvature!r}",
                        (wrapped_normal, centre, matrix, curvature))


def mixture(weights: Sequence[float], components: Sequence[Distribution]) -> Distribution:
    """A mixture of distributions of one manifold.

    Parameters
    ----------
    weights : sequence of float
        Above 0, of any sum.
    components : sequence of Distribution

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions as d
    >>> two = d.mixture([0.3, 0.7], [d.vmf([0, 0, 1], 10), d.vmf([1, 0, 0], 20)])
    >>> two.log_prob([[0.0, 0.0, 1.0]]).round(3)
    array([-0.739])
    """
    parts = list(components)
    return Distribution(_core.mixture([float(w) for w in weights], [part._core for part in parts]),
                        parts[0].manifold.name, (mixture, list(weights), parts))


def product(factors: Sequence[Distribution]) -> Distribution:
    """Independent distributions on a product of manifolds.

    Parameters
    ----------
    factors : sequence of Distribution

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions as d
    >>> d.product([d.uniform("sphere:2"), d.uniform("torus:1")]).manifold.name
    'sphere:2 x torus:1'
    """
    parts = list(factors)
    return Distribution(_core.product([part._core for part in parts]),
                        " x ".join(part.manifold.name for part in parts), (product, parts))


def named(text: str, manifold: str) -> Distribution:
    """A density by its formula, as the tool takes it.

    Parameters
    ----------
    text : str
        "vmf:lat=47,lon=8,kappa=50", "wrapped-normal:alpha=1,sigma=0.3;1", "0.3*vmf:… + 0.7*vmf:…".
    manifold : str

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.named("vmf:lat=90,lon=0,kappa=10", "sphere:2").log_prob([[0.0, 0.0, 1.0]]).round(4)
    array([0.4647])
    """
    return Distribution(_core.named_target(text, manifold), manifold, (named, text, manifold))


