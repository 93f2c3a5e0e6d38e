"""Manifolds by name, with their maps on arrays."""

from __future__ import annotations

import math
from typing import Any, Tuple

import numpy as np

from . import _arrays, _core
from .errors import Error

__all__ = ["Manifold", "manifold"]


class Manifold:
    """A curved space. Points and tangent vectors are arrays whose last axis has `ambient` numbers.

    All maps take arrays of any leading shape, which are broadcast against each other.

    Parameters
    ----------
    name : str or Manifold
        "sphere:2", "sphere:3,K=0.5", "ball:2,K=-1", "torus:2", "torus:2,L=24;365", "euclidean:3", "rotation:3",
        "rotation:3/432", "axis:2", "hyperboloid:2", "spd:3", "interval:1,from=0,to=10", "simplex:2",
        "positive:1", "stiefel:3,2", "grassmann:4,2", and products such as "sphere:2 x torus:1".

    Attributes
    ----------
    name : str
    dimension : int
        d.
    ambient : int
        Numbers per point: d + 1 on spheres, axes, hyperboloids and simplices (of which points are the square roots of
        proportions), 4 of rotations (unit quaternions, w first), the upper triangle of matrices, d elsewhere.
    volume : float
        Infinite on hyperbolic space, Euclidean space and matrices.

    Examples
    --------
    >>> import numpy as np, riemflow as rf
    >>> ball = rf.manifold("ball:2,K=-1")
    >>> round(ball.distance([0.0, 0.0], [0.5, 0.0]), 12)  # 2 artanh(1/2)
    1.098612288668
    """

    def __init__(self, name: Any) -> None:
        self._core = _core.Manifold(_arrays.name_of(name))

    name = property(lambda self: self._core.name, doc="Its full name.")
    dimension = property(lambda self: self._core.dimension, doc="d.")
    ambient = property(lambda self: self._core.ambient, doc="Numbers per point.")
    volume = property(lambda self: math.exp(self._core.log_volume), doc="Infinite where it is not compact.")

    def __repr__(self) -> str:
        return f"riemflow.manifold({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Manifold) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Tuple[Any, Tuple[str]]:
        return (Manifold, (self.name,))

    def _broadcast(self, *arrays: Any) -> Tuple[Tuple[int, ...], Tuple[np.ndarray, ...]]:
        """The leading shape, and all arrays as [n, ambient]."""
        full = [_arrays.numbers(array, "coordinates") for array in arrays]
        for array in full:
            if array.ndim == 0 or array.shape[-1] != self.ambient:
                raise Error(f"an array of shape {array.shape} on {self.name}",
                            f"its last axis needs {self.ambient} numbers", 65)
        try:
            same = np.broadcast_arrays(*full)
        except ValueError:
            raise Error("arrays of shapes " + " and ".join(str(array.shape) for array in full),
                        "give shapes that broadcast", 65) from None
        lead = same[0].shape[:-1]
        return lead, tuple(np.ascontiguousarray(a.reshape(-1, self.ambient), dtype=np.float64) for a in same)

    def exp(self, x: Any, v: Any) -> np.ndarray:
        """Where a geodesic from x with velocity v is after time 1.

        Parameters
        ----------
        x, v : array_like [..., ambient]
            Points, and tangent vectors there.

        Returns
        -------
        ndarray [..., ambient]

        Examples
        --------
        >>> import numpy as np, riemflow as rf
        >>> rf.manifold("sphere:2").exp([0.0, 0.0, 1.0], [np.pi / 2, 0.0, 0.0]).round(12)
        array([1., 0., 0.])
        """
        lead, (a, b) = self._broadcast(x, v)
        return self._core.exp(a, b).reshape(*lead, self.ambient)

    def log(self, x: Any, y: Any) -> np.ndarray:
        """The velocity at x of the geodesic that is at y after time 1; at an antipode one of the shortest.

        Parameters
        ----------
        x, y : array_like [..., ambient]

        Returns
        -------
        ndarray [..., ambient]

        Examples
        --------
        >>> import riemflow as rf
        >>> rf.manifold("torus:1").log([3.0], [-3.0]).round(4)  # across the seam
        array([0.2832])
        """
        lead, (a, b) = self._broadcast(x, y)
        return self._core.log(a, b).reshape(*lead, self.ambient)

    def distance(self, x: Any, y: Any) -> Any:
        """The length of the shortest way from x to y.

        Parameters
        ----------
        x, y : array_like [..., ambient]

        Returns
        -------
        ndarray [...] or float

        Examples
        --------
        >>> import riemflow as rf
        >>> tokyo, lima = rf.from_latlon([35.7, -12.0], [139.7, -77.0])
        >>> round(rf.manifold("sphere:2").distance(tokyo, lima) * 6371.0088)
        15490
        """
        lead, (a, b) = self._broadcast(x, y)
        return self._core.distance(a, b).reshape(lead)[()]

    def transport(self, x: Any, y: Any, v: Any) -> np.ndarray:
        """Carry tangent vectors v from x to y along the geodesic.

        Parameters
        ----------
        x, y, v : array_like [..., ambient]

        Returns
        -------
        ndarray [..., ambient]

        Examples
        --------
        >>> import riemflow as rf
        >>> rf.manifold("sphere:2").transport([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]).round(12) + 0.0
        array([ 0.,  0., -1.])
        """
        lead, (a, b, c) = self._broadcast(x, y, v)
        return self._core.transport(a, b, c).reshape(*lead, self.ambient)

    def inner(self, x: Any, u: Any, v: Any) -> Any:
        """The Riemannian inner product of tangent vectors u and v at x.

        Parameters
        ----------
        x, u, v : array_like [..., ambient]

        Returns
        -------
        ndarray [...] or float

        Examples
        --------
        >>> import riemflow as rf
        >>> rf.manifold("ball:2,K=-1").inner([0.0, 0.0], [1.0, 0.0], [1.0, 0.0])
        4.0
        """
        lead, (a, b, c) = self._broadcast(x, u, v)
        return self._core.inner(a, b, c).reshape(lead)[()]

    def project(self, x: Any) -> np.ndarray:
        """The nearest point (sphere), the angle in [-pi, pi) (torus), the point pulled inside the rim (ball).

        Of points that may be written in several ways (rotations, axes, proportions) the one that is usual here.

        Parameters
        ----------
        x : array_like [..., ambient]

        Returns
        -------
        ndarray [..., ambient]

        Examples
        --------
        >>> import riemflow as rf
        >>> rf.manifold("sphere:2").project([0.0, 3.0, 4.0])
        array([0. , 0.6, 0.8])
        """
        lead, (a,) = self._broadcast(x)
        return self._core.project(a).reshape(*lead, self.ambient)

    def to_tangent(self, x: Any, v: Any) -> np.ndarray:
        """The orthogonal projection of vectors v onto the tangent space at x.

        Parameters
        ----------
        x, v : array_like [..., ambient]

        Returns
        -------
        ndarray [..., ambient]

        Examples
        --------
        >>> import riemflow as rf
        >>> rf.manifold("sphere:2").to_tangent([0.0, 0.0, 1.0], [1.0, 2.0, 3.0])
        array([1., 2., 0.])
        """
        lead, (a, b) = self._broadcast(x, v)
        return self._core.to_tangent(a, b).reshape(*lead, self.ambient)

    def contains(self, x: Any) -> Any:
        """Whether the rows are points of the manifold.

        Parameters
        ----------
        x : array_like [..., ambient]

        Returns
        -------
        ndarray [...] of bool, or bool

        Examples
        --------
        >>> import riemflow as rf
        >>> rf.manifold("ball:2").contains([[0.5, 0.0], [1.5, 0.0]])
        array([ True, False])
        """
        lead, (a,) = self._broadcast(x)
        return np.array([reason == "" for reason in self._core.defects(a)], dtype=bool).reshape(lead)[()]

    def random_uniform(self, n: int, seed: int = 0) -> np.ndarray:
        """Uniform points.

        Parameters
        ----------
        n : int
        seed : int
            Same seed, same points.

        Returns
        -------
        ndarray [n, ambient]

        Raises
        ------
        Error
            Where the volume is infinite.

        Examples
        --------
        >>> import riemflow as rf
        >>> rf.manifold("sphere:2").random_uniform(5, seed=1).shape
        (5, 3)
        """
        return self._core.random_uniform(n, seed)

    def frame(self, x: Any) -> np.ndarray:
        """An orthonormal basis of the tangent space at x.

        Parameters
        ----------
        x : array_like [..., ambient]

        Returns
        -------
        ndarray [..., dimension, ambient]
            Row j is the vector j.

        Examples
        --------
        >>> import riemflow as rf
        >>> rf.manifold("ball:2,K=-1").frame([0.0, 0.0])
        array([[0.5, 0. ],
               [0. , 0.5]])
        """
        lead, (a,) = self._broadcast(x)
        return self._core.frame(a).reshape(*lead, self.dimension, self.ambient)


def manifold(name: Any) -> Manifold:
    """A manifold by its name.

    Parameters
    ----------
    name : str or Manifold
        "sphere:2", "ball:2,K=-1", "torus:2", "euclidean:3", "spd:2", "rotation:3 x euclidean:3"; `Manifold` has them all.

    Returns
    -------
    Manifold

    Examples
    --------
    >>> import riemflow as rf
    >>> round(rf.manifold("sphere:2").volume, 12)  # 4 pi
    12.566370614359
    >>> covariances = rf.manifold("spd:2")  # s11, s12, s22
    >>> round(covariances.distance([1.0, 0.0, 1.0], [4.0, 0.0, 4.0]) / 2**0.5, 12)  # log 4
    1.38629436112
    """
    return Manifold(name)
