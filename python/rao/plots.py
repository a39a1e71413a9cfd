"""Pictures of models and data, with matplotlib."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _engine
from ._html import limit
from ._labels import numbered
from ._statistics import Statistics, given_statistics, stats

# Okabe and Ito's (2008), as in the tool's pictures: told apart by readers of any color vision
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b4fa0", "#8a8d00", "#7f4f2a", "#66717d")
_DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (7, 2, 2, 2)))


def _filters_of(source: Any) -> np.ndarray:
    """Filters, features × filters, of an estimator, a model or an array."""
    for name in ("filters_", "filters"):
        value = getattr(source, name, None)
        if isinstance(value, np.ndarray):
            return value
    source = _engine.off_device(source)
    if isinstance(source, np.ndarray) and source.ndim == 2:
        return source
    raise ValueError("there are no linear filters in it; give a fitted SQFA or its relatives, or an array features × filters")


def _shape_of(source: Any) -> tuple[int, ...] | None:
    """The shape of the images that a model learned from."""
    image = getattr(getattr(source, "model_", source), "image", None)
    return None if image is None else tuple(image[:2]) if image[2] == 1 else tuple(image)


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as e:
        raise ModuleNotFoundError("pictures need matplotlib: pip install 'fisher-rao[plots]'", name=e.name) from None
    return plt


def _grid(count: int, axes: Any, width: float, height: float) -> Any:
    plt = _pyplot()
    if axes is not None:
        axes = np.ravel(axes)
        if len(axes) < count:
            raise ValueError(f"{len(axes)} axes for {count} pictures")
        return axes
    columns = min(count, 5)
    rows = -(-count // columns)
    axes = np.ravel(plt.subplots(rows, columns, figsize=(width * columns, height * rows), squeeze=False,
                                 constrained_layout=True)[1])  # names of features keep their room
    for a in axes[count:]:
        a.set_axis_off()
    return axes


def _picture(v: np.ndarray, shape: Any) -> np.ndarray:
    """Values as an image: (rows, columns), with 3 channels behind, or panels that stand side by side."""
    if len(shape) == 3 and shape[2] in (1, 3):
        return v.reshape(shape)
    if len(shape) == 2:
        return v.reshape((*shape, 1))
    panels = v.reshape((*shape, 1) if len(shape) == 3 else shape)
    gap = np.full((panels.shape[1], max(1, panels.shape[2] // 12), panels.shape[3]), np.nan)
    parts = [p for panel in panels for p in (gap, panel)]
    return np.concatenate(parts[1:], axis=1)


def _draw(vectors: np.ndarray, shape: Sequence[int] | None, axes: Any, names: Sequence[str] | None, label: str, cmap: Any,
          common_scale: bool) -> Any:
    n, count = vectors.shape
    if shape is None and n > 9 and int(round(n**0.5)) ** 2 == n:
        shape = (int(round(n**0.5)),) * 2
    if shape is not None and (np.ndim(shape) != 1 or len(shape) not in (2, 3, 4) or np.prod(shape) != n
                              or (len(shape) == 4 and shape[3] not in (1, 3))):
        raise ValueError(f"shape {shape} is none of {n} values; give (rows, columns), (rows, columns, 3) or "
                         "(panels, rows, columns), whose product is " + str(n))
    pictures = [] if shape is None else [_picture(vectors[:, i], tuple(shape)) for i in range(count)]
    aspect = pictures[0].shape[0] / pictures[0].shape[1] if pictures else 1
    axes = _grid(count, axes, 2.0 if aspect >= 1 else min(4.0, 2.0 / aspect) if pictures else 3.0,
                 min(4.0, 2.0 * aspect) + 0.3 if aspect > 1 else 2.3 if pictures else 3.0)
    limits = [limit(vectors[:, i]) for i in range(count)]
    for i in range(count):
        a, top = axes[i], max(limits) if common_scale else limits[i]
        if pictures:
            p = pictures[i]
            if p.shape[2] == 3:
                shown = np.where(np.isnan(p), 1.0, np.clip(0.5 + p / top / 2, 0, 1))
                a.imshow(shown)
            else:
                a.imshow(p[:, :, 0], cmap=cmap, vmin=-top, vmax=top)
            a.set_axis_off()
        else:
            a.plot(vectors[:, i], color=COLORS[0])
            a.axhline(0, color="0.8", linewidth=0.8, zorder=0)
            if names is not None and len(names) <= 24:
                a.set_xticks(range(n), names, rotation=90)
        a.set_title(f"{label} {i + 1}")
    return axes


def plot_filters(source: Any, shape: Sequence[int] | None = None, axes: Any = None, names: Sequence[str] | None = None, *,
                 cmap: Any = "RdBu_r", common_scale: bool = False) -> Any:
    """Draw linear filters: as images where the shape is known, else as lines.

    Parameters
    ----------
    source : fitted estimator, rao.Model, or array of shape (n_features, filters)
    shape : (rows, columns), (rows, columns, 3) or (panels, rows, columns), optional
        Of an image; panels, such as those of two eyes, stand side by side. By default the shape of the images that the model
        learned from, or a square for a square number of features.
    axes : matplotlib axes, optional
    names : sequence of str, optional
        Names of the features.
    cmap : str or colormap
        Zero is in its middle, and the ends are exceeded by one weight of fifty.
    common_scale : bool
        One scale for all filters, in place of one for each.

    Returns
    -------
    ndarray of axes
    """
    filters = _filters_of(source)
    return _draw(filters, _shape_of(source) if shape is None else shape, axes, names, "filter", cmap, common_scale)


def plot_patterns(source: Any, covariance: Any, shape: Sequence[int] | None = None, axes: Any = None,
                  names: Sequence[str] | None = None, *, cmap: Any = "RdBu_r", common_scale: bool = False) -> Any:
    """Draw the patterns of filters: what in the data a filter responds to, the covariance of
    the data times the filter over the variance of its response (Haufe et al. 2014).

    Parameters
    ----------
    source : fitted estimator, rao.Model, or array of shape (n_features, filters)
    covariance : array of shape (n_features, n_features), or rao.Statistics
        Of the data; statistics give the covariance of all their rows.
    shape, axes, names, cmap, common_scale
        See :func:`plot_filters`.

    Returns
    -------
    ndarray of axes
    """
    filters = _filters_of(source)
    c = _total(covariance) if isinstance(covariance, Statistics) else np.asarray(_engine.off_device(covariance), float)
    if c.shape != (len(filters),) * 2:
        raise ValueError(f"covariance has the shape {c.shape}, and the filters are of {len(filters)} features; "
                         "np.cov(X.T) or rao.stats(X, y) fit to the filters of X")
    responses = filters.T @ c @ filters
    patterns = c @ filters @ np.linalg.pinv(responses)
    return _draw(patterns, _shape_of(source) if shape is None else shape, axes, names, "pattern", cmap, common_scale)


def _total(s: Statistics) -> np.ndarray:
    """Covariance of all rows, whatever their class."""
    n = s.counts.sum()
    centered = s.means - s.counts @ s.means / n
    within = np.tensordot(np.maximum(s.counts - 1, 0), s.covariances, 1)
    return (within + (centered * s.counts[:, None]).T @ centered) / (n - 1)


def _ordered(names: Sequence[str]) -> np.ndarray | None:
    """The values of classes that are on a scale: more than there are colors, and all numbers."""
    if len(names) <= len(COLORS):
        return None
    try:
        values = np.array([float(n) for n in names])
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def plot_ellipses(features: Any, y: Any = None, dims: tuple[int, int] = (0, 1), deviations: float = 2.0, ax: Any = None,
                  points: bool = True, *, values: Any = None, cmap: Any = "viridis", label: str = "",
                  color_bar: bool = True) -> Any:
    """Draw two features with the ellipse of each class.

    Parameters
    ----------
    features : array of shape (n_samples, n_features), rao.Statistics of features, or dict with means and covariances
    y : array of shape (n_samples,)
    dims : (int, int)
        Which features.
    deviations : float
        Size of the ellipses in standard deviations.
    ax : matplotlib axes, optional
    points : bool
        Draw the observations too.
    values : array of shape (n_classes,), optional
        What the classes stand for, such as speeds, in the order of the classes: colors are then of ``cmap``. By default more than
        ten classes whose names are numbers have these values. More than ten others have dashes, and names in place of a legend.
    cmap : str or colormap
    label : str
        What the values are, next to the color bar.
    color_bar : bool
        Draw it where there are values.

    Returns
    -------
    axes
    """
    features = _engine.off_device(features)
    z = None if isinstance(features, (Statistics, dict)) else np.asarray(features, float)
    s = given_statistics(features) if z is None else None
    n = (z if s is None else s.means).shape[-1]  # type: ignore[union-attr]
    if len(dims) != 2 or not all(0 <= d < n for d in dims):
        raise ValueError(f"dims {tuple(dims)} of {n} features: want two of them, counted from 0")
    if z is not None:
        if y is None:
            raise ValueError("plot_ellipses needs y, the class of each row")
        z = z[:, list(dims)]
    if s is None:
        s = stats(z, y)
    names = list(s.classes or [])
    v = _ordered(names) if values is None else np.ravel(np.asarray(_engine.off_device(values), float))
    if v is not None and len(v) != len(names):
        raise ValueError(f"{len(v)} values for {len(names)} classes")
    if ax is None:
        ax = _pyplot().subplots()[1]
    pick = list(dims) if z is None else [0, 1]
    labels = None if z is None else numbered(y)[1]
    colors: list[Any] = [COLORS[i % len(COLORS)] for i in range(len(names))]
    if v is not None:
        import matplotlib

        scale = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(v.min(), v.max()), cmap)
        colors = [scale.to_rgba(x) for x in v]
    many = len(names) > len(COLORS)
    circle = np.linspace(0, 2 * np.pi, 100)
    unit = np.stack([np.cos(circle), np.sin(circle)])
    for i, name in enumerate(names):
        spread, vectors = np.linalg.eigh(s.covariances[i][np.ix_(pick, pick)])
        mean = s.means[i][pick]
        outline = mean[:, None] + deviations * (vectors * np.sqrt(np.maximum(spread, 0))) @ unit
        if z is not None and points:
            ax.scatter(*z[labels == i].T, s=6, alpha=0.4, color=colors[i], linewidths=0)
        dash = "-" if v is not None else _DASHES[i // len(COLORS) % len(_DASHES)]
        ax.plot(*outline, color=colors[i], label=name, linestyle=dash)
        if many and v is None:
            ax.annotate(name, mean, color=colors[i], ha="center", va="center", fontsize="small")
    ax.set_xlabel(f"feature {dims[0] + 1}")
    ax.set_ylabel(f"feature {dims[1] + 1}")
    if v is not None and color_bar:
        ax.figure.colorbar(scale, ax=ax, label=label)
    elif v is None and not many:
        ax.legend()
    return ax
