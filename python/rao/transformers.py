"""Pipeline steps for trials and SPD matrices: covariances, artifacts, alignment of recordings."""

from __future__ import annotations

import re
from typing import Any, Callable, Sequence

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _engine, _mne
from ._base import OfMatrices, _Arrays3D
from ._engine import RaoError
from ._functions import covariances, mean
from ._labels import check_one_each, first_few, numbered

__all__ = ["Covariances", "Potato", "Procrustes"]


class Covariances(_Arrays3D, TransformerMixin, BaseEstimator):
    """Covariance matrix of each trial; see :func:`rao.covariances`.

    Parameters
    ----------
    estimator : str, default="sample"
        sample, oas, ledoit_wolf, schaefer_strimmer, huber, student, tyler, mcd, correlation, rbf, laplacian, cospectrum,
        cross-spectrum or coherence.
    picks : str or list of str, optional
        Channels of MNE's Epochs: kinds such as "meg", names, or "all"; by default EEG channels not marked as bad.
    rate, bands, segment, overlap
        For the spectral matrices; see :func:`rao.covariances`.

    Examples
    --------
    >>> import numpy as np
    >>> import rao
    >>> signals = np.random.default_rng(0).normal(size=(20, 4, 100))
    >>> rao.Covariances("oas").fit_transform(signals).shape
    (20, 4, 4)
    """

    def __init__(self, estimator: str = "sample", picks: Any = None, rate: float | None = None, bands: Any = None,
                 segment: float = 0.5, overlap: float = 0.75) -> None:
        self.estimator = estimator
        self.picks = picks
        self.rate = rate
        self.bands = bands
        self.segment = segment
        self.overlap = overlap

    _channels: list[str] | None = None

    def fit(self, X: Any, y: Any = None) -> Any:
        """Remember the names of the channels of Epochs. Each covariance depends on its trial only."""
        self._channels = _mne.named_signals(X, self.picks)[1]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the covariances of trials.

        Parameters
        ----------
        X : array of shape (n_samples, channels, samples), or Epochs of MNE

        Returns
        -------
        C : ndarray of shape (n_samples, channels, channels)
        """
        picks = _mne.checked(X, self._channels) or self.picks
        return covariances(X, self.estimator, picks, self.rate, self.bands, self.segment, self.overlap)

    def __sklearn_is_fitted__(self) -> bool:
        return True


class Potato(OfMatrices, TransformerMixin, BaseEstimator):
    """Riemannian potato (Barachant, Andreev and Congedo 2013), which finds matrices that are far from the others.

    With ``fields`` it is a potato field (Barthélemy, Mayaud, Ojeda and Congedo 2019): one potato per group of channels,
    with combined probabilities.

    Parameters
    ----------
    metric : str, default="riemann"
        Metric for the mean and the distances.
    threshold : float, default=3.0
        Matrices with at least this z-score are artifacts.
    fields : list of lists of int, optional
        Channels of each potato, in ascending order, counted from 0.
    level : float, default=0.01
        With fields: matrices with at most this combined probability are artifacts.
    max_iter : int, default=100
        Largest number of iterations of a fit.
    distance : callable, optional
        Function that replaces the distances of the metric; the center is still the mean in the metric. Its arguments are
        matrices of shape (n, order, order) and a center of shape (order, order), and it returns n values.

    Attributes
    ----------
    covmean_ : ndarray of shape (order, order), or with fields a list of such arrays
        Mean of the clean matrices.
    n_features_in_ : int
        Order of the matrices.

    Examples
    --------
    >>> import numpy as np
    >>> import rao
    >>> X, _ = rao.riemannian_gaussian(np.eye(3), 0.3, per_class=40)
    >>> X[7] *= 1000
    >>> np.flatnonzero(rao.Potato().fit(X).predict(X) == 0).tolist()
    [7]
    """

    def __init__(self, metric: str = "riemann", threshold: float = 3.0, fields: Sequence[Sequence[int]] | None = None,
                 level: float = 0.01, max_iter: int = 100, distance: Callable[[Any, Any], Any] | None = None) -> None:
        self.metric = metric
        self.threshold = threshold
        self.fields = fields
        self.level = level
        self.max_iter = max_iter
        self.distance = distance

    def fit(self, X: Any, y: Any = None) -> Any:
        """Learn the region of clean matrices. Most of the matrices must be clean.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        self
        """
        X = self._stack(X)
        self.n_features_in_ = X.shape[1]
        self._fitted = self._ask(X, [])[0]["info"]
        return self

    def partial_fit(self, X: Any, y: Any = None, adapt_rate: float = 0.1) -> Any:
        """Adapt to the matrices in order. Each clean matrix moves the potato a little.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)
        adapt_rate : float
            How far each clean matrix moves the potato, above 0 and below 1.

        Returns
        -------
        self
        """
        if not 0 < adapt_rate < 1:
            raise ValueError(f"adapt_rate is {adapt_rate}, but must be above 0 and below 1")
        if "_fitted" not in self.__dict__:
            return self.fit(X)
        X = self._stack(X)
        self._check_order(X)
        self._fitted = self._ask(X, self._fitted, float(adapt_rate))[0]["info"]
        return self

    def _ask(self, X: np.ndarray, fitted: Any, rate: float = 0.0) -> Any:
        try:
            channels = None if self.fields is None else [[int(c) for c in field] for field in self.fields]
        except (TypeError, ValueError):
            raise RaoError(f"fields is {self.fields!r:.80}, but must be a list of lists of channel numbers") from None
        asked = {"threshold": _engine.number(self.threshold, "threshold"), "level": _engine.number(self.level, "level"),
                 "max_iter": _engine.number(self.max_iter, "max_iter", whole=True, least=1), "channels": channels, "rate": rate,
                 "fitted": fitted}
        if self.distance is None:
            return _engine.call("potato", {"X": X}, metric=self.metric, potato=asked)
        if not callable(self.distance):
            raise TypeError(f"distance is {self.distance!r}, but must be a function of matrices and a center; for the "
                            "name of a metric use metric")
        return _engine.call("potato", {"X": X}, answer=self._distances, metric=self.metric, potato=asked, calls=True)

    def _distances(self, _: Any, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        assert self.distance is not None
        values = np.asarray(_engine.off_device(self.distance(given["X"], given["C"])), np.float64)
        if values.size != len(given["X"]):
            raise RaoError(f"distance returns an array of shape {values.shape} for {len(given['X'])} matrices, but "
                           "must return one value for each")
        return {"values": values.reshape(-1)}

    def _scores(self, X: Any) -> dict[str, np.ndarray]:
        X = self._checked(X)
        found: dict[str, np.ndarray] = self._ask(X, self._fitted)[1]
        return found

    @property
    def covmean_(self) -> Any:
        """Mean of the clean matrices, of shape (order, order); with fields, a list with the mean of each field."""
        check_is_fitted(self)
        means = [np.reshape(p["center"], (int(len(p["center"]) ** 0.5),) * 2) for p in self._fitted]
        return means[0] if self.fields is None else means

    def transform(self, X: Any) -> np.ndarray:
        """Return the z-score of each matrix; with fields, one column per field.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        z : ndarray of shape (n_samples,), or (n_samples, n_fields)
        """
        z = self._scores(X)["Z"]
        return z[:, 0] if self.fields is None else z

    def predict(self, X: Any) -> np.ndarray:
        """Return 1 for a clean matrix and 0 for an artifact, as in pyRiemann.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        clean : ndarray of int of shape (n_samples,)
        """
        return 1 - self._scores(X)["artifact"].astype(int)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability that a clean matrix is at least this far from the others; with fields, the combined
        probability.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)

        Returns
        -------
        p : ndarray of shape (n_samples,)
        """
        return self._scores(X)["P"]

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__


class Procrustes(OfMatrices, TransformerMixin, BaseEstimator):
    """Alignment of the matrices of several recordings or people (Rodrigues, Jutten and Congedo 2019).

    Each recording is centered by its own mean. If there is a target, recordings can also be scaled to the mean dispersion
    of the other recordings and rotated to align their class means. A classifier fitted to the aligned matrices of all
    recordings can then classify the aligned matrices of the target::

        pipe = make_pipeline(rao.Procrustes(target="s07", rotate=True), rao.MDM())
        pipe.fit(X, y, procrustes__recordings=who).predict(X_new)  # of s07

    Parameters
    ----------
    target : label, optional
        The recording to classify. By default ``transform`` treats its matrices as a new recording and centers them by
        their own mean.
    scale : bool, default=False
        Raise the matrices of each recording to the power that gives them the mean dispersion of the recordings other than
        the target.
    rotate : bool, default=False
        Rotate each recording to align its class means with those of the recordings other than the target. Needs labels of
        the target.

    Attributes
    ----------
    n_features_in_ : int
        Order of the matrices.

    Examples
    --------
    >>> import numpy as np
    >>> import rao
    >>> X, y = rao.datasets.make("syn1", per_class=20)
    >>> who = np.where(np.arange(len(X)) % 2 == 0, "s01", "s07")
    >>> rao.Procrustes(target="s07").fit_transform(X, y, who).shape == X.shape
    True
    """

    def __init__(self, target: Any = None, scale: bool = False, rotate: bool = False) -> None:
        self.target = target
        self.scale = scale
        self.rotate = rotate

    def fit(self, X: Any, y: Any = None, recordings: Any = None) -> Any:
        """Learn the alignment of the target.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)
        y : array of shape (n_samples,), optional
            Labels for ``rotate`` and ``scale``; -1 for a matrix without a label.
        recordings : array of shape (n_samples,), optional
            The recording or the subject of each matrix. By default all matrices are from one recording.

        Returns
        -------
        self
        """
        self._align(X, y, recordings)
        return self

    def fit_transform(self, X: Any, y: Any = None, recordings: Any = None) -> np.ndarray:
        """Learn the alignment, and align the matrices of all recordings, including the target.

        Parameters
        ----------
        X, y, recordings
            See :meth:`fit`.

        Returns
        -------
        Z : ndarray of shape (n_samples, order, order)
        """
        return self._align(X, y, recordings)

    def _align(self, X: Any, y: Any, recordings: Any) -> np.ndarray:
        X = self._stack(X)
        self.n_features_in_ = X.shape[1]
        self._mean: np.ndarray | None = None
        self._power, self._rotation = 1.0, None
        names, groups = (np.zeros(1), np.zeros(len(X), int)) if recordings is None else numbered(recordings, "recordings")
        check_one_each(len(groups), len(X), "matrix", "recordings", "value")
        if self.target is None:
            if self.scale or self.rotate:
                raise ValueError("scale and rotate need target, the recording that is aligned to the others")
            Z = np.empty(X.shape)
            for g in np.unique(groups):
                Z[groups == g] = _carried(X[groups == g], mean(X[groups == g]))
            return Z
        target = np.flatnonzero(names == self.target)
        if not len(target) or len(names) < 2:
            raise ValueError(f"target is {self.target!r}, but must be one of at least two recordings; recordings has "
                             f"{first_few(names.tolist())}")
        labels, classes = np.full(len(X), -1), np.zeros(1)
        if y is not None:
            known = np.asarray(y) != -1
            check_one_each(len(known), len(X), "matrix")
            classes, labels[known] = numbered(np.asarray(y)[known])
        asked = {"target": int(target[0]), "scale": bool(self.scale), "rotate": bool(self.rotate)}
        try:
            reply, out = _engine.call("align", {"X": X, "groups": groups, "y": labels}, align=asked)
        except _engine.RaoError as e:
            absent = re.search(r"group (\d+) has no labeled matrix of class (\d+)", str(e))
            if absent is None:
                raise
            raise _engine.RaoError(f"recording {names[int(absent[1])]} has no matrix of class {classes[int(absent[2])]}, so "
                                   "it cannot be rotated; add labeled matrices, or leave rotate out") from None
        _engine.warn_partial(reply, ConvergenceWarning)
        self._mean, self._power, self._rotation = out["M"], reply["info"], out.get("Q")
        return out["Z"]

    def transform(self, X: Any) -> np.ndarray:
        """Align matrices of the target.

        Parameters
        ----------
        X : array of shape (n_samples, order, order)
            Matrices of the target. Without a target, the matrices of one recording, which is centered by its own mean.

        Returns
        -------
        Z : ndarray of shape (n_samples, order, order)
        """
        X = self._checked(X)
        if not len(X):
            return np.asarray(X, float)
        return _carried(X, mean(X) if self._mean is None else self._mean, self._power, self._rotation)


def _carried(X: np.ndarray, center: np.ndarray, power: float = 1.0, rotation: np.ndarray | None = None) -> np.ndarray:
    """Return matrices centered at center, raised to a power and rotated. The worker only learns alignments."""
    values, vectors = np.linalg.eigh(center)
    root = vectors / np.sqrt(values) @ vectors.T
    Z = root @ X @ root
    if power != 1:
        values, vectors = np.linalg.eigh((Z + Z.swapaxes(1, 2)) / 2)
        Z = (vectors * values[:, None, :] ** power) @ vectors.swapaxes(1, 2)
    if rotation is not None:
        Z = rotation @ Z @ rotation.T
    out: np.ndarray = (Z + Z.swapaxes(1, 2)) / 2
    return out
