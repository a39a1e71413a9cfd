"""Clusters of SPD matrices."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, DensityMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning

from . import _engine
from ._base import OfMatrices
from ._functions import distance

__all__ = ["MatrixGaussianMixture", "MatrixKMeans", "MatrixMeanShift"]


class _Clusters(OfMatrices, ClusterMixin, BaseEstimator):
    """Clusters of matrices, with the argument ``max_iter`` and a metric."""

    metric: str
    max_iter: int

    def _cluster(self, op: str, X: Any, *counts: str, **asked: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Run an operation of the engine with the arguments in counts, and return its summary and arrays."""
        X = self._stack(X)
        asked.update((k, _engine.number(getattr(self, k), k, whole=True, least=1)) for k in counts)
        if hasattr(self, "seed"):
            asked["seed"] = _engine.seed_of(self.seed)
        reply, out = _engine.call(op, {"X": X}, metric=self.metric, cluster=asked,
                                  max_iter=_engine.number(self.max_iter, "max_iter", whole=True, least=1))
        _engine.warn_partial(reply, ConvergenceWarning)
        self.n_features_in_ = X.shape[1]
        self.labels_, self.n_iter_ = out["cluster"], reply["info"]["iterations"]
        return reply["info"], out

    def _nearest(self, X: Any) -> np.ndarray:
        """Return the distances of the matrices from the centers."""
        D: np.ndarray = distance(self._checked(X), self.cluster_centers_, self.metric)
        return D

    def predict(self, X: Any) -> np.ndarray:
        """Return the index of the nearest center for each matrix.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        clusters : ndarray of int of shape (n_samples,)
        """
        return self._nearest(X).argmin(1)


class MatrixKMeans(_Clusters, TransformerMixin):
    """k-means of SPD matrices.

    Parameters
    ----------
    clusters : int, default=2
        Number of clusters.
    metric : str, default="riemann"
        Metric for means and distances.
    starts : int, default=10
        Number of runs from different starts; the best one is kept.
    max_iter : int, default=100
        Largest number of iterations per run.
    seed : int, default=1
        Seed of the starts.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (clusters, order, order)
        The means.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each matrix.
    inertia_ : float
        Sum of the squared distances of the matrices from the means of their clusters.
    n_iter_ : int
        Iterations of the best run.
    n_features_in_ : int
        Order of the matrices.

    Examples
    --------
    >>> import numpy as np
    >>> import rao
    >>> X, y = rao.riemannian_gaussian([np.eye(3), 20 * np.eye(3)], 0.3, per_class=30)
    >>> clusters = rao.MatrixKMeans(2).fit_predict(X)
    >>> sorted(np.bincount(clusters).tolist())
    [30, 30]
    """

    def __init__(self, clusters: int = 2, metric: str = "riemann", starts: int = 10, max_iter: int = 100,
                 seed: int = 1) -> None:
        self.clusters = clusters
        self.metric = metric
        self.starts = starts
        self.max_iter = max_iter
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> Any:
        """Cluster matrices.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        self
        """
        info, out = self._cluster("kmeans", X, "clusters", "starts")
        self.cluster_centers_, self.inertia_ = out["M"], info["inertia"]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the distances of the matrices from the means of the clusters.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        D : ndarray of shape (n_samples, clusters)
        """
        return self._nearest(X)


class MatrixMeanShift(_Clusters):
    """Mean shift of SPD matrices (Subbarao and Meer 2009): clusters around the modes of the density.

    The number of clusters follows from the bandwidth.

    Parameters
    ----------
    bandwidth : float or {"auto"}, default="auto"
        Radius of the kernel, in units of the distances; auto uses the 0.3 quantile of the distances of all pairs of
        matrices.
    kernel : {"uniform", "normal"}, default="uniform"
        Weight of a matrix at distance d: 1 up to the bandwidth, or exp(-d² / bandwidth²).
    metric : str, default="riemann"
        riemann, logeuclid, euclid, chol, logchol or harmonic.
    tol : float, default=1e-3
        The search for a mode ends when a step is at most this fraction of the bandwidth.
    max_iter : int, default=300
        Largest number of steps from each matrix.

    Attributes
    ----------
    modes_ : ndarray of shape (n_modes, order, order)
    cluster_centers_ : ndarray of shape (n_modes, order, order)
        Equal to ``modes_``.
    labels_ : ndarray of shape (n_samples,)
        The nearest mode of each matrix.
    bandwidth_ : float
        The bandwidth that was used.
    n_iter_ : int
        Largest number of steps of a search.
    n_features_in_ : int
        Order of the matrices.

    Examples
    --------
    >>> import numpy as np
    >>> import rao
    >>> X, y = rao.riemannian_gaussian([np.eye(2), 20 * np.eye(2)], 0.3, per_class=30)
    >>> len(rao.MatrixMeanShift().fit(X).modes_)
    2
    """

    def __init__(self, bandwidth: float | Literal["auto"] = "auto", kernel: str = "uniform", metric: str = "riemann", tol: float = 1e-3,
                 max_iter: int = 300) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.metric = metric
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None) -> Any:
        """Find the modes.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        self
        """
        bandwidth = _engine.number(self.bandwidth, "bandwidth", auto=True)
        if self.bandwidth != "auto" and not bandwidth > 0:
            raise ValueError(f"bandwidth is {self.bandwidth}, but must be a number above 0, or auto")
        info, out = self._cluster("mean_shift", X, kernel=_engine.word(self.kernel, "kernel"), bandwidth=bandwidth,
                                  tol=_engine.number(self.tol, "tol"))
        self.modes_, self.bandwidth_ = out["M"], info["bandwidth"]
        return self

    @property
    def cluster_centers_(self) -> np.ndarray:
        """The modes, of shape (n_clusters, order, order); the same as ``modes_``."""
        return self.modes_


class MatrixGaussianMixture(_Clusters, DensityMixin):
    """Mixture of Gaussians of SPD matrices (Jaquier and Calinon 2017).

    Each component has a mean and a covariance of the tangent vectors at this mean. The fit starts from the clusters of k-means.

    Parameters
    ----------
    clusters : int, default=2
        Number of components.
    metric : str, default="riemann"
        riemann, logeuclid, euclid, chol, logchol or harmonic.
    starts : int, default=10
        Number of k-means runs from different starts.
    tol : float, default=1e-7
        The fit ends when the mean log-likelihood per matrix changes by at most this.
    max_iter : int, default=300
        Largest number of iterations.
    seed : int, default=1
        Seed of the starts.

    Attributes
    ----------
    weights_ : ndarray of shape (clusters,)
    means_ : ndarray of shape (clusters, order, order)
    covariances_ : ndarray of shape (clusters, d, d)
        Covariances of tangent vectors, which have d = order (order + 1) / 2 values.
    labels_ : ndarray of shape (n_samples,)
        The most probable component of each matrix.
    n_iter_ : int
        Iterations of the fit.
    n_features_in_ : int
        Order of the matrices.

    Examples
    --------
    >>> import numpy as np
    >>> import rao
    >>> X, y = rao.riemannian_gaussian([np.eye(2), 20 * np.eye(2)], 0.3, per_class=30)
    >>> fit = rao.MatrixGaussianMixture(2).fit(X)
    >>> sorted(np.bincount(fit.labels_).tolist())
    [30, 30]
    >>> fit.predict_proba(X).shape
    (60, 2)
    """

    def __init__(self, clusters: int = 2, metric: str = "riemann", starts: int = 10, tol: float = 1e-7, max_iter: int = 300,
                 seed: int = 1) -> None:
        self.clusters = clusters
        self.metric = metric
        self.starts = starts
        self.tol = tol
        self.max_iter = max_iter
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> Any:
        """Fit the components.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        self
        """
        info, out = self._cluster("mixture", X, "clusters", "starts", tol=_engine.number(self.tol, "tol"))
        if info["caveat"]:
            _engine.warn(info["caveat"])
        self.means_, self.covariances_, self.weights_ = out["M"], out["S"], out["w"]
        return self

    def _posterior(self, X: Any) -> dict[str, np.ndarray]:
        found: dict[str, np.ndarray] = _engine.call("posterior", {"X": self._checked(X), "M": self.means_,
                                                                  "S": self.covariances_, "w": self.weights_},
                                                    metric=self.metric)[1]
        return found

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each component.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        p : ndarray of shape (n_samples, clusters)
        """
        return self._posterior(X)["P"]

    def predict(self, X: Any) -> np.ndarray:
        """Return the index of the most probable component of each matrix.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        clusters : ndarray of int of shape (n_samples,)
        """
        return self.predict_proba(X).argmax(1)

    def score_samples(self, X: Any) -> np.ndarray:
        """Return the log-density of each matrix, in the tangent spaces of the components.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        logs : ndarray of shape (n_samples,)
        """
        return self._posterior(X)["L"]

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean of :meth:`score_samples`.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        score : float
        """
        return float(self.score_samples(X).mean())
