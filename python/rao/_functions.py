"""Geometry of SPD matrices, on arrays of shape (n, order, order)."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from . import _engine, _mne
from ._labels import first_few, numbered
from ._engine import RaoError
from ._recording import band_text


def _stack(X: Any, name: str = "X") -> np.ndarray:
    x = _engine.portable(X, name)
    if x.ndim not in (2, 3) or x.shape[-1] != x.shape[-2]:
        raise _engine.RaoError(f"{name} has shape {x.shape}, but must be matrices, of shape (n, order, order), or one matrix")
    return x[None] if x.ndim == 2 else x


def _one(reference: Any) -> np.ndarray:
    c = _engine.portable(reference, "reference")
    if c.ndim != 2 or c.shape[0] != c.shape[1]:
        raise _engine.RaoError(f"reference has shape {c.shape}, but must be one matrix, of shape order × order")
    return c


def distance(X: Any, Y: Any = None, metric: str = "riemann", *, paired: bool = False) -> Any:
    """Return distances between SPD matrices.

    Parameters
    ----------
    X : array of shape (n, order, order), or (order, order)
    Y : array of shape (m, order, order), or (order, order), optional
        If missing, the distances are between all pairs of ``X``.
    metric : str
        ``riemann``, ``logeuclid``, ``euclid``, ``wasserstein``, ``kullback_sym``, ``logdet``,
        ``chol``, ``logchol`` or ``harmonic``.
    paired : bool
        Compute only the distances of ``X[0]`` and ``Y[0]``, ``X[1]`` and ``Y[1]``, and so on.

    Returns
    -------
    D : ndarray of shape (n, m), or (n,) if paired, or a float if both are single matrices
    """
    given = {"X": _stack(X)}
    if Y is not None:
        given["Y"] = _stack(Y, "Y")
    if paired and (Y is None or len(given["X"]) != len(given["Y"])):
        raise _engine.RaoError("paired distances need the same number of matrices in X and Y")
    d = _engine.call("distance", given, metric=metric, paired=bool(paired))[1]["D"]
    return float(d.flat[0]) if Y is not None and np.ndim(X) == 2 and np.ndim(Y) == 2 else d


def mean(X: Any, metric: str = "riemann", sample_weight: Any = None, tol: float | Literal["auto"] = "auto",
         max_iter: int | Literal["auto"] = "auto", method: Literal["mean", "median", "power", "masked", "joint"] = "mean",
         exponent: float = 0.5) -> np.ndarray:
    """Compute the mean of SPD matrices under a metric.

    Parameters
    ----------
    X : array of shape (n, order, order)
    metric : str
        See :func:`distance`.
    sample_weight : array of shape (n,), optional
    tol, max_iter : number or {"auto"}
        Tolerance and maximum number of iterations of an iterative mean; auto means 1e-9 and 200 (5000 for ``joint``).
    method : {"mean", "median", "power", "masked", "joint"}
        ``mean``; ``median``, the geometric median; ``power``, the power mean with an exponent; ``masked``, the mean of
        matrices in which channels are missing (NaN in their rows and columns); ``joint``, the mean by joint diagonalization.
    exponent : float
        Exponent of the power mean; with riemann from -1 to 1.

    Returns
    -------
    M : ndarray of shape (order, order)
    """
    given = {"X": _engine.portable(X)}
    if sample_weight is not None:
        w = given["weights"] = _engine.portable(sample_weight, "sample_weight")
        if w.shape != given["X"].shape[:1]:
            raise _engine.RaoError(f"sample_weight has the shape {w.shape} for {len(given['X'])} matrices; it needs one "
                                   "value per matrix")
    kind = _engine.choice(method, "method", ("mean", "median", "power", "masked", "joint"))
    reply, out = _engine.call("mean", given, metric=metric, kind=kind, tol=_engine.number(tol, "tol", auto=True),
                              max_iter=_engine.number(max_iter, "max_iter", whole=True, auto=True, least=0),
                              exponent=_engine.number(exponent, "exponent"))
    _engine.warn_partial(reply)
    return out["M"]


def tangent(X: Any, reference: Any = None) -> np.ndarray:
    """Compute the tangent vectors of SPD matrices in the affine-invariant geometry.

    Parameters
    ----------
    X : array of shape (n, order, order)
    reference : array of shape (order, order), optional
        The point of the tangent space; by default the Riemannian mean of ``X``.

    Returns
    -------
    Z : ndarray of shape (n, order * (order + 1) / 2)
        The upper triangles row by row, with off-diagonal values multiplied by the square root of 2.
    """
    c = mean(X) if reference is None else _one(reference)
    return _engine.call("tangent", {"X": _engine.portable(X), "C": c})[1]["Z"]


def untangent(Z: Any, reference: Any) -> np.ndarray:
    """Convert tangent vectors to SPD matrices. This is the inverse of :func:`tangent`."""
    return _engine.call("untangent", {"Z": _engine.portable(Z, "Z"), "C": _one(reference)})[1]["X"]


def covariances(X: Any, estimator: str = "sample", picks: Any = None, rate: float | None = None,
                bands: Any = None, segment: float = 0.5, overlap: float = 0.75) -> np.ndarray:
    """Compute the covariance of each trial, or its mean spectral matrix in a band of frequencies.

    Parameters
    ----------
    X : array of shape (trials, channels, samples), or Epochs of MNE
        For Epochs, the EEG channels not marked as bad are used, in volts. A warning lists the other channels.
    estimator : str
        sample; with shrinkage: oas, ledoit_wolf, schaefer_strimmer; robust: huber, student, tyler, mcd; correlations or
        kernels of channels: correlation, rbf, laplacian; spectral matrices: cospectrum, cross-spectrum, coherence. The
        cross-spectrum has twice the order, with real parts in the diagonal blocks and imaginary parts in the others.
    picks : str or list of str, optional
        Channels of Epochs to use: kinds such as ``"meg"`` or ``["eeg", "eog"]``, names, or ``"all"``.
    rate : float, optional
        For spectral matrices: samples per second. Not needed for Epochs.
    bands : (float, float) or str, optional
        For spectral matrices: the lowest and the highest frequency in hertz, such as ``(8, 30)`` or ``"8-30"``; by default
        all frequencies.
    segment, overlap : float
        For spectral matrices: the length of the segments in seconds, and the fraction by which successive segments
        overlap.

    Returns
    -------
    C : ndarray of shape (trials, channels, channels)
        An array has no names of channels. To match the channels of other recordings by name, use :class:`Covariances`
        in a pipeline.
    """
    fields: dict[str, Any] = {}
    if _engine.word(estimator, "estimator") in ("cospectrum", "cross-spectrum", "coherence"):
        if rate is None and hasattr(X, "get_data") and hasattr(X, "info"):
            rate = X.info["sfreq"]
        if rate is None:
            raise RaoError(f"the estimator {estimator} needs the sampling rate; give rate in hertz")
        fields["spectra"] = {"rate": _engine.number(rate, "rate"), "segment": _engine.number(segment, "segment"),
                             "overlap": _engine.number(overlap, "overlap")}
        if bands is not None:
            text = band_text(bands)
            if "," in text:
                raise RaoError(f"bands is {bands!r}, but these matrices are of one band; call covariances once per band")
            try:
                fields["spectra"]["band"] = [_engine.number(float(f), "bands") for f in text.split("-")]
            except ValueError:
                raise RaoError(f"bands is {bands!r}, but must be a band such as (8, 30) or '8-30'") from None
    elif rate is not None or bands is not None:
        raise RaoError(f"rate and bands are for cospectrum, cross-spectrum and coherence, not for the estimator "
                       f"{estimator}; leave them out")
    X, names = _mne.named_signals(X, picks)
    if names:
        fields["channels"] = names
    x = _engine.portable(X)
    matrices = _engine.call("covariances", {"X": x}, method=estimator, **fields)[1]["C"]
    if estimator in ("sample", "correlation") and len(x) and x.shape[2] <= x.shape[1]:
        _engine.warn(f"the trials have {x.shape[1]} channels and {x.shape[2]} samples, too few for covariances that "
                     "are not singular; use estimator='oas' or longer trials")
    return matrices


class Measure(NamedTuple):
    """A measure with its 95 % bootstrap interval. ``low`` and ``high`` are NaN if there is no interval.

    Examples
    --------
    >>> import rao
    >>> m = rao.measures([0, 0, 1, 1], [0.1, 0.6, 0.7, 0.9])["accuracy"]
    >>> m.value
    0.75
    """

    value: float
    low: float
    high: float


def measures(y: Any, probability: Any, positive: Any = None, threshold: float | None = None, bootstrap: int = 1000,
             seed: int = 1, seconds: float | None = None) -> dict[str, Measure]:
    """Compute accuracy, areas under the ROC and precision-recall curves, precision, recall, F1 and bits, with
    intervals.

    Parameters
    ----------
    y : array of shape (n,)
        True labels. Each class must occur.
    probability : array of shape (n, classes), or (n,) for the last of two classes
        Columns are in the sorted order of the classes, as ``predict_proba`` returns them.
    positive : label, optional
        With two classes: the class that precision, recall, F1 and the areas describe; by default the last. With more classes
        these measures are means over the classes, each against the rest.
    threshold : float, optional
        With two classes: the probability from which to decide for the positive class. By default the more probable class
        is decided for.
    bootstrap : int
        Number of bootstrap resamples for the intervals; 0 for no intervals. An accuracy of 0 or 1 has Wilson's interval.
    seed : int
        Seed of the resamples.
    seconds : float, optional
        Time per decision, for bits per minute.

    Returns
    -------
    measures : dict
        A :class:`Measure` by name: ``accuracy``, ``balanced_accuracy``, ``kappa``, ``auc``, ``average_precision``,
        ``precision``, ``recall``, ``f1``, ``wolpaw_bits`` and ``confusion_bits`` per decision, and with ``seconds`` the
        information transfer rates ``wolpaw_bits_per_minute`` and ``confusion_bits_per_minute``.
    """
    classes, numbers = numbered(y)
    p = _engine.portable(probability, "probability")
    if p.ndim == 1:
        p = np.column_stack([1 - p, p])
    if p.ndim != 2 or p.shape != (len(numbers), len(classes)):
        raise _engine.RaoError(f"probability has the shape {p.shape} for {len(numbers)} labels of {len(classes)} classes; "
                               "it needs one row per label and one column per class")
    if positive is not None and (len(classes) != 2 or positive not in classes):
        raise _engine.RaoError(f"positive={positive!r} is not one of two classes; the labels are {first_few(classes.tolist())}, so "
                               + ("give one of them" if len(classes) == 2 else "leave positive out"))
    asked = measuring(positive is not None and bool(positive == classes[0]), threshold, bootstrap, seed, seconds)
    info = _engine.call("measures", {"P": p, "y": numbers}, measures=asked)[0]["info"]
    return measures_of(info)


def measuring(first: bool, threshold: Any, bootstrap: Any, seed: Any, seconds: Any) -> dict[str, Any]:
    """Return the options of measures in the form of the program."""
    return {"first": first, "threshold": _engine.number(threshold, "threshold", none=True),
            "resamples": _engine.number(bootstrap, "bootstrap", whole=True, least=0), "seed": _engine.seed_of(seed),
            "seconds": _engine.number(seconds, "seconds", none=True, least=0)}


def measures_of(info: Any) -> dict[str, Measure]:
    """Return the program's list of measures as a dict by name."""
    found = {}
    for m in info:
        interval = m.get("interval") or {"low": np.nan, "high": np.nan}
        found[m["name"]] = Measure(m["value"], interval["low"], interval["high"])
    return found
