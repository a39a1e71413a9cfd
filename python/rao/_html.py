"""HTML of models for notebooks."""

from __future__ import annotations

import base64
import struct
import zlib
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from . import _methods

if TYPE_CHECKING:
    from ._model import Model

_MOST = 24  # largest number of filters drawn


def card(model: Model) -> str:
    """Return the model in HTML: its input, steps, classes and filters."""
    rows = [("method", _methods.class_name(model.method)), ("observations", f"{model.kind} of {model.dim}"),
            ("classes" if model.target is None else "predicts",
             ", ".join(str(c) for c in model.classes[:20]) + (" ..." if len(model.classes) > 20 else ""))]
    if model.counts:
        rows.append(("trained on", f"{sum(model.counts)} observations"))
    if model.options:
        rows.append(("options", ", ".join(f"{_methods.option(k)} {v}" for k, v in sorted(model.options.items()))))
    if model.report.get("status"):
        rows.append(("fit", f"{model.report['status']}, {model.report.get('iterations', 0)} iterations"))
    rows += [("steps" if i == 0 else "", s) for i, s in enumerate(model.stages)]
    rows += [("note", n) for n in model.notes]
    table = "".join(f"<tr><th style='text-align:left;vertical-align:top'>{escape(k)}</th>"
                    f"<td style='text-align:left'>{escape(v)}</td></tr>" for k, v in rows)
    return f"<div class='rao-model'><table>{table}</table>{_filters(model)}</div>"


def _filters(model: Model) -> str:
    if model.filters is None:
        return ""
    shown = model.filters.T[:_MOST]
    if model.image is not None and model.image[2] == 1:
        pictures = [f.reshape(model.image[:2]) for f in shown]
    elif _is_square(model.dim) and model.columns is None:
        side = int(round(model.dim**0.5))
        pictures = [f.reshape(side, side) for f in shown]
    else:
        pictures = [f[None, :] for f in shown]
    images = "".join(f"<img alt='filter {i}' title='filter {i}' width='72' height='{72 if p.shape[0] > 1 else 18}' "
                     f"style='image-rendering:pixelated;margin:2px' src='data:image/png;base64,{_png(p)}'>"
                     for i, p in enumerate(pictures, 1))
    return f"<div>{images}</div>"


def _is_square(n: int) -> bool:
    side = int(round(n**0.5))
    return side > 3 and side * side == n


def limit(v: np.ndarray) -> float:
    """Return the magnitude that 2 % of the weights exceed, or the largest magnitude if that limit would be zero. With
    this limit, outliers do not hide the other weights."""
    v = np.sort(np.abs(v[np.isfinite(v)]), axis=None)
    if not len(v):
        return 1.0
    return float(v[int(np.ceil(0.98 * len(v))) - 1] or v[-1] or 1.0)


def _png(values: np.ndarray) -> str:
    """Encode values as a PNG in base 64: blue negative, white zero, red positive."""
    v = np.clip(values / limit(values), -1, 1)
    red, blue = np.minimum(1, 1 + v), np.minimum(1, 1 - v)
    rgb = np.stack([red, np.minimum(red, blue), blue], axis=-1)
    return base64.b64encode(png(np.rint(rgb * 255).astype(np.uint8))).decode()


def png(rows: np.ndarray) -> bytes:
    """Return an image of bytes of shape (rows, columns, 3) as a PNG."""
    raw = b"".join(b"\0" + r.tobytes() for r in rows)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
