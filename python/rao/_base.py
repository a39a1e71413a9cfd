"""The common base of the estimators: rao's methods with the interface of scikit-learn."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from copy import copy
from typing import Any, Iterator, Literal, Sequence

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6

    def validate_data(estimator, *args, **options):  # type: ignore[no-untyped-def]
        return estimator._validate_data(*args, **options)


from . import _dissimilarity, _engine, _methods, _mne, _tables
from ._interrupt import interruptible
from ._labels import check_one_each, class_array, class_names, first_few, label_type, numbered, numpy_labels, plain
from ._model import Decision, Model, from_reply, key_of
from ._progress import shown
from ._private import PrivateStatistics
from ._statistics import Statistics, given_statistics, observation_weights

_CLASSIFIERS = ("qda", "lda", "knn", "svm", "mixture", "none", "parzen")  # own names of the option classifier
_QUICK = (np.dtype("<f8"), np.dtype("<f4"))


def _text(value: Any) -> str:
    """Return the value of an option in the syntax of the command-line tool."""
    if value is None:
        return "none"
    if isinstance(value, dict):
        return ",".join(f"{k}={_text(v)}" for k, v in zip(class_names(value), value.values()))
    value = _engine.off_device(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (list, tuple, np.ndarray)):
        if len(value) and np.ndim(value[0]):  # no option accepts it, and a message with all numbers would be long
            return f"array of shape {(len(value), *np.shape(value[0]))}"
        return ",".join(_text(v) for v in value)
    return str(value)


def _predicts(estimator: Any) -> bool:
    if _text(getattr(estimator, "classifier", "")) == "none":
        raise AttributeError("classifier=None fits no classifier; choose another value, or use transform")
    return True


class Saving:
    """Estimators whose model is written to files."""

    model_: Model

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model for :func:`rao.load` and the command-line tool rao.

        Parameters
        ----------
        path : path of the file
        """
        check_is_fitted(self, "model_")
        self.model_.save(path)


class Exporting(Saving):
    """Estimators whose model is also written as an ONNX graph."""

    def export_onnx(self, path: str | os.PathLike[str], *, outputs: Sequence[str] | str | None = None,
                    precision: Literal["double", "single"] = "double",
                    max_condition: float | Literal["auto"] = "auto") -> None:
        """Write the model as an ONNX graph, which predicts without rao.

        Parameters
        ----------
        path : path of the file
        outputs : list of str, optional
            Some of label, probabilities and features.
        precision : {"double", "single"}, default="double"
            Precision of the numbers.
        max_condition : float or {"auto"}, default="auto"
            Largest condition number for which the logarithm of a matrix is accurate.

        See Also
        --------
        rao.Model.export_onnx : Describes the graph and the parameters.
        """
        check_is_fitted(self, "model_")
        self.model_.export_onnx(path, outputs=outputs, precision=precision, max_condition=max_condition)


class _Method(Exporting, ClassifierMixin, BaseEstimator):
    _method: str
    _options: dict[str, tuple[str, str]]  # for each argument, the name and default of the option in the program
    _poor_score = False  # scikit-learn's tag, which is about blobs in two dimensions
    verbose: bool
    classes_: np.ndarray
    n_features_in_: int
    _image: tuple[int, int, int] | None = None

    _text = staticmethod(_text)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "_method" in vars(cls):
            cls._options = {name: (_methods.tool_option(name), _text(default))
                            for name, default in (cls.__init__.__kwdefaults__ or {}).items()  # type: ignore[misc]
                            if name not in ("categories", "missing", "verbose")}

    @staticmethod
    def _kind() -> str:
        return "vectors"

    # training

    def fit(self, X: Any, y: Any, recordings: Any = None) -> Any:
        """Fit labeled observations.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or (n_samples, order, order) for matrices
            Methods on vectors also accept images of shape (n_samples, rows, columns[, channels]).
        y : array of shape (n_samples,)
            Class labels.
        recordings : array of shape (n_samples,), optional
            The recording or the subject of each matrix, for the options adapt and target.

        Returns
        -------
        self
        """
        return self._fit(X, y, recordings)

    fit.__qualname__ = "fit"  # errors about arguments do not name this class

    @interruptible
    def _fit(self, X: Any, y: Any, recordings: Any = None, weights: Any = None) -> Any:
        self._image = None
        X, y = self._training(X, y)
        self._forget()
        labels = self._take_classes(y)
        given = {"X": X, "y": labels}
        fields: dict[str, Any] = {}
        if weights is not None:
            given["weights"] = observation_weights(weights, len(labels))
        if recordings is not None:
            names, given["recordings"] = numbered(recordings, "recordings")
            self._check_recordings(len(given["recordings"]), len(y))
            fields["recording_names"] = class_names(names)
        elif "target" in self._options and _text(getattr(self, "target")) != self._options["target"][1]:
            raise ValueError(f"target is {getattr(self, 'target')!r}, the name of a recording; pass "
                             "recordings to fit, one value per observation")
        if self._image is not None:
            fields["image"] = list(self._image)
        return self._learn(given, class_names(self.classes_), fields)

    def _check_recordings(self, given: int, rows: int) -> None:
        check_one_each(given, rows, "observation", "recordings", "value")
        if not {"adapt", "target"} & set(self._options):
            raise ValueError(f"{type(self).__name__} has neither of the options adapt and target, so it does not use "
                             "recordings; leave recordings out")

    def _training(self, X: Any, y: Any, reset: bool = True) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    def _observations(self, X: Any) -> np.ndarray:
        raise NotImplementedError

    def _forget(self) -> None:
        for name in ("statistics_", "model_"):
            self.__dict__.pop(name, None)

    def _take_classes(self, y: np.ndarray) -> np.ndarray:
        if not len(y):
            raise ValueError(f"{type(self).__name__} needs observations, but X has none")
        classes, labels = numbered(y)
        if not plain(y):
            check_classification_targets(y)
        self.classes_ = classes
        if plain(y) and 2 * len(self.classes_) > len(y):
            check_classification_targets(y)  # warns that the values do not look like classes
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} learns to distinguish classes, but the labels have 1 class, "
                             f"{self.classes_[0]}; give observations of at least two classes")
        return labels

    def _learn(self, given: dict[str, np.ndarray], classes: list[str], more: dict[str, Any] | None = None) -> Any:
        names = getattr(self, "feature_names_in_", None)
        fields: dict[str, Any] = dict(more or {})
        if names is not None:
            fields["columns"] = [str(n) for n in names]
        channels = getattr(self, "_channels", None)
        if channels is not None:
            fields["channels"] = list(channels)
        fields["label_type"] = label_type(self.classes_)
        answer = None
        own = getattr(self, "distance", None)
        if callable(own):
            fields["calls"] = True

            def answer(call: dict[str, Any], given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
                return _dissimilarity.evaluated(own, given)

        with self._settings() as settings, shown(self._method, self.verbose) as news:
            if "weights" in given and not isinstance(self, Accumulating):
                settings.append({"name": "weights", "value": "weights"})
            try:
                reply = _engine.call_noting(key_of, "fit", given, news, answer, method=self._method, settings=settings,
                                            classes=classes, **fields)
            except _engine.RaoError as e:
                only = " (n_features = 1)" if self.n_features_in_ == 1 else ""
                text = re.sub(r"\bgroup (\d+): ", lambda m: f"recording {fields['recording_names'][int(m[1])]}: ", str(e)) \
                    if "recording_names" in fields else str(e)
                raise _engine.RaoError(self._in_python(text) + only) from None
        _engine.warn_partial(reply[0], ConvergenceWarning, self._in_python)
        for warning in reply[0].get("warnings", ()):
            _engine.warn(self._in_python(warning))
        self._adopt(from_reply(reply))
        return self

    def _in_python(self, text: str) -> str:
        """Return a message of the program with the Python names of the options."""
        text = _engine.in_python(text)
        for option, name in _methods.OPTIONS.items():
            if name in self._options:
                text = re.sub(rf"(?<![\w-]){option}(?![\w-])", name, text)
        for name in self._options:
            text = re.sub(rf"^X: (?={name}: |unknown {name} )", "", text)
        if "repair" in self._options:
            setting = 'set repair="auto", "shrink" or "floor", or leave out channels, such as repair="drop:3,5"'
            text = text.replace(_methods.SINGULAR, setting)
        if "target" in self._options:
            text = text.replace('target="recording=', 'target="')
        if "class_weight" in self._options:
            text = text.replace("give none, balanced, or CLASS=NUMBER", "give None, \"balanced\", or a dict of class and weight")
            text = text.replace("give CLASS=NUMBER with a number above 0", "give a number above 0")
        if "calibration" in self._options:
            text = text.replace("turn calibration off", "set calibration=0")
        return text

    def _adopt(self, model: Model) -> None:
        self.model_ = model
        self.n_iter_ = max(1, int(model.report.get("iterations") or 1))
        if model.filters is not None:
            self.filters_ = model.filters

    @contextmanager
    def _settings(self) -> Iterator[list[dict[str, str]]]:
        """Return the options that differ from their defaults. Arrays are written to files, which exist until the context
        ends."""
        settings, files = [], []
        try:
            for name, (option, default) in self._options.items():
                value = getattr(self, name)
                filters = name == "init" and "prototypes" not in self._options
                if filters and not isinstance(value, str) and hasattr(value, "__len__"):
                    start = _engine.portable(value, "init").astype(np.float64)
                    if start.ndim != 2:
                        raise ValueError(f"init has shape {start.shape}, but must have the shape (n_features, filters)")
                    import tempfile

                    fd, path = tempfile.mkstemp(suffix=".npy")
                    files.append(path)
                    with os.fdopen(fd, "wb") as f:
                        np.save(f, start)
                    value = path
                text = _text(value) if name != "distance" or not callable(value) else _dissimilarity.NAME
                if name == "classifier":
                    text = self._follower(value)
                if name == "target" and text != default:
                    if text.startswith("recording="):
                        raise ValueError(f"target is {text!r}; give only the name of the recording: "
                                         f"target={text[10:]!r}")
                    text = f"recording={class_names([value])[0]}"
                if not _same(text, default):
                    settings.append({"name": option, "value": text})
            yield settings
        finally:
            for path in files:
                os.unlink(path)

    def _follower(self, value: Any) -> str:
        """Return the option classifier in the syntax of the program."""
        if hasattr(value, "fit"):
            if not hasattr(value, "_as_text"):
                raise ValueError(f"classifier must be the name of a method of rao, such as 'knn'; put "
                                 f"{type(value).__name__} into a pipeline after this estimator")
            raise ValueError(f"classifier must be a string, not an estimator; use {value._as_text()!r} instead of "
                             f"{' '.join(repr(value).split())}")
        try:
            return _methods.check(_text(value), _CLASSIFIERS)
        except _engine.RaoError as e:
            raise ValueError(f"classifier: {e}") from None

    def _as_text(self) -> str:
        """Return the method with its options as text, with the names of the tool."""
        parts = [self._method]
        for name, (option, default) in self._options.items():
            text = _text(getattr(self, name))
            if not _same(text, default):
                parts.append(f"{option}=({text})" if set(text) & set(",:()") else f"{option}={text}")
        return ":".join(parts)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._poor_score
        return tags

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        return {"poor_score": self._poor_score}

    # decisions

    @interruptible
    def _ask(self, X: Any, want: str) -> dict[str, np.ndarray]:
        model: Model | None = self.__dict__.get("model_")
        if model is None:
            statistics = self.__dict__.get("statistics_")
            if statistics is not None and statistics._arrays:
                few = int(np.argmin(statistics.counts))
                raise NotFittedError(f"there is no model yet, because class {self.classes_[few]} has fewer than two "
                                     "observations; call partial_fit with more")
            check_is_fitted(self, "model_")
        assert model is not None
        if type(X) is np.ndarray and X.dtype in _QUICK and len(X) and self._plain(X):
            try:
                return model._ask(X, want)
            except _engine.RaoError:
                pass  # usually values that are not finite, for which scikit-learn has its own messages
        return model._ask(X if self._reads(X) else self._observations(X), want)

    def _reads(self, X: Any) -> bool:
        """Return whether X is a table with text or missing values, which the model reads itself."""
        return self.model_._reads_table(X)

    def _plain(self, X: np.ndarray) -> bool:
        """Return whether the array needs no checks other than the model's own."""
        return X.shape[1:] == (self.n_features_in_,) and "feature_names_in_" not in self.__dict__

    @available_if(_predicts)
    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each observation.

        Parameters
        ----------
        X : array with the shape of the training data

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted labels.
        """
        labels = self._ask(X, "l")["label"]
        return self.classes_[labels]

    @available_if(_predicts)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class, in the order of ``classes_``.

        Parameters
        ----------
        X : array with the shape of the training data

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
        """
        return self._ask(X, "p")["probability"]

    @available_if(_predicts)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : array with the shape of the training data

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
        """
        return self._ask(X, "g")["log_probability"]

    @available_if(_predicts)
    def decide(self, X: Any, recordings: Any = None) -> Decision:
        """Return labels and probabilities, and which observations are rejected or outliers.

        Parameters
        ----------
        X : array with the shape of the training data
        recordings : array of shape (n_samples,), optional
            The recording of each matrix, for models that adapt to each recording. By default all are of one recording.

        Returns
        -------
        Decision
        """
        r = self._ask(X, "lpro") if recordings is None else self._of_recordings(X, recordings)
        return Decision(self.classes_[r["label"]], r["probability"], r["rejected"].astype(bool), r["outlier"].astype(bool))

    def _of_recordings(self, X: Any, recordings: Any) -> dict[str, np.ndarray]:
        check_is_fitted(self, "model_")
        X = self._observations(X)
        self._check_recordings(len(recordings), len(X))
        return self.model_._ask(X, "lpro", recordings)

    def _repr_html_inner(self) -> str:
        html: str = super()._repr_html_inner()
        if "model_" in self.__dict__:
            html += self.model_._repr_html_()
        return html


def _same(text: str, default: str) -> bool:
    """Return whether the text equals the default, possibly as another notation of the same number."""
    if text == default:
        return True
    try:
        return float(text) == float(default)
    except ValueError:
        return False


class Vectors(_Method):
    """Methods on vectors."""

    categories: Any
    missing: str

    @interruptible
    def _fit(self, X: Any, y: Any, recordings: Any = None, weights: Any = None) -> Any:
        if not _tables.wanted(X, self.categories, self.missing):
            return super()._fit(X, y, recordings, weights)
        y = column_or_1d(numpy_labels(y), warn=True)
        self._image = None
        self._forget()
        self._take_classes(y)
        table = _tables.Table(X, y, weights, self.categories, self.missing)
        self._note_features(X)
        return self._learn({"table": table.array}, class_names(self.classes_))

    def _note_features(self, X: Any) -> None:
        self.n_features_in_, names = np.shape(X)[1], _tables.names_of(X) if _tables.is_frame(X) else None
        self._name_features(names)

    def _name_features(self, columns: list[str] | None) -> None:
        self.__dict__.pop("feature_names_in_", None)
        if columns is not None:
            self.feature_names_in_ = np.asarray(columns, dtype=object)

    def _training(self, X: Any, y: Any, reset: bool = True) -> tuple[np.ndarray, np.ndarray]:
        _engine.only_numbers(X)
        X, self._image = _engine.flat_images(X)
        X = _tables.named(X) if reset else self._ordered(X)
        y = numpy_labels(_engine.off_device(y))
        with self._naming_missing():
            return validate_data(self, X, y, dtype="numeric", ensure_min_samples=2 if reset else 1, reset=reset)

    @contextmanager
    def _naming_missing(self, deciding: bool = False) -> Iterator[None]:
        """Name the option ``missing`` in errors about missing values, for which scikit-learn recommends other estimators."""
        try:
            yield
        except ValueError as e:
            if not str(e).startswith("Input X contains NaN"):
                raise
            if deciding and self.missing == "drop":
                raise _engine.RaoError("Input X contains NaN, and missing='drop' leaves out only training rows, because every "
                                       "row needs a decision; leave the rows out, or fit with missing='mean' or 'median'") from None
            raise _engine.RaoError("Input X contains NaN: fill it in, or learn with missing='mean' or 'median', which fill in "
                                   "the mean or median of a column, or with 'drop', which leaves out training rows") from None

    def _observations(self, X: Any) -> np.ndarray:
        self._need_frame(X)
        if self.missing in ("mean", "median") and not _tables.is_frame(X):  # the model fills in missing values
            return _engine.portable(X)
        _engine.only_numbers(X)
        with self._naming_missing(deciding=True):
            return validate_data(self, _engine.flat_images(self._ordered(X))[0], dtype="numeric", reset=False)

    def _ordered(self, X: Any) -> Any:
        """Return a data frame with its columns in the order of the training data. Other X are returned unchanged."""
        return _tables.ordered(X, getattr(self, "feature_names_in_", None))

    def _need_frame(self, X: Any) -> None:
        texts = self.model_._texts()
        if texts and not _tables.is_frame(X):
            raise _engine.RaoError(f"the training data had text in the column {texts[0]}, which an array does not contain; give a "
                                   f"data frame with the columns {', '.join(self.feature_names_in_)}")


class _Arrays3D:
    """Estimators whose X has three dimensions."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        return {**super()._more_tags(), "X_types": ["3darray"]}  # type: ignore[misc]


class OfMatrices(_Arrays3D):
    """Estimators on SPD matrices: arrays of shape (n_samples, order, order)."""

    n_features_in_: int

    def _stack(self, X: Any) -> np.ndarray:
        _engine.only_numbers(X)
        X = np.asarray(_engine.off_device(X))
        if X.ndim != 3 or X.shape[1] != X.shape[2]:
            raise ValueError(f"{type(self).__name__} needs SPD matrices, an array of shape (n_samples, order, order), not "
                             f"{X.shape}; rao.covariances computes them from signals")
        if np.iscomplexobj(X):
            raise ValueError("Complex data not supported: use the real part, or the covariance of real signals")
        return X

    def _check_order(self, X: np.ndarray) -> None:
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"the matrices have order {X.shape[1]}, but the training matrices have order "
                             f"{self.n_features_in_}; give matrices of the same channels")

    def _checked(self, X: Any) -> np.ndarray:
        """Return matrices as input of the fitted estimator."""
        check_is_fitted(self)
        X = self._stack(X)
        self._check_order(X)
        return X


class Matrices(OfMatrices, _Method):
    """Methods on SPD matrices: arrays of shape (n_samples, order, order)."""

    @staticmethod
    def _kind() -> str:
        return "matrices"

    def _training(self, X: Any, y: Any, reset: bool = True) -> tuple[np.ndarray, np.ndarray]:
        X = self._stack(X)
        if not plain(y):
            y = column_or_1d(numpy_labels(y), warn=True)
        check_one_each(len(y), len(X), "matrix")
        if reset:
            self.n_features_in_ = X.shape[1]
        self._check_order(X)
        return X, y

    def _observations(self, X: Any) -> np.ndarray:
        X = self._stack(X)
        self._check_order(X)
        return X

    def _plain(self, X: np.ndarray) -> bool:
        return X.shape[1:] == (self.n_features_in_, self.n_features_in_)


class Trials(_Arrays3D, _Method):
    """Methods on trials: arrays of shape (n_samples, channels, samples), or MNE's Epochs. From Epochs, a fit uses EEG that
    is not marked as bad, and later calls use the same channels, by name."""

    shape_: tuple[int, int]
    _channels: list[str] | None = None

    @staticmethod
    def _kind() -> str:
        return "trials"

    def _training(self, X: Any, y: Any, reset: bool = True) -> tuple[np.ndarray, np.ndarray]:
        X, channels = _mne.named_signals(X, None if reset else _mne.checked(X, self._channels))
        X = self._array(X)
        y = column_or_1d(numpy_labels(y), warn=True)
        check_one_each(len(y), len(X), "trial")
        if reset:
            self._check_trials(X, channels)
            self._channels = channels
            self.shape_ = (X.shape[1], X.shape[2])
            self.n_features_in_ = X.shape[1] * X.shape[2]
        return X.reshape(len(X), -1), y

    def _observations(self, X: Any) -> np.ndarray:
        X = self._array(_mne.signals(X, _mne.checked(X, self._channels)))
        if X.shape[1:] != self.shape_:
            raise ValueError(f"the trials have {X.shape[1]} channels and {X.shape[2]} samples, but the training "
                             f"trials have {self.shape_[0]} and {self.shape_[1]}; give trials of that shape")
        return X.reshape(len(X), -1)

    def _check_trials(self, X: np.ndarray, channels: list[str] | None) -> None:
        """Raise an error for matrices and for constant channels, and warn about arrays that may be images."""
        if len(X) and 1 < X.shape[1] == X.shape[2] and all(np.array_equal(x, x.T) for x in X[:8]):
            raise ValueError(f"X contains symmetric matrices; {type(self).__name__} learns from signals, arrays of shape (n_samples, "
                             "channels, samples)")
        constant = np.flatnonzero((X == X[:, :, :1]).all(axis=(0, 2)) & (X.size > 0))
        if len(constant):
            names = first_few([channels[c] if channels else str(c) for c in constant])
            which = f"channel{'s' * (len(constant) > 1)} {names}{'' if channels else ' (counted from 0)'}"
            raise ValueError(f"{which} of X {'are' if len(constant) > 1 else 'is'} constant in every trial; leave out "
                             "constant channels")
        if X.shape[2] <= X.shape[1]:
            _engine.warn(f"the trials have {X.shape[1]} channels and {X.shape[2]} samples, but trials usually have "
                         "more samples than channels; check that X has the shape (n_samples, channels, samples)")

    def _in_python(self, text: str) -> str:
        return _mne.with_names(super()._in_python(text), self._channels, self._method == "erp")

    def _ask(self, X: Any, want: str) -> dict[str, np.ndarray]:
        try:
            return super()._ask(X, want)
        except _engine.RaoError as e:
            raise _engine.RaoError(_mne.with_names(str(e), self._channels, self._method == "erp")) from None

    def _array(self, X: Any) -> np.ndarray:
        X = np.ascontiguousarray(X)
        if X.ndim != 3:
            raise ValueError(f"{type(self).__name__} needs trials, an array of shape (n_samples, channels, samples), "
                             f"not {X.shape}")
        if np.iscomplexobj(X):
            raise ValueError("Complex data not supported: use the real part")
        return X

    @contextmanager
    def _settings(self) -> Iterator[list[dict[str, str]]]:
        with super()._settings() as settings:
            yield [*settings, {"name": "channel-count", "value": str(self.shape_[0])}]

    def _plain(self, X: np.ndarray) -> bool:
        return False  # the model's own observations are flattened


class Transforming(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Methods that compute features."""

    def transform(self, X: Any) -> np.ndarray:
        """Compute features of the observations: filtered vectors, tangent vectors or smaller matrices.

        Parameters
        ----------
        X : array with the shape of the training data

        Returns
        -------
        Z : ndarray of shape (n_samples, n_features_out), or (n_samples, order, order)
        """
        z = self._ask(X, "")["Z"]  # type: ignore[attr-defined]
        if z.ndim == 3 and _get_output_config("transform", self)["dense"] != "default":
            raise ValueError(f"{type(self).__name__} returns matrices, which do not fit into a table; leave "
                             "set_output at 'default'")
        return z

    @property
    def _n_features_out(self) -> int:
        out: int = self.model_.n_features_out  # type: ignore[attr-defined]
        return out


def _check_all_classes(estimator: Any, y: Any, classes: Any, first: bool) -> None:
    """Raise an error if the argument classes of partial_fit contradicts y or the first call."""
    known = [] if first else class_names(estimator.classes_)
    given = known if classes is None else class_names(np.unique(classes))
    found = class_names(numbered(y)[0])
    if first and classes is None and len(found) == 1:
        raise _engine.RaoError(f"the first call of partial_fit needs all classes, but y has only {found[0]}; give all "
                               "of them as classes")
    odd = sorted(set(given) ^ set(known))
    if not first and odd:
        raise _engine.RaoError(f"classes and the classes of the model differ in {first_few(odd)}; give the same classes, or "
                               "leave classes out")
    other = [c for c in found if c not in given]
    if given and other:
        raise _engine.RaoError(f"y has the class {other[0]}, which is not one of the classes {first_few(given)}; "
                               "the first call must name all classes")


class Accumulating:
    """Methods that learn from class statistics, which can be accumulated."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit labeled observations.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Images of shape (n_samples, rows, columns[, channels]) are also accepted.
        y : array of shape (n_samples,)
            Class labels.
        sample_weight : array of shape (n_samples,), optional
            An observation with weight 2 counts as two equal observations. Observations with weight 0 are ignored. The fit uses
            weighted statistics.

        Returns
        -------
        self
        """
        return self._fit(X, y, None, sample_weight)  # type: ignore[attr-defined]

    def _training(self, X: Any, y: Any, reset: bool = True) -> tuple[np.ndarray, np.ndarray]:
        X, y = super()._training(X, y, reset)  # type: ignore[misc]
        return _engine.narrowed(X), y

    @interruptible
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Add observations, and fit the statistics of all observations up to now.

        The statistics of earlier calls of ``partial_fit`` and ``fit_statistics`` are kept. ``fit`` keeps none; after
        ``fit``, this method starts over and gives a warning. A warning also says if observations equal earlier ones.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Class labels.
        classes : array, optional
            All classes. The first call needs them if some do not occur in its ``y``. There is no model until each class
            has two observations.
        sample_weight : array of shape (n_samples,), optional
            As in ``fit``. Either all calls or no calls have weights.

        Returns
        -------
        self
        """
        me: Any = self
        first = "statistics_" not in me.__dict__
        if first and "model_" in me.__dict__:
            _engine.warn("partial_fit discards the result of fit; to learn in parts, use only partial_fit")
        how: dict[str, Any] = {}
        if _tables.wanted(X, me.categories, me.missing):
            how = {"categories": me.categories, "missing": me.missing}
            me._note_features(X)
        else:
            _engine.only_numbers(X)
            with me._naming_missing():
                X = _tables.named(X) if first else me._ordered(X)
                X, y = validate_data(me, _engine.flat_images(X)[0], numpy_labels(y), dtype="numeric", reset=first)
        check_classification_targets(y)
        _check_all_classes(me, y, classes, first)
        if first:
            me.__dict__.pop("model_", None)
            me.classes_ = numbered(y)[0] if classes is None else numbered(classes, "classes")[0]
            me.statistics_ = Statistics(me.classes_, moments=getattr(me, "shrinkage", "") == "ledoit_wolf")
        me.statistics_.partial_fit(X, y, sample_weight, **how)
        if np.min(me.statistics_.counts) >= 2:
            me._learn(dict(me.statistics_._arrays), me.statistics_.classes)
        return self

    def fit_statistics(self, statistics: Statistics | PrivateStatistics | dict[str, Any]) -> Any:
        """Fit class statistics without the rows, for example statistics merged over sites.

        Parameters
        ----------
        statistics : rao.Statistics, rao.PrivateStatistics, or dict
            A dict contains means and covariances, and optionally counts and classes; see
            :meth:`rao.Statistics.from_moments`. SecondMomentsSQFA also accepts an array of second moments of shape
            (n_classes, n_features, n_features).

        Returns
        -------
        self
        """
        me: Any = self
        if isinstance(statistics, PrivateStatistics):
            me._forget()
            me.n_features_in_, me.classes_ = statistics._info["features"], statistics._labels()
            me._name_features(statistics.columns)
            return me._learn({"release": np.frombuffer(statistics._file, np.uint8)}, statistics.classes)
        statistics = given_statistics(statistics, me._method == "smsqfa")
        statistics.counts  # noqa: B018 - raises if there are no rows
        n_features = statistics.means.shape[1]
        me._forget()
        me.n_features_in_ = n_features
        me.classes_ = class_array(statistics.classes or [], statistics._label_type)
        me._name_features(statistics.columns)
        me.statistics_ = copy(statistics)  # for partial_fit
        return me._learn(dict(statistics._arrays), list(statistics.classes or []))


class Online:
    """Methods whose classifier can be updated with new observations."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Update the model with new labeled observations. The first call is a fit and needs all classes.

        Parameters
        ----------
        X : array with the shape of the training data
        y : array of shape (n_samples,)
            Class labels.
        classes : array, optional
            For compatibility with scikit-learn. The first call must contain observations of all these classes.

        Returns
        -------
        self
        """
        me: Any = self
        first = "model_" not in me.__dict__
        _check_all_classes(me, y, classes, first)
        if first:
            absent = [] if classes is None else sorted(set(class_names(classes)) - set(class_names(np.ravel(y))))
            if absent:
                raise ValueError(f"the first call fits the model and needs rows of all classes, but y has none of "
                                 f"class {absent[0]}")
            return me.fit(X, y)
        if not me._reads(X):
            X, y = me._training(X, y, reset=False)
        me._adopt(me.model_.update(X, np.asarray(class_names(y))))
        return self
