"""Labels and names of classes, without scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._engine import RaoError


def plain(y: Any) -> bool:
    """Whether labels are whole numbers in an array, which scikit-learn need not look at: its
    checks take longer than a small fit."""
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iu"


def numbered(y: Any, name: str = "y") -> tuple[np.ndarray, np.ndarray]:
    """The different labels, sorted, and for each label the number of its own: without sorting
    where whole numbers lie close together."""
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
        raise RaoError(f"{name} has the shape {y.shape}; it has one value a row")
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise RaoError(f"{name}: value {int(np.flatnonzero(np.isnan(y))[0])} is NaN; leave its row out (rows count from 0)")
    try:
        found, numbers = np.unique(y, return_inverse=True)
    except TypeError:
        kinds = sorted({type(v).__name__ for v in y})
        raise RaoError(f"{name} mixes values of the types {', '.join(kinds)}; make all numbers or all text, "
                       "and leave out rows without a value") from None
    return found, numbers.astype(np.int64)


def class_names(classes: Any) -> list[str]:
    """The names that classes have in files."""
    return [str(c) for c in classes]


def class_array(names: list[str]) -> np.ndarray:
    """Class names as an array: of whole numbers when all are, of text otherwise."""
    try:
        numbers = np.array([int(n) for n in names])
        if [str(v) for v in numbers] == list(names):
            return numbers
    except (ValueError, OverflowError):
        pass
    return np.array(names)
