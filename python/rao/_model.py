"""Trained models: the contents of a model file as a Python object."""

from __future__ import annotations

import os
from typing import Any, Literal, NamedTuple, Sequence

import numpy as np

from . import _engine, _methods, _mne, _tables
from ._labels import check_one_each, class_array, class_names, first_few, numbered

_QUICK = 1 << 14  # largest size of observations, in bytes, for the fast path


class Decision(NamedTuple):
    """The decisions of a model, with one value or row per observation.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> d = rao.SQFA(filters=4, noise=0.1).fit(X, y).decide(X[:5])
    >>> d.label.shape, d.probability.shape
    ((5,), (5, 10))
    """

    label: np.ndarray
    probability: np.ndarray
    rejected: np.ndarray
    outlier: np.ndarray


def key_of(file: Any) -> bytes:
    """Return the key of a model's file."""
    import hashlib

    return hashlib.blake2b(file, digest_size=16).digest()


def _words(part: dict[str, str]) -> str:
    """Return one step of the pipeline as a line of text."""
    detail = f" ({part['detail']})" if "detail" in part else ""
    return f"{part['kind']}{detail}: {part['input']} → {part['output']}"


class SpatialFilters(NamedTuple):
    """Spatial filters, and the pattern of each filter's source at the channels; see :attr:`Model.spatial`.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.datasets.make("syn1", per_class=20)
    >>> spatial = rao.CSP(filters=2).fit(X, y).model_.spatial
    >>> spatial.filters.shape == spatial.patterns.shape
    True
    """

    filters: np.ndarray
    patterns: np.ndarray | None
    of: list[str] | None
    weights: np.ndarray | None


class Model:
    """A trained pipeline, from observations to decisions.

    Models are returned by :func:`rao.load` and are the attribute ``model_`` of fitted estimators.
    They can be pickled, copied and sent to other processes. Their bytes are those of a model file,
    which the command-line tool ``rao`` also reads.

    Attributes
    ----------
    method : str
        Name of the method in the tool; :mod:`rao.estimators` lists the names of the classes.
    classes : ndarray of shape (n_classes,)
        The classes, with the type of the labels in the fit. For a model fitted by the command-line tool they are
        integers if all names are integers, otherwise text.
    kind : {"vectors", "matrices"}
        The kind of observations.
    dim : int
        Length of a vector, or order of a matrix.
    columns, channels : list of str or None
        Names of the columns of vectors, or of the channels of matrices or trials.
    options : dict of str to str
        Options of the fit that differ from their defaults, with names and values of the tool.
    report : dict
        Iterations, objective, status and gradient norm of the fit.
    stages : list of str
        The steps of the pipeline, in words.
    counts : list of int
        Number of training observations of each class.
    notes : list of str
        Information about the fit that the user should know.
    filters : ndarray of shape (dim, n_filters) or None
        Linear filters of unit length, one per column.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.SQFA(filters=4, noise=0.1).fit(X, y).save("digits.rao")
    >>> m = rao.load("digits.rao")
    >>> m.predict(X).shape, m.filters.shape
    ((1198,), (64, 4))
    """

    def __init__(self, file: bytes, info: dict[str, Any] | None = None, filters: np.ndarray | None = None,
                 name: str = "") -> None:
        self._file = bytes(file)
        self._key = key_of(self._file)
        if info is None:
            reply, arrays = _engine.call("load", {"file": np.frombuffer(self._file, np.uint8)}, path=name)
            info, filters = reply["info"], arrays.get("filters")
        self._info = info
        self.method: str = info["method"]
        self.classes = class_array(info["classes"], info.get("label_type", ""))
        self.kind: str = info["kind"]
        self.dim: int = info["dim"]
        self.image: tuple[int, ...] | None = tuple(info["image"]) if "image" in info else None
        self.columns: list[str] | None = info.get("columns")
        self.channels: list[str] | None = info.get("channels")
        self.options: dict[str, str] = info["options"]
        self.report: dict[str, Any] = {k: v for k, v in info["report"].items() if k != "seconds"}  # a model has no times
        self.has_classifier: bool = "classifier" in info
        self.stages: list[str] = [_words(p) for p in info["stages"] + ([info["classifier"]] if self.has_classifier else [])]
        self.counts: list[int] = info.get("counts", [])
        self.notes: list[str] = [_engine.in_python(n) for n in info.get("notes", [])]
        self.n_features_out: int = info.get("features", 0)
        self.has_features: bool = self.n_features_out > 0
        self.filters = filters
        self._shape_text = f",{self.dim}" + (f",{self.dim}" if self.kind == "matrices" else "")

    @property
    def target(self) -> str | None:
        """Name of the number that a regression predicts; None for a model that predicts classes."""
        return str(self.classes[0]) if self.method.startswith("regress-") else None

    @property
    def spatial(self) -> SpatialFilters | None:
        """Spatial filters and patterns, channels × filters, of a CSP, Xdawn, TRCA, FgMDM or ENuc model; None for other
        models.

        ``of`` is the class or the direction of each filter, and ``weights`` is its weight there. Both are None if
        all filters serve all classes.
        """

        def work(w: _engine.Worker, number: int) -> Any:
            return _engine.checked(w.ask({"op": "spatial", "model": number}))

        reply, out = _engine.with_model(self._key, self._file, work)
        if "filters" not in out:
            return None
        weights = reply["info"]["weights"]
        return SpatialFilters(out["filters"], out.get("patterns"), reply["info"]["of"],
                              None if weights is None else np.asarray(weights))

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each observation, or the predicted number for a regression."""
        if self.target is not None:
            return self.transform(X)[:, 0]
        return self.classes[self._ask(X, "l")["label"]]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class, observations × classes in the order of ``classes``."""
        return self._ask(X, "p")["probability"]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithm of the probability of each class, observations × classes in the order of ``classes``."""
        return self._ask(X, "g")["log_probability"]

    def decide(self, X: Any, recordings: Any = None) -> Decision:
        """Return labels and probabilities, and which observations are rejected or outliers.

        ``recordings`` is the recording of each matrix, for models that adapt to each recording.
        """
        r = self._ask(X, "lpro", recordings)
        return Decision(self.classes[r["label"]], r["probability"], r["rejected"].astype(bool), r["outlier"].astype(bool))

    def transform(self, X: Any) -> np.ndarray:
        """Return the output of the stages for the observations: features, tangent vectors or smaller matrices."""
        return self._ask(X, "")["Z"]

    def score(self, X: Any, y: Any) -> float:
        """Return the accuracy, or R² for a regression. Observations that the model was trained on cause a warning.

        If the training observations are recorded with a key (see :class:`rao.Statistics`), a warning says that this was
        not checked.
        """
        if self.target is not None:
            found = self._ask(X, "t")["Z"][:, 0]
        else:
            found = self.classes[self._ask(X, "lt")["label"]]
        y = np.asarray(y)
        if y.shape != found.shape:
            raise _engine.RaoError(f"y has the shape {y.shape}, but needs one value for each of {len(found)} "
                                   "observations")
        if self.target is not None:
            y = y.astype(np.float64)
            return float(1 - np.sum((found - y) ** 2) / np.sum((y - y.mean()) ** 2))
        if y.dtype.kind in ("biuf" if found.dtype.kind == "U" else "SU"):
            raise _engine.RaoError(f"y has the type {y.dtype}, but the classes are {self._classes_in_words()}")
        return float(np.mean(found == y))

    def _classes_in_words(self) -> str:
        return first_few([repr(c) for c in self.classes.tolist()])

    def update(self, X: Any, y: Any) -> "Model":
        """Return a new model that has also learned from these observations. This model does not change."""
        index = {name: i for i, name in enumerate(class_names(self.classes))}
        names = class_names(np.asarray(y))
        labels = [index.get(name, -1) for name in names]
        if min(labels, default=0) < 0:
            raise _engine.RaoError(f"the label {names[labels.index(-1)]} is not one of the model's classes, "
                                   f"{self._classes_in_words()}; leave its rows out, or fit a new model")
        table = _tables.Table(X, y) if self._reads_table(X) else None
        X = X if self.columns is not None else _tables.ordered(X, None)
        given = {"X": _engine.portable(X), "y": np.asarray(labels, np.int64)} if table is None else {"table": table.array}
        named = table is None and self.columns is not None and _tables.is_frame(X)
        fields = {"columns": _tables.names_of(X)} if named else {}

        def work(w: _engine.Worker, number: int) -> Any:
            return _engine.checked(w.ask({"op": "update", "model": number, **fields}, list(given.items())))

        reply = _engine.with_model(self._key, self._file, work)
        for note in reply[0].get("notes", ()):
            _engine.warn(_engine.in_python(note))
        return from_reply(reply)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, in the format of rao. An error leaves no partial file."""
        target = os.fspath(path)
        if target.lower().endswith(".onnx"):
            raise ValueError(f"cannot write {target}: save writes the format of rao; use export_onnx for an ONNX graph")
        _write(target, self._file)

    def export_onnx(self, path: str | os.PathLike[str], *, outputs: Sequence[str] | str | None = None,
                    precision: Literal["double", "single"] = "double",
                    max_condition: float | Literal["auto"] = "auto") -> None:
        """Write the model as an ONNX graph, which predicts without rao. An error leaves no partial file.

        The graph has the input ``X``, an array like the X of :meth:`predict`. For a model of a data frame with text, it
        has one input per column instead. Labels are text, even if the classes are numbers. An observation with a value
        that is not finite has an empty label. The graph rejects no observations; the threshold of the model is in the
        metadata ``reject_below``.

        Before the file is written, the graph is run on observations similar to the training data and compared with the
        model.

        Parameters
        ----------
        path : path of the file
        outputs : list of str, optional
            Some of label, probabilities and features; by default label and probabilities, or features for a model
            without a classifier.
        precision : {"double", "single"}, default="double"
            Precision of the numbers. Only models of vectors can have single precision, for runtimes without double
            precision.
        max_condition : float or {"auto"}, default="auto"
            Largest condition number for which the logarithm of a matrix is accurate, from 2 to 1e8; auto uses 1e6. The
            graph has an output ``valid``, which is False for other matrices. An error for graphs without a logarithm.

        Raises
        ------
        RaoError
            If a part of the model cannot be expressed as a graph. The message names the part.

        Examples
        --------
        >>> import rao
        >>> X, y = rao.load_digits()
        >>> rao.SQFA(filters=4, noise=0.1).fit(X, y).export_onnx("digits.onnx")
        """
        condition = _engine.number(max_condition, "max_condition", auto=True)
        if max_condition != "auto" and not 2 <= condition <= 1e8:
            raise _engine.RaoError(f"max_condition is {max_condition}, but must be a number from 2 to 1e8, or auto")
        names = None if outputs is None else list(map(str, _engine.listed(outputs, "outputs")))
        options = {"outputs": names, "precision": str(precision), "max_condition": condition}

        def work(w: _engine.Worker, number: int) -> Any:
            return _engine.checked(w.ask({"op": "export_onnx", "model": number, "onnx": options}))

        file = _engine.with_model(self._key, self._file, work)[1]["file"]
        _write(os.fspath(path), file.data)

    def to_bytes(self) -> bytes:
        """Return the model file as bytes."""
        return self._file

    def _ask(self, X: Any, want: str, recordings: Any = None, y: Any = None) -> dict[str, np.ndarray]:
        """Return the arrays selected by the letters in want; t warns about training observations. With the labels
        y of a data frame, they contain the rows that the model does not drop, and "rows" contains their numbers."""
        op = "predict" if want.strip("t") else "transform"
        if op == "predict" and self.target is not None:
            raise _engine.RaoError(f"the model predicts the number {self.target} and has no classes; use predict")
        if self.kind == "vectors":
            X = self._trials(X)
        if self.columns is None:
            X = _tables.ordered(X, None)
        names = _tables.names_of(X) if self.columns is not None and _tables.is_frame(X) else None
        rows = {} if y is None else {"rows": np.arange(len(y))}
        table = _tables.Table(X, y, numbers=rows) if self._reads_table(X) else None
        x = _engine.portable(X) if table is None else table.array
        if self.kind == "vectors" and x.ndim > 2:
            x = x.reshape(len(x), -1)
        if table is None and names is None and recordings is None and x.nbytes <= _QUICK:
            head = f'"want":"{want}","arrays":[{{"name":"X","dtype":"{x.dtype.str}","shape":{list(x.shape)}}}]}}'

            def work(w: _engine.Worker, number: int) -> Any:
                return _engine.checked(w.ask_small(f'{{"op":"{op}","model":{number},{head}'.encode(), x))
        else:
            arrays = [("X" if table is None else "table", x)]
            if recordings is not None:
                which = numbered(recordings, "recordings")[1]
                check_one_each(len(which), len(x), "observation", "recordings", "value")
                arrays.append(("recordings", which))
            fields = {"columns": names} if names is not None and table is None else {}

            def work(w: _engine.Worker, number: int) -> Any:
                return _engine.checked(w.ask({"op": op, "model": number, "want": want, **fields}, arrays))

        reply, out = _engine.with_model(self._key, self._file, work)
        for note in reply.get("notes", ()):
            _engine.warn(_engine.in_python(note))
        return out

    def _trials(self, X: Any) -> Any:
        """Return the signals of the training channels, by name, if X is Epochs. Other X are returned unchanged."""
        first = X[0] if isinstance(X, list) and X else X
        if not hasattr(first, "get_data") or not hasattr(first, "ch_names"):
            return X
        if self.channels is None:
            _engine.warn("the model has no names of channels, so the channels of the epochs are matched by position; fit it "
                         "to Epochs to store the names")
        return _mne.signals(X, _mne.checked(X, self.channels))

    def _texts(self) -> list[str]:
        """Return the names of the text columns of the data frame that the model was fitted to."""
        return [c["name"] for c in self._info.get("table", {}).get("columns", ()) if c.get("values") is not None]

    def _drops(self) -> bool:
        """Return whether rows with a missing value were dropped during training."""
        return self._info.get("table", {}).get("missing") == "drop"

    def _reads_table(self, X: Any) -> bool:
        """Return whether X is a data frame and the model handles text, dates and missing values."""
        return _tables.is_frame(X) and "columns" in self._info.get("table", {})

    def __getstate__(self) -> dict[str, Any]:
        return {"file": self._file, "info": self._info, "filters": self.filters}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["file"], state["info"], state["filters"])  # type: ignore[misc]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self._file == other._file

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        what = f"{len(self.classes)} classes" if self.target is None else f"predicts {self.target}"
        return f"<rao.Model {_methods.class_name(self.method)}: {self.kind} of {self.dim}, {what}>"

    def _repr_html_(self) -> str:
        from ._html import card

        return card(self)


def _write(target: str, content: Any) -> None:
    """Write a file completely or not at all."""
    folder = os.path.dirname(target) or "."
    if os.path.isdir(target):
        raise IsADirectoryError(f"cannot write {target}: it is a folder; name a file in it")
    if not os.path.isdir(folder):
        raise _engine.MissingFileError(f"cannot write {target}: there is no folder {folder}; create it")
    partial = f"{target}.{os.getpid()}.tmp"
    try:
        with open(partial, "wb") as f:
            f.write(content)
            f.flush()
            os.fsync(f.fileno())
        os.replace(partial, target)
    except BaseException:
        if os.path.exists(partial):
            os.unlink(partial)
        raise


def from_reply(reply: tuple[dict[str, Any], dict[str, np.ndarray]]) -> Model:
    """Return the model in a reply that contains its file."""
    fields, arrays = reply
    return Model(arrays["file"].tobytes(), fields["info"], arrays.get("filters"))


def load(source: str | os.PathLike[str] | bytes) -> Model:
    """Read a model saved by an estimator or by the command-line tool ``rao``.

    Parameters
    ----------
    source : path, or bytes of a file

    Returns
    -------
    Model

    Raises
    ------
    RaoError
        If the file is damaged or altered, is not a model, or has a newer format. If there is no such file, the error is
        also a FileNotFoundError.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Model(bytes(source))
    path = os.fspath(source)  # a number would be a file descriptor, which open would close
    with _engine.reading(path), open(path, "rb") as f:
        file = f.read()
    try:
        return Model(file, name=path)
    except _engine.RaoError as e:
        if "is not a model" not in str(e):
            raise
        from ._private import PrivateStatistics
        from ._statistics import Statistics

        for kind, what in ((Statistics, "statistics"), (PrivateStatistics, "private statistics")):
            try:
                kind.load(path)
            except _engine.RaoError:
                continue
            raise _engine.RaoError(f"{path}: the file contains {what}, not a model; read it with "
                                   f"rao.{kind.__name__}.load") from None
        raise
