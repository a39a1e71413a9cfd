"""Class statistics, from which SQFA, PCA, LDA and QDA learn."""

from __future__ import annotations

import os
from typing import Any, Callable, Literal, Sequence

import numpy as np

from . import _engine, _tables
from ._dissimilarity import between
from ._interrupt import interruptible
from ._labels import class_names, first_few, label_type, numbered
from ._model import Model
from ._private import Privacy, PrivateStatistics, private_stats

_DOUBTS = ("rows", "columns", "classes", "manifest", "counts")
_EXACT = 10**6  # number of rows of a class with exact moments
_ARRAYS = ("counts", "means", "covariances", "weights", "cubic", "quartic")
_NOTES = ("parts", "columns", "inputs", "unmarked", "single")


def _all_classes(classes: Any, name: str = "classes") -> list[str]:
    """Return the names of the classes given by the caller."""
    if isinstance(classes, str) or not hasattr(classes, "__len__"):
        raise _engine.RaoError(f"{name} is {classes!r}, but must be a list of all classes")
    if any(np.ndim(c) for c in classes):
        raise TypeError(f"Statistics needs the names of the classes, not an array of shape {np.shape(classes)}; "
                        "rao.stats(X, y) computes statistics of rows")
    names = class_names(classes)
    twice = [n for i, n in enumerate(names) if n in names[:i]]
    if twice:
        raise _engine.RaoError(f"{name} contains {twice[0]} twice; remove one")
    return names


class Statistics:
    """Count, mean and covariance of each class.

    Statistics are additive: ``partial_fit`` adds rows, :meth:`merge` adds the statistics of several
    sites. The result equals the statistics of one pass over all rows.

    Parameters
    ----------
    classes : sequence, optional
        All classes; by default the classes of the first rows.
    moments : bool
        Also collect third and fourth moments, which the shrinkage ledoit_wolf needs.
    hashes : True, path-like or None
        How rows are recorded. ``None`` records only their number. With True, their hashes are recorded, and anyone who has
        a row can test whether it was used. With the path of a file that contains a secret key of at least 16 bytes, only
        sites with the same key can look for a row and find the rows that they have in common.

    Attributes
    ----------
    classes : list of str
        Names of the classes. Models fitted to the statistics predict labels with the type of ``y``, even after
        :meth:`save` and :meth:`load`.
    counts : ndarray of shape (n_classes,)
    means : ndarray of shape (n_classes, n_features)
    covariances : ndarray of shape (n_classes, n_features, n_features)
        With divisor count - 1, without shrinkage.
    weights : ndarray of shape (n_classes,), or None
        Sum of the weights of each class; None if rows have no weights.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> s = rao.stats(X[:600], y[:600]) + rao.stats(X[600:], y[600:])
    >>> s.means.shape, s.covariances.shape, int(s.counts.sum())
    ((10, 64), (10, 64, 64), 1198)
    >>> rao.SQFA(filters=4, noise=0.1).fit_statistics(s).predict(X).shape
    (1198,)
    """

    def __init__(self, classes: Sequence[Any] | None = None, moments: bool = False,
                 hashes: str | os.PathLike[str] | Literal[True] | None = True) -> None:
        if not isinstance(moments, (bool, np.bool_)):
            raise TypeError(f"moments must be True or False, not {type(moments).__name__}; rao.stats(X, y) computes "
                            "statistics of rows")
        self.moments = bool(moments)
        self.classes: list[str] | None = None if classes is None else _all_classes(classes)
        self._label_type = "" if classes is None else label_type(classes)
        self._hashes = _key_file(hashes)
        self._arrays: dict[str, np.ndarray] = {}
        self._exact = False  # the moments were given without counts

    @classmethod
    def from_moments(cls, means: Any, covariances: Any, counts: Any = None,
                     classes: Sequence[Any] | None = None) -> "Statistics":
        """Make statistics from known means and covariances of the classes.

        Parameters
        ----------
        means : array of shape (n_classes, n_features)
            This and the other arrays may be torch tensors.
        covariances : array of shape (n_classes, n_features, n_features)
            Estimated covariances must have the divisor count - 1, without shrinkage.
        counts : array of int of shape (n_classes,), optional
            Rows per class. Without counts, the moments are treated as exact and the classes as equally frequent, and the
            statistics cannot be merged or saved.
        classes : sequence, optional
            The class of each mean; by default 0, 1, 2 and so on.

        Returns
        -------
        Statistics

        Raises
        ------
        RaoError
            If shapes do not match, values are not finite, or a covariance is not symmetric.
        """
        m = _engine.portable(means, "means").astype(np.float64)
        given = _engine.portable(covariances, "covariances")
        c = given.astype(np.float64)
        if m.ndim != 2 or c.shape != (*m.shape, m.shape[1]):
            raise _engine.RaoError(f"means of shape {m.shape} and covariances of shape {c.shape} do not match; the "
                                   "shapes must be (n_classes, n_features) and (n_classes, n_features, n_features)")
        if not (np.isfinite(m).all() and np.isfinite(c).all()):
            raise _engine.RaoError("means or covariances contain values that are not finite; replace them")
        turned = c.swapaxes(1, 2)
        skew = np.flatnonzero(np.abs(c - turned).max(axis=(1, 2), initial=0) > 1e-5 * np.abs(c).max(axis=(1, 2), initial=0))
        if len(skew):
            raise _engine.RaoError(f"covariance {skew[0]} (counted from 0) is not symmetric; use (C + C.T) / 2")
        s = cls(range(len(m)) if classes is None else classes)
        if len(s.classes or []) != len(m):
            raise _engine.RaoError(f"classes has {len(s.classes or [])} values, but means has {len(m)} rows; give "
                                   "the class of each row")
        s._exact = counts is None
        n = np.full(len(m), _EXACT) if counts is None else _engine.portable(counts, "counts")
        if n.shape != (len(m),) or n.dtype.kind not in "iu" or n.min(initial=1) < 1:
            raise _engine.RaoError(f"counts is {np.asarray(n).tolist()!s:.60}, but must be a whole number of 1 or "
                                   f"more for each of {len(m)} classes")
        s._arrays = {"counts": n.astype(np.int64), "means": m, "covariances": (c + turned) / 2}
        if given.dtype.kind == "f" and given.dtype.itemsize < 8:
            s._note("single", True)
        return s

    def _note(self, name: str, value: Any) -> None:
        import json

        self._arrays[name] = np.frombuffer(json.dumps(value).encode(), np.uint8)

    @property
    def counts(self) -> np.ndarray:
        """Number of rows of each class, of shape (n_classes,)."""
        return self._array("counts")

    @property
    def weights(self) -> np.ndarray | None:
        """Sum of the weights of each class, of shape (n_classes,), or None if rows have no weights."""
        return self._arrays.get("weights")

    @property
    def means(self) -> np.ndarray:
        """Mean of each class, of shape (n_classes, n_features)."""
        return self._array("means")

    @property
    def covariances(self) -> np.ndarray:
        """Covariance of each class, of shape (n_classes, n_features, n_features)."""
        return self._array("covariances")

    @property
    def second_moments(self) -> np.ndarray:
        """Covariance plus outer product of the mean of each class, of shape (n_classes, n_features, n_features)."""
        return self.covariances + self.means[:, :, None] * self.means[:, None, :]

    def _array(self, name: str) -> np.ndarray:
        if name not in self._arrays:
            raise _engine.RaoError("these statistics contain no rows; call partial_fit first")
        return self._arrays[name]

    @property
    def columns(self) -> list[str] | None:
        """Names of the columns, or None if they have no names."""
        import json

        return json.loads(self._arrays["columns"].tobytes()) if "columns" in self._arrays else None

    @interruptible
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, *, categories: Any = None, missing: str = "error") -> "Statistics":
        """Add rows. A warning says if they equal rows that were added before.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or images of shape (n_samples, rows, columns[, channels])
            The columns of a data frame keep their names and are matched by name.
        y : array of shape (n_samples,)
            Class labels.
        sample_weight : array of shape (n_samples,), optional
            A row with weight 2 counts as two equal rows. Rows with weight 0 are ignored. Either all calls or no calls have
            weights.
        categories, missing
            See :func:`stats`. All calls must result in the same categories and the same means.
        """
        self._need_counts("added to")
        found, labels = numbered(y)
        names = class_names(found)
        classes = names if self.classes is None else self.classes
        if not classes:
            raise _engine.RaoError("y contains no labels, and no classes are known; give rows, or give the classes")
        place = {name: i for i, name in enumerate(classes)}
        unknown = [n for n in names if n not in place]
        if unknown:
            raise _engine.RaoError(f"the class {unknown[0]} is not one of {first_few(classes)}; name all classes when "
                                   "you create the statistics")
        if _tables.wanted(X, categories, missing):
            table = _tables.Table(X, y, sample_weight, categories, missing)
            return self._add(*_engine.call("statistics", {"table": table.array}, moments=self.moments, hashes=self._hashes), found)
        order = np.array([place[n] for n in names], np.int64)
        X = _tables.ordered(X, self.columns) if self._arrays else _tables.named(X)
        given = {"X": _engine.narrowed(_engine.portable(_engine.flat_images(X)[0])), "y": order[labels]}
        if sample_weight is not None:
            given["weights"] = observation_weights(sample_weight, len(labels))
        return self._add(*_engine.call("statistics", given, classes=classes, moments=self.moments, columns=_tables.columns_of(X),
                                       hashes=self._hashes), found)

    def _add(self, reply: dict[str, Any], new: dict[str, np.ndarray], found: np.ndarray) -> "Statistics":
        part = _from(reply, new)
        for warning in reply.get("warnings", ()):
            _engine.warn(_engine.in_python(warning))
        if self.classes is None:
            self._label_type = label_type(found)
        both = _merged([self, part], append=True) if self._arrays else part
        self._arrays, self.classes = both._arrays, both.classes
        return self

    def merge(self, *others: "Statistics", confirm: str | Sequence[str] = ()) -> "Statistics":
        """Return the statistics of the rows of this object and of all others together.

        Classes and columns are matched by name. Anything suspicious is an error: common rows, columns that only some of the
        statistics name, class names that look like two encodings of the same labels, a file that rao did not write, and
        class counts that add up to more rows than the statistics were computed from.

        Parameters
        ----------
        others : Statistics
        confirm : str or sequence of str
            Findings to accept: ``rows``, ``columns``, ``classes``, ``manifest``, ``counts``.
        """
        for s in (self, *others):
            if not isinstance(s, Statistics):
                raise TypeError("merge needs rao.Statistics as separate arguments, as in a.merge(b, c), "
                                f"not {type(s).__name__}; sum(parts) merges a list")
        if others:
            for s in (self, *others):
                s._need_counts("merged")
        parts = [s for s in (self, *others) if s._arrays]
        if not parts:
            return self
        if len(parts) == 1:
            return parts[0]
        unknown = [c for c in ([confirm] if isinstance(confirm, str) else confirm) if c not in _DOUBTS]
        if unknown:
            raise _engine.RaoError(f"confirm contains {unknown[0]!r}; choose from {', '.join(_DOUBTS)}")
        return _merged(parts, confirm=[confirm] if isinstance(confirm, str) else list(confirm))

    def __add__(self, other: Any) -> "Statistics":
        """Return the statistics of both sets of rows; see :meth:`merge`."""
        return self.merge(other) if isinstance(other, Statistics) else NotImplemented

    def __radd__(self, other: Any) -> "Statistics":
        return self if isinstance(other, int) and other == 0 else NotImplemented  # sum() starts with 0

    def _need_counts(self, what: str) -> None:
        if self._exact:
            raise _engine.RaoError(f"moments without counts cannot be {what}; give counts to Statistics.from_moments")

    def project(self, filters: Any) -> "Statistics":
        """Return the statistics of features, as if they had been computed from the transformed rows.

        Parameters
        ----------
        filters : array of shape (n_features, n_filters), rao.Model or fitted estimator
            For an array, the features are ``X @ filters``. For a model, they are the output of its ``transform``, which
            includes scaling.

        Returns
        -------
        Statistics
            Hashes of the rows are kept; names of columns and third and fourth moments are not.
        """
        shift: Any = 0.0
        model = getattr(filters, "model_", filters)
        if hasattr(model, "fit"):
            raise _engine.RaoError(f"{type(model).__name__} is not fitted to vectors by rao; call fit first, or give an array of "
                                   "shape (n_features, n_filters)")
        if isinstance(model, Model):
            if model.filters is None or model.kind != "vectors":
                raise _engine.RaoError(f"{model!r} has no linear filters, and statistics can be transformed only by "
                                       "linear filters")
            n = self.means.shape[1]
            if model.dim != n:
                raise _engine.RaoError(f"the model needs {model.dim} features, but these statistics have {n}; give "
                                       "statistics of the columns of the training data")
            shift, *rows = model.transform(np.vstack([np.zeros((1, n)), np.eye(n)]))
            f = np.array(rows) - shift
        else:
            f = _engine.portable(filters, "filters").astype(np.float64)
            n = self.means.shape[1]
            if f.ndim != 2 or len(f) != n:
                turned = "; give their transpose" if f.ndim == 2 and f.shape[1] == n else ""
                raise _engine.RaoError(f"filters has the shape {f.shape}, but must have (n_features, n_filters), with "
                                       f"{n} features{turned}")
        c = f.T @ self.covariances @ f
        s = Statistics(self.classes)
        s._hashes = self._hashes
        s._label_type, s._exact = self._label_type, self._exact
        s._arrays = {"counts": self.counts, "means": self.means @ f + shift, "covariances": (c + c.swapaxes(1, 2)) / 2}
        s._arrays.update({k: self._arrays[k] for k in ("weights", "parts", "unmarked", "single") if k in self._arrays})
        return s

    def distance(self, distance: str | Callable[..., Any] = "fisher_rao", noise: float = 0.0, squared: bool = False) -> np.ndarray:
        """Return dissimilarities between the Gaussians of the classes.

        Parameters
        ----------
        distance : str or callable
            A name, such as ``fisher_rao``, ``calvo_oller``, ``bhattacharyya``, ``hellinger``, ``jeffreys`` or ``wasserstein``,
            or a function of two classes; see the option ``distance`` of :class:`rao.SQFA`.
        noise : float
            Variance added to every dimension, for singular covariances.
        squared : bool
            Return squared distances. ``bhattacharyya``, ``chernoff`` and ``jeffreys`` are not distances and cannot be
            squared.

        Returns
        -------
        D : ndarray of shape (n_classes, n_classes)
        """
        self.counts  # noqa: B018 - raises when there are no rows
        given = _engine.number(noise, "noise")
        if callable(distance):
            d = between(distance, self.means, self.covariances + given * np.eye(self.means.shape[1]))
            return d**2 if squared else d
        _engine.word(distance, "distance")
        try:
            return _engine.call("dissimilarity", self._arrays, classes=self.classes, noise=given,
                                metric=distance + "_squared" * bool(squared))[1]["D"]
        except _engine.RaoError as e:
            text = str(e).replace("leave _squared out", "leave out squared").replace("add feature noise", "give noise")
            raise _engine.RaoError(text) from None

    def save(self, path: str | os.PathLike[str], hashes: Literal[True] | None = True, allow_single: bool = False) -> None:
        """Write a file for :meth:`load`, the command-line tool ``rao`` and numpy.

        Parameters
        ----------
        path : str or path-like
        hashes : True or None
            ``None`` leaves out the hashes of the rows, for a file to be shared. A key must be given when the rows are
            read, to :class:`Statistics` or :func:`rao.stats`.
        allow_single : bool
            Also write classes with one row. Their mean reveals that row.
        """
        self.counts  # noqa: B018
        self._need_counts("saved")
        _engine.call("save_stats", self._arrays, classes=self.classes, path=os.path.abspath(path), hashes=_key_file(hashes),
                     single=bool(allow_single), label_type=self._label_type)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Statistics":
        """Read a file of statistics."""
        path = os.path.abspath(path)
        with _engine.reading(path), open(path, "rb"):
            pass  # raises an error for a folder
        return _from(*_engine.call("load_stats", path=path))

    def __repr__(self) -> str:
        if not self._arrays:
            return "<rao.Statistics of no rows>"
        c, n = self.means.shape
        if self._exact:
            return f"<rao.Statistics without counts: {c} classes, {n} features>"
        return f"<rao.Statistics of {int(self.counts.sum())} rows: {c} classes, {n} features>"


def _key_file(hashes: str | os.PathLike[str] | bool | None) -> str:
    """Return the value of hashes for the program: an empty text, none, or the path of a key."""
    if isinstance(hashes, bool) or hashes is None:
        return "" if hashes else "none"
    return _engine.path_of(hashes, "hashes")


def observation_weights(given: Any, rows: int) -> np.ndarray:
    """Return the checked weights of observations."""
    w = _engine.portable(given, "sample_weight").astype(np.float64)
    if w.shape != (rows,):
        raise ValueError(f"sample_weight has the shape {w.shape}; it needs one value for each of {rows} observations: "
                         "1D")
    if rows and not w.any():
        raise ValueError("sample_weight is zero for all observations; at least one weight must be positive")
    return w


def _merged(parts: Sequence[Statistics], confirm: Sequence[str] = (), append: bool = False) -> Statistics:
    """Return the statistics of all parts. With append, the parts are pieces of one set of rows."""
    given: dict[str, np.ndarray] = {}
    names: list[str] = []
    for i, s in enumerate(parts):
        given.update({f"{i}.{k}": v for k, v in s._arrays.items()})
        names += s.classes or []
    reply, arrays = _engine.call("merge", given, classes=names, sizes=[len(s.classes or []) for s in parts],
                                 confirm=list(confirm), append=append)
    for note in reply.get("notes", ()):
        _engine.warn(note)
    merged = _from(reply, arrays)
    types = {s._label_type for s in parts}
    merged._label_type = types.pop() if len(types) == 1 else ""
    return merged


def _from(reply: dict[str, Any], arrays: dict[str, np.ndarray]) -> Statistics:
    info = reply["info"]
    s = Statistics(info["classes"], "quartic" in arrays)
    s._label_type = info.get("label_type", "")
    s._arrays = {k: arrays[k] for k in _ARRAYS if k in arrays}
    for name in _NOTES:
        if info[name]:
            s._note(name, info[name])
    return s


def given_statistics(source: Any, second_moments: bool = False) -> Statistics:
    """Return statistics. They may be given as a dict with means and covariances, as in the package sqfa, or with
    second_moments as an array of second moments."""
    if isinstance(source, Statistics):
        return source
    if isinstance(source, dict):
        absent = [k for k in ("means", "covariances") if k not in source]
        if absent:
            raise _engine.RaoError(f"the dict of statistics has no {absent[0]}; it needs means and covariances, and "
                                   "may have counts and classes")
        if "names" in source:
            raise _engine.RaoError("the dict of statistics has the key names; rename it to classes")
        return Statistics.from_moments(*map(source.get, ("means", "covariances", "counts", "classes")))
    if second_moments and getattr(source, "ndim", 0) == 3:
        c = _engine.portable(source, "second moments")
        return Statistics.from_moments(np.zeros(c.shape[:2]), c)
    raise TypeError("fit_statistics needs rao.Statistics, such as the result of rao.stats(X, y), or a dict with means "
                    "and covariances, "
                    f"not {type(source).__name__}")


def stats(X: Any, y: Any, classes: Sequence[Any] | None = None, moments: bool = False,
          hashes: str | os.PathLike[str] | Literal[True] | None = True, *, sample_weight: Any = None, categories: Any = None,
          missing: str = "error", private: Privacy | None = None, round: str | None = None,  # noqa: A002
          after: PrivateStatistics | None = None, verbose: bool = False, units: Any = None) -> Any:
    """Compute the class statistics of vectors.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Class labels.
    classes : sequence, optional
        All classes, if some may not occur in ``y``.
    moments, hashes
        See :class:`Statistics`.
    sample_weight : array of shape (n_samples,), optional
        A row with weight 2 counts as two equal rows. Rows with weight 0 are ignored.
    categories : "auto", str or list of str, optional
        Text columns of a data frame, which become one 0/1 column per distinct text: ``"auto"`` for all text columns, or names;
        ``"top:20"`` keeps the 20 most frequent texts of each. Dates become numbers of days. Models fitted to the statistics
        read data frames, and the tool reads tables, in the same way.
    missing : {"error", "drop", "mean"}
        A missing value is an error, its row is left out, or the mean of the column replaces it. Models store that mean.
    private : Privacy, optional
        Add noise that hides every row, for statistics that can be shared although the rows cannot. ``private``
        also lists the classes.
    round : {"start"}, optional
        Compute only the first round, for several sites; see :class:`PrivateStatistics`.
    after : PrivateStatistics, optional
        Compute the next round. ``after`` is the sum of all sites' statistics of the previous round.
    verbose : bool
        Show the progress of private statistics.
    units : array of shape (n_samples,), optional
        The unit of each row, such as the person, for private statistics that protect units; see :class:`Privacy`.

    Returns
    -------
    Statistics, or PrivateStatistics with ``private``
    """
    if private is not None:
        for name, given, why in (("classes", classes is not None, "the classes of Privacy are used"),
                                 ("sample_weight", sample_weight is not None, "the noise hides rows only if all have "
                                                                              "the same weight"),
                                 ("categories", categories is not None, "texts that are found in the data are private"),
                                 ("missing", missing not in ("error", "drop"), "a mean that is found in the data is private"),
                                 ("moments", moments, "third and fourth moments would have no noise"),
                                 ("hashes", hashes is not True, "hashes show which rows were used")):
            if given:
                raise _engine.RaoError(f"{name} does not work with private, because {why}; leave {name} out")
        X = _tables.named(X)
        return private_stats(X, y, private, _tables.columns_of(X), round, after, verbose, units, missing == "drop")
    if round is not None or after is not None or units is not None:
        raise _engine.RaoError("round, after and units are for private statistics; give private=rao.Privacy(...) too")
    return Statistics(classes, moments, hashes).partial_fit(X, y, sample_weight, categories=categories, missing=missing)
