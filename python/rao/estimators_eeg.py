"""Estimators with the interface of scikit-learn, one for each method of the wing eeg.

Methods have these names in Python and in the command-line tool rao:

======  ============
Python  tool
======  ============
ERP     erp
FBCSP   fbcsp
TRCA    trca
Xdawn   xdawn
======  ============

Written by go generate from the declarations of the methods; do not edit.
"""

from __future__ import annotations

from typing import Literal

from ._base import Matrices, Transforming, Trials
from ._mixins import Spatial

__all__ = [
    "ERP",
    "FBCSP",
    "TRCA",
    "Xdawn",
]


class ERP(Transforming, Trials):
    """Covariances of trials stacked with the mean responses of the classes (evoked potentials).

    The method erp of the command-line tool rao.

    Parameters
    ----------
    svd : int or {"auto"}, default="auto"
        Principal components to keep of each mean response; auto keeps all channels; from 1 to 100000.
    classifier : str or None, default="mdm"
        Matrix method for the covariances, with its options, or None. Methods and options have the names of the
        tool, such as "knn-spd:neighbors=3".
    evoked : str, default="all"
        Classes whose mean responses are used, separated by commas, such as target; or all.
    estimator : str, default="oas"
        Covariance of a trial stacked with the mean responses: sample, oas, ledoit_wolf, schaefer_strimmer, huber,
        student, tyler, mcd, correlation, rbf, laplacian.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Channels times samples.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y, channels = rao.simulate("evoked", trials=80).trials(["light-left", "light-right"], 0, 0.5)
    >>> rao.ERP().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "erp"

    def __init__(
        self,
        *,
        svd: int | Literal["auto"] = "auto",
        classifier: str | None = "mdm",
        evoked: str = "all",
        estimator: str = "oas",
        verbose: bool = False,
    ) -> None:
        self.svd = svd
        self.classifier = classifier
        self.evoked = evoked
        self.estimator = estimator
        self.verbose = verbose


class FBCSP(Transforming, Matrices):
    """Common spatial patterns of a filter bank (FBCSP): features of several bands, selected by their mutual
    information with the class.

    The method fbcsp of the command-line tool rao.

    Parameters
    ----------
    band_count : int or {"auto"}, default="auto"
        Number of bands, stored as consecutive blocks along the diagonal, as by combine="block"-diagonal; auto
        reads it from the recipe in a file, and uses 1 for arrays; from 1 to 1000.
    filter_pairs : int or {"auto"}, default="auto"
        Pairs of spatial filters per band; auto uses 2, and 1 for two or three channels; from 1 to 1000.
    select : int, default=4
        Number of features to keep by their mutual information with the class, in addition to their paired
        features; with more than two classes, for each class; from 1 to 100000.
    shrinkage : float, default=0.0
        Shrinkage of the class means towards a multiple of the identity; helps with few trials or many channels;
        from 0 to 1.
    classifier : str or None, default="parzen"
        Classifier of the features: parzen (naive Bayes with Parzen windows; with more than two classes, each
        against the rest on its own features), a vector method with its options, or None. Methods and options have
        the names of the tool, such as "knn:neighbors=3".
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Order of the matrices.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.datasets.make("syn1", per_class=20)
    >>> rao.FBCSP().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "fbcsp"

    def __init__(
        self,
        *,
        band_count: int | Literal["auto"] = "auto",
        filter_pairs: int | Literal["auto"] = "auto",
        select: int = 4,
        shrinkage: float = 0.0,
        classifier: str | None = "parzen",
        verbose: bool = False,
    ) -> None:
        self.band_count = band_count
        self.filter_pairs = filter_pairs
        self.select = select
        self.shrinkage = shrinkage
        self.classifier = classifier
        self.verbose = verbose


class TRCA(Spatial, Trials):
    """Filters that keep what the trials of a class share (task-related components), then the similarity of a trial to
    the mean trial of each class.

    The method trca of the command-line tool rao.

    Parameters
    ----------
    band_count : int or {"auto"}, default="auto"
        Number of bands of a trial, stored one after the other; auto reads it from the recipe in a file, and uses 1
        for arrays; from 1 to 1000.
    ensemble : bool, default=True
        Score each class through the filters of all classes, not only through its own.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Channels times samples.
    filters_ : ndarray of shape (n_channels, n_filters)
        Spatial filters, one per column.
    patterns_ : ndarray of shape (n_channels, n_filters)
        Pattern of the source of each filter at the channels, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y, channels = rao.simulate("evoked", trials=80).trials(["light-left", "light-right"], 0, 0.5)
    >>> rao.TRCA().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "trca"

    def __init__(
        self,
        *,
        band_count: int | Literal["auto"] = "auto",
        ensemble: bool = True,
        verbose: bool = False,
    ) -> None:
        self.band_count = band_count
        self.ensemble = ensemble
        self.verbose = verbose


class Xdawn(Spatial, Transforming, Trials):
    """Like erp, after spatial filters that enhance the mean responses (Xdawn).

    The method xdawn of the command-line tool rao.

    Parameters
    ----------
    filters_per_class : int or {"auto"}, default="auto"
        Spatial filters that enhance the mean response of each class; auto uses 4, or the number of channels if
        smaller; from 1 to 100000.
    keep_channels : bool, default=False
        Filter only the mean responses and not the trial, for other sessions or people.
    classifier : str or None, default="tslr"
        Matrix method for the covariances, with its options, or None. Methods and options have the names of the
        tool, such as "knn-spd:neighbors=3".
    evoked : str, default="all"
        Classes whose mean responses are used, separated by commas, such as target; or all.
    estimator : str, default="oas"
        Covariance of a trial stacked with the mean responses: sample, oas, ledoit_wolf, schaefer_strimmer, huber,
        student, tyler, mcd, correlation, rbf, laplacian.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Channels times samples.
    filters_ : ndarray of shape (n_channels, n_filters)
        Spatial filters, one per column.
    patterns_ : ndarray of shape (n_channels, n_filters)
        Pattern of the source of each filter at the channels, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y, channels = rao.simulate("evoked", trials=80).trials(["light-left", "light-right"], 0, 0.5)
    >>> rao.Xdawn().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "xdawn"

    def __init__(
        self,
        *,
        filters_per_class: int | Literal["auto"] = "auto",
        keep_channels: bool = False,
        classifier: str | None = "tslr",
        evoked: str = "all",
        estimator: str = "oas",
        verbose: bool = False,
    ) -> None:
        self.filters_per_class = filters_per_class
        self.keep_channels = keep_channels
        self.classifier = classifier
        self.evoked = evoked
        self.estimator = estimator
        self.verbose = verbose
