"""Figures of models and data, with matplotlib."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _engine
from ._distribution import DISTRIBUTION
from ._html import limit
from ._labels import numbered
from ._statistics import Statistics, given_statistics, stats

# The colors of Okabe and Ito (2008), as in the tool's figures. Readers with any color vision can distinguish them.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b4fa0", "#8a8d00", "#7f4f2a", "#66717d")
_DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (7, 2, 2, 2)))


def _filters_of(source: Any) -> np.ndarray:
    """Return the filters of an estimator, a model or an array, features × filters."""
    for name in ("filters_", "filters"):
        value = getattr(source, name, None)
        if isinstance(value, np.ndarray):
            return value
    source = _engine.off_device(source)
    if isinstance(source, np.ndarray) and source.ndim == 2:
        return source
    raise ValueError(f"{type(source).__name__} has no linear filters; give a fitted SQFA or a similar estimator, or an "
                     "array features × filters")


def _shape_of(source: Any) -> tuple[int, ...] | None:
    """Return the shape of the images on which a model was trained."""
    image = getattr(getattr(source, "model_", source), "image", None)
    return None if image is None else tuple(image[:2]) if image[2] == 1 else tuple(image)


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as e:
        raise ModuleNotFoundError(f"pictures need matplotlib; run pip install '{DISTRIBUTION}[plots]'", name=e.name) from None
    return plt


def _grid(count: int, axes: Any, width: float, height: float) -> Any:
    plt = _pyplot()
    if axes is not None:
        axes = np.ravel(axes)
        if len(axes) < count:
            raise ValueError(f"axes has {len(axes)} axes, but {count} are needed, one per picture")
        return axes
    rows = -(-count // 5)
    columns = -(-count // rows)  # rows of equal length if possible
    axes = np.ravel(plt.subplots(rows, columns, figsize=(width * columns, height * rows), squeeze=False,
                                 constrained_layout=True)[1])  # makes room for the names of features
    for a in axes[count:]:
        a.set_axis_off()
    return axes


def _picture(v: np.ndarray, shape: Any) -> np.ndarray:
    """Convert values to an image of shape (rows, columns[, channels]). Panels are placed side by side."""
    if len(shape) == 3 and shape[2] in (1, 3):
        return v.reshape(shape)
    if len(shape) == 2:
        return v.reshape((*shape, 1))
    panels = v.reshape((*shape, 1) if len(shape) == 3 else shape)
    gap = np.full((panels.shape[1], max(1, panels.shape[2] // 12), panels.shape[3]), np.nan)
    parts = [p for panel in panels for p in (gap, panel)]
    return np.concatenate(parts[1:], axis=1)


def _framed(a: Any) -> None:
    """Remove the ticks of an image and draw a thin frame, because the middle of most color maps is white."""
    a.set_xticks([])
    a.set_yticks([])
    for spine in a.spines.values():
        spine.set(color="0.7", linewidth=0.6)


def _draw(vectors: np.ndarray, shape: Sequence[int] | None, axes: Any, names: Sequence[str] | None, label: str, cmap: Any,
          common_scale: bool, square: bool = True) -> Any:
    n, count = vectors.shape
    if shape is None and square and names is None and n > 9 and int(round(n**0.5)) ** 2 == n:
        shape = (int(round(n**0.5)),) * 2
    if shape is not None and (np.ndim(shape) != 1 or len(shape) not in (2, 3, 4) or np.prod(shape) != n
                              or (len(shape) == 4 and shape[3] not in (1, 3))):
        raise ValueError(f"shape is {shape}, but a filter has {n} values; give (rows, columns), (rows, columns, 3) or "
                         "(panels, rows, columns), whose product is " + str(n))
    if names is not None and (isinstance(names, str) or not hasattr(names, "__len__") or len(names) != n):
        raise ValueError(f"names is {names!r:.80}, but must be a list of {n} names, one per feature")
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
            _framed(a)
        else:
            named = names is not None and len(names) <= 24
            if named:
                a.bar(range(n), vectors[:, i], color=COLORS[0])
            else:
                a.plot(vectors[:, i], color=COLORS[0])
            a.axhline(0, color="0.8", linewidth=0.8, zorder=0)
            if named:
                a.set_xticks(range(n), names, rotation=90, fontsize="small" if n > 8 else "medium")
            else:
                a.set_xlabel("feature")
            if i == 0:
                a.set_ylabel("weight")
        a.set_title(f"{label} {i + 1}")
    return axes


def plot_filters(source: Any, shape: Sequence[int] | None = None, axes: Any = None, names: Sequence[str] | None = None, *,
                 cmap: Any = "RdBu_r", common_scale: bool = False) -> Any:
    """Draw linear filters: as images if the shape is known, as bars if there are names, otherwise as lines.

    Parameters
    ----------
    source : fitted estimator, rao.Model, or array of shape (n_features, filters)
    shape : (rows, columns), (rows, columns, 3) or (panels, rows, columns), optional
        Shape of an image. Panels, for example one for each eye, are placed side by side. By default the shape of the
        training images, or a square if the number of features is a square and there are no names.
    axes : list of matplotlib axes, optional
        One per filter, as in MNE. :func:`plot_ellipses` draws in one axes, its ``ax``.
    names : sequence of str, optional
        Names of the features.
    cmap : str or colormap
        Zero is in the middle of the color map. The largest 2 % of the weights exceed its range.
    common_scale : bool
        One color scale for all filters, instead of one per filter.

    Returns
    -------
    ndarray of axes
    """
    filters = _filters_of(source)
    return _draw(filters, _shape_of(source) if shape is None else shape, axes, names, "filter", cmap, common_scale)


def plot_patterns(source: Any, covariance: Any = None, shape: Sequence[int] | None = None, axes: Any = None,
                  names: Sequence[str] | None = None, *, cmap: Any = "RdBu_r", common_scale: bool = False, info: Any = None,
                  most: int = 3) -> Any:
    """Draw the patterns of filters, which show what a filter responds to (Haufe et al. 2014).

    The pattern of a linear filter is the covariance of the data times the filter, divided by the variance of its response.
    CSP, Xdawn, TRCA, FgMDM and ENuc have the patterns of their spatial filters. With ``info`` patterns are drawn as scalp maps.

    Parameters
    ----------
    source : fitted estimator, rao.Model, or array of shape (n_features, filters)
        For a pipeline, its last step is used.
    covariance : array of shape (n_features, n_features), or rao.Statistics
        Covariance of the data, for filters of features. For statistics, the covariance of all rows is used.
    shape, axes, names, cmap, common_scale
        See :func:`plot_filters`.
    info : mne.Info, name of a montage such as "colin27_1020", or mne.channels.DigMontage, optional
        Positions of the channels. An Info must have one good EEG channel per row; a montage needs ``names``.
    most : int
        Number of patterns drawn per class or direction, those with the largest weights.

    Returns
    -------
    ndarray of axes
    """
    source = source.steps[-1][1] if hasattr(source, "steps") else source
    spatial = _spatial_of(source) if covariance is None else None
    if spatial is None:
        if covariance is None:
            raise ValueError("covariance is missing, and only CSP, Xdawn, TRCA, FgMDM and ENuc do not need it; give np.cov(X.T) "
                             "or rao.stats(X, y) of the training data")
        filters = _filters_of(source)
        c = _total(covariance) if isinstance(covariance, Statistics) else np.asarray(_engine.off_device(covariance), float)
        if c.shape != (len(filters),) * 2:
            raise ValueError(f"covariance has shape {c.shape}, but the filters have {len(filters)} features; give "
                             "np.cov(X.T) or rao.stats(X, y) of the training data")
        responses = filters.T @ c @ filters  # the worker has patterns of spatial filters only
        patterns = c @ filters @ np.linalg.pinv(responses)
        titles = [f"pattern {i + 1}" for i in range(patterns.shape[1])]
    else:
        of = spatial.of or [""] * spatial.patterns.shape[1]
        keep = [i for i, name in enumerate(of) if not name or of[:i].count(name) < most]
        patterns = spatial.patterns[:, keep]
        weights = np.zeros(len(of)) if spatial.weights is None else spatial.weights
        titles = [f"{of[i]} {weights[i]:+.2g}" if of[i] else f"pattern {i + 1}" for i in keep]
    if info is not None:
        return _scalps(patterns, titles, info, names, axes, cmap, common_scale)
    axes = _draw(patterns, _shape_of(source) if shape is None else shape, axes, names, "pattern", cmap, common_scale,
                 square=spatial is None)
    if spatial is not None:
        for a, title in zip(axes, titles):
            a.set_title(title)
    return axes


def _spatial_of(source: Any) -> Any:
    """Return the spatial filters of a model or an estimator, if it has their patterns."""
    found = getattr(getattr(source, "model_", source), "spatial", None)
    return found if found is not None and getattr(found, "patterns", None) is not None else None


def _scalps(patterns: np.ndarray, titles: Sequence[str], info: Any, names: Sequence[str] | None, axes: Any, cmap: Any,
            common_scale: bool) -> Any:
    """Draw scalp maps with MNE."""
    try:
        import mne
    except ModuleNotFoundError as e:
        raise ModuleNotFoundError("scalp maps need MNE; run pip install mne", name=e.name) from None
    if not isinstance(info, mne.Info):
        if names is None:
            raise ValueError("a montage needs names, the channel names in the order of the rows of the patterns")
        montage, info = info, mne.create_info([str(n) for n in names], 1, "eeg", verbose="error")
        info.set_montage(montage, verbose="error")
    picks = mne.pick_types(info, meg=False, eeg=True, exclude="bads")
    if names is not None:
        absent = [n for n in names if n not in info["ch_names"]]
        if absent:
            raise ValueError(f"info has no channel {absent[0]!r}, which names contains; give the info of the same "
                             "recording")
        picks = [info["ch_names"].index(n) for n in names]
    if len(picks) != len(patterns):
        raise ValueError(f"info has {len(picks)} EEG channels that are not bad, but patterns has {len(patterns)} "
                         "rows; give names, or one row per channel")
    info = mne.pick_info(info, picks)
    if not any(np.nan_to_num(c["loc"][:3]).any() for c in info["chs"]):
        raise ValueError("info has no positions of the electrodes; set them with info.set_montage, or give the name of a "
                         "montage, with names")
    axes = _grid(patterns.shape[1], axes, 2.0, 2.0)
    top = np.abs(patterns).max(axis=0)
    for a, v, title, own in zip(axes, patterns.T, titles, top):
        span = float(top.max() if common_scale else own) or 1.0
        mne.viz.plot_topomap(v, info, axes=a, show=False, cmap=cmap, vlim=(-span, span))
        a.set_title(title)
    return axes


def _total(s: Statistics) -> np.ndarray:
    """Return the covariance of the rows of all classes together."""
    n = s.counts.sum()
    centered = s.means - s.counts @ s.means / n
    within = np.tensordot(np.maximum(s.counts - 1, 0), s.covariances, 1)
    return (within + (centered * s.counts[:, None]).T @ centered) / (n - 1)


def _ordered(names: Sequence[str]) -> np.ndarray | None:
    """Return the values of the classes if they form a scale: there are more classes than colors, and all are
    numbers."""
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
        Class labels.
    dims : (int, int)
        The two features, counted from 0.
    deviations : float
        Size of the ellipses in standard deviations.
    ax : matplotlib axes, optional
        The axes to draw in, as in scikit-learn.
    points : bool
        Also draw the observations or, for statistics, the means.
    values : array of shape (n_classes,), optional
        Values of the classes, such as speeds, in the order of the classes; their colors are then from ``cmap``. By default,
        more than ten classes with numbers as names have these numbers as values. More than ten other classes have dashes,
        and names instead of a legend.
    cmap : str or colormap
    label : str
        Label of the color bar.
    color_bar : bool
        Draw a color bar if there are values.

    Returns
    -------
    axes
    """
    features = _engine.off_device(features)
    z = None if isinstance(features, (Statistics, dict)) else np.asarray(features, float)
    s = given_statistics(features) if z is None else None
    n = (z if s is None else s.means).shape[-1]  # type: ignore[union-attr]
    if len(dims) != 2 or not all(0 <= d < n for d in dims):
        raise ValueError(f"dims is {tuple(dims)}, but must be two numbers from 0 to {n - 1}")
    if z is not None:
        if y is None:
            raise ValueError("plot_ellipses needs y, the class of each row")
        z = z[:, list(dims)]
    if s is None:
        s = stats(z, y)
    names = list(s.classes or [])
    v = _ordered(names) if values is None else np.ravel(np.asarray(_engine.off_device(values), float))
    if v is not None and len(v) != len(names):
        raise ValueError(f"values has {len(v)} numbers, but there are {len(names)} classes; give one per class")
    if ax is None:
        ax = _pyplot().subplots(layout="constrained")[1]
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
        if z is None and points:
            ax.scatter(*mean, s=12, color=colors[i], linewidths=0)
        elif points:
            ax.scatter(*z[labels == i].T, s=6, alpha=0.4, color=colors[i], linewidths=0)  # type: ignore[index]
        dash = "-" if v is not None else _DASHES[i // len(COLORS) % len(_DASHES)]
        ax.plot(*outline, color=colors[i], label=name, linestyle=dash)
        if many and v is None:
            ax.annotate(name, mean, ha="center", va="center", fontsize="small", path_effects=_halo())
    ax.set_xlabel(f"feature {dims[0] + 1}")
    ax.set_ylabel(f"feature {dims[1] + 1}")
    if v is not None and color_bar:
        ax.figure.colorbar(scale, ax=ax, label=label)
    elif v is None and not many:
        beside = {"loc": "center left", "bbox_to_anchor": (1, 0.5)} if len(names) > 4 else {}
        ax.legend(frameon=False, **beside)
    return ax


def _halo() -> Any:
    """Return a white outline for text on top of points."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=2, foreground="white")]
