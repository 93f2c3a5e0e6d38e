"""The density as an estimator of scikit-learn."""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np

try:
    from sklearn.base import BaseEstimator, DensityMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils import check_random_state
except ImportError as error:  # pragma: no cover
    raise ImportError("DensityEstimator needs scikit-learn; install it (Debian: python3-sklearn)") from error

from . import _arrays
from .errors import Error
from .fitting import fit as fit_density

__all__ = ["DensityEstimator"]


class DensityEstimator(DensityMixin, BaseEstimator):
    """A density of scikit-learn's kind: in pipelines, in searches over grids of parameters, cloned.

    Parameters
    ----------
    manifold : str or Manifold
        Where the rows live: "sphere:2", "torus:2", …; "euclidean" has as many dimensions as the data have columns.
    model : {"pool", "kde", "kernels", "normal-mixture", "vmf-mixture", "riemannian", …}
        What is fitted; the default, learned kernels and what adds to them, takes what `time_limit` says.
    time_limit : float or str
        Seconds.
    random_state : int, RandomState or None
        The seed of the fit.
    progress : bool or callable
    options : dict, optional
        Further keywords of `fit`: {"kernel": "local"}.

    Attributes
    ----------
    density_ : Density
        All else that it can do.
    n_features_in_ : int
        Numbers per point.

    Examples
    --------
    >>> import riemflow as rf
    >>> X = rf.distributions.vmf([0, 0, 1], 20).sample(300, seed=1)
    >>> estimator = rf.DensityEstimator(manifold="sphere:2", model="kde").fit(X)
    >>> estimator.score_samples(X[:2]).shape
    (2,)
    """

    def __init__(self, manifold: Any = "euclidean", *, model: str = "pool", time_limit: Any = 60,
                 random_state: Any = 0, progress: Any = False, options: Optional[Dict[str, Any]] = None) -> None:
        self.manifold = manifold
        self.model = model
        self.time_limit = time_limit
        self.random_state = random_state
        self.progress = progress
        self.options = options

    def _rows(self, X: Any, reset: bool) -> np.ndarray:
        # What pandas names is remembered, as scikit-learn does; Error of the library for all else.
        if hasattr(self, "_check_feature_names"):
            self._check_feature_names(X, reset=reset)
        if hasattr(X, "to_numpy"):
            X = X.to_numpy()
        array = _arrays.rows(X, "points")
        if array.shape[1] == 0:
            raise Error(f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required.", "give columns", 65)
        if not np.isfinite(array).all():
            row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
            raise Error(f"Input X contains NaN or infinity, first in point {row}", "leave such rows out", 65)
        if reset:
            self.n_features_in_ = array.shape[1]
        elif array.shape[1] != self.n_features_in_:
            raise Error(f"X has {array.shape[1]} features, but {type(self).__name__} is expecting "
                        f"{self.n_features_in_} features as input", "give as many columns as in the fit", 65)
        return array

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "DensityEstimator":
        """Fit the density to the rows.

        Parameters
        ----------
        X : array_like [n, ambient]
        y : ignored
        sample_weight : array_like [n], optional

        Returns
        -------
        self

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.distributions.normal(2).sample(100)
        >>> rf.DensityEstimator(model="kde").fit(X).n_features_in_
        2
        """
        rows = self._rows(X, reset=True)
        if rows.shape[0] < 2:
            raise Error(f"Found array with {rows.shape[0]} sample(s) while a minimum of 2 is required.",
                        "a density needs many points", 65)
        if sample_weight is not None:
            weights = np.asarray(sample_weight, dtype=np.float64)
            sample_weight = np.broadcast_to(weights, rows.shape[:1]) if weights.ndim == 0 else weights
        seed = self.random_state if isinstance(self.random_state, (int, np.integer)) else \
            check_random_state(self.random_state).randint(2**31 - 1)
        settings: Dict[str, Any] = {"model": self.model, **(self.options or {})}
        self.density_ = fit_density(rows, self.manifold, seed=int(seed), time_limit=self.time_limit,
                                    sample_weight=sample_weight, progress=self.progress, **settings)
        return self

    def _fitted(self) -> Any:
        if not hasattr(self, "density_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")
        return self.density_

    def score_samples(self, X: Any) -> np.ndarray:
        """Logarithms of the density, in nats.

        Parameters
        ----------
        X : array_like [n, ambient]

        Returns
        -------
        ndarray [n]

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.distributions.normal(2).sample(100)
        >>> rf.DensityEstimator(model="kde").fit(X).score_samples(X).shape
        (100,)
        """
        density = self._fitted()
        return density.log_prob(self._rows(X, reset=False))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-density, so that scores of sets of different sizes can be compared (scikit-learn's kernel
        density has the sum).

        Parameters
        ----------
        X : array_like [n, ambient]
        y : ignored

        Returns
        -------
        float

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.distributions.normal(2).sample(100)
        >>> rf.DensityEstimator(model="kde").fit(X).score(X) > -4
        True
        """
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Draws.

        Parameters
        ----------
        n_samples : int
        random_state : int, RandomState or None

        Returns
        -------
        ndarray [n_samples, ambient]

        Examples
        --------
        >>> import riemflow as rf
        >>> X = rf.distributions.normal(2).sample(100)
        >>> rf.DensityEstimator(model="kde").fit(X).sample(3, random_state=1).shape
        (3, 2)
        """
        return self._fitted().sample(n_samples, int(check_random_state(random_state).randint(2**31 - 1)))

    def _more_tags(self) -> Dict[str, Any]:  # scikit-learn below 1.6
        # A time limit ends a fit where the clock says.
        return {"non_deterministic": self.model == "pool"}

    def __sklearn_tags__(self) -> Any:  # from 1.6 on
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.model == "pool"
        return tags
