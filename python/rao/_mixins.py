"""Attributes of some methods on matrices and trials: class means, spatial filters, the reference of the tangent
space."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _engine
from ._functions import untangent
from ._model import Model


def _fitted(estimator: Any) -> Model:
    check_is_fitted(estimator, "model_")
    model: Model = estimator.model_
    return model


class NearestMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Class means of the method mdm, and distances from the means."""

    def fit(self, X: Any, y: Any, recordings: Any = None, sample_weight: Any = None) -> Any:
        """Fit labeled observations.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)
        y : array of shape (n_samples,)
            Class labels.
        recordings : array of shape (n_samples,), optional
            The recording or the subject of each matrix, for the options adapt and target.
        sample_weight : array of shape (n_samples,), optional
            Weight of each matrix in the mean of its class, 0 or more.

        Returns
        -------
        self
        """
        return self._fit(X, y, recordings, sample_weight)  # type: ignore[attr-defined]

    @property
    def covmeans_(self) -> np.ndarray:
        """Mean of each class under the metric, of shape (n_classes, order, order)."""
        return self._distances(None)["M"]

    def transform(self, X: Any) -> np.ndarray:
        """Return the distance of each matrix from the mean of each class.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        D : ndarray of shape (n_samples, n_classes)
        """
        return self._distances(X)["D"]

    def _distances(self, X: Any) -> dict[str, np.ndarray]:
        model = _fitted(self)
        arrays = [] if X is None else [("X", _engine.portable(self._observations(X)))]  # type: ignore[attr-defined]

        def work(w: _engine.Worker, number: int) -> Any:
            return _engine.checked(w.ask({"op": "distances", "model": number}, arrays))

        found: dict[str, np.ndarray] = _engine.with_model(model._key, model.to_bytes(), work)[1]
        return found

    @property
    def _n_features_out(self) -> int:
        return len(self.classes_)  # type: ignore[attr-defined]


class Spatial:
    """Spatial filters of a method, and their patterns."""

    def _adopt(self, model: Model) -> None:
        for name in ("filters_", "patterns_"):
            self.__dict__.pop(name, None)
        super()._adopt(model)  # type: ignore[misc]
        found = model.spatial
        if found is not None:
            self.filters_ = found.filters
            if found.patterns is not None:
                self.patterns_ = found.patterns


class TangentPoint:
    """The reference point of the method tangent, and the inverse transformation."""

    @property
    def reference_(self) -> Any:
        """Reference point of the tangent space, of shape (order, order), or None for a metric other than riemann."""
        arrays = np.load(io.BytesIO(_fitted(self).to_bytes()))
        return arrays["tangent.reference"] if "tangent.reference" in arrays.files else None

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Convert tangent vectors to matrices.

        Parameters
        ----------
        Z : array of shape (n_samples, order * (order + 1) / 2)

        Returns
        -------
        X : ndarray of shape (n_samples, order, order)
        """
        reference = self.reference_
        if reference is None:
            raise ValueError("inverse_transform needs metric='riemann'; fit with this metric")
        return untangent(Z, reference)
