"""Class statistics: what SQFA, PCA, LDA and QDA learn from."""

from __future__ import annotations

import json
import os
from typing import Any, Sequence

import numpy as np

from . import _engine
from ._labels import class_names, label_type, numbered
from ._private import Privacy, PrivateStatistics, private_stats

_DOUBTS = ("rows", "columns", "classes", "manifest", "counts")
_ARRAYS = ("counts", "means", "covariances", "cubic", "quartic", "parts", "columns", "unmarked")


def _all_classes(classes: Any) -> list[str]:
    """The names of classes that a caller lists."""
    if isinstance(classes, str) or not hasattr(classes, "__len__"):
        raise _engine.RaoError(f"classes {classes!r}: want a list of them")
    if any(np.ndim(c) for c in classes):
        raise TypeError(f"Statistics takes the names of classes, not an array of shape {np.shape(classes)}; "
                        "rao.stats(X, y) makes statistics of rows")
    names = class_names(classes)
    twice = [n for i, n in enumerate(names) if n in names[:i]]
    if twice:
        raise _engine.RaoError(f"classes has {twice[0]} twice")
    return names


class Statistics:
    """Count, mean and covariance of each class.

    They add up: ``partial_fit`` takes more rows, :meth:`merge` puts the parts of several
    sites together, and the result is that of one pass over all rows.

    Parameters
    ----------
    classes : sequence, optional
        The classes that may come; without it they are those of the first rows.
    moments : bool
        Collect the third and fourth moments too, which the shrinkage ledoit_wolf needs.
    hashes : str or path-like
        How rows are recorded. ``none`` keeps only their number. A file is a secret key of 16 bytes or more, as
        ``--hashes`` of the tool reads it: sites with the same key find the rows that they have in common, and nobody
        else can look for a row. Without it hashes have no key, and whoever has a row can find out whether it was part.

    Attributes
    ----------
    classes : list of str
        Names of the classes. Models fitted from the statistics predict labels of the type of ``y``, also after
        :meth:`save` and :meth:`load`.
    counts : ndarray of shape (n_classes,)
    means : ndarray of shape (n_classes, n_features)
    covariances : ndarray of shape (n_classes, n_features, n_features)
        With divisor count - 1, not shrunk.
    """

    def __init__(self, classes: Sequence[Any] | None = None, moments: bool = False,
                 hashes: str | os.PathLike[str] = "") -> None:
        if not isinstance(moments, (bool, np.bool_)):
            raise TypeError(f"moments is True or False, not {type(moments).__name__}; "
                            "rao.stats(X, y) makes statistics of rows")
        self.moments = bool(moments)
        self.classes: list[str] | None = None if classes is None else _all_classes(classes)
        self._label_type = "" if classes is None else label_type(classes)
        self._hashes = _key_file(hashes)
        self._arrays: dict[str, np.ndarray] = {}

    @property
    def counts(self) -> np.ndarray:
        return self._array("counts")

    @property
    def means(self) -> np.ndarray:
        return self._array("means")

    @property
    def covariances(self) -> np.ndarray:
        return self._array("covariances")

    def _array(self, name: str) -> np.ndarray:
        if name not in self._arrays:
            raise _engine.RaoError("these statistics have seen no rows; call partial_fit first")
        return self._arrays[name]

    @property
    def columns(self) -> list[str] | None:
        """Names of the columns, None where they have none."""
        return json.loads(self._arrays["columns"].tobytes()) if "columns" in self._arrays else None

    def partial_fit(self, X: Any, y: Any) -> "Statistics":
        """Take more rows.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Columns of a data frame keep their names, and are matched by them.
        y : array of shape (n_samples,)
        """
        found, labels = numbered(y)
        names = class_names(found)
        classes = names if self.classes is None else self.classes
        if not classes:
            raise _engine.RaoError("y holds no labels, and there are no classes yet; give rows, or name the classes")
        place = {name: i for i, name in enumerate(classes)}
        unknown = [n for n in names if n not in place]
        if unknown:
            raise _engine.RaoError(f"the class {unknown[0]} is none of {classes}; name all classes when the statistics are made")
        order = np.array([place[n] for n in names], np.int64)
        given = {"X": _engine.narrowed(_engine.portable(X)), "y": order[labels]}
        reply, new = _engine.call("statistics", given, classes=classes, moments=self.moments, columns=_columns_of(X),
                                   hashes=self._hashes)
        part = _from(reply, new)
        self._arrays = _merged([self, part], append=True)._arrays if self._arrays else part._arrays
        if self.classes is None:
            self._label_type = label_type(found)
        self.classes = classes
        return self

    def merge(self, *others: "Statistics", confirm: Sequence[str] = ()) -> "Statistics":
        """The statistics of these rows and those of the others together.

        Classes and columns are matched by name. What looks wrong is an error: rows in common, columns
        that only some of the statistics name, class names that look like two encodings of the same
        labels, a file that rao did not write, and more rows than the statistics were made from.

        Parameters
        ----------
        others : Statistics
        confirm : sequence of str
            What is right although it looks wrong: ``rows``, ``columns``, ``classes``, ``manifest``, ``counts``.
        """
        for s in others:
            if not isinstance(s, Statistics):
                raise TypeError(f"merge takes rao.Statistics one by one, as a.merge(b, c), not {type(s).__name__}")
        parts = [s for s in (self, *others) if s._arrays]
        if not parts:
            return self
        if len(parts) == 1:
            return parts[0]
        unknown = [c for c in ([confirm] if isinstance(confirm, str) else confirm) if c not in _DOUBTS]
        if unknown:
            raise _engine.RaoError(f"confirm {unknown[0]!r}: want some of {', '.join(_DOUBTS)}")
        return _merged(parts, confirm=[confirm] if isinstance(confirm, str) else list(confirm))

    def distance(self, dissimilarity: str = "fisher_rao", noise: float = 0.0) -> np.ndarray:
        """Dissimilarities between the classes as Gaussians.

        Parameters
        ----------
        dissimilarity : str
            ``fisher_rao``, ``calvo_oller``, ``bhattacharyya``, ``hellinger``, ``jeffreys``,
            ``wasserstein`` and the others of the option ``distance`` of :class:`rao.SQFA`.
        noise : float
            Variance added to every dimension, where a covariance is singular.

        Returns
        -------
        D : ndarray of shape (n_classes, n_classes)
        """
        self.counts  # noqa: B018 - raises when there are no rows
        return _engine.call("dissimilarity", self._arrays, classes=self.classes, metric=dissimilarity,
                            noise=_engine.number(noise, "noise"))[1]["D"]

    def save(self, path: str | os.PathLike[str], hashes: str = "", allow_single: bool = False) -> None:
        """Write a file that numpy, :meth:`load` and the tool ``rao`` read.

        Parameters
        ----------
        path : str or path-like
        hashes : str
            ``none`` leaves out the hashes of the rows, for a file to be shared. A key is for :class:`Statistics` and
            :func:`rao.stats`, which see the rows.
        allow_single : bool
            Write classes of one row too, whose mean is that row.
        """
        self.counts  # noqa: B018
        _engine.call("save_stats", self._arrays, classes=self.classes, path=os.path.abspath(path), hashes=_key_file(hashes),
                     single=bool(allow_single), label_type=self._label_type)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Statistics":
        """Read a file of statistics."""
        path = os.path.abspath(path)
        with open(path, "rb"):
            pass  # raises what Python says of a file that is not there
        return _from(*_engine.call("load_stats", path=path))

    def __repr__(self) -> str:
        if not self._arrays:
            return "<rao.Statistics of no rows>"
        c, n = self.means.shape
        return f"<rao.Statistics of {int(self.counts.sum())} rows: {c} classes, {n} features>"


def _key_file(hashes: str | os.PathLike[str]) -> str:
    """What the program takes for hashes: nothing, none, or the path of a key."""
    return hashes if isinstance(hashes, str) and hashes in ("", "none") else os.path.abspath(hashes)


def _columns_of(X: Any) -> list[str] | None:
    """The names of the columns of a data frame, None where they are not all texts."""
    names = list(getattr(X, "columns", ()))
    return [str(n) for n in names] if names and all(isinstance(n, str) for n in names) else None


def _merged(parts: Sequence[Statistics], confirm: Sequence[str] = (), append: bool = False) -> Statistics:
    """The statistics of all parts; with append they are pieces of one set of rows."""
    given: dict[str, np.ndarray] = {}
    names: list[str] = []
    for i, s in enumerate(parts):
        given.update({f"{i}.{k}": v for k, v in s._arrays.items()})
        names += s.classes or []
    merged = _from(*_engine.call("merge", given, classes=names, sizes=[len(s.classes or []) for s in parts],
                                 confirm=list(confirm), append=append))
    types = {s._label_type for s in parts}
    merged._label_type = types.pop() if len(types) == 1 else ""
    return merged


def _from(reply: dict[str, Any], arrays: dict[str, np.ndarray]) -> Statistics:
    info = reply["info"]
    s = Statistics(info["classes"], "quartic" in arrays)
    s._label_type = info.get("label_type", "")
    s._arrays = {k: arrays[k] for k in _ARRAYS if k in arrays}
    for name in ("parts", "columns", "unmarked"):
        if info[name]:
            s._arrays[name] = np.frombuffer(json.dumps(info[name]).encode(), np.uint8)
    return s


def stats(X: Any, y: Any, classes: Sequence[Any] | None = None, moments: bool = False,
          hashes: str | os.PathLike[str] = "", *, private: Privacy | None = None, round: str | None = None,  # noqa: A002
          after: PrivateStatistics | None = None, verbose: bool = False) -> Any:
    """Class statistics of vectors.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    classes : sequence, optional
        All classes, where ``y`` may lack some.
    moments, hashes
        See :class:`Statistics`.
    private : Privacy, optional
        Hide every row by noise, for statistics that can be shared where the rows cannot. It has the classes.
    round : {"start"}, optional
        Make only the first round of several sites; see :class:`PrivateStatistics`.
    after : PrivateStatistics, optional
        Make the round that follows what the sites have added up.
    verbose : bool
        Show the progress of private statistics.

    Returns
    -------
    Statistics, or PrivateStatistics with ``private``
    """
    if private is not None:
        for name, given, why in (("classes", classes is not None, "those of Privacy count"),
                                 ("moments", moments, "third and fourth moments have no noise"),
                                 ("hashes", hashes != "", "hashes show which rows took part")):
            if given:
                raise _engine.RaoError(f"leave out {name} with private: {why}")
        return private_stats(X, y, private, _columns_of(X), round, after, verbose)
    if round is not None or after is not None:
        raise _engine.RaoError("round and after are for private statistics; give private=rao.Privacy(...) too")
    return Statistics(classes, moments, hashes).partial_fit(X, y)
