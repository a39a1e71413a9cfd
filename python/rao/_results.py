"""Tables of results, for notebooks, terminals and data frames."""

from __future__ import annotations

from html import escape
from typing import Any, Sequence

import numpy as np

from ._distribution import DISTRIBUTION


def number(v: Any) -> float:
    """Convert a number in the JSON of the program to float. null becomes NaN."""
    return float("nan") if v is None else float(v)


def shown(v: Any) -> str:
    """Return a value formatted for a table."""
    if isinstance(v, (bool, np.bool_)):
        return "yes" if v else ""
    if isinstance(v, (float, np.floating)):
        return "" if np.isnan(v) else f"{v:.4g}"
    return "" if v is None else str(v)


def frame(rows: Sequence[dict[str, Any]]) -> Any:
    """Return a pandas data frame."""
    try:
        import pandas as pd
    except ModuleNotFoundError as e:
        raise ModuleNotFoundError(f"data frames need pandas; run pip install '{DISTRIBUTION}[all]'", name=e.name) from None
    return pd.DataFrame(list(rows))


def _cells(rows: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return the names and texts of the columns that are not empty."""
    names = [n for n in (rows[0] if rows else ()) if any(shown(r[n]) for r in rows)]
    return names, [[shown(r[n]) for n in names] for r in rows]


def html(title: str, rows: Sequence[dict[str, Any]], best: int = -1) -> str:
    """Return an HTML table with the best row in bold."""
    names, cells = _cells(rows)
    head = "".join(f"<th style='text-align:left'>{escape(n.replace('_', ' '))}</th>" for n in names)
    body = ""
    for i, line in enumerate(cells):
        weight = "font-weight:bold;" if i == best else ""
        body += "<tr>" + "".join(f"<td style='text-align:left;{weight}'>{escape(c)}</td>" for c in line) + "</tr>"
    return f"<table><caption style='text-align:left'>{escape(title)}</caption><tr>{head}</tr>{body}</table>"


def text(rows: Sequence[dict[str, Any]]) -> str:
    """Return a table as aligned text."""
    names, cells = _cells(rows)
    lines = [[n.replace("_", " ") for n in names], *cells]
    widths = [max(len(line[k]) for line in lines) for k in range(len(names))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip() for line in lines)


class Result:
    """Base class of results: a table with additional attributes."""

    _title: str

    def _rows(self) -> list[dict[str, Any]]:
        raise NotImplementedError

    def _best(self) -> int:
        return -1

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        return frame(self._rows())

    def __repr__(self) -> str:
        return f"<rao.{type(self).__name__}: {self._title}>\n{text(self._rows())}"

    def _repr_html_(self) -> str:
        return html(self._title, self._rows(), self._best())
