"""Evaluation of classifiers: scores with intervals, comparisons with paired tests, searches and studies."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from . import _engine, _methods, _tables
from ._engine import RaoError
from ._functions import Measure, measures_of, measuring
from ._interrupt import interruptible, renamed
from ._labels import check_one_each, class_names, first_few, numbered
from ._model import Model
from ._progress import shown
from ._results import Result, frame, html, number
from ._statistics import observation_weights

EVALUATIONS = ("within-session", "cross-session", "cross-subject")


class PairTest(NamedTuple):
    """Result of McNemar's test of two classifiers on the same observations."""

    difference: float
    p: float


class Evaluation(Result):
    """Scores of a classifier on labeled data.

    Attributes
    ----------
    measures : dict of str to Measure
        Accuracy, balanced accuracy, kappa, areas under curves, precision, recall and F1, with 95 % bootstrap intervals.
        An accuracy of 0 or 1 has Wilson's interval.
    accuracy : float
    kappa : float
    log_loss, ece : float
        Mean negative logarithm of the probability of the true class, and expected calibration error over 15 bins.
    confusion : ndarray of shape (n_classes, n_classes)
        Rows are true classes, columns are decisions.
    classes : ndarray
    coverage, risk : ndarray
        ``risk`` is the error rate on the most certain observations; ``coverage`` is their fraction of all observations.
    aurc : float
        Area under the risk-coverage curve.

    Examples
    --------
    >>> import rao
    >>> e = rao.evaluate(rao.LDA().fit(*rao.load_digits()), *rao.load_digits("test"))
    >>> e.measures["accuracy"].low < e.accuracy < e.measures["accuracy"].high
    True
    >>> e.confusion.shape
    (10, 10)
    """

    def __init__(self, classes: np.ndarray, y: np.ndarray, decided: np.ndarray, threshold: float, info: dict[str, Any]) -> None:
        self.classes = classes
        self.measures: dict[str, Measure] = measures_of(info["measures"])
        self.accuracy, self.kappa = number(info["accuracy"]), number(info["kappa"])
        self.log_loss, self.ece, self.aurc = number(info["log_loss"]), number(info["ece"]), number(info["aurc"])
        self.confusion = np.array(info["confusion"])
        if threshold > 0:  # the program scores the more probable class
            self.accuracy = self.measures["accuracy"].value
            self.kappa = self.measures["kappa"].value if "kappa" in self.measures else float("nan")
            self.confusion = np.zeros_like(self.confusion)
            np.add.at(self.confusion, (y, decided), 1)
        self.coverage, self.risk = np.array(info["coverage"] or []), np.array(info["risk"] or [])
        self._y, self._decided = y, decided
        self._weighted = bool(info.get("weighted_confusion"))
        self._title = f"{info['n']} observations of {len(classes)} classes"

    def _rows(self) -> list[dict[str, Any]]:
        rows = [{"measure": k, "value": m.value, "low": m.low, "high": m.high} for k, m in self.measures.items()]
        nan = float("nan")
        return rows + [{"measure": k, "value": getattr(self, k), "low": nan, "high": nan} for k in ("log_loss", "ece", "aurc")]

    def _repr_html_(self) -> str:
        if len(self.classes) > 20:
            return super()._repr_html_()
        table = [{"true class": c, **{str(d): int(v) for d, v in zip(self.classes, row)}}
                 for c, row in zip(self.classes, self.confusion)]
        return super()._repr_html_() + html("decisions", table)

    def versus(self, other: "Evaluation") -> PairTest:
        """Compare with the decisions of another classifier on the same observations.

        Parameters
        ----------
        other : Evaluation
            Result of :func:`evaluate` for the other classifier.

        Returns
        -------
        PairTest
            The accuracy of this classifier minus the accuracy of the other, and the two-sided p-value of McNemar's test.
        """
        if not isinstance(other, Evaluation):
            raise TypeError(f"versus needs the result of rao.evaluate, not {type(other).__name__}")
        if self._weighted or other._weighted:
            raise RaoError("McNemar's test counts every observation once; evaluate without sample_weight to compare")
        mine, theirs = class_names(self.classes[self._y]), class_names(other.classes[other._y])
        if mine != theirs:
            raise RaoError("the two classifiers were evaluated on different observations; evaluate both on the same")
        named = {n: i for i, n in enumerate(class_names(self.classes))}
        other_decided = [named.get(n, -1) for n in class_names(other.classes[other._decided])]
        reply, _ = _engine.call("pair_test", {"y": self._y, "first": self._decided, "second": np.array(other_decided)})
        return PairTest(self.accuracy - other.accuracy, number(reply["info"]["p"]))


@interruptible
def evaluate(model: Any, X: Any, y: Any, *, positive: Any = None, threshold: float | None = None, bootstrap: int = 1000,
             seed: int = 1, seconds: float | None = None, sample_weight: Any = None) -> Evaluation:
    """Classify labeled data and score the decisions.

    Parameters
    ----------
    model : rao.Model, or any fitted classifier with predict_proba
    X : array with the shape of the training data
    y : array of shape (n_samples,)
        Class labels.
    positive, threshold, bootstrap, seed, seconds
        See :func:`rao.measures`.
    sample_weight : array of shape (n_samples,), optional
        The weight of each observation; weight 2 counts as two observations. With weights there is no risk-coverage curve.

    Returns
    -------
    Evaluation
    """
    known = model.classes if isinstance(model, Model) else getattr(model, "classes_", None)
    own = model if isinstance(model, Model) else getattr(model, "model_", None)
    if isinstance(own, Model) and own.target is not None or known is None and not hasattr(model, "predict_proba"):
        raise RaoError(f"{type(model).__name__} has no probabilities of classes, and rao.evaluate scores only classifiers; score(X, y) "
                       "of a regressor returns R²")
    if known is None:
        raise RaoError(f"{type(model).__name__} is not fitted; call fit first")
    classes = np.asarray(known)
    names = {n: i for i, n in enumerate(class_names(classes))}
    found, of = numbered(y)
    unknown = [n for n in class_names(found) if n not in names]
    if unknown:
        raise RaoError(f"the label {unknown[0]} is not one of the classifier's classes, {first_few(names)}; "
                       "correct it, or leave its rows out")
    first = _first(positive, classes)
    truth = np.array([names[n] for n in class_names(found)], np.int64)[of]
    p, rows = _probabilities(model, X, y)
    if rows is not None:
        _engine.warn(f"left out of the evaluation: {len(truth) - len(rows)} of {len(truth)} rows, which have missing values")
        truth = truth[rows]
        sample_weight = None if sample_weight is None else np.asarray(sample_weight)[rows]
    check_one_each(len(truth), len(p), "observation")
    asked = measuring(first, threshold, bootstrap, seed, seconds)
    given = {"P": np.clip(p, 0, 1), "y": truth}
    if sample_weight is not None:
        given["weights"] = observation_weights(sample_weight, len(truth))
    reply, arrays = _engine.call("scores", given, measures=asked)
    return Evaluation(classes, truth, arrays["decision"], asked["threshold"], reply["info"])


def _probabilities(model: Any, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the probabilities of the classes, and None. If the model dropped rows with missing values, return the
    numbers of the remaining rows instead of None."""
    own = model if isinstance(model, Model) else model.__dict__.get("model_")
    rows = None
    if isinstance(own, Model) and own._drops():
        if own._reads_table(X):
            found = own._ask(X, "p", y=y)
            return found["probability"], found["rows"] if len(found["rows"]) < len(X) else None
        lacking = np.isnan(_engine.portable(X)).any(axis=1)
        if lacking.any():
            rows = np.flatnonzero(~lacking)
            X = _engine.portable(X)[rows]
    return _engine.portable(model.predict_proba(X), "probabilities").astype(np.float64), rows


def _first(positive: Any, classes: np.ndarray) -> bool:
    """Return whether the first of two classes is the positive one."""
    if positive is None:
        return False
    names, name = list(class_names(classes)), str(class_names([positive])[0])
    if len(names) != 2 or name not in names:
        raise RaoError(f"positive={positive!r} is not one of two classes; the classes are {first_few(names)}, so "
                       + ("give one of them" if len(names) == 2 else "leave positive out"))
    return names.index(name) == 0


def _dealt(cv: Any, X: Any, y: Any, groups: Any) -> np.ndarray:
    """Return the index of the test part of each observation. cv is a splitter of scikit-learn or pairs of train and
    test."""
    n = len(np.asarray(y))
    parts = np.full(n, -1)
    try:
        pairs = list(cv.split(X, y, groups) if hasattr(cv, "split") else cv)
        for k, (train, test) in enumerate(pairs):
            test = np.arange(n)[test]
            if (parts[test] >= 0).any() or len(np.setdiff1d(np.arange(n), test)) != len(np.unique(np.arange(n)[train])):
                raise RaoError(f"cv: the test part of fold {k + 1} of {len(pairs)} overlaps with an earlier one, or "
                               "differs from the observations outside its training part; for repeated "
                               "cross-validation, give a number as cv, and repeats")
            parts[test] = k
    except (TypeError, IndexError, ValueError) as e:
        if isinstance(e, RaoError) or hasattr(cv, "split") and isinstance(e, ValueError):
            raise
        raise RaoError("cv must be a number of folds, a splitter of scikit-learn, or a list of pairs (train, "
                       "test)") from None
    if (parts < 0).any():
        raise RaoError(f"cv: observation {int(np.argmin(parts))} (counted from 0) is in no test part; each "
                       "observation must be in exactly one")
    return parts


def _parts(asked: dict[str, Any], X: Any, y: Any, groups: Any, cv: Any, repeats: int = 1) -> tuple[int, dict[str, np.ndarray]]:
    """Return the number of folds, and the part of each observation if the parts to leave out are given. Names of parts
    are stored in asked."""
    name = "folds" if groups is None else "groups"
    if cv is not None and (hasattr(cv, "split") or np.iterable(cv)):
        parts = _dealt(cv, X, y, groups)
        asked["groups"] = [f"fold {k + 1}" for k in range(parts.max() + 1)]
        given = {name: parts}
        for k in range(1, repeats):
            given[f"{name}{k}"] = more = _dealt(cv, X, y, groups) if hasattr(cv, "split") else parts
            if more.max() != parts.max():
                raise RaoError("cv returns a different number of folds each time, so it cannot be repeated; leave out "
                               "repeats")
        if repeats > 1 and all((p == parts).all() for p in given.values()):
            raise RaoError(f"repeats={repeats} would leave out the same parts {repeats} times, because cv always gives the same "
                           "splits; give a number of folds, or a splitter with shuffle=True and random_state=None, or leave out repeats")
        return 0, given
    if cv is None:
        cv = 5 if groups is None else 0
    count = _engine.number(cv, "cv", whole=True, least=2 if groups is None else 0)
    if groups is not None and count == 0 and repeats > 1:
        raise RaoError(f"repeats={repeats} would leave out the same groups {repeats} times; give cv, the number of random folds "
                       "of groups, or leave out repeats")
    if groups is None:
        return count, {}
    which, parts = numbered(groups, "groups")
    asked["groups"] = class_names(which)
    return count, {name: parts}


class _Methods:
    """Context manager that converts methods to the form of the program."""

    def __init__(self, methods: Any, X: Any, y: Any, **how: Any) -> None:
        named = methods.items() if isinstance(methods, Mapping) else \
            [(None, m) for m in ([methods] if hasattr(methods, "fit") else _engine.listed(methods, "methods"))]
        self._given = [(k, m) for k, m in named]
        self._stack = ExitStack()
        self.X, self.y = X, y
        self._how = how  # options for reading tables
        self._tables: list[_tables.Table] = []

    def __enter__(self) -> list[dict[str, Any]]:
        kinds = {m._kind() for _, m in self._given if not isinstance(m, str) and hasattr(m, "_kind")}
        if len(kinds) > 1:
            raise RaoError(f"methods of {' and methods of '.join(sorted(kinds))} do not learn from the same data; "
                           "compare them separately")
        try:
            return [self._one(label, m, kinds) for label, m in self._given]
        except BaseException:
            self._stack.close()
            raise

    def _one(self, label: Any, m: Any, kinds: set[str]) -> dict[str, Any]:
        if isinstance(m, str):
            return {"text": _methods.check(m), "label": str(label or m)}
        _check_estimator(m, "rao.evaluate scores any fitted classifier")
        if callable(getattr(m, "distance", None)):
            raise RaoError("a distance that is a Python function works in only one fit at a time; fit the estimator, "
                           "and score it with rao.evaluate")
        if kinds == {"trials"}:
            from sklearn.base import clone

            m = clone(m)
            self._flat = m._training(self.X, self.y)[0]
        settings = self._stack.enter_context(m._settings())
        return {"name": m._method, "label": str(label or " ".join(repr(m).split())), "settings": settings}

    def labeled(self, X: Any, y: Any, labels: np.ndarray, weights: Any = None, name: str = "X", prefix: str = "",
                numbers: dict[str, np.ndarray] | None = None) -> dict[str, np.ndarray]:
        """Return labeled observations, and numbers for each, as arrays for a frame. The names of the arrays begin with
        prefix."""
        if weights is not None:
            weights = observation_weights(weights, len(labels))
        hows = [self._how] if self._how["categories"] is not None or self._how["missing"] != "error" else \
            [{k: getattr(m, k) for k in self._how} for _, m in self._given if hasattr(m, "categories")] or [self._how]
        if any(how != hows[0] for how in hows):
            raise RaoError("the options categories and missing differ between the methods, so the methods would not learn from "
                           "the same data; set the two options in rao.compare instead")
        if _tables.wanted(X, **hows[0]):
            self._tables.append(_tables.Table(X, y, weights, **hows[0], numbers=numbers))
            return {f"{prefix}table": self._tables[-1].array}
        x = self.arrays(X, name)
        check_one_each(len(labels), len(x), "observation", "y" + name[1:])
        given = {f"{prefix}X": x, f"{prefix}y": labels, **{prefix + k: v for k, v in (numbers or {}).items()}}
        return given if weights is None else {**given, f"{prefix}weights": weights}

    def arrays(self, X: Any, name: str = "X") -> np.ndarray:
        """Return the observations as an array for a frame. Trials and images are flattened."""
        x = _engine.portable(X, name)
        kinds = {m._kind() for _, m in self._given if hasattr(m, "_kind")}
        if kinds and kinds != {"matrices"} and x.ndim > 2:
            x = x.reshape(len(x), -1)
        return _engine.narrowed(x)

    def __exit__(self, *failed: Any) -> None:
        self._stack.close()


def _check_classes(classes: np.ndarray, name: str = "y") -> None:
    if len(classes) < 2:
        raise RaoError(f"methods learn to distinguish classes, but {name} has {len(classes)} class{'es' * (not len(classes))}"
                       + "".join(f", {c}" for c in classes) + "; give observations of at least two classes")


def _check_estimator(m: Any, other: str) -> None:
    if isinstance(m, type):
        raise RaoError(f"{m.__name__} is a class; make an estimator of it: {m.__name__}()")
    if not hasattr(m, "_settings"):
        if isinstance(m, str):
            name, _, rest = _methods.check(m).partition(":")
            rest = ", ".join(_methods.option(k) + sign + v for k, sign, v in (p.partition("=") for p in rest.split(":")))
            raise RaoError(f"{m!r} is a string; pass the estimator rao.{_methods.class_name(name)}({rest})")
        raise RaoError(f"{type(m).__name__} is not an estimator of rao; {other}")


def _warn(reply: dict[str, Any]) -> None:
    for text in reply.get("warnings", ()):
        _engine.warn(_engine.in_python(text))


def _run(op: str, given: dict[str, np.ndarray], verbose: bool, **fields: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with shown(f"rao.{op}", verbose) as news:
        reply, arrays = _engine.call(op, given, news, **fields)
    _warn(reply)
    return reply, arrays


class Comparison(Result):
    """Comparison of methods on the same data.

    Attributes
    ----------
    rows : list of dict
        One row per method: accuracy, kappa, other measures with intervals, seconds.
    pairs : list of dict
        For every pair of methods the difference of their accuracies and its p-values. On test data, ``p`` is from
        McNemar's test. For folds and groups, ``wilcoxon_p`` is from the signed-rank test over the groups, and
        ``corrected_t_p`` from the corrected resampled t-test over the folds. All p-values are adjusted over all pairs by Holm's method.
    scores : list of dict
        Accuracy on each left-out fold or group; empty for test data.
    models : dict of str to rao.Model
        The fitted models by the names of their methods; empty without test data.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> c = rao.compare([rao.LDA(), rao.KNN()], X, y, cv=3)
    >>> c.best
    'KNN()'
    >>> [row["accuracy"] > 0.8 for row in c.rows]
    [True, True]
    """

    def __init__(self, rows: list[dict[str, Any]], pairs: list[dict[str, Any]], scores: list[dict[str, Any]],
                 models: dict[str, Model], title: str) -> None:
        self.rows, self.pairs, self.scores, self.models, self._title = rows, pairs, scores, models, title

    def _rows(self) -> list[dict[str, Any]]:
        return self.rows

    def _best(self) -> int:
        values = [r["accuracy"] for r in self.rows]
        return int(np.nanargmax(values)) if np.isfinite(values).any() else -1

    @property
    def best(self) -> str:
        """Name of the method with the highest accuracy."""
        if self._best() < 0:
            raise RaoError("no method has a score: " + str(self.rows[0]["error"]))
        return str(self.rows[self._best()]["method"])

    def pairs_to_pandas(self) -> Any:
        """Return the tests as a pandas data frame."""
        return frame(self.pairs)

    def _repr_html_(self) -> str:
        tests = html("differences in accuracy, p-values adjusted by Holm's method", self.pairs) if self.pairs else ""
        return super()._repr_html_() + tests


@interruptible
@renamed(folds="cv")
def compare(methods: Any, X: Any, y: Any, X_test: Any = None, y_test: Any = None, *, groups: Any = None, cv: Any = None,
            repeats: int = 1, align: Sequence[str] = (), measures: Sequence[str] | None = None, positive: Any = None,
            seconds: float | None = None, sample_weight: Any = None, sample_weight_test: Any = None, categories: Any = None,
            missing: str = "error", seed: int = 1, verbose: bool = False) -> Comparison:
    """Fit several methods to the same data and compare their scores.

    Parameters
    ----------
    methods : list, or dict of name to method
        Estimators of rao, which need not be fitted, or strings with the names of the tool, such as
        ``"sqfa:filters=4:noise=0.1"``; see :mod:`rao.estimators`.
    X, y : arrays
        Labeled data.
    X_test, y_test : arrays, optional
        Labeled test data. If missing, methods are compared by cross-validation on ``X``.
    groups : array of shape (n_samples,), optional
        Groups, such as persons; one group at a time is left out.
    cv : int, splitter of scikit-learn, or pairs of (train, test)
        A number of folds: without groups, random stratified folds, 5 by default; with groups, random folds of groups, or
        by default each group alone. For other folds give a splitter or pairs. Each observation must be in exactly one test
        part.
    repeats : int
        Number of repetitions of the cross-validation, each with a different seed. It needs random folds: a number for ``cv``,
        or a splitter that shuffles with ``random_state=None``.
    align : sequence of {"none", "euclid", "center", "scale"}
        For groups of SPD matrices: alignments to compare. An alignment moves every group before learning.
    measures : sequence of str, optional
        Additional measures on test data, with 95 % bootstrap intervals; by default ``auc``. See :func:`rao.measures` for
        their names.
    positive : label, optional
        With test data and two classes: the class that precision, recall, F1 and the areas describe; by default the last.
    seconds : float, optional
        The time of one decision, for the bits per minute.
    sample_weight, sample_weight_test : array of shape (n_samples,), optional
        With test data: the weights of the training and of the test observations; weight 2 counts as two observations.
        If the test observations have weights, there are no paired tests. Methods that learn from the observations
        themselves do not accept weights.
    categories, missing
        For a data frame with text, dates or missing values; see :func:`rao.stats`. ``missing`` may also be "median".
        By default the options of the methods are used.
    seed : int
        Seed of the folds.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    Comparison
        If a method fails, ``error`` of its row contains the reason, and a :class:`rao.RaoWarning` is given. Accuracies have
        95 % intervals: in cross-validation Wilson's from the number of observations or, with groups, Student's from the
        number of groups; on test data from the bootstrap, or Wilson's for an accuracy of 0 or 1.
    """
    if (X_test is None) != (y_test is None):
        raise RaoError("give both X_test and y_test, or neither for cross-validation")
    if X_test is not None:
        for name, unused in (("groups", groups is None), ("cv", cv is None), ("repeats", repeats == 1),
                             ("align", not _engine.listed(align, "align"))):
            if not unused:
                raise RaoError(f"{name} is used only in cross-validation; leave out {name}, or X_test and y_test")
    if X_test is None:
        for name, value in (("measures", measures), ("positive", positive), ("seconds", seconds),
                            ("sample_weight", sample_weight), ("sample_weight_test", sample_weight_test)):
            if value is not None:
                raise RaoError(f"{name} needs test data; give X_test and y_test")
    classes, labels = numbered(y)
    _check_classes(classes)
    entered = _Methods(methods, X, y, categories=categories, missing=missing)
    with entered as specs:
        asked: dict[str, Any] = {"methods": specs, "seed": _engine.seed_of(seed)}
        asked["folds"], parts = _parts(asked, X, y, groups, cv, _engine.number(repeats, "repeats", whole=True, least=1))
        given = entered.labeled(X, y, labels, sample_weight, numbers=parts)
        if X_test is not None:
            X_test = _same_columns(X_test, X)
            names = {n: i for i, n in enumerate(class_names(classes))}
            found, of = numbered(y_test, "y_test")
            unknown = [n for n in class_names(found) if n not in names]
            if unknown:
                raise RaoError(f"the label {unknown[0]} of y_test is not one of the labels of y, "
                               f"{first_few(names)}; correct it, or leave its rows out")
            of = np.array([names[n] for n in class_names(found)], np.int64)[of]
            given |= entered.labeled(X_test, y_test, of, sample_weight_test, "X_test", "test.")
            asked["first"] = _first(positive, classes)
            asked["seconds"] = _engine.number(seconds, "seconds", none=True, least=0)
            wanted = ["auc"] if measures is None else [measures] if isinstance(measures, str) else measures
            asked["measures"] = ["accuracy", *(m for m in wanted if m != "accuracy")]
        else:
            asked["repeats"] = _engine.number(repeats, "repeats", whole=True, least=1)
            asked["align"] = _engine.listed(align, "align")
            asked["align"] = ["none" if name is None else name for name in asked["align"]]
            for name in asked["align"]:
                if name not in ("none", "euclid", "center", "scale"):
                    raise RaoError(f"align is {name!r}, but must be 'none', 'euclid', 'center' or 'scale'")
            asked["align"] = asked["align"] or None
        reply, arrays = _run("compare", given, verbose, classes=class_names(classes), study=asked)
    info = reply["info"]
    if X_test is not None:
        return _on_test_data(info, arrays, f"{info['train']} observations learned from, {info['test']} decided on")
    return _left_out(info, "groups" if groups is not None else "folds")


def _same_columns(X_test: Any, X: Any) -> Any:
    """Return test data with the columns in the order of the training data, if both are data frames."""
    if not (_tables.is_frame(X_test) and _tables.is_frame(X)):
        return X_test
    names, given = _tables.names_of(X), _tables.names_of(X_test)
    absent, other = [n for n in names if n not in given], [n for n in given if n not in names]
    if absent or other:
        raise RaoError(f"X_test has no column {absent[0]!r}; give the columns of X" if absent else
                       f"X_test has the column {other[0]!r}, which X does not have; leave it out")
    return _tables.ordered(X_test, names)


def _on_test_data(info: dict[str, Any], arrays: dict[str, np.ndarray], title: str) -> Comparison:
    rows, models = [], {}
    for i, r in enumerate(info["rows"]):
        got = measures_of(r.get("measures") or [])
        row: dict[str, Any] = {"method": r["method"], "accuracy": number(r["accuracy"]) if not r.get("error") else float("nan")}
        nothing = Measure(float("nan"), float("nan"), float("nan"))
        accuracy = got.pop("accuracy", nothing)
        row.update(accuracy_low=accuracy.low, accuracy_high=accuracy.high,
                   kappa=number(r["kappa"]) if not r.get("error") else float("nan"))
        for name, m in got.items():
            row.update({name: m.value, f"{name}_low": m.low, f"{name}_high": m.high})
        row.update(fit_seconds=r["fit_seconds"], error=r.get("error", ""))
        rows.append(row)
        if f"file{i}" in arrays:
            models[r["method"]] = Model(arrays[f"file{i}"].tobytes())
    every = {k: None for r in rows for k in r if k not in ("fit_seconds", "error")}
    rows = [{**{k: r.get(k, float("nan")) for k in every}, "fit_seconds": r["fit_seconds"], "error": r["error"]} for r in rows]
    return Comparison(rows, [dict(p) for p in info["pairs"] or ()], [], models, title)


def _left_out(info: dict[str, Any], what: str) -> Comparison:
    aligned = len({r["align"] for r in info["rows"]}) > 1
    rows, scores = [], []
    for r in info["rows"]:
        name = f"{r['method']}, {r['align']}" if aligned else r["method"]
        rows.append({"method": name, "accuracy": number(r["accuracy"]) if not r.get("error") else float("nan"),
                     **{k: number(r[k]) for k in ("accuracy_low", "accuracy_high", "accuracy_sd", "kappa", "kappa_sd")},
                     "fit_seconds": r["seconds"], "error": r.get("error", "")})
        scores += [{"method": name, what[:-1]: g["group"], "repeat": g.get("repeat", 0), "n": g["n"],
                    "accuracy": number(g["accuracy"]), "kappa": number(g["kappa"])} for g in r["groups"] or ()]
    left = len({s[what[:-1]] for s in scores})
    return Comparison(rows, [dict(p) for p in info.get("pairs") or ()], scores, {},
                      f"{info['train']} observations, {left} {what} left out in turn")


class Search(Result):
    """Result of a search over the options of a method by cross-validation.

    Attributes
    ----------
    best : dict
        Options of the best candidate.
    estimator : estimator or None
        The method with the best options, fitted to all data.
    trials : list of dict
        One row per candidate. ``close`` marks candidates whose log loss exceeds the lowest log loss by at most one
        standard error. The simplest of them is the safest choice.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> s = rao.tune(rao.LDAFilters(), X, y, {"filters": [2, 8]}, cv=3)
    >>> s.best
    {'filters': 8}
    >>> s.estimator.score(*rao.load_digits("test")) > 0.8
    True
    """

    def __init__(self, best: dict[str, Any], trials: list[dict[str, Any]], at: int, title: str) -> None:
        self.best, self.trials, self._at, self._title = best, trials, at, title
        self.estimator: Any = None

    def _rows(self) -> list[dict[str, Any]]:
        return self.trials

    def _best(self) -> int:
        return self._at


@interruptible
@renamed(folds="cv")
def tune(estimator: Any, X: Any, y: Any, search: Mapping[str, Any] | None = None, *, random: int | None = None,
         cv: Any = None, groups: Any = None, score: str = "accuracy", positive: Any = None, seconds: float | None = None,
         sample_weight: Any = None, seed: int = 1, refit: bool = True, verbose: bool = False) -> Search:
    """Search over the options of a method by cross-validation.

    The training parts of the folds and their statistics are computed once for all candidates, and fits run in parallel. This
    is faster than scikit-learn's grid search with the same estimator.

    Parameters
    ----------
    estimator : estimator of rao
        Its options are used unless the search sets them.
    X, y : arrays
        Labeled data.
    search : dict
        For each option a list of values, or a range to draw from, such as ``"0.001..10:log"`` or ``"2..12:int"``.
        If missing, the estimator is cross-validated with its own options.
    random : int, optional
        Number of random draws; by default every combination is tried.
    cv : int, splitter of scikit-learn, or pairs of (train, test)
        See :func:`compare`.
    groups : array of shape (n_samples,), optional
        Groups, such as persons; one group at a time is left out.
    score : str
        The measure for choosing: one of :func:`rao.measures`, such as ``accuracy``, ``auc`` or ``f1``, or ``log_loss`` or
        ``ece``.
    positive : label, optional
        With two classes: the class that precision, recall, F1 and the areas describe; by default the last.
    seconds : float, optional
        The time of one decision, for the bits per minute.
    sample_weight : array of shape (n_samples,), optional
        Weights of the observations; weight 2 counts as two observations. Methods that learn from the observations
        themselves do not accept weights.
    seed : int
        Seed of the folds and draws.
    refit : bool
        Fit the best candidate to all data.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    Search
    """
    from sklearn.base import clone

    _check_estimator(estimator, "GridSearchCV of scikit-learn accepts any estimator")
    values: dict[tuple[str, str], Any] = {}
    parameters: list[dict[str, Any]] = []
    options = estimator._options
    python_names = {option: name for name, (option, _) in options.items()}
    if search is not None and not isinstance(search, Mapping):
        raise RaoError(f"search is {search!r:.80}, but must be a dict of options and lists of values")
    for name, given in (search or {}).items():
        if name not in options:
            raise RaoError(f"{type(estimator).__name__} has no option {name}; it has {', '.join(options)}")
        option = options[name][0]
        if isinstance(given, str):
            parameters.append({"name": option, "text": given})
            continue
        given = _engine.listed(given, f"search: {name}")
        texts = [estimator._text(v) for v in given]
        values.update({(option, t): v for t, v in zip(texts, given)})
        parameters.append({"name": option, "values": texts})
    classes, labels = numbered(y)
    _check_classes(classes)
    entered = _Methods([estimator], X, y, categories=None, missing="error")
    with entered as specs:
        asked = {"methods": specs, "search": parameters, "random": _engine.number(random, "random", whole=True, none=True, least=1),
                 "score": _engine.word(score, "score"), "first": _first(positive, classes),
                 "seconds": _engine.number(seconds, "seconds", none=True, least=0), "seed": _engine.seed_of(seed)}
        asked["folds"], parts = _parts(asked, X, y, groups, cv)
        arrays = entered.labeled(X, y, labels, sample_weight, numbers=parts)
        weights = {}
        if sample_weight is not None:
            weights["sample_weight"] = sample_weight
        reply, _ = _run("tune", arrays, verbose, classes=class_names(classes), study=asked)
    info = reply["info"]
    trials, chosen = [], []
    for t in info["trials"]:
        options_of = {python_names[o["name"]]: values.get((o["name"], o["value"]), _value(o["value"])) for o in t["options"] or ()}
        chosen.append(options_of)
        row: dict[str, Any] = {**options_of, "accuracy": number(t["accuracy"]), "accuracy_sd": number(t["accuracy_sd"]),
                               "kappa": number(t["kappa"]), "log_loss": number(t["log_loss"])}
        if score not in row:
            row[score] = abs(number(t["score"]))
        trials.append({**row, "close": t["close"], "error": t.get("error", "")})
    found = Search(chosen[info["best"]], trials, info["best"],
                   f"{type(estimator).__name__}, {len(trials)} candidates, {info['folds']} folds, chosen by {score}")
    if refit:
        found.estimator = clone(estimator).set_params(**found.best).fit(X, y, **weights)
    return found


def _value(text: str) -> Any:
    """Return the value of an option drawn from a range, parsed from text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Study(Result):
    """Result of :func:`study`: scores within sessions, across sessions and across subjects.

    Attributes
    ----------
    scores : list of dict
        One row for each data set, evaluation, method, subject and session, with MOABB's names. ``to_pandas`` returns these
        rows.
    means : list of dict
        Means over the subjects of a set.
    pairs : list of dict
        For every pair of methods a one-sided test over the subjects and a standardized difference, combined over the sets by
        Stouffer's method.
    reused : int
        Number of scores from an earlier run in the same folder.
    notes : list of str
        What the study left out, and why.

    Examples
    --------
    >>> import numpy as np
    >>> import rao
    >>> X, y = rao.datasets.make("syn1", per_class=20)
    >>> who = np.arange(len(y)) % 3
    >>> r = rao.study([rao.MDM()], {"syn1": (X, y, who)}, "cross-subject")
    >>> len(r.means)
    1
    """

    def __init__(self, info: dict[str, Any], notes: list[str]) -> None:
        numbers = ("score", "accuracy", "kappa")
        self.scores: list[dict[str, Any]] = [{**s, **{k: number(s[k]) for k in numbers}} for s in info["scores"] or ()]
        self.means = [{**m, "mean": number(m["mean"]), "sd": number(m["sd"])} for m in info["means"] or ()]
        self.pairs = [{"evaluation": p["evaluation"], "better": p["first"], "than": p["second"], "p": number(p["p"]),
                       "smd": number(p["smd"]), "datasets": p["datasets"]} for p in info.get("pairs") or ()]
        self.reused, self.notes = info["reused"], notes
        sets = len({m["dataset"] for m in self.means})
        self._title = f"{info['score']}, {len(self.scores)} scores on {sets} data set{'s' * (sets != 1)}"

    def _rows(self) -> list[dict[str, Any]]:
        return self.means

    def to_pandas(self) -> Any:
        """Return the scores as a pandas data frame."""
        return frame(self.scores)

    def _repr_html_(self) -> str:
        tests = [{k: v for k, v in p.items() if k != "datasets"} for p in self.pairs]
        return super()._repr_html_() + (html("which method is better over the subjects", tests) if tests else "")


@interruptible
@renamed(folds="cv")
def study(methods: Any, sets: Mapping[str, Any], evaluations: Sequence[str] = EVALUATIONS, *, cv: int = 5,
          score: str = "accuracy", seconds: float | None = None, categories: Any = None, missing: str = "error",
          seed: int = 1, folder: str | os.PathLike[str] | None = None, verbose: bool = False) -> Study:
    """Run methods on several data sets with the evaluations of MOABB.

    Parameters
    ----------
    methods : list, or dict of name to method
        See :func:`compare`.
    sets : dict of name to (X, y, subjects, sessions)
        Data sets. ``sessions``, or both ``subjects`` and ``sessions``, may be omitted.
    evaluations : sequence of {"within-session", "cross-session", "cross-subject"}
        A set with fewer than two sessions or subjects is left out of the evaluations that need them.
    cv : int
        Number of stratified folds within a session.
    score : str
        The measure for sessions: ``accuracy``, ``auc`` or another of :func:`rao.measures`.
    seconds : float, optional
        The time of one decision, for the bits per minute.
    categories, missing
        See :func:`compare`.
    seed : int
        Seed of the folds.
    folder : path-like, optional
        Folder for a page, a table and every score. A study in the same folder resumes where an earlier study stopped.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    Study
    """
    if not isinstance(sets, Mapping) or not sets:
        raise RaoError("sets must be a dict from names to tuples (X, y, subjects, sessions), with at least one name")
    for name, given in sets.items():
        if not isinstance(given, (tuple, list)) or not 2 <= len(given) <= 4:
            raise RaoError(f"set {name} must be (X, y), (X, y, subjects) or (X, y, subjects, sessions)")
    arrays: dict[str, np.ndarray] = {}
    heads = []
    first = next(iter(sets.values()))
    entered = _Methods(methods, first[0], first[1], categories=categories, missing=missing)
    with entered as specs:
        for i, (name, given) in enumerate(sets.items()):
            classes, labels = numbered(given[1])
            _check_classes(classes, f"set {name}: y")
            head: dict[str, Any] = {"name": str(name), "classes": class_names(classes)}
            parts = {}
            for key, values in zip(("subjects", "sessions"), given[2:]):
                if values is not None:
                    which, parts[key] = numbered(values, key)
                    head[key] = class_names(which)
            arrays |= entered.labeled(given[0], given[1], labels, prefix=f"{i}.", numbers=parts)
            heads.append(head)
        asked = {"methods": specs, "sets": heads, "folds": _engine.number(cv, "cv", whole=True, least=2),
                 "evaluations": _engine.listed(evaluations, "evaluations"), "score": _engine.word(score, "score"),
                 "seconds": _engine.number(seconds, "seconds", none=True, least=0), "seed": _engine.seed_of(seed),
                 "folder": "" if folder is None else _engine.path_of(folder, "folder")}
        reply, _ = _run("study", arrays, verbose, study=asked)
    notes = [_engine.in_python(n) for n in reply.get("notes", ())]
    if not reply["info"]["scores"]:
        raise RaoError(f"the study has no scores: {'; '.join(notes)}")
    return Study(reply["info"], notes)
