"""Class statistics with differential privacy, which can be shared if the rows cannot."""

from __future__ import annotations

import os
from html import escape
from typing import Any, Literal, Sequence

import numpy as np

from . import _engine
from ._engine import RaoError
from ._labels import class_array, class_names, label_type, numbered
from ._progress import shown


class Privacy:
    """The guarantee of private statistics, and what is publicly known about the rows.

    The guarantee is differential privacy: nobody can determine from the statistics whether a given row was used, even
    with arbitrary other knowledge. With ``unit`` it protects all rows of one person together. The privacy losses of
    several releases of the same rows add up, and a ledger records them.

    Parameters
    ----------
    epsilon, delta : float
        The guarantee: epsilon above 0, at most 16; delta above 0, at most 1e-3. A common choice is 1 and 1e-6.
    range : pair of float, or pair of arrays of shape (n_features,)
        The smallest and the largest possible value, for all columns or for each. It must not be computed from the data.
    classes : sequence
        All classes, as in ``y``. They are required, because the classes in the data are private. Rows of other classes are
        left out.
    clip : float
        Instead of ``range``: the largest Euclidean norm of a row, such as 1 for embeddings of unit length.
    kind : {"full", "pooled"}
        ``full`` stores the covariance of each class, in few dimensions. ``pooled`` stores one covariance for all classes,
        for :class:`rao.LDA`. It is better if classes differ in many directions.
    subspace : int or {"auto"}
        Number of dimensions of ``full`` statistics; auto chooses it from the noise.
    ledger : path-like
        File in which the site records its releases. The privacy loss is added before the rows are used.
    budget : pair of float
        Total epsilon and delta for all releases in a new ledger.
    unit : str, optional
        What is protected instead of single rows. With ``"person"``, all rows of one person are protected together. In a
        data frame it is the name of the column with the person of each row, which is then not a feature. For arrays, give ``units`` to
        :func:`rao.stats`.
    unit_rows : int or {"auto"}
        Number of rows to use per unit, from the first; auto means one, or the number in ``after``. The noise is
        proportional to this number.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> s = rao.stats(X, y, private=rao.Privacy(3, 1e-6, range=(0, 16), classes=range(10)))
    >>> len(s.counts)
    10
    """

    def __init__(self, epsilon: float, delta: float, range: Any = None, classes: Sequence[Any] | None = None,  # noqa: A002
                 *, clip: float | None = None, kind: str = "full",
                 subspace: int | Literal["auto"] = "auto",
                 ledger: str | os.PathLike[str] | None = None, budget: tuple[float, float] | None = None,
                 unit: str | None = None, unit_rows: int | Literal["auto"] = "auto") -> None:
        self.epsilon, self.delta = _engine.number(epsilon, "epsilon"), _engine.number(delta, "delta")
        if classes is None:
            raise RaoError("Privacy needs classes, the list of all classes, because the classes in the data are private")
        if range is None and clip is None:
            raise RaoError("Privacy needs range, the possible values, or clip, the largest norm of a row, because the range "
                           "of the data is private")
        if range is not None and clip is not None:
            raise RaoError("range and clip are both given; give one of them")
        if kind not in ("full", "pooled"):
            raise RaoError(f"kind is {kind!r}, but must be 'full' or 'pooled'")
        if budget is not None and ledger is None:
            raise RaoError("budget needs a ledger; give ledger too")
        if unit is not None and not isinstance(unit, str):
            raise RaoError(f"unit is {unit!r}, but must be the name of what is protected, such as 'person'; "
                           "rao.stats accepts the person of each row as units, or in the column 'person' of X")
        self.unit, self.unit_rows = unit or "", _engine.number(unit_rows, "unit_rows", whole=True, auto=True)
        if self.unit_rows and not unit:
            raise RaoError("unit_rows needs unit, the name of what is protected; give unit too")
        self.low, self.high = ([], []) if range is None else _ends(range)
        self.clip = 0.0 if clip is None else _engine.number(clip, "clip")
        if clip is not None and not self.clip > 0:
            raise RaoError(f"clip is {clip}, but must be above 0")
        self.classes = class_names(_engine.listed(classes, "classes"))
        self.kind, self.subspace = kind, _engine.number(subspace, "subspace", whole=True, auto=True)
        self.ledger = None if ledger is None else _engine.path_of(ledger, "ledger")
        self.budget = None if budget is None else _pair(budget, "budget")
        self._label_type = label_type(list(classes))

    def __repr__(self) -> str:
        return (f"<rao.Privacy ε {self.epsilon:g} at δ {self.delta:g} for each {self.unit or 'row'}, {len(self.classes)} "
                f"classes, {self.kind}>")

    def _request(self, start: bool) -> dict[str, Any]:
        q: dict[str, Any] = {"epsilon": self.epsilon, "delta": self.delta, "classes": self.classes, "clip": self.clip,
                             "pooled": self.kind == "pooled", "dim": self.subspace, "ledger": self.ledger or "",
                             "start": start, "unit": self.unit, "unit_rows": self.unit_rows}
        if self.low:
            q["low"], q["high"] = self.low, self.high
        if self.budget is not None:
            q["budget"] = {"epsilon": self.budget[0], "delta": self.budget[1]}
        return q


def _pair(value: Any, name: str) -> tuple[Any, Any]:
    try:
        first, second = value
    except (TypeError, ValueError):
        raise RaoError(f"{name} is {value!r}, but must be two numbers") from None
    return first, second


def _ends(values: Any) -> tuple[list[float], list[float]]:
    low, high = (np.atleast_1d(np.asarray(v, np.float64)) for v in _pair(values, "range"))
    if low.ndim != 1 or low.shape != high.shape or not (low < high).all() or not np.isfinite([low, high]).all():
        raise RaoError("range needs two finite numbers, the smaller one first, or two such arrays with one value per "
                       "column")
    return low.tolist(), high.tolist()


class PrivateStatistics:
    """Class statistics with noise, which can be shared if the rows cannot.

    :func:`rao.stats` returns them if ``private`` is given, and ``fit_statistics`` of the estimators learns from them. The
    command-line tool ``rao`` reads their files. Several sites add their statistics with ``+``, one round at a time::

        a = rao.stats(X_a, y_a, private=p, round="start")
        b = rao.stats(X_b, y_b, private=p, round="start")
        a = rao.stats(X_a, y_a, private=p, after=a + b)

    This is repeated until ``complete`` is true.

    Attributes
    ----------
    classes : list of str
    counts : ndarray
        Rows per class, with noise; in the round start, the rows of all classes together.
    epsilon, delta : float
        The guarantee for each row, or each ``unit``, of any site, over all rounds so far.
    unit : str
        What is protected instead of single rows, such as ``"person"``; empty for rows.
    attack : float
        The largest fraction of cases in which anyone can distinguish statistics with a row (or unit) from statistics
        without it. Guessing gives 0.5.
    round : {"start", "pooled", "classes"}
    complete : bool
        Whether this was the last round.
    kind, dim, sites, columns
        The kind, the number of dimensions, the number of sites, and the names of the columns.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> s = rao.stats(X, y, private=rao.Privacy(3, 1e-6, range=(0, 16), classes=range(10)))
    >>> s.save("shared.npz")
    >>> rao.PrivateStatistics.load("shared.npz").guarantee == s.guarantee
    True
    """

    def __init__(self, file: bytes, info: dict[str, Any], kind_of_labels: str = "") -> None:
        self._file, self._info, self._label_type = file, info, kind_of_labels
        self.classes: list[str] = info["classes"]
        self.counts = np.array(info["counts"], np.int64)
        self.epsilon: float = info["epsilon"]
        self.delta: float = info["delta"]
        self.unit: str = info.get("unit", "")
        self.attack: float = info["attack"]
        self.round: str = info["round"]
        self.complete: bool = info["complete"]
        self.kind: str = info["kind"]
        self.dim: int = info["dim"]
        self.sites: int = info["sites"]
        self.columns: list[str] | None = info["columns"]

    @property
    def guarantee(self) -> str:
        """The guarantee in words."""
        what = self.unit or "row"
        return (f"ε {self.epsilon:.4g} at δ {self.delta:g} for each {what}: an attacker who must decide "
                f"whether it was used is right in at most {100 * self.attack:.1f} % of cases")

    def merge(self, *others: "PrivateStatistics") -> "PrivateStatistics":
        """Return the statistics of all rows together. No row or unit may be at two sites, because the privacy losses
        would add up."""
        for s in (self, *others):
            if isinstance(s, (list, tuple)):
                raise TypeError("merge needs the private statistics as separate arguments, as in a.merge(b, c), "
                                f"not a {type(s).__name__}")
            if not isinstance(s, PrivateStatistics):
                raise TypeError(f"private statistics can be added only to private ones, not to {type(s).__name__}, "
                                "because the sum would not be private")
        types = {s._label_type for s in (self, *others)}
        files = {str(i): np.frombuffer(s._file, np.uint8) for i, s in enumerate((self, *others))}
        return _from(_engine.call("merge_private", files), types.pop() if len(types) == 1 else "")

    def __add__(self, other: Any) -> "PrivateStatistics":
        return self.merge(other) if isinstance(other, PrivateStatistics) else NotImplemented

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that may be shared. It is written completely or not at all."""
        target = os.path.abspath(path)
        partial = f"{target}.{os.getpid()}.tmp"
        try:
            with open(partial, "wb") as f:
                f.write(self._file)
            os.replace(partial, target)
        finally:
            if os.path.exists(partial):
                os.unlink(partial)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "PrivateStatistics":
        """Read a file of private statistics, which may be from the command-line tool ``rao``. Models fitted to it have
        integer labels if all class names are integers."""
        with _engine.reading(path), open(path, "rb") as f:
            file = f.read()
        return _from(_engine.call("load_private", {"file": np.frombuffer(file, np.uint8)}, path=os.path.abspath(path)))

    def __getstate__(self) -> dict[str, Any]:
        return {"file": self._file, "info": self._info, "kind_of_labels": self._label_type}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def _labels(self) -> np.ndarray:
        return class_array(self.classes, self._label_type)

    def _dimensions(self) -> str:
        return f"{self.dim} dimension" + ("s" if self.dim != 1 else "")

    def __repr__(self) -> str:
        more = "" if self.complete else f", round {self.round}"
        sites = f"{self.sites} site" + ("s" if self.sites != 1 else "")
        return f"<rao.PrivateStatistics of {sites}: {self.kind} in {self._dimensions()}{more}; {self.guarantee}>"

    def _repr_html_(self) -> str:
        rows = [("guarantee", self.guarantee), ("kept", f"{self.kind}, {self._dimensions()}"), ("sites", str(self.sites)),
                ("round", self.round + ("" if self.complete else ", incomplete")),
                ("rows, with noise", ", ".join(str(n) for n in self.counts.tolist()))]
        return "<table>" + "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows) + "</table>"


def _from(reply: tuple[dict[str, Any], dict[str, np.ndarray]], kind: str = "") -> PrivateStatistics:
    return PrivateStatistics(reply[1]["file"].tobytes(), reply[0]["info"], kind)


def private_stats(X: Any, y: Any, private: Privacy, columns: list[str] | None, round: str | None,  # noqa: A002
                  after: PrivateStatistics | None, verbose: bool, units: Any = None, drop: bool = False) -> PrivateStatistics:
    """Compute a release of the rows; see :func:`rao.stats`."""
    if not isinstance(private, Privacy):
        raise TypeError(f"private must be a rao.Privacy(1, 1e-6, range=..., classes=...), not {type(private).__name__}")
    if round not in (None, "start"):
        raise RaoError(f"round is {round!r}, but must be 'start', for the first round of several sites; for a later "
                       "round give after")
    if after is not None and not isinstance(after, PrivateStatistics):
        raise RaoError(f"after must be a release from rao.stats with private, not {type(after).__name__}")
    if after is not None and round is not None:
        raise RaoError("round='start' begins the first round, and after continues from a release; give one of them")
    try:
        found, labels = numbered(y)
    except RaoError:  # its message contains a position
        raise RaoError("y must be a list with one label per row; leave out the rows without a label") from None
    given, X, columns = _units(X, columns, private.unit, units)
    x = _engine.portable(X)
    if drop and x.ndim == 2 and x.dtype.kind == "f" and len(x) == len(labels):
        kept = ~np.isnan(x).any(axis=1)
        x, labels, given = x[kept], labels[kept], {k: v[kept] for k, v in given.items()}
    if x.dtype.kind == "f" and not np.isfinite(x).all():
        raise RaoError("X has values that are missing or not finite; leave out incomplete rows with missing='drop', "
                       "or replace the values with public numbers")
    given |= {"X": x, "y": labels}
    if after is not None:
        given["after"] = np.frombuffer(after._file, np.uint8)
    with shown("private statistics", verbose) as news:
        reply = _engine.call("private", given, news, classes=class_names(found), columns=columns,
                             private=private._request(round == "start"))
    for warning in reply[0].get("warnings", ()):
        _engine.warn(_engine.in_python(warning))
    return _from(reply, private._label_type)


def _units(X: Any, columns: list[str] | None, unit: str, units: Any) -> tuple[dict[str, np.ndarray], Any, list[str] | None]:
    """Return the number of each row's unit, and X and its columns without the column of units."""
    if not unit:
        if units is not None:
            raise RaoError("units needs the name of the unit, such as 'person'; give unit to rao.Privacy too")
        return {}, X, columns
    if columns is not None and unit in columns:
        if units is not None:
            raise RaoError(f"units is given, but X also has the column {unit!r}; leave one of them out")
        frame = X if hasattr(X, "loc") or not hasattr(X, "to_pandas") else X.to_pandas()
        units, X = frame[unit], frame[[c for c in columns if c != unit]]
        columns = [c for c in columns if c != unit]
    if units is None:
        raise RaoError(f"X has no column {unit!r}, and units is not given; give units, with the {unit} of each row")
    listed = np.asarray(units, dtype=object)
    if listed.ndim != 1:
        raise RaoError(f"units has the shape {listed.shape}, but needs one value for each row")
    names = class_names(listed.tolist())
    if not {"", "None", "nan", "NaN", "NaT", "<NA>", "NA", "N/A"}.isdisjoint(names):
        raise RaoError(f"a row has no {unit}, so nothing can protect it; fill it in, or leave the row out")
    return {"units": numbered(np.array(names), "units")[1]}, X, columns
