"""Densities in closed form, and their fits by maximum likelihood: von Mises-Fisher, Kent, Watson, Bingham and angular
central Gaussian on spheres, matrix Fisher on rotations, bivariate von Mises on the torus, uniform, normal, wrapped
normal, mixtures and products of them.

Watson, Bingham and angular central Gaussian distributions are the same at x and -x: of axes, where these are one point,
the density is twice the one here.
"""

from __future__ import annotations

import inspect
from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np

from . import _arrays, _core
from .errors import Error
from .manifolds import Manifold

__all__ = ["Distribution", "angular_central_gaussian", "bingham", "bivariate_von_mises", "fit_angular_central_gaussian",
           "fit_bingham", "fit_bivariate_von_mises", "fit_kent", "fit_matrix_fisher", "fit_watson", "kent",
           "matrix_fisher", "mixture", "named", "normal", "product", "uniform", "vmf", "watson", "wrapped_normal"]


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

    @property
    def parameters(self) -> Dict[str, Any]:
        """The arguments of the function that made it, by name.

        Examples
        --------
        >>> from riemflow import distributions
        >>> distributions.vmf([0, 0, 1], kappa=10).parameters["kappa"]
        10
        """
        return dict(zip(inspect.signature(self._parts[0]).parameters, self._parts[1:]))

    def __repr__(self) -> str:
        return f"<riemflow distribution {self.name}>"

    def __reduce__(self) -> Tuple[Any, ...]:
        return (self._parts[0], self._parts[1:])

    def _points(self, points: Any) -> np.ndarray:
        array = _arrays.points_on(points, self.manifold.name, self.manifold.ambient)
        self.manifold._core.require_points(array)
        return array

    def log_prob(self, points: Any) -> np.ndarray:
        """Logarithms of the density, in nats.

        Parameters
        ----------
        points : array_like [n, ambient]

        Returns
        -------
        ndarray [n]

        Raises
        ------
        riemflow.Error
            Names the first point that is not on the manifold, and why.

        Examples
        --------
        >>> from riemflow import distributions
        >>> distributions.uniform("sphere:2").log_prob([[0.0, 0.0, 1.0]]).round(4)
        array([-2.531])
        """
        return self._core.log_prob(self._points(points))

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
        return self._core.log_prob_gradient(self._points(points))

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


def watson(mu: Any, kappa: float) -> Distribution:
    """The Watson distribution of the unit sphere, p(x) proportional to exp(kappa (mu.x)^2).

    Parameters
    ----------
    mu : array_like [d + 1]
        The axis, of any positive length.
    kappa : float
        Above 0 points gather about both ends of the axis, below 0 about the great sphere orthogonal to it.

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.watson([0, 0, 1], kappa=-10).log_prob([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]).round(4)
    array([ -1.2589, -11.2589])
    """
    axis = np.asarray(mu, dtype=np.float64)
    return Distribution(_core.watson(axis, float(kappa)), f"sphere:{axis.size - 1}", (watson, axis, kappa))


def fit_watson(points: Any, weights: Any = None) -> Distribution:
    """The Watson distribution of the largest likelihood, of either sign of kappa.

    Parameters
    ----------
    points : array_like [n, d + 1]
        Directions or axes of any positive length, that span the space.
    weights : array_like [n], optional
        In proportion, from 0.

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> x = distributions.watson([0, 0, 1], kappa=-10).sample(5000, seed=1)
    >>> fitted = distributions.fit_watson(x)
    >>> bool(abs(fitted.parameters["kappa"] + 10) < 0.6)
    True
    """
    return watson(*_core.fit_watson(_rows(points), _weights(weights)))


def bingham(matrix: Any) -> Distribution:
    """The Bingham distribution of the unit sphere, p(x) proportional to exp(x.Ax) for a symmetric matrix A.

    Parameters
    ----------
    matrix : array_like [d + 1, d + 1] or [d + 1]
        Symmetric, or a diagonal; d is at most 64. A multiple of the identity more or less is the same density.

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.bingham([-20, -5, 0]).log_prob([[0.0, 0.0, 1.0]]).round(4)
    array([0.3811])
    """
    form = _matrix(matrix)
    return Distribution(_core.bingham(form), f"sphere:{len(form) - 1}", (bingham, form))


def fit_bingham(points: Any, weights: Any = None) -> Distribution:
    """The Bingham distribution of the largest likelihood, the one with the second moments of the points.

    Parameters
    ----------
    points : array_like [n, d + 1]
        Directions or axes of any positive length, that span the space.
    weights : array_like [n], optional
        In proportion, from 0.

    Returns
    -------
    Distribution
        Its matrix has the largest eigenvalue 0.

    Examples
    --------
    >>> from riemflow import distributions
    >>> x = distributions.bingham([-20, -5, 0]).sample(5000, seed=1)
    >>> matrix = distributions.fit_bingham(x).parameters["matrix"]
    >>> bool(abs(matrix[1, 1] + 5) < 0.6)
    True
    """
    return bingham(_core.fit_bingham(_rows(points), _weights(weights)))


def matrix_fisher(matrix: Any) -> Distribution:
    """The matrix Fisher distribution of rotations, p(R) proportional to exp(trace(F^T R)).

    Points are unit quaternions w x y z, of either sign. The density is with respect to the volume of "rotation:3", 8
    pi^2, where distances are angles of rotation.

    Parameters
    ----------
    matrix : array_like [3, 3]
        F: kappa times a rotation for a density around it.

    Returns
    -------
    Distribution

    Examples
    --------
    >>> import numpy as np
    >>> from riemflow import distributions
    >>> around_identity = distributions.matrix_fisher(10 * np.eye(3))
    >>> around_identity.log_prob([[1.0, 0.0, 0.0, 0.0]]).round(4)
    array([1.7173])
    """
    form = _shaped(matrix, (3, 3), "the matrix")
    return Distribution(_core.matrix_fisher(form), "rotation:3", (matrix_fisher, form))


def fit_matrix_fisher(quaternions: Any, weights: Any = None) -> Distribution:
    """The matrix Fisher distribution of the largest likelihood, the one with the mean rotation matrix of the points.

    Parameters
    ----------
    quaternions : array_like [n, 4]
        w x y z, of either sign; four that are independent at least.
    weights : array_like [n], optional
        In proportion, from 0.

    Returns
    -------
    Distribution

    Examples
    --------
    >>> import numpy as np
    >>> from riemflow import distributions
    >>> q = distributions.matrix_fisher(10 * np.eye(3)).sample(5000, seed=1)
    >>> bool(abs(distributions.fit_matrix_fisher(q).parameters["matrix"] - 10 * np.eye(3)).max() < 1)
    True
    """
    return matrix_fisher(_core.fit_matrix_fisher(_rows(quaternions), _weights(weights)))


def kent(mu: Any, major: Any, kappa: float, beta: float = 0.0) -> Distribution:
    """Kent's distribution of the sphere (FB5), p(x) proportional to exp(kappa a.x + beta ((b.x)^2 - (c.x)^2)) with the
    mean direction a, the major axis b and the minor axis c.

    Parameters
    ----------
    mu : array_like [3]
        Mean direction, of any positive length.
    major : array_like [3]
        Where the density is long; made orthogonal to the mean.
    kappa, beta : float
        Concentration and ovalness, 0 <= 2 beta < kappa.

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.kent([0, 0, 1], [1, 0, 0], kappa=50, beta=20).log_prob([[0.0, 0.0, 1.0]]).round(4)
    array([1.658])
    """
    mean, axis = _shaped(mu, (3,), "the mean"), _shaped(major, (3,), "the major axis")
    return Distribution(_core.kent(mean, axis, float(kappa), float(beta)), "sphere:2", (kent, mean, axis, kappa, beta))


def fit_kent(points: Any, weights: Any = None) -> Distribution:
    """Kent's distribution of the largest likelihood.

    Parameters
    ----------
    points : array_like [n, 3]
        Directions of any positive length.
    weights : array_like [n], optional
        In proportion, from 0.

    Returns
    -------
    Distribution

    Raises
    ------
    riemflow.Error
        Where there is none: all points on one great circle through their mean, or about a whole great circle or two
        opposite ends, which a Bingham distribution fits.

    Examples
    --------
    >>> from riemflow import distributions
    >>> x = distributions.kent([0, 0, 1], [1, 0, 0], kappa=50, beta=20).sample(5000, seed=1)
    >>> bool(abs(distributions.fit_kent(x).parameters["kappa"] - 50) < 4)
    True
    """
    return kent(*_core.fit_kent(_rows(points), _weights(weights)))


def angular_central_gaussian(covariance: Any) -> Distribution:
    """The angular central Gaussian distribution of the unit sphere: directions of a normal vector of mean 0.

    Parameters
    ----------
    covariance : array_like [d + 1, d + 1] or [d + 1]
        Symmetric positive definite, or a diagonal; a multiple of it is the same density.

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.angular_central_gaussian([1, 1, 9]).log_prob([[0.0, 0.0, 1.0]]).round(4)
    array([-0.3338])
    """
    form = _matrix(covariance)
    return Distribution(_core.angular_central_gaussian(form), f"sphere:{len(form) - 1}",
                        (angular_central_gaussian, form))


def fit_angular_central_gaussian(points: Any, weights: Any = None) -> Distribution:
    """The angular central Gaussian distribution of the largest likelihood, by Tyler's fixed point.

    Parameters
    ----------
    points : array_like [n, d + 1]
        Directions or axes of any positive length; more than d + 1, and fewer than k/(d + 1) of them, by weight, in any
        subspace of dimension k.
    weights : array_like [n], optional
        In proportion, from 0.

    Returns
    -------
    Distribution
        Its covariance has the trace d + 1.

    Examples
    --------
    >>> from riemflow import distributions
    >>> x = distributions.angular_central_gaussian([1, 1, 4]).sample(5000, seed=1)
    >>> bool(abs(distributions.fit_angular_central_gaussian(x).parameters["covariance"][2, 2] - 2) < 0.2)
    True
    """
    return angular_central_gaussian(_core.fit_angular_central_gaussian(_rows(points), _weights(weights)))


def bivariate_von_mises(mu: Any, kappa: Any, dependence: float = 0.0) -> Distribution:
    """The bivariate von Mises distribution of two angles (sine model), p proportional to exp(kappa1 cos(a) +
    kappa2 cos(b) + dependence sin(a) sin(b)), a and b the angles less their means.

    Parameters
    ----------
    mu : array_like [2]
        Means in radians.
    kappa : array_like [2]
        Concentrations from 0.
    dependence : float
        Of either sign; there are two modes where its square is above the product of the concentrations.

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.bivariate_von_mises([-1.0, 2.4], [50, 30], 20).log_prob([[-1.0, 2.4]]).round(4)
    array([1.664])
    """
    mean, both = _shaped(mu, (2,), "the means"), _shaped(kappa, (2,), "the concentrations")
    return Distribution(_core.bivariate_von_mises(mean, float(both[0]), float(both[1]), float(dependence)), "torus:2",
                        (bivariate_von_mises, mean, both, dependence))


def fit_bivariate_von_mises(points: Any, weights: Any = None) -> Distribution:
    """The bivariate von Mises distribution of the largest likelihood.

    Parameters
    ----------
    points : array_like [n, 2]
        Angles in radians.
    weights : array_like [n], optional
        In proportion, from 0.

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> x = distributions.bivariate_von_mises([-1.0, 2.4], [50, 30], 20).sample(5000, seed=1)
    >>> bool(abs(distributions.fit_bivariate_von_mises(x).parameters["dependence"] - 20) < 4)
    True
    """
    mean, kappa1, kappa2, dependence = _core.fit_bivariate_von_mises(_rows(points), _weights(weights))
    return bivariate_von_mises(mean, [kappa1, kappa2], dependence)


def uniform(manifold: Any) -> Distribution:
    """The uniform distribution of a space of finite volume.

    Parameters
    ----------
    manifold : str or Manifold

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.uniform("torus:2").log_prob([[0.0, 0.0]]).round(4)
    array([-3.6758])
    """
    name = _arrays.name_of(manifold)
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


def named(text: str, manifold: Any) -> Distribution:
    """A density by its formula, as the tool takes it.

    Parameters
    ----------
    text : str
        "vmf:lat=47,lon=8,kappa=50", "wrapped-normal:alpha=1,sigma=0.3;1", "0.3*vmf:… + 0.7*vmf:…";
        "watson:mu=…,kappa=…", "bingham:matrix=…", "kent:mu=…,major=…,kappa=…,beta=…",
        "angular-central-gaussian:sigma=…", "bivariate-von-mises:mu=…,kappa=…,lambda=…" with means in degrees,
        "matrix-fisher:matrix=…".
    manifold : str or Manifold

    Returns
    -------
    Distribution

    Examples
    --------
    >>> from riemflow import distributions
    >>> distributions.named("vmf:lat=90,lon=0,kappa=10", "sphere:2").log_prob([[0.0, 0.0, 1.0]]).round(4)
    array([0.4647])
    """
    name = _arrays.name_of(manifold)
    return Distribution(_core.named_target(text, name), name, (named, text, name))


def _rows(points: Any) -> np.ndarray:
    return _arrays.rows(points)


def _weights(weights: Any) -> Any:
    return [] if weights is None else np.asarray(weights, dtype=np.float64).ravel()


def _shaped(numbers: Any, shape: Tuple[int, ...], what: str) -> np.ndarray:
    array = np.asarray(numbers, dtype=np.float64)
    if array.shape != shape:
        raise Error(f"an array of shape {array.shape} for {what}", f"give one of shape {shape}")
    return array


def _matrix(numbers: Any) -> np.ndarray:
    matrix = np.asarray(numbers, dtype=np.float64)
    return np.diag(matrix) if matrix.ndim == 1 else matrix
