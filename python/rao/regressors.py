"""Regressors of SPD matrices: numbers in place of classes."""

from __future__ import annotations

import os
import warnings
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _engine
from ._base import _text
from ._model import Model, from_reply, key_of

__all__ = ["TangentRidge", "TangentSVR", "MatrixKNNRegressor"]


class _Regressor(RegressorMixin, BaseEstimator):
    """What the regressors have in common. X is an array of shape (n_samples, order, order)."""

    _method: str
    model_: Model
    n_features_in_: int

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from matrices and their numbers.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)
        y : array of shape (n_samples,)

        Returns
        -------
        self
        """
        X = self._stack(X)
        y = column_or_1d(y, warn=True)
        if y.dtype.kind not in "iuf" and y.dtype.kind != "b":
            try:
                y = y.astype(np.float64)
            except (TypeError, ValueError):
                raise ValueError(f"{type(self).__name__} predicts numbers; y holds {y.dtype}") from None
        if len(y) != len(X):
            raise ValueError(f"{len(y)} targets for {len(X)} matrices")
        y = y.astype(np.float64)
        if not np.isfinite(y).all():
            raise ValueError("Input y contains NaN or infinity.")
        settings = [{"name": k, "value": _text(v)} for k, v in self.get_params().items() if v is not None]
        reply = _engine.call_noting(key_of, "regress", {"X": X, "y": y}, method=self._method, settings=settings)
        if reply[0].get("partial"):
            warnings.warn(reply[0]["partial"], ConvergenceWarning, stacklevel=2)
        self.n_features_in_ = X.shape[1]
        self.model_ = from_reply(reply)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The number of each matrix.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "model_")
        X = self._stack(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"the matrices have the order {X.shape[1]}, those of the training {self.n_features_in_}")
        return self.model_.predict(X)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model for :func:`rao.load` and the tool rao."""
        check_is_fitted(self, "model_")
        self.model_.save(path)

    def _stack(self, X: Any) -> np.ndarray:
        X = np.asarray(X)
        if X.ndim != 3 or X.shape[1] != X.shape[2]:
            raise ValueError(f"{type(self).__name__} takes SPD matrices, an array of shape (n_samples, order, order), not "
                             f"{X.shape}; rao.covariances makes them from signals")
        if np.iscomplexobj(X):
            raise ValueError("Complex data not supported: take the real part, or the covariance of real signals")
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        return {"X_types": ["3darray"]}


class TangentRidge(_Regressor):
    """Least squares with a penalty on tangent vectors.

    The method ridge of ``rao regress``.

    Parameters
    ----------
    metric : {"riemann", "logeuclid"}, default="riemann"
        Metric of the mean and of the tangent space.
    ridge : float, optional
        Penalty; None takes that of the least error leaving one out.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.options has the penalty that was taken.
    n_features_in_ : int
        Order of the matrices.
    """

    _method = "ridge"

    def __init__(self, metric: Literal["riemann", "logeuclid"] = "riemann", ridge: float | None = None) -> None:
        self.metric = metric
        self.ridge = ridge


class TangentSVR(_Regressor):
    """Support vector regression on tangent vectors.

    The method svr of ``rao regress``.

    Parameters
    ----------
    metric : {"riemann", "logeuclid"}, default="riemann"
        Metric of the mean and of the tangent space.
    c : float, default=1.0
        Price of an error.
    epsilon : float, default=0.1
        Error that costs nothing, in units of the target.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline.
    n_features_in_ : int
        Order of the matrices.
    """

    _method = "svr"

    def __init__(self, metric: Literal["riemann", "logeuclid"] = "riemann", c: float = 1.0, epsilon: float = 0.1) -> None:
        self.metric = metric
        self.c = c
        self.epsilon = epsilon


class MatrixKNNRegressor(_Regressor):
    """Mean of the nearest matrices, the nearer the heavier.

    The method knn of ``rao regress``.

    Parameters
    ----------
    metric : str, default="riemann"
        Metric of the distances, as :func:`rao.distance` takes it.
    neighbors : int, default=5
        Neighbors that a number is the mean of.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline.
    n_features_in_ : int
        Order of the matrices.
    """

    _method = "knn"

    def __init__(self, metric: str = "riemann", neighbors: int = 5) -> None:
        self.metric = metric
        self.neighbors = neighbors
