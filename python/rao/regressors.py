"""Regressors on SPD matrices, which predict numbers instead of classes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import column_or_1d

from . import _engine
from ._base import OfMatrices, Saving, _text
from ._labels import check_one_each
from ._model import from_reply, key_of

__all__ = ["TangentRidge", "TangentSVR", "MatrixKNNRegressor"]


class _Regressor(Saving, OfMatrices, RegressorMixin, BaseEstimator):
    """Base class of the regressors. X is an array of shape (n_samples, order, order)."""

    _method: str

    def fit(self, X: Any, y: Any) -> Any:
        """Fit matrices and their target values.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)
        y : array of shape (n_samples,)
            Target values.

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
                raise ValueError(f"{type(self).__name__} predicts numbers, but y has the type {y.dtype}; "
                                 "give one number per matrix") from None
        check_one_each(len(y), len(X), "matrix", what="target")
        y = y.astype(np.float64)
        if not np.isfinite(y).all():
            raise ValueError("Input y contains NaN or infinity.")
        settings = [{"name": k, "value": _text(v)} for k, v in self.get_params().items() if v != "auto"]
        reply = _engine.call_noting(key_of, "regress", {"X": X, "y": y}, method=self._method, settings=settings)
        _engine.warn_partial(reply[0], ConvergenceWarning)
        for warning in reply[0].get("warnings", ()):
            _engine.warn(_engine.in_python(warning))
        self.n_features_in_ = X.shape[1]
        self.model_ = from_reply(reply)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict the target value of each matrix.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted values.
        """
        X = self._checked(X)
        return self.model_.predict(X)


class TangentRidge(_Regressor):
    """Ridge regression on tangent vectors.

    The method ridge of ``rao spd regress``.

    Parameters
    ----------
    metric : {"riemann", "logeuclid"}, default="riemann"
        Metric for the mean and the tangent space.
    ridge : float or {"auto"}, default="auto"
        Penalty; auto chooses the penalty with the smallest leave-one-out error.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.options has the penalty that was used.
    n_features_in_ : int
        Order of the matrices.

    Examples
    --------
    >>> import numpy as np
    >>> import rao
    >>> X, _ = rao.riemannian_gaussian(np.eye(3), 0.5, per_class=60)
    >>> target = np.log(np.linalg.det(X))
    >>> rao.TangentRidge().fit(X[:40], target[:40]).score(X[40:], target[40:]) > 0.9
    True
    """

    _method = "ridge"

    def __init__(self, *, metric: Literal["riemann", "logeuclid"] = "riemann", ridge: float | Literal["auto"] = "auto") -> None:
        self.metric = metric
        self.ridge = ridge


class TangentSVR(_Regressor):
    """Support vector regression on tangent vectors.

    The method svr of ``rao spd regress``.

    Parameters
    ----------
    metric : {"riemann", "logeuclid"}, default="riemann"
        Metric for the mean and the tangent space.
    c : float, default=1.0
        Cost of an error.
    epsilon : float, default=0.1
        Largest error without cost, in units of the target.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline.
    n_features_in_ : int
        Order of the matrices.

    Examples
    --------
    >>> import numpy as np
    >>> import rao
    >>> X, _ = rao.riemannian_gaussian(np.eye(3), 0.5, per_class=60)
    >>> target = np.log(np.linalg.det(X))
    >>> rao.TangentSVR().fit(X[:40], target[:40]).predict(X[40:]).shape
    (20,)
    """

    _method = "svr"

    def __init__(self, *, metric: Literal["riemann", "logeuclid"] = "riemann", c: float = 1.0, epsilon: float = 0.1) -> None:
        self.metric = metric
        self.c = c
        self.epsilon = epsilon


class MatrixKNNRegressor(_Regressor):
    """Weighted mean of the targets of the nearest matrices; nearer ones have larger weights.

    The method knn of ``rao spd regress``.

    Parameters
    ----------
    metric : str, default="riemann"
        Metric for the distances; see :func:`rao.distance`.
    neighbors : int, default=5
        Number of neighbors; all matrices of the fit if there are fewer.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline.
    n_features_in_ : int
        Order of the matrices.

    Examples
    --------
    >>> import numpy as np
    >>> import rao
    >>> X, _ = rao.riemannian_gaussian(np.eye(3), 0.5, per_class=60)
    >>> target = np.log(np.linalg.det(X))
    >>> rao.MatrixKNNRegressor(neighbors=3).fit(X[:40], target[:40]).predict(X[40:]).shape
    (20,)
    """

    _method = "knn"

    def __init__(self, *, metric: str = "riemann", neighbors: int = 5) -> None:
        self.metric = metric
        self.neighbors = neighbors
