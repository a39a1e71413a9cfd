"""Labels and names of classes, independent of scikit-learn."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np

from ._engine import RaoError


def first_few(names: Iterable[Any]) -> str:
    """Return up to five names, separated by commas, and the number of further ones."""
    texts = [str(n) for n in names]
    more = len(texts) - 5
    return ", ".join(texts[:5]) + (f" and {more} more" if more > 0 else "")


def check_one_each(n: int, rows: int, of: str, name: str = "y", what: str = "label") -> None:
    """Raise an error unless an argument has one value for each observation of X. of is what X has, such as matrix."""
    if n != rows:
        raise RaoError(f"{name} has {n} {what}{'s' * (n != 1)}, but X has {rows} {of.replace('matrix', 'matrice')}s; "
                       f"give one {what} per {of}")


def plain(y: Any) -> bool:
    """Return whether the labels are an array of integers. For them, scikit-learn's checks, which take longer
    than a small fit, are not needed."""
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iu"


def numpy_labels(y: Any) -> Any:
    """Return labels that scikit-learn would change, or not recognize, as an array of their own type: nullable integers of
    pandas, and objects that are all numbers. Other labels are returned unchanged."""
    numpy_type = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if numpy_type is not None and numpy_type.kind in "biu" and hasattr(y, "isna") and not y.isna().any():
        return np.asarray(y.astype(numpy_type))
    if getattr(y, "dtype", None) == object and np.ndim(y) == 1 and len({type(v) for v in y}) == 1:
        values = np.array(list(y))
        if values.ndim == 1 and values.dtype.kind in "biu":
            return values
    return y


def numbered(y: Any, name: str = "y") -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted distinct labels, and for each label its index among them. Integers in a small range need no
    sorting."""
    y = np.asarray(y)
    if plain(y) and len(y):
        low, high = int(y.min()), int(y.max())
        if high - low < len(y) and -2**62 < low <= high < 2**62:
            at = y.astype(np.int64) - low
            present = np.flatnonzero(np.bincount(at))
            numbers = np.zeros(high - low + 1, np.int64)
            numbers[present] = np.arange(len(present))
            return (present + low).astype(y.dtype), numbers[at]
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise RaoError(f"{name} has the shape {y.shape}; it needs one value per row")
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise RaoError(f"{name}: value {int(np.flatnonzero(np.isnan(y))[0])} (counted from 0) is NaN; leave its row out")
    try:
        found, numbers = np.unique(y, return_inverse=True)
    except TypeError:
        kinds = sorted({type(v).__name__ for v in y})
        raise RaoError(f"{name} mixes values of the types {', '.join(kinds)}; make all numbers or all text, "
                       "and leave out rows without a value") from None
    return found, numbers.astype(np.int64)


def class_names(classes: Any) -> list[str]:
    """Return the names of classes in files. Numbers have the shortest decimal form, as in the tool: 1.0 becomes 1."""
    return [_number(c) if isinstance(c, (float, np.floating)) else str(c) for c in classes]


def _number(v: Any) -> str:
    return np.format_float_positional(v + 0, trim="-") if np.isfinite(v) else str(v)


def label_type(classes: Any) -> str:
    """Return the name of the label type in files, or an empty string if there is none."""
    classes = np.asarray(classes)
    if classes.dtype.kind == "O":
        classes = np.array(classes.tolist())
    return "text" if classes.dtype.kind == "U" else classes.dtype.name if classes.dtype.kind in "biuf" else ""


def class_array(names: list[str], kind: str = "") -> np.ndarray:
    """Convert class names to labels of the given type. Without a type, they become integers if all are integers,
    otherwise text."""
    if kind:
        try:
            values = [n == "True" for n in names] if kind == "bool" else names
            labels = np.array(values, str if kind == "text" else np.dtype(kind))
            if class_names(labels) == list(names):
                return labels
        except (TypeError, ValueError, OverflowError):
            pass
        return np.array(names)
    try:
        numbers = np.array([int(n) for n in names])
        if [str(v) for v in numbers] == list(names):
            return numbers
    except (ValueError, OverflowError):
        pass
    return np.array(names)
