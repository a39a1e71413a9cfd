"""Data frames with text, dates and missing values, which the program reads like table files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _engine
from ._engine import RaoError
from ._labels import class_names


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


def ordered(X: Any, names: Any) -> Any:
    """Return a frame with its columns in the order of names. A frame with other columns, and other X, are returned
    unchanged."""
    if names is None or not is_frame(X):
        return X
    given, want = list(X.column_names if _is_arrow(X) else X.columns), list(names)
    if given == want or len(given) != len(want) or set(given) != set(want):
        return X
    return X.select(want) if _is_arrow(X) else X[want]


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
            if len(values) != len(X):
                raise ValueError(f"{name} has {len(values)} values, but X has {len(X)} rows; give one value per row")
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
