"""Tests, embeddings and random draws of SPD matrices, on arrays of shape (n, order, order)."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from . import _engine
from ._labels import numbered


class Manova(NamedTuple):
    """Result of :func:`manova`.

    Attributes
    ----------
    F : float
        Pseudo-F.
    p : float
        The p-value.
    r2 : float
        Fraction of the squared distances that is between the classes.
    permutations : int
        Number of labelings, including the given one.
    exact : bool
        Whether these are all labelings.
    all : ndarray of shape (permutations,)
        Pseudo-F of each labeling.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.datasets.make("syn1", per_class=20)
    >>> rao.manova(X, y, permutations=99).p
    0.01
    """

    F: float
    p: float
    r2: float
    permutations: int
    exact: bool
    all: np.ndarray


def manova(X: Any, y: Any, metric: str = "riemann", permutations: int = 999, groups: Any = None, seed: int = 1) -> Manova:
    """Test whether classes of matrices differ by permutational analysis of variance (Anderson 2001).

    Parameters
    ----------
    X : array of shape (n, order, order)
    y : array of shape (n,)
        Class labels.
    metric : str
        See :func:`distance`.
    permutations : int
        Number of random permutations of the labels. If no more than this many exist, all of them are used.
    groups : array of shape (n,), optional
        Labels are permuted only within a group, such as a recording.
    seed : int
        Seed of the permutations.

    Returns
    -------
    Manova
        ``p`` is the fraction of labelings, including ``y`` itself, with a pseudo-F at least as large as that of ``y``.
    """
    given = {"X": X, "y": numbered(y)[1]}
    if groups is not None:
        given["groups"] = numbered(groups, "groups")[1]
    asked = {"permutations": _engine.number(permutations, "permutations", whole=True, least=1),
             "seed": _engine.seed_of(seed), "keep": True}
    reply, out = _engine.call("manova", given, metric=metric, manova=asked)
    r = reply["info"]
    return Manova(r["f"], r["p"], r["r2"], r["permutations"], r["exact"], out["F"])


def distinctiveness(X: Any, y: Any, metric: str = "riemann") -> float:
    """Return the class distinctiveness: the distance between class means divided by the mean distance of matrices from
    their class mean.

    Parameters
    ----------
    X : array of shape (n, order, order)
    y : array of shape (n,)
        Class labels.
    metric : str
        See :func:`distance`.
    """
    return float(_engine.call("distinct", {"X": X, "y": numbered(y)[1]}, metric=metric)[0]["info"])


def embed(X: Any, method: Literal["spectral", "lle"] = "spectral", components: int = 2, metric: str = "riemann",
          neighbors: int = 5, gamma: float | Literal["auto"] = "auto") -> np.ndarray:
    """Embed SPD matrices as points in a Euclidean space.

    Parameters
    ----------
    X : array of shape (n, order, order)
    method : {"spectral", "lle"}
        Laplacian eigenmaps, or locally linear embedding.
    components : int
        Number of coordinates.
    metric : str
        See :func:`distance`.
    neighbors : int
        Number of neighbors for locally linear embedding.
    gamma : float or {"auto"}
        Gamma of the kernel exp(-gamma d²) for the spectral embedding; auto uses 1 over twice the squared median distance.

    Returns
    -------
    Z : ndarray of shape (n, components)
    """
    asked = {"components": _engine.number(components, "components", whole=True, least=1),
             "neighbors": _engine.number(neighbors, "neighbors", whole=True),
             "gamma": _engine.number(gamma, "gamma", auto=True)}
    kind = _engine.choice(method, "method", ("spectral", "lle"))
    return _engine.call("embed", {"X": X}, metric=metric, kind=kind, embed=asked)[1]["Z"]


def riemannian_gaussian(centers: Any, sigma: Any = 1.0, per_class: int = 100, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Draw SPD matrices from Riemannian Gaussian distributions (Said, Bombrun, Berthoumieu and Manton 2017).

    Parameters
    ----------
    centers : array of shape (n_classes, order, order)
        The center of each class.
    sigma : float, or array of shape (n_classes,)
        Dispersion of all classes, or of each class.
    per_class : int
        Number of matrices per class.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    X : ndarray of shape (n_classes * per_class, order, order)
    y : ndarray of shape (n_classes * per_class,)
        The class of each matrix, counted from 0.
    """
    asked = {"sigma": [_engine.number(s, "sigma") for s in np.atleast_1d(sigma).tolist()],
             "per_class": _engine.number(per_class, "per_class", whole=True, least=1), "seed": _engine.seed_of(seed)}
    c = _engine.portable(centers, "centers")
    if c.ndim not in (2, 3) or c.shape[-1] != c.shape[-2]:
        raise _engine.RaoError(f"centers has the shape {c.shape}, but must have the shape (n_classes, order, order)")
    out = _engine.call("gaussian", {"C": c[None] if c.ndim == 2 else c}, draw=asked)[1]
    return out["X"], out["y"]
