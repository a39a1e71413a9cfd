"""Supervised learning with the Fisher-Rao geometry of Gaussians and SPD matrices.

Estimators follow the conventions of scikit-learn, which is imported together with the first estimator::

    from rao import SQFA, PLRSQ, MDM
    SQFA(filters=2).fit(X, y).predict(X)

Functions work on arrays: :func:`distance`, :func:`mean`, :func:`tangent`,
:func:`covariances`. :class:`Statistics` can be shared instead of data.
:func:`load` reads a model saved by an estimator or by the command-line tool ``rao``.
:func:`evaluate`, :func:`compare`, :func:`tune` and :func:`study` score methods, and
:mod:`rao.datasets` provides data sets.

``dir(rao)`` lists all names, and ``help(rao.SQFA)`` describes one. In Python, methods have the names of their classes,
also in texts such as ``"KNN:neighbors=3"``. ``help(rao.estimators)`` lists their names in the tool.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _methods, datasets
from ._engine import EngineError, RaoError, RaoWarning, executable
from ._dissimilarity import torch_distance
from ._distribution import DISTRIBUTION as _DISTRIBUTION
from ._evaluate import Comparison, Evaluation, Search, Study, compare, evaluate, study, tune
from ._functions import Measure, covariances, distance, mean, measures, tangent, untangent
from ._interrupt import interruptible as _interruptible
from ._manifold import Manova, distinctiveness, embed, manova, riemannian_gaussian
from ._model import Decision, Model, SpatialFilters, load
from ._private import Privacy, PrivateStatistics
from ._recording import Recording, Trials, read, simulate
from ._statistics import Statistics, stats
from ._version import __version__
from .datasets import load_digits

if TYPE_CHECKING:
    from .clusters import MatrixGaussianMixture, MatrixKMeans, MatrixMeanShift
    from .estimators import *  # noqa: F403
    from .estimators_eeg import *  # noqa: F403
    from .regressors import MatrixKNNRegressor, TangentRidge, TangentSVR
    from .transformers import Covariances, Potato, Procrustes

_plots = ("plot_filters", "plot_ellipses", "plot_patterns")
_others = {**dict.fromkeys(("MatrixKNNRegressor", "TangentRidge", "TangentSVR"), "rao.regressors"),
           **dict.fromkeys(("Covariances", "Potato", "Procrustes"), "rao.transformers"),
           **dict.fromkeys(("MatrixGaussianMixture", "MatrixKMeans", "MatrixMeanShift"), "rao.clusters")}


def _learners(module: str) -> Any:
    """Import a module that needs scikit-learn. If scikit-learn is missing, the error names the extra to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as e:
        if (e.name or "").split(".")[0] != "sklearn":
            raise
        raise ModuleNotFoundError(f"estimators need scikit-learn: pip install '{_DISTRIBUTION}[estimators]'", name=e.name) from None


@_interruptible
def __getattr__(name: str) -> Any:
    """Import estimators and plots when they are first used."""
    if name in _plots:
        return getattr(importlib.import_module("rao.plots"), name)
    if name in _others:
        return getattr(_learners(_others[name]), name)
    if name in ("clusters", "plots", "regressors", "transformers"):
        return importlib.import_module("rao." + name)
    if not name.startswith("_"):
        modules = _methods.modules()
        if name in modules:
            return getattr(_learners(modules[name]), name)
        if "rao." + name in modules.values():
            return importlib.import_module("rao." + name)
    raise AttributeError(f"module 'rao' has no attribute {name!r}")


def __dir__() -> list[str]:
    imported = {"TYPE_CHECKING", "Any", "annotations", "importlib"}
    return sorted({*globals(), *_methods.modules(), *_plots, *_others} - imported)
