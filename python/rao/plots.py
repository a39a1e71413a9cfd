"""Pictures of models and data, with matplotlib."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._labels import numbered
from ._statistics import Statistics, stats


def _filters_of(source: Any) -> np.ndarray:
    """Filters, features × filters, of an estimator, a model or an array."""
    for name in ("filters_", "filters"):
        value = getattr(source, name, None)
        if isinstance(value, np.ndarray):
            return value
    if isinstance(source, np.ndarray) and source.ndim == 2:
        return source
    raise ValueError("there are no linear filters in it; give a fitted SQFA or its relatives, or an array features × filters")


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as e:
        raise ModuleNotFoundError("pictures need matplotlib: pip install 'fisher-rao[plots]'", name=e.name) from None
    return plt


def _grid(count: int, axes: Any, width: float) -> Any:
    plt = _pyplot()
    if axes is not None:
        axes = np.ravel(axes)
        if len(axes) < count:
            raise ValueError(f"{len(axes)} axes for {count} pictures")
        return axes
    columns = min(count, 5)
    rows = -(-count // columns)
    axes = np.ravel(plt.subplots(rows, columns, figsize=(width * columns, width * rows), squeeze=False,
                                 constrained_layout=True)[1])  # names of features keep their room
    for a in axes[count:]:
        a.set_axis_off()
    return axes


def _draw(vectors: np.ndarray, shape: Sequence[int] | None, axes: Any, names: Sequence[str] | None, label: str) -> Any:
    n, count = vectors.shape
    if shape is None and n > 9 and int(round(n**0.5)) ** 2 == n:
        shape = (int(round(n**0.5)),) * 2
    if shape is not None and (np.ndim(shape) != 1 or np.prod(shape) != n):
        raise ValueError(f"shape {shape} is none of {n} values; give (rows, columns) whose product is {n}")
    axes = _grid(count, axes, 2.0 if shape is not None else 3.0)
    for i in range(count):
        a, v = axes[i], vectors[:, i]
        if shape is not None:
            top = np.abs(v).max() or 1
            a.imshow(v.reshape(shape), cmap="RdBu_r", vmin=-top, vmax=top)
            a.set_axis_off()
        else:
            a.plot(v)
            a.axhline(0, color="0.8", linewidth=0.8, zorder=0)
            if names is not None and len(names) <= 24:
                a.set_xticks(range(n), names, rotation=90)
        a.set_title(f"{label} {i + 1}")
    return axes


def plot_filters(source: Any, shape: Sequence[int] | None = None, axes: Any = None, names: Sequence[str] | None = None) -> Any:
    """Draw linear filters: as images where the shape is known, else as lines.

    Parameters
    ----------
    source : fitted estimator, rao.Model, or array of shape (n_features, filters)
    shape : (rows, columns), optional
        Of an image; a square number of features is a square by default.
    axes : matplotlib axes, optional
    names : sequence of str, optional
        Names of the features.

    Returns
    -------
    ndarray of axes
    """
    return _draw(_filters_of(source), shape, axes, names, "filter")


def plot_patterns(source: Any, covariance: Any, shape: Sequence[int] | None = None, axes: Any = None,
                  names: Sequence[str] | None = None) -> Any:
    """Draw the patterns of filters: what in the data a filter responds to, the covariance of
    the data times the filter over the variance of its response (Haufe et al. 2014).

    Parameters
    ----------
    source : fitted estimator, rao.Model, or array of shape (n_features, filters)
    covariance : array of shape (n_features, n_features), or rao.Statistics
        Of the data; statistics give the covariance of all their rows.
    shape, axes, names
        See :func:`plot_filters`.

    Returns
    -------
    ndarray of axes
    """
    filters = _filters_of(source)
    c = _total(covariance) if isinstance(covariance, Statistics) else np.asarray(covariance, float)
    if c.shape != (len(filters),) * 2:
        raise ValueError(f"covariance has the shape {c.shape}, and the filters are of {len(filters)} features; "
                         "np.cov(X.T) or rao.stats(X, y) fit to the filters of X")
    responses = filters.T @ c @ filters
    return _draw(c @ filters @ np.linalg.pinv(responses), shape, axes, names, "pattern")


def _total(s: Statistics) -> np.ndarray:
    """Covariance of all rows, whatever their class."""
    n = s.counts.sum()
    centered = s.means - s.counts @ s.means / n
    within = np.tensordot(np.maximum(s.counts - 1, 0), s.covariances, 1)
    return (within + (centered * s.counts[:, None]).T @ centered) / (n - 1)


def plot_ellipses(features: Any, y: Any = None, dims: tuple[int, int] = (0, 1), deviations: float = 2.0, ax: Any = None,
                  points: bool = True) -> Any:
    """Draw two features with the ellipse of each class.

    Parameters
    ----------
    features : array of shape (n_samples, n_features), or rao.Statistics of features
    y : array of shape (n_samples,)
    dims : (int, int)
        Which features.
    deviations : float
        Size of the ellipses in standard deviations.
    ax : matplotlib axes, optional
    points : bool
        Draw the observations too.

    Returns
    -------
    axes
    """
    z = None if isinstance(features, Statistics) else np.asarray(features, float)
    n = (features.means if z is None else z).shape[-1]
    if len(dims) != 2 or not all(0 <= d < n for d in dims):
        raise ValueError(f"dims {tuple(dims)} of {n} features: want two of them, counted from 0")
    if z is not None:
        if y is None:
            raise ValueError("plot_ellipses needs y, the class of each row")
        z = z[:, list(dims)]
    s = features if z is None else stats(z, y)
    if ax is None:
        ax = _pyplot().subplots()[1]
    pick = list(dims) if z is None else [0, 1]
    labels = None if z is None else numbered(y)[1]
    circle = np.linspace(0, 2 * np.pi, 100)
    unit = np.stack([np.cos(circle), np.sin(circle)])
    for i, name in enumerate(s.classes or []):
        values, vectors = np.linalg.eigh(s.covariances[i][np.ix_(pick, pick)])
        outline = s.means[i][pick][:, None] + deviations * (vectors * np.sqrt(np.maximum(values, 0))) @ unit
        color = f"C{i % 10}"
        if z is not None and points:
            ax.scatter(*z[labels == i].T, s=6, alpha=0.4, color=color, linewidths=0)
        ax.plot(*outline, color=color, label=name)
    ax.set_xlabel(f"feature {dims[0] + 1}")
    ax.set_ylabel(f"feature {dims[1] + 1}")
    ax.legend()
    return ax
