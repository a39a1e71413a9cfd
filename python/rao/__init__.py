"""Supervised learning with the Fisher-Rao geometry of Gaussians and SPD matrices.

Estimators follow the conventions of scikit-learn, which is imported together with the first estimator::

    from rao import SQFA, PLRSQ, MDM
    SQFA(filters=2).fit(X, y).predict(X)

Functions work on arrays: :func:`distance`, :func:`mean`, :func:`tangent`,
:func:`covariances`. :class:`Statistics` can be shared instead of data.
:func:`load` reads a model saved by an estimator or by the command-line tool ``rao``.
:func:`evaluate`, :func:`compare`, :func:`tune` and :func:`study` score methods, and
:mod:`rao.datasets` provides data sets.

``dir(rao)`` lists all names, and ``help(rao.SQFA)`` describes one. In Python, methods have the names of their classes.
In strings such as ``"knn-raw:neighbors=3"`` they have their names in the tool, which ``help(rao.estimators)`` lists.
``None`` turns an option off. Every option that accepts ``None`` also accepts ``"none"``, the word of the tool.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _methods, datasets as datasets
from ._engine import EngineError as EngineError, RaoError as RaoError, RaoWarning as RaoWarning, executable as executable
from ._dissimilarity import torch_distance as torch_distance
from ._distribution import DISTRIBUTION as _DISTRIBUTION
from ._evaluate import (
    Comparison as Comparison, Evaluation as Evaluation, Search as Search, Study as Study, compare as compare,
    evaluate as evaluate, study as study, tune as tune,
)
from ._functions import (
    Measure as Measure, covariances as covariances, distance as distance, mean as mean, measures as measures,
    tangent as tangent, untangent as untangent,
)
from ._interrupt import interruptible as _interruptible
from ._manifold import (
    Manova as Manova, distinctiveness as distinctiveness, embed as embed, manova as manova,
    riemannian_gaussian as riemannian_gaussian,
)
from ._live import Decoder as Decoder, EventDecoder as EventDecoder, LiveDecision as LiveDecision, SignalError as SignalError
from ._model import Decision as Decision, Model as Model, SpatialFilters as SpatialFilters, load as load
from ._private import Privacy as Privacy, PrivateStatistics as PrivateStatistics
from ._recording import Recording as Recording, Trials as Trials, read as read, simulate as simulate
from ._statistics import Statistics as Statistics, stats as stats
from ._version import __version__ as __version__
from .datasets import load_digits as load_digits

if TYPE_CHECKING:
    from .clusters import (
        MatrixGaussianMixture as MatrixGaussianMixture, MatrixKMeans as MatrixKMeans, MatrixMeanShift as MatrixMeanShift,
    )
    from .estimators import *  # noqa: F403
    from .estimators_eeg import *  # noqa: F403
    from .plots import plot_ellipses as plot_ellipses, plot_filters as plot_filters, plot_patterns as plot_patterns
    from .regressors import MatrixKNNRegressor as MatrixKNNRegressor, TangentRidge as TangentRidge, TangentSVR as TangentSVR
    from .transformers import Covariances as Covariances, Potato as Potato, Procrustes as Procrustes

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
        raise ModuleNotFoundError(f"estimators need scikit-learn; run pip install '{_DISTRIBUTION}[estimators]'", name=e.name) from None


def _starred() -> list[str]:
    """Return the names that ``from rao import *`` imports. The estimators are among them if scikit-learn is installed."""
    try:
        importlib.import_module("sklearn")
        without: set[str] = set()
    except ModuleNotFoundError:
        without = {*_methods.modules(), *_others}
    return [name for name in __dir__() if not name.startswith("_") and name not in without]


@_interruptible
def __getattr__(name: str) -> Any:
    """Import estimators and plots when they are first used."""
    if name == "__all__":
        return _starred()
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
    more = "; a.merge(b, c) and sum(parts) merge statistics" if name == "merge" else ""
    raise AttributeError(f"module 'rao' has no attribute {name!r}{more}")


def __dir__() -> list[str]:
    imported = {"TYPE_CHECKING", "Any", "annotations", "importlib"}
    return sorted({*globals(), *_methods.modules(), *_plots, *_others} - imported)
