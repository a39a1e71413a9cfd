"""Data frames with text, dates and missing values, which the program reads like table files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _engine
from ._engine import RaoError
from ._labels import check_one_each, class_names, first_few


def is_frame(X: Any) -> bool:
    """Return whether X is a pandas or polars data frame or an Arrow table. A lazy frame is an error."""
    if type(X).__name__ == "LazyFrame":
        raise RaoError("X is a LazyFrame, which has no rows yet; use X.collect()")
    return hasattr(X, "columns") and hasattr(X, "dtypes") or _is_arrow(X)


def _is_arrow(X: Any) -> bool:
    return hasattr(X, "column_names") and hasattr(X, "schema")


def names_of(X: Any) -> list[str]:
    """Return the column names of a frame."""
    return [str(n) for n in (X.column_names if _is_arrow(X) else X.columns)]


def _all_texts(X: Any) -> bool:
    return _is_arrow(X) or all(isinstance(n, str) for n in X.columns)


def _numbered(names: list[str]) -> list[str]:
    """Return the names that pandas gives to columns without names."""
    return [str(i) for i in range(len(names))]


def columns_of(X: Any) -> list[str] | None:
    """Return the column names of a frame as texts. X without names, and frames of pandas with its default names 0, 1, ...,
    have none."""
    if not is_frame(X):
        return None
    names = names_of(X)
    return names if names and (_all_texts(X) or names != _numbered(names)) else None


def named(X: Any) -> Any:
    """Return a frame whose column names are texts, because scikit-learn matches only such columns by name. A frame with the
    default names of pandas, and other X, are returned unchanged."""
    names = columns_of(X)
    if names is None or _all_texts(X):
        return X
    twice = [n for i, n in enumerate(names) if n in names[:i]]
    if twice:
        raise RaoError(f"X has two columns named {twice[0]!r}; rename one of them")
    return X.set_axis(names, axis=1)


def ordered(X: Any, names: Any) -> Any:
    """Return a frame with its columns in the order of names, as texts. Without names, columns that are numbered 0, 1, ...
    are put in this order, and other numbers give a warning. Other X are returned as by named."""
    if not is_frame(X):
        return X
    given = names_of(X)
    want = _numbered(given) if names is None else [str(n) for n in names]
    if len(given) != len(want) or set(given) != set(want):
        if names is not None:
            return named(X)
        if not _all_texts(X):
            _engine.warn(f"the training data had no names of columns, so the columns {first_few(given)} of X are matched by "
                         "position; learn from a data frame with names")
        return X
    if given != want:
        X = X.select(want) if _is_arrow(X) else X[[X.columns[given.index(n)] for n in want]]
    if names is None and hasattr(X, "set_axis"):
        return X.set_axis(range(len(want)), axis=1)
    return X if _all_texts(X) else X.set_axis(want, axis=1)


def wanted(X: Any, categories: Any, missing: str) -> bool:
    """Return whether X is read as a table."""
    if categories is None and missing == "error":
        return False
    if not is_frame(X) and categories is not None:
        raise RaoError("categories need an X with named columns: a data frame of pandas or polars, or an Arrow table")
    return True


class Table:
    """Observations in a temporary file for the program. The file exists as long as this object."""

    def __init__(self, X: Any, y: Any = None, weights: Any = None, categories: Any = None, missing: str = "error",
                 numbers: dict[str, np.ndarray] | None = None) -> None:
        """Write X to a file. numbers are arrays with one value per row. The program returns their values for the rows
        that it keeps."""
        import json
        import shutil
        import tempfile
        import weakref

        if isinstance(categories, (list, tuple)):
            categories = ",".join(str(c) for c in categories)
        columns = names_of(X) if is_frame(X) else []
        for c in str(categories or "").split(","):
            if c not in ("", "auto", *columns) and not c.startswith("top:") and '"' not in str(categories):
                raise RaoError(f"categories: X has no column {c!r}; it has {', '.join(columns)}")
        twice = [c for i, c in enumerate(columns) if c in columns[:i]]
        if twice:
            raise RaoError(f"X has two columns named {twice[0]!r}; rename one of them")
        more: dict[str, np.ndarray] = {}
        fields: dict[str, Any] = {"categories": "" if categories is None else str(categories), "missing": str(missing), "arrays": {}}
        for field, values, usual in (("label", y, "class"), ("weights", weights, "sample_weight"),
                                     *((k, v, k) for k, v in (numbers or {}).items())):
            if values is not None:
                name = next(n for n in (str(getattr(values, "name", None) or usual), usual, *(f"{usual}{i}" for i in range(len(columns) + 1)))
                            if n not in columns and n not in more)
                more[name] = np.asarray(class_names(np.asarray(values))) if field == "label" else np.asarray(values)
                (fields["arrays"] if field in (numbers or {}) else fields)[field] = name
        for name, values in more.items():
            check_one_each(len(values), len(X), "row", name, "value")
        folder = tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        fields["path"] = (_write if is_frame(X) else _write_array)(X, more, os.path.join(folder, "X"))
        self.array = np.frombuffer(json.dumps(fields).encode(), np.uint8)


def _write(X: Any, more: dict[str, np.ndarray], path: str) -> str:
    """Write a frame with more columns to the path plus an extension, and return the path."""
    if _is_arrow(X):
        import pyarrow.parquet

        for name, values in more.items():
            X = X.append_column(name, [values])
        pyarrow.parquet.write_table(X, path + ".parquet")
    elif hasattr(X, "write_parquet"):  # polars
        X.hstack(type(X)(more)).write_parquet(path + ".parquet")
    else:
        X = X.rename(columns=str).assign(**more)
        try:
            X.to_parquet(path + ".parquet", index=False)
        except (ImportError, TypeError, ValueError):  # pyarrow is missing, or a column has values of several types
            X.to_csv(path + ".csv", index=False)
            return path + ".csv"
    return path + ".parquet"


def _write_array(X: Any, more: dict[str, np.ndarray], path: str) -> str:
    arrays: dict[str, Any] = {"X": _engine.portable(X), **more}
    np.savez(path + ".npz", **arrays)
    return path + ".npz"
