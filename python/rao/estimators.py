"""Estimators with the interface of scikit-learn, one for each method of rao.

Methods have these names in Python and in the command-line tool rao:

=================  ============
Python             tool
=================  ============
AMA                ama
BDM                bdm
CSP                csp
ENuc               enuc
FactorAnalysis     fa
FastICA            ica
FgMDM              fgmdm
FisherTSSM         tssm-fisher
GAPCA              gapca
GEM                gem
GLVQ               glvq-raw
GMLVQ              gmlvq-raw
KNN                knn-raw
LDA                lda-raw
LDAFilters         lda
LFDA               lfda
LGMLVQ             lgmlvq-raw
LMNN               lmnn
LogEuclideanPLRSQ  plrsq-le
Logistic           logistic-raw
MDM                mdm
MatrixGMLVQ        gmlvq-spd
MatrixKNN          knn-spd
MatrixRSLVQ        rslvq
MatrixSVM          svm-spd
Mixture            mixture-raw
NCA                nca
PCA                pca
PLRSQ              plrsq
QDA                qda-raw
RSLVQ              rslvq-raw
SQFA               sqfa
SVM                svm-raw
SecondMomentsSQFA  smsqfa
SupervisedPCA      spca
TSLDA              tslda
TSLR               tslr
TSSM               tssm
TSSVM              tssvm
TangentSpace       tangent
WDA                wda
=================  ============

Written by go generate from the declarations of the methods; do not edit.
"""

from __future__ import annotations

from typing import Any, Callable, Literal, Sequence

import numpy as np

from ._base import Accumulating, Matrices, Online, Transforming, Vectors
from ._mixins import NearestMeans, Spatial, TangentPoint

__all__ = [
    "AMA",
    "BDM",
    "CSP",
    "ENuc",
    "FactorAnalysis",
    "FastICA",
    "FgMDM",
    "FisherTSSM",
    "GAPCA",
    "GEM",
    "GLVQ",
    "GMLVQ",
    "KNN",
    "LDA",
    "LDAFilters",
    "LFDA",
    "LGMLVQ",
    "LMNN",
    "LogEuclideanPLRSQ",
    "Logistic",
    "MDM",
    "MatrixGMLVQ",
    "MatrixKNN",
    "MatrixRSLVQ",
    "MatrixSVM",
    "Mixture",
    "NCA",
    "PCA",
    "PLRSQ",
    "QDA",
    "RSLVQ",
    "SQFA",
    "SVM",
    "SecondMomentsSQFA",
    "SupervisedPCA",
    "TSLDA",
    "TSLR",
    "TSSM",
    "TSSVM",
    "TangentSpace",
    "WDA",
]


class AMA(Transforming, Vectors):
    """Filters by the posterior of a Gaussian decoder (AMA-Gauss).

    The method ama of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    noise : float or {"auto"}, default="auto"
        Feature noise: a variance in squared units of the scaled data; auto uses 0.05 of the mean variance of as
        many principal components as filters.
    init : array of shape (n_features, filters) or {"auto", "pca", "random"}, default="auto"
        Initial filters; auto tries principal components and the filters of SQFA.
    noisy_responses : bool, default=False
        Add a sample of the noise to the features of each row, as in the SQFA paper, instead of only adding its
        variance to the decoder.
    pairwise : int, default=0
        Learn the filters in groups of this size, keeping earlier ones fixed; 0 learns all together.
    start_rows : int or {"auto"} or None, default="auto"
        Number of rows for a first fit, from which the fit on all rows starts; auto does this when there are many
        rows.
    tol : float, default=1e-06
        Stop when the cost changes by a smaller share than this; above 0.
    max_iter : int, default=200
        Maximum number of iterations.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.AMA().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "ama"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        noise: float | Literal["auto"] = "auto",
        init: np.ndarray | Literal["auto", "pca", "random"] = "auto",
        noisy_responses: bool = False,
        pairwise: int = 0,
        start_rows: int | Literal["auto"] | None = "auto",
        tol: float = 1e-06,
        max_iter: int = 200,
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.noise = noise
        self.init = init
        self.noisy_responses = noisy_responses
        self.pairwise = pairwise
        self.start_rows = start_rows
        self.tol = tol
        self.max_iter = max_iter
        self.seed = seed
        self.scale = scale
        self.center = center
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class BDM(Accumulating, Transforming, Vectors):
    """Filters that push the classes apart in Bhattacharyya distance.

    The method bdm of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    noise : float or {"auto"}, default="auto"
        Feature noise: a variance in squared units of the scaled data; auto chooses it by validation, and uses 0.5
        of the scaled variance for sub-classes.
    distance : {"auto", "calvo_oller", "riemann", "logeuclid", "bhattacharyya", "chernoff", "chernoff_best", "hellinger", "jeffreys", "wasserstein", "wasserstein_normalized", "euclid", "mahalanobis", "fisher_rao"} or callable, default="auto"
        Dissimilarity between classes; auto uses calvo_oller for SQFA, riemann for SecondMomentsSQFA and
        bhattacharyya for BDM and aggregate="bayes". A callable takes mean_a, cov_a, mean_b and cov_b of two
        classes, and returns the distance and its derivatives, value, (d_mean_a, d_cov_a, d_mean_b, d_cov_b); it is
        called for each pair and step, which is slow. See rao.torch_distance.
    aggregate : {"auto", "mean", "softmin", "bayes"}, default="auto"
        How pairs of classes are combined; auto uses mean, and bayes for sub-classes and for more than 30 classes.
    subclasses : int or {"auto"}, default=1
        Maximum number of Gaussians per class; auto uses one for every 50 rows, up to 16.
    beta : float, default=3.0
        Sharpness of softmin; above 0. Used only with aggregate="softmin".
    init : array of shape (n_features, filters) or {"auto", "pca", "random"}, default="auto"
        Initial filters; auto uses the best of principal components, discriminants, directions in which the classes
        differ most, and random filters.
    starts : int, default=1
        Number of fits; the best is kept, and all but the first start at random; from 1 to 100000.
    constraint : {"sphere", "orthogonal"} or None, default="sphere"
        Constraint on the filters.
    pairwise : int, default=0
        Learn the filters in groups of this size; 0 learns all together; from 0 to 100000.
    refine : bool, default=False
        Refine the filters, and a mixture classifier, on the rows by the posterior of the right class.
    tol : float or {"auto"}, default="auto"
        Stop when the objective changes by less than this; auto uses 1e-7, or 1e-5 for sub-classes.
    max_iter : int, default=500
        Maximum number of iterations of each fit.
    folds : int or {"auto"}, default="auto"
        Folds of the validation that chooses the noise; auto makes 5 folds and tests on enough of them for 400
        rows; from 2 to 10000. Used only with noise="auto" and subclasses=1.
    pairs : str, default="auto"
        Pairs of classes that aggregate="bayes" uses in full: all, or near:K, the K nearest of either class; others
        use the pooled covariance; auto uses near:8 above 30 classes.
    subspace : int or {"auto"} or None, default="auto"
        Dimensions in which filters are learned, half principal components, half discriminants; auto uses all; with
        near pairs and 256 or more columns it uses 128, or four per filter if that is more.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    class_weight : dict[Any, float] or {"balanced"} or None, default=None
        Weight of each class; balanced gives all classes the same weight.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.BDM().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "bdm"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        noise: float | Literal["auto"] = "auto",
        distance: Literal["auto", "calvo_oller", "riemann", "logeuclid", "bhattacharyya", "chernoff", "chernoff_best", "hellinger", "jeffreys", "wasserstein", "wasserstein_normalized", "euclid", "mahalanobis", "fisher_rao"] | Callable[..., Any] = "auto",
        aggregate: Literal["auto", "mean", "softmin", "bayes"] = "auto",
        subclasses: int | Literal["auto"] = 1,
        beta: float = 3.0,
        init: np.ndarray | Literal["auto", "pca", "random"] = "auto",
        starts: int = 1,
        constraint: Literal["sphere", "orthogonal"] | None = "sphere",
        pairwise: int = 0,
        refine: bool = False,
        tol: float | Literal["auto"] = "auto",
        max_iter: int = 500,
        folds: int | Literal["auto"] = "auto",
        pairs: str = "auto",
        subspace: int | Literal["auto"] | None = "auto",
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.noise = noise
        self.distance = distance
        self.aggregate = aggregate
        self.subclasses = subclasses
        self.beta = beta
        self.init = init
        self.starts = starts
        self.constraint = constraint
        self.pairwise = pairwise
        self.refine = refine
        self.tol = tol
        self.max_iter = max_iter
        self.folds = folds
        self.pairs = pairs
        self.subspace = subspace
        self.seed = seed
        self.scale = scale
        self.center = center
        self.class_weight = class_weight
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class CSP(Spatial, Transforming, Matrices):
    """Common spatial patterns: filters whose output variance separates the classes.

    The method csp of the command-line tool rao.

    Parameters
    ----------
    filters : int, default=4
        Number of spatial filters; from 1 to 100000.
    keep_power : bool, default=False
        Average unnormalized covariances, so strong trials count more; otherwise each is divided by its trace
        first.
    metric : str, default="euclid"
        Metric of the class means; riemann is robust to outlying trials.
    shrinkage : float, default=0.0
        Shrinkage of the class means towards a multiple of the identity; helps with few trials or many channels;
        from 0 to 1.
    one_versus_rest : bool, default=False
        With three or more classes: learn filters of each class against all others and take the best of each in
        turn; otherwise the class means are diagonalized jointly and the most informative filters are kept.
    classifier : str or None, default="lda-raw"
        Classifier of the filtered signals, with its options: a vector method uses their log-variances, a matrix
        method their covariances; None returns log-variances. Methods and options have the names of the tool, such
        as "knn-spd:neighbors=3".
    tol : float, default=1e-09
        With more than two classes, stop the joint diagonalization when all rotations are smaller than this; above
        0.
    max_iter : int, default=5000
        Maximum number of sweeps of the joint diagonalization.
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    filters_ : ndarray of shape (n_channels, n_filters)
        Spatial filters, one per column.
    patterns_ : ndarray of shape (n_channels, n_filters)
        Pattern of the source of each filter at the channels, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.datasets.make("syn1", per_class=20)
    >>> rao.CSP().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "csp"

    def __init__(
        self,
        *,
        filters: int = 4,
        keep_power: bool = False,
        metric: str = "euclid",
        shrinkage: float = 0.0,
        one_versus_rest: bool = False,
        classifier: str | None = "lda-raw",
        tol: float = 1e-09,
        max_iter: int = 5000,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.keep_power = keep_power
        self.metric = metric
        self.shrinkage = shrinkage
        self.one_versus_rest = one_versus_rest
        self.classifier = classifier
        self.tol = tol
        self.max_iter = max_iter
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class ENuc(Spatial, Transforming, Matrices):
    """Logistic regression in the tangent space whose coefficients are a few spatial patterns per class.

    The method enuc of the command-line tool rao.

    Parameters
    ----------
    metric : {"riemann", "logeuclid"}, default="riemann"
        Metric of the tangent space.
    nuclear : float, default=0.015
        Weight of the nuclear norms, which keep few patterns per class; useful between 0.01 and 0.02; from 0 to
        1000.
    l2 : float, default=0.02
        Weight of the ridge penalty (half the sum of squares); useful between 0.01 and 0.03; from 0 to 1000.
    calibration : int, default=5
        Number of folds that calibrate the probabilities; 0 does not calibrate them; from 0 to 10000.
    tol : float, default=0.0001
        Stop when no coefficient changes by more than this in a step; above 0.
    max_iter : int, default=500
        Maximum number of steps.
    seed : int, default=1
        Seed of the random numbers.
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    filters_ : ndarray of shape (n_channels, n_filters)
        Spatial filters, one per column.
    patterns_ : ndarray of shape (n_channels, n_filters)
        Pattern of the source of each filter at the channels, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.datasets.make("syn1", per_class=20)
    >>> rao.ENuc().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "enuc"

    def __init__(
        self,
        *,
        metric: Literal["riemann", "logeuclid"] = "riemann",
        nuclear: float = 0.015,
        l2: float = 0.02,
        calibration: int = 5,
        tol: float = 0.0001,
        max_iter: int = 500,
        seed: int = 1,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.metric = metric
        self.nuclear = nuclear
        self.l2 = l2
        self.calibration = calibration
        self.tol = tol
        self.max_iter = max_iter
        self.seed = seed
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class FactorAnalysis(Accumulating, Transforming, Vectors):
    """Factor analysis: directions of variance that columns share, beyond the noise of each column.

    The method fa of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    em : bool, default=False
        Use the EM algorithm instead of L-BFGS.
    tol : float, default=1e-09
        Stop when the mean log-likelihood per row changes by less than this; above 0.
    max_iter : int or {"auto"}, default="auto"
        Maximum number of iterations; auto uses 1000, or 20000 with em.
    loadings : bool, default=False
        Use the loadings as filters, instead of the posterior means of the factors.
    noise_floor : float, default=1e-12
        Smallest noise variance of a column; above 0.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    class_weight : dict[Any, float] or {"balanced"} or None, default=None
        Weight of each class; balanced gives all classes the same weight.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.FactorAnalysis().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "fa"
    _poor_score = True  # two columns give one factor, which cannot separate three classes

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        em: bool = False,
        tol: float = 1e-09,
        max_iter: int | Literal["auto"] = "auto",
        loadings: bool = False,
        noise_floor: float = 1e-12,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.em = em
        self.tol = tol
        self.max_iter = max_iter
        self.loadings = loadings
        self.noise_floor = noise_floor
        self.scale = scale
        self.center = center
        self.class_weight = class_weight
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class FastICA(Transforming, Vectors):
    """Independent components (FastICA).

    The method ica of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    init : array of shape (n_features, filters) or {"auto", "pca", "random"}, default="auto"
        Initial filters; auto uses random combinations of the principal components.
    contrast : {"logcosh", "exp", "cube"}, default="logcosh"
        Contrast function.
    deflation : bool, default=False
        Extract the components one by one instead of all together.
    tol : float, default=1e-05
        Stop when the directions change by less than this, as 1 - |cos|; above 0.
    max_iter : int, default=1000
        Maximum number of iterations.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.FastICA().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "ica"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        init: np.ndarray | Literal["auto", "pca", "random"] = "auto",
        contrast: Literal["logcosh", "exp", "cube"] = "logcosh",
        deflation: bool = False,
        tol: float = 1e-05,
        max_iter: int = 1000,
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.init = init
        self.contrast = contrast
        self.deflation = deflation
        self.tol = tol
        self.max_iter = max_iter
        self.seed = seed
        self.scale = scale
        self.center = center
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class FgMDM(Spatial, Transforming, Matrices):
    """Minimum distance to the class means after geodesic filters.

    The method fgmdm of the command-line tool rao.

    Parameters
    ----------
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="ledoit_wolf"
        Shrinkage of the covariance of the tangent vectors: None, oas, ledoit_wolf, or an amount from 0 to 1.
    classifier : str or None, default="mdm"
        Classifier of the mapped matrices: any matrix method with its options, or None. Methods and options have
        the names of the tool, such as "knn-spd:neighbors=3".
    mean_tol : float, default=1e-09
        Stop the iteration of a mean of matrices at this norm of the mean tangent vector, or with the metrics
        wasserstein and logdet at this relative change; pyRiemann uses 1e-8; above 0 and up to 1.
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    filters_ : ndarray of shape (n_channels, n_filters)
        Spatial filters, one per column.
    patterns_ : ndarray of shape (n_channels, n_filters)
        Pattern of the source of each filter at the channels, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.datasets.make("syn1", per_class=20)
    >>> rao.FgMDM().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "fgmdm"

    def __init__(
        self,
        *,
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "ledoit_wolf",
        classifier: str | None = "mdm",
        mean_tol: float = 1e-09,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.shrinkage = shrinkage
        self.classifier = classifier
        self.mean_tol = mean_tol
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class FisherTSSM(Transforming, Matrices):
    """Tangent space of a submanifold that separates the classes by Fisher's ratio.

    The method tssm-fisher of the command-line tool rao.

    Parameters
    ----------
    tol : float, default=0.0001
        Stop the search for the submanifold when the gradient has a smaller norm than this; above 0.
    max_iter : int, default=200
        Maximum number of iterations.
    reduced_order : int or {"auto"}, default="auto"
        Order of the smaller matrices; auto uses two thirds of the original order; from 1 to 100000.
    classifier : str or None, default="tslda"
        Classifier of the smaller matrices: tslda, tssvm, or any matrix method with its options, or None. Methods
        and options have the names of the tool, such as "knn-spd:neighbors=3".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="ledoit_wolf"
        Shrinkage of the covariance of the tangent vectors: None, oas, ledoit_wolf, or an amount from 0 to 1. Used
        only with classifier="tslda".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="empirical"
        Class priors: empirical (the class proportions), uniform, or a sequence of numbers. Used only with
        classifier="tslda".
    c : float, default=1.0
        Largest weight of a training observation in the support vector machine; above 0. Used only with
        classifier="tssvm".
    calibration : int, default=5
        Number of folds that calibrate the probabilities of support vector machines; from 2 to 10000. Used only
        with classifier="tssvm".
    seed : int, default=1
        Seed of the random numbers.
    mean_tol : float, default=1e-09
        Stop the iteration of a mean of matrices at this norm of the mean tangent vector, or with the metrics
        wasserstein and logdet at this relative change; pyRiemann uses 1e-8; above 0 and up to 1.
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    >>> rao.FisherTSSM().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "tssm-fisher"

    def __init__(
        self,
        *,
        tol: float = 0.0001,
        max_iter: int = 200,
        reduced_order: int | Literal["auto"] = "auto",
        classifier: str | None = "tslda",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "ledoit_wolf",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "empirical",
        c: float = 1.0,
        calibration: int = 5,
        seed: int = 1,
        mean_tol: float = 1e-09,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.reduced_order = reduced_order
        self.classifier = classifier
        self.shrinkage = shrinkage
        self.priors = priors
        self.c = c
        self.calibration = calibration
        self.seed = seed
        self.mean_tol = mean_tol
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class GAPCA(Transforming, Matrices):
    """Geometry-aware principal components: smaller matrices that keep the spread.

    The method gapca of the command-line tool rao.

    Parameters
    ----------
    reduced_order : int or {"auto"}, default="auto"
        Order of the smaller matrices; auto uses two thirds of the original order; from 1 to 100000.
    classifier : str or None, default="mdm"
        Classifier of the mapped matrices: any matrix method with its options, or None. Methods and options have
        the names of the tool, such as "knn-spd:neighbors=3".
    tol : float, default=1e-08
        Stop when the objective changes by a smaller share than this; above 0.
    max_iter : int, default=200
        Maximum number of iterations.
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    >>> rao.GAPCA().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "gapca"

    def __init__(
        self,
        *,
        reduced_order: int | Literal["auto"] = "auto",
        classifier: str | None = "mdm",
        tol: float = 1e-08,
        max_iter: int = 200,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.reduced_order = reduced_order
        self.classifier = classifier
        self.tol = tol
        self.max_iter = max_iter
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class GEM(Accumulating, Transforming, Vectors):
    """Generalized eigenvectors of pairs of classes.

    The method gem of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    ridge : float, default=0.05
        Ridge added to the second moments in the denominator, as a share of their mean; above 0.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    class_weight : dict[Any, float] or {"balanced"} or None, default=None
        Weight of each class; balanced gives all classes the same weight.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.GEM().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "gem"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        ridge: float = 0.05,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.ridge = ridge
        self.scale = scale
        self.center = center
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.class_weight = class_weight
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class GLVQ(Vectors):
    """Prototypes of the raw vectors by relative distances (GLVQ).

    The method glvq-raw of the command-line tool rao.

    Parameters
    ----------
    prototypes : int, default=1
        Prototypes per class; from 1 to 100000.
    init : {"auto", "means", "kmeans"}, default="auto"
        Initial prototypes; auto uses kmeans if a class has several.
    epochs : int, default=100
        Passes over the data.
    learning_rate : float or {"auto"}, default="auto"
        Initial learning rate; auto uses a hundredth of the dimension; above 0.
    calibration : int, default=5
        Number of folds that calibrate the probabilities; 0 does not calibrate them; from 0 to 10000.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.GLVQ().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "glvq-raw"

    def __init__(
        self,
        *,
        prototypes: int = 1,
        init: Literal["auto", "means", "kmeans"] = "auto",
        epochs: int = 100,
        learning_rate: float | Literal["auto"] = "auto",
        calibration: int = 5,
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.prototypes = prototypes
        self.init = init
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.calibration = calibration
        self.seed = seed
        self.scale = scale
        self.center = center
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class GMLVQ(Vectors):
    """Prototypes of the raw vectors with a learned quadratic distance (GMLVQ).

    The method gmlvq-raw of the command-line tool rao.

    Parameters
    ----------
    prototypes : int, default=1
        Prototypes per class; from 1 to 100000.
    init : {"auto", "means", "kmeans"}, default="auto"
        Initial prototypes; auto uses kmeans if a class has several.
    epochs : int, default=100
        Passes over the data.
    learning_rate : float or {"auto"}, default="auto"
        Initial learning rate; auto uses a hundredth of the dimension; above 0.
    calibration : int, default=5
        Number of folds that calibrate the probabilities; 0 does not calibrate them; from 0 to 10000.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.GMLVQ().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "gmlvq-raw"

    def __init__(
        self,
        *,
        prototypes: int = 1,
        init: Literal["auto", "means", "kmeans"] = "auto",
        epochs: int = 100,
        learning_rate: float | Literal["auto"] = "auto",
        calibration: int = 5,
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.prototypes = prototypes
        self.init = init
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.calibration = calibration
        self.seed = seed
        self.scale = scale
        self.center = center
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class KNN(Online, Vectors):
    """Nearest neighbors of the raw vectors, without filters.

    The method knn-raw of the command-line tool rao.

    Parameters
    ----------
    neighbors : int, default=5
        Number of neighbors.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.KNN().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "knn-raw"

    def __init__(
        self,
        *,
        neighbors: int = 5,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.neighbors = neighbors
        self.scale = scale
        self.center = center
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class LDA(Accumulating, Vectors):
    """Linear classifier of the raw vectors, without filters.

    The method lda-raw of the command-line tool rao.

    Parameters
    ----------
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    class_weight : dict[Any, float] or {"balanced"} or None, default=None
        Weight of each class; balanced gives all classes the same weight.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.LDA().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "lda-raw"

    def __init__(
        self,
        *,
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.scale = scale
        self.center = center
        self.class_weight = class_weight
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class LDAFilters(Accumulating, Transforming, Vectors):
    """Linear discriminants: directions that separate the class means relative to the spread within classes.

    The method lda of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    class_weight : dict[Any, float] or {"balanced"} or None, default=None
        Weight of each class; balanced gives all classes the same weight.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.LDAFilters().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "lda"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.scale = scale
        self.center = center
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.class_weight = class_weight
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class LFDA(Transforming, Vectors):
    """Local Fisher discriminants: classes may have several clusters.

    The method lfda of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    local_neighbor : int, default=7
        Which nearest neighbor sets the local scale of a row.
    scatter_shrinkage : float, default=0.1
        Shrinkage of the within-class scatter; from 0 to 1.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.LFDA().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "lfda"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        local_neighbor: int = 7,
        scatter_shrinkage: float = 0.1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.local_neighbor = local_neighbor
        self.scatter_shrinkage = scatter_shrinkage
        self.scale = scale
        self.center = center
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class LGMLVQ(Vectors):
    """Prototypes of the raw vectors, each with its own quadratic distance (localized GMLVQ).

    The method lgmlvq-raw of the command-line tool rao.

    Parameters
    ----------
    prototypes : int, default=1
        Prototypes per class; from 1 to 100000.
    init : {"auto", "means", "kmeans"}, default="auto"
        Initial prototypes; auto uses kmeans if a class has several.
    epochs : int, default=100
        Passes over the data.
    learning_rate : float or {"auto"}, default="auto"
        Initial learning rate; auto uses a hundredth of the dimension; above 0.
    calibration : int, default=5
        Number of folds that calibrate the probabilities; 0 does not calibrate them; from 0 to 10000.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.LGMLVQ().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "lgmlvq-raw"

    def __init__(
        self,
        *,
        prototypes: int = 1,
        init: Literal["auto", "means", "kmeans"] = "auto",
        epochs: int = 100,
        learning_rate: float | Literal["auto"] = "auto",
        calibration: int = 5,
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.prototypes = prototypes
        self.init = init
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.calibration = calibration
        self.seed = seed
        self.scale = scale
        self.center = center
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class LMNN(Transforming, Vectors):
    """Large-margin nearest neighbors.

    The method lmnn of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    init : array of shape (n_features, filters) or {"auto", "pca", "random"}, default="auto"
        Initial filters; auto uses discriminants, or principal components if there are fewer discriminants than
        filters.
    target_neighbors : int, default=3
        Number of target neighbors of the same class per row; from 1 to 100000.
    input_targets : bool, default=False
        Choose the target neighbors in the input space, not in feature space.
    push : float, default=0.5
        Weight of pushing other classes away, relative to pulling targets closer; below 1; above 0 and up to 1.
    impostors : int, default=100
        Maximum number of rows of other classes compared with one row.
    rounds : int, default=30
        Number of neighbor searches.
    inner : int, default=8
        Iterations between two neighbor searches.
    components : int or {"auto"} or None, default=None
        Number of leading principal components in which the filters are learned.
    start_rows : int or {"auto"} or None, default="auto"
        Number of rows for a first fit, from which the fit on all rows starts; auto does this when there are many
        rows.
    tol : float, default=0.02
        Stop when the cost changes by a smaller share than this from round to round; above 0.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.LMNN().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "lmnn"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        init: np.ndarray | Literal["auto", "pca", "random"] = "auto",
        target_neighbors: int = 3,
        input_targets: bool = False,
        push: float = 0.5,
        impostors: int = 100,
        rounds: int = 30,
        inner: int = 8,
        components: int | Literal["auto"] | None = None,
        start_rows: int | Literal["auto"] | None = "auto",
        tol: float = 0.02,
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.init = init
        self.target_neighbors = target_neighbors
        self.input_targets = input_targets
        self.push = push
        self.impostors = impostors
        self.rounds = rounds
        self.inner = inner
        self.components = components
        self.start_rows = start_rows
        self.tol = tol
        self.seed = seed
        self.scale = scale
        self.center = center
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class LogEuclideanPLRSQ(Online, Matrices):
    """Prototypes in the log-Euclidean metric.

    The method plrsq-le of the command-line tool rao.

    Parameters
    ----------
    prototypes : int, default=1
        Prototypes per class; from 1 to 100000.
    sigma2 : float or {"auto"}, default="auto"
        Dispersion of the prototypes, a squared distance; auto chooses it together with epochs, or uses half the
        median squared distance if a training option is given; above 0.
    anneal : {"published", "fixed", "monotone", "learned"} or None, default=None
        How the dispersion changes; fixed is like published, with a constant factor.
    schedule : {"published", "adaptive"}, default="published"
        How the learning rate changes.
    init : {"auto", "means", "kmeans"}, default="auto"
        Initial prototypes; auto uses kmeans if a class has several.
    epochs : int or {"auto"}, default="auto"
        Passes over the data; auto chooses 0 to 30 on held-out folds, together with sigma2 and learning_rate; if a
        training option is given it uses the published 100, or fewer above 3000 observations.
    learning_rate : float or {"auto"}, default="auto"
        Initial learning rate; auto: see epochs, or the method's default; above 0.
    batch : int, default=1
        Observations per gradient step.
    validation : float, default=0.0
        Share of the data held out for early stopping; from 0 to 0.5.
    calibration : int, default=5
        Number of folds that calibrate the probabilities; 0 does not calibrate them; from 0 to 10000.
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="uniform"
        Class priors: empirical (the class proportions), uniform, or a sequence of numbers.
    decision : {"posterior", "nearest"}, default="posterior"
        Decide by the posterior of all prototypes of a class, or by the nearest prototype; the probabilities agree
        with the decision.
    soft_labels : str or None, default=None
        Npy file of label probabilities to learn from instead of labels, observations × classes in the order of
        the classes.
    reject_error : float, default=0.0
        Reject the least certain decisions until at most this share of the accepted held-out decisions is wrong; 0
        rejects none; from 0 to 1.
    reject_coverage : float, default=0.0
        Reject the least certain decisions and accept this share of held-out decisions; 0 rejects none; from 0 to
        1.
    reject_outliers : float, default=0.0
        Reject observations farther from every prototype than this quantile of held-out distances, such as 0.99; 0
        rejects none; from 0 to 1.
    seed : int, default=1
        Seed of the random numbers.
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    >>> rao.LogEuclideanPLRSQ().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "plrsq-le"

    def __init__(
        self,
        *,
        prototypes: int = 1,
        sigma2: float | Literal["auto"] = "auto",
        anneal: Literal["published", "fixed", "monotone", "learned"] | None = None,
        schedule: Literal["published", "adaptive"] = "published",
        init: Literal["auto", "means", "kmeans"] = "auto",
        epochs: int | Literal["auto"] = "auto",
        learning_rate: float | Literal["auto"] = "auto",
        batch: int = 1,
        validation: float = 0.0,
        calibration: int = 5,
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "uniform",
        decision: Literal["posterior", "nearest"] = "posterior",
        soft_labels: str | None = None,
        reject_error: float = 0.0,
        reject_coverage: float = 0.0,
        reject_outliers: float = 0.0,
        seed: int = 1,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.prototypes = prototypes
        self.sigma2 = sigma2
        self.anneal = anneal
        self.schedule = schedule
        self.init = init
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch = batch
        self.validation = validation
        self.calibration = calibration
        self.priors = priors
        self.decision = decision
        self.soft_labels = soft_labels
        self.reject_error = reject_error
        self.reject_coverage = reject_coverage
        self.reject_outliers = reject_outliers
        self.seed = seed
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class Logistic(Vectors):
    """Logistic regression on the raw vectors.

    The method logistic-raw of the command-line tool rao.

    Parameters
    ----------
    c : float, default=1.0
        Inverse strength of the penalty; above 0.
    tol : float, default=1e-06
        Stop when the gradient of the mean loss has a smaller norm than this; above 0.
    max_iter : int, default=1000
        Maximum number of iterations.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.Logistic().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "logistic-raw"

    def __init__(
        self,
        *,
        c: float = 1.0,
        tol: float = 1e-06,
        max_iter: int = 1000,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.c = c
        self.tol = tol
        self.max_iter = max_iter
        self.scale = scale
        self.center = center
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class MDM(NearestMeans, Online, Matrices):
    """Minimum distance to the class means.

    The method mdm of the command-line tool rao.

    Parameters
    ----------
    metric : {"riemann", "logeuclid", "euclid", "wasserstein", "kullback_sym", "logdet", "chol", "logchol", "harmonic"}, default="riemann"
        Metric of the means and distances.
    target : str or None, default=None
        Person with few labeled trials, as in the argument recordings of fit: the means of all other rows move
        towards the means of these rows (MDWM).
    tradeoff : float or {"auto"}, default="auto"
        How far the means move from those of the other people (0) towards those of target (1), the tradeoff of
        MDWM; auto uses 0.5; above 0 and up to 1.
    mean_tol : float, default=1e-09
        Stop the iteration of a mean of matrices at this norm of the mean tangent vector, or with the metrics
        wasserstein and logdet at this relative change; pyRiemann uses 1e-8; above 0 and up to 1. Used only with
        metric="riemann", "wasserstein" or "logdet".
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    covmeans_ : ndarray of shape (n_classes, order, order)
        The class means.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.datasets.make("syn1", per_class=20)
    >>> rao.MDM().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "mdm"

    def __init__(
        self,
        *,
        metric: Literal["riemann", "logeuclid", "euclid", "wasserstein", "kullback_sym", "logdet", "chol", "logchol", "harmonic"] = "riemann",
        target: str | None = None,
        tradeoff: float | Literal["auto"] = "auto",
        mean_tol: float = 1e-09,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.metric = metric
        self.target = target
        self.tradeoff = tradeoff
        self.mean_tol = mean_tol
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class MatrixGMLVQ(Matrices):
    """Prototypes with a learned quadratic distance, on the matrices as vectors.

    The method gmlvq-spd of the command-line tool rao.

    Parameters
    ----------
    metric : {"logeuclid", "euclid", "chol", "logchol", "harmonic"}, default="euclid"
        Metric in which matrices become vectors; euclid uses their entries.
    prototypes : int, default=1
        Prototypes per class; from 1 to 100000.
    init : {"auto", "means", "kmeans"}, default="auto"
        Initial prototypes; auto uses kmeans if a class has several.
    epochs : int, default=100
        Passes over the data.
    learning_rate : float or {"auto"}, default="auto"
        Initial learning rate; auto uses a hundredth of the dimension; above 0.
    calibration : int, default=5
        Number of folds that calibrate the probabilities; 0 does not calibrate them; from 0 to 10000.
    seed : int, default=1
        Seed of the random numbers.
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    >>> rao.MatrixGMLVQ().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "gmlvq-spd"

    def __init__(
        self,
        *,
        metric: Literal["logeuclid", "euclid", "chol", "logchol", "harmonic"] = "euclid",
        prototypes: int = 1,
        init: Literal["auto", "means", "kmeans"] = "auto",
        epochs: int = 100,
        learning_rate: float | Literal["auto"] = "auto",
        calibration: int = 5,
        seed: int = 1,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.metric = metric
        self.prototypes = prototypes
        self.init = init
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.calibration = calibration
        self.seed = seed
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class MatrixKNN(Online, Matrices):
    """Nearest neighbors on the manifold.

    The method knn-spd of the command-line tool rao.

    Parameters
    ----------
    metric : {"riemann", "logeuclid", "euclid", "wasserstein", "kullback_sym", "logdet", "chol", "logchol", "harmonic"}, default="riemann"
        Metric of the distances.
    neighbors : int, default=5
        Number of neighbors.
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    >>> rao.MatrixKNN().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "knn-spd"

    def __init__(
        self,
        *,
        metric: Literal["riemann", "logeuclid", "euclid", "wasserstein", "kullback_sym", "logdet", "chol", "logchol", "harmonic"] = "riemann",
        neighbors: int = 5,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.metric = metric
        self.neighbors = neighbors
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class MatrixRSLVQ(Online, Matrices):
    """Prototypes of the matrix entries, projected back to SPD matrices.

    The method rslvq of the command-line tool rao.

    Parameters
    ----------
    prototypes : int, default=1
        Prototypes per class; from 1 to 100000.
    sigma2 : float or {"auto"}, default="auto"
        Dispersion of the prototypes, a squared distance; auto chooses it together with epochs, or uses half the
        median squared distance if a training option is given; above 0.
    anneal : {"published", "fixed", "monotone", "learned"} or None, default=None
        How the dispersion changes; fixed is like published, with a constant factor.
    schedule : {"published", "adaptive"}, default="published"
        How the learning rate changes.
    init : {"auto", "means", "kmeans"}, default="auto"
        Initial prototypes; auto uses kmeans if a class has several.
    epochs : int or {"auto"}, default="auto"
        Passes over the data; auto chooses 0 to 30 on held-out folds, together with sigma2 and learning_rate; if a
        training option is given it uses the published 100, or fewer above 3000 observations.
    learning_rate : float or {"auto"}, default="auto"
        Initial learning rate; auto: see epochs, or the method's default; above 0.
    batch : int, default=1
        Observations per gradient step.
    validation : float, default=0.0
        Share of the data held out for early stopping; from 0 to 0.5.
    calibration : int, default=5
        Number of folds that calibrate the probabilities; 0 does not calibrate them; from 0 to 10000.
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="uniform"
        Class priors: empirical (the class proportions), uniform, or a sequence of numbers.
    decision : {"posterior", "nearest"}, default="posterior"
        Decide by the posterior of all prototypes of a class, or by the nearest prototype; the probabilities agree
        with the decision.
    soft_labels : str or None, default=None
        Npy file of label probabilities to learn from instead of labels, observations × classes in the order of
        the classes.
    reject_error : float, default=0.0
        Reject the least certain decisions until at most this share of the accepted held-out decisions is wrong; 0
        rejects none; from 0 to 1.
    reject_coverage : float, default=0.0
        Reject the least certain decisions and accept this share of held-out decisions; 0 rejects none; from 0 to
        1.
    reject_outliers : float, default=0.0
        Reject observations farther from every prototype than this quantile of held-out distances, such as 0.99; 0
        rejects none; from 0 to 1.
    seed : int, default=1
        Seed of the random numbers.
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    >>> rao.MatrixRSLVQ().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "rslvq"

    def __init__(
        self,
        *,
        prototypes: int = 1,
        sigma2: float | Literal["auto"] = "auto",
        anneal: Literal["published", "fixed", "monotone", "learned"] | None = None,
        schedule: Literal["published", "adaptive"] = "published",
        init: Literal["auto", "means", "kmeans"] = "auto",
        epochs: int | Literal["auto"] = "auto",
        learning_rate: float | Literal["auto"] = "auto",
        batch: int = 1,
        validation: float = 0.0,
        calibration: int = 5,
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "uniform",
        decision: Literal["posterior", "nearest"] = "posterior",
        soft_labels: str | None = None,
        reject_error: float = 0.0,
        reject_coverage: float = 0.0,
        reject_outliers: float = 0.0,
        seed: int = 1,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.prototypes = prototypes
        self.sigma2 = sigma2
        self.anneal = anneal
        self.schedule = schedule
        self.init = init
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch = batch
        self.validation = validation
        self.calibration = calibration
        self.priors = priors
        self.decision = decision
        self.soft_labels = soft_labels
        self.reject_error = reject_error
        self.reject_coverage = reject_coverage
        self.reject_outliers = reject_outliers
        self.seed = seed
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class MatrixSVM(Matrices):
    """Support vector machine with a Gaussian kernel on matrices.

    The method svm-spd of the command-line tool rao.

    Parameters
    ----------
    metric : {"logeuclid", "euclid", "chol", "logchol", "harmonic"}, default="logeuclid"
        Metric of the kernel.
    gamma : float or {"auto"}, default="auto"
        Gamma of the kernel exp(-gamma d²); auto uses 1 over the median squared distance.
    tol : float, default=0.001
        Stop when the optimality conditions are violated by less than this; above 0.
    max_iter : int, default=100000
        Maximum number of steps for each pair of classes.
    c : float, default=1.0
        Largest weight of a training observation in the support vector machine; above 0.
    calibration : int, default=5
        Number of folds that calibrate the probabilities of support vector machines; from 2 to 10000.
    seed : int, default=1
        Seed of the random numbers.
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    >>> rao.MatrixSVM().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "svm-spd"

    def __init__(
        self,
        *,
        metric: Literal["logeuclid", "euclid", "chol", "logchol", "harmonic"] = "logeuclid",
        gamma: float | Literal["auto"] = "auto",
        tol: float = 0.001,
        max_iter: int = 100000,
        c: float = 1.0,
        calibration: int = 5,
        seed: int = 1,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.metric = metric
        self.gamma = gamma
        self.tol = tol
        self.max_iter = max_iter
        self.c = c
        self.calibration = calibration
        self.seed = seed
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class Mixture(Vectors):
    """Discriminant analysis with mixtures of Gaussians, without filters.

    The method mixture-raw of the command-line tool rao.

    Parameters
    ----------
    subclasses : int or {"auto"}, default="auto"
        Maximum number of Gaussians per class; auto uses one for every 50 rows, up to 16.
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical.
    noise : float or {"auto"}, default="auto"
        Variance added to every direction of the components; auto adds none, or 0.5 of the scaled variance if a
        component does not vary in some direction.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.Mixture().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "mixture-raw"

    def __init__(
        self,
        *,
        subclasses: int | Literal["auto"] = "auto",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        noise: float | Literal["auto"] = "auto",
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.subclasses = subclasses
        self.priors = priors
        self.noise = noise
        self.seed = seed
        self.scale = scale
        self.center = center
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class NCA(Transforming, Vectors):
    """Neighborhood components: soft nearest neighbors.

    The method nca of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    init : array of shape (n_features, filters) or {"auto", "pca", "random"}, default="auto"
        Initial filters; auto uses principal components.
    start_rows : int or {"auto"} or None, default="auto"
        Number of rows for a first fit, from which the fit on all rows starts; auto does this when there are many
        rows.
    tol : float, default=1e-05
        Stop when the objective changes by less than this; above 0.
    max_iter : int or {"auto"}, default="auto"
        Maximum number of iterations; auto uses 100, or 10 after a first fit on some rows.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.NCA().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "nca"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        init: np.ndarray | Literal["auto", "pca", "random"] = "auto",
        start_rows: int | Literal["auto"] | None = "auto",
        tol: float = 1e-05,
        max_iter: int | Literal["auto"] = "auto",
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.init = init
        self.start_rows = start_rows
        self.tol = tol
        self.max_iter = max_iter
        self.seed = seed
        self.scale = scale
        self.center = center
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class PCA(Accumulating, Transforming, Vectors):
    """Principal components: directions of largest variance.

    The method pca of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    class_weight : dict[Any, float] or {"balanced"} or None, default=None
        Weight of each class; balanced gives all classes the same weight.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.PCA().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "pca"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.scale = scale
        self.center = center
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.class_weight = class_weight
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class PLRSQ(Online, Matrices):
    """Prototypes on the manifold of SPD matrices.

    The method plrsq of the command-line tool rao.

    Parameters
    ----------
    metric : {"riemann", "logeuclid", "euclid", "chol", "logchol", "harmonic"}, default="riemann"
        Metric of the distances; except in riemann, prototypes move in straight lines.
    prototypes : int, default=1
        Prototypes per class; from 1 to 100000.
    sigma2 : float or {"auto"}, default="auto"
        Dispersion of the prototypes, a squared distance; auto chooses it together with epochs, or uses half the
        median squared distance if a training option is given; above 0.
    anneal : {"published", "fixed", "monotone", "learned"} or None, default=None
        How the dispersion changes; fixed is like published, with a constant factor.
    schedule : {"published", "adaptive"}, default="published"
        How the learning rate changes.
    init : {"auto", "means", "kmeans"}, default="auto"
        Initial prototypes; auto uses kmeans if a class has several.
    epochs : int or {"auto"}, default="auto"
        Passes over the data; auto chooses 0 to 30 on held-out folds, together with sigma2 and learning_rate; if a
        training option is given it uses the published 100, or fewer above 3000 observations.
    learning_rate : float or {"auto"}, default="auto"
        Initial learning rate; auto: see epochs, or the method's default; above 0.
    batch : int, default=1
        Observations per gradient step.
    validation : float, default=0.0
        Share of the data held out for early stopping; from 0 to 0.5.
    calibration : int, default=5
        Number of folds that calibrate the probabilities; 0 does not calibrate them; from 0 to 10000.
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="uniform"
        Class priors: empirical (the class proportions), uniform, or a sequence of numbers.
    decision : {"posterior", "nearest"}, default="posterior"
        Decide by the posterior of all prototypes of a class, or by the nearest prototype; the probabilities agree
        with the decision.
    soft_labels : str or None, default=None
        Npy file of label probabilities to learn from instead of labels, observations × classes in the order of
        the classes.
    reject_error : float, default=0.0
        Reject the least certain decisions until at most this share of the accepted held-out decisions is wrong; 0
        rejects none; from 0 to 1.
    reject_coverage : float, default=0.0
        Reject the least certain decisions and accept this share of held-out decisions; 0 rejects none; from 0 to
        1.
    reject_outliers : float, default=0.0
        Reject observations farther from every prototype than this quantile of held-out distances, such as 0.99; 0
        rejects none; from 0 to 1.
    seed : int, default=1
        Seed of the random numbers.
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    >>> rao.PLRSQ().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "plrsq"

    def __init__(
        self,
        *,
        metric: Literal["riemann", "logeuclid", "euclid", "chol", "logchol", "harmonic"] = "riemann",
        prototypes: int = 1,
        sigma2: float | Literal["auto"] = "auto",
        anneal: Literal["published", "fixed", "monotone", "learned"] | None = None,
        schedule: Literal["published", "adaptive"] = "published",
        init: Literal["auto", "means", "kmeans"] = "auto",
        epochs: int | Literal["auto"] = "auto",
        learning_rate: float | Literal["auto"] = "auto",
        batch: int = 1,
        validation: float = 0.0,
        calibration: int = 5,
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "uniform",
        decision: Literal["posterior", "nearest"] = "posterior",
        soft_labels: str | None = None,
        reject_error: float = 0.0,
        reject_coverage: float = 0.0,
        reject_outliers: float = 0.0,
        seed: int = 1,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.metric = metric
        self.prototypes = prototypes
        self.sigma2 = sigma2
        self.anneal = anneal
        self.schedule = schedule
        self.init = init
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch = batch
        self.validation = validation
        self.calibration = calibration
        self.priors = priors
        self.decision = decision
        self.soft_labels = soft_labels
        self.reject_error = reject_error
        self.reject_coverage = reject_coverage
        self.reject_outliers = reject_outliers
        self.seed = seed
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class QDA(Accumulating, Vectors):
    """Quadratic classifier of the raw vectors, without filters.

    The method qda-raw of the command-line tool rao.

    Parameters
    ----------
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the class covariances; from 0 to 1.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    class_weight : dict[Any, float] or {"balanced"} or None, default=None
        Weight of each class; balanced gives all classes the same weight.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.QDA().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "qda-raw"

    def __init__(
        self,
        *,
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.scale = scale
        self.center = center
        self.class_weight = class_weight
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class RSLVQ(Vectors):
    """Probabilistic prototypes of the raw vectors (RSLVQ).

    The method rslvq-raw of the command-line tool rao.

    Parameters
    ----------
    prototypes : int, default=1
        Prototypes per class; from 1 to 100000.
    sigma2 : float or {"auto"}, default="auto"
        Dispersion of the prototypes, a squared distance; auto chooses it together with epochs, or uses half the
        median squared distance if a training option is given; above 0.
    anneal : {"published", "fixed", "monotone", "learned"} or None, default=None
        How the dispersion changes; fixed is like published, with a constant factor.
    schedule : {"published", "adaptive"}, default="published"
        How the learning rate changes.
    init : {"auto", "means", "kmeans"}, default="auto"
        Initial prototypes; auto uses kmeans if a class has several.
    epochs : int or {"auto"}, default="auto"
        Passes over the data; auto chooses 0 to 30 on held-out folds, together with sigma2 and learning_rate; if a
        training option is given it uses the published 100, or fewer above 3000 observations.
    learning_rate : float or {"auto"}, default="auto"
        Initial learning rate; auto: see epochs, or the method's default; above 0.
    batch : int, default=1
        Observations per gradient step.
    validation : float, default=0.0
        Share of the data held out for early stopping; from 0 to 0.5.
    calibration : int, default=5
        Number of folds that calibrate the probabilities; 0 does not calibrate them; from 0 to 10000.
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="uniform"
        Class priors: empirical (the class proportions), uniform, or a sequence of numbers.
    decision : {"posterior", "nearest"}, default="posterior"
        Decide by the posterior of all prototypes of a class, or by the nearest prototype; the probabilities agree
        with the decision.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.RSLVQ().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "rslvq-raw"

    def __init__(
        self,
        *,
        prototypes: int = 1,
        sigma2: float | Literal["auto"] = "auto",
        anneal: Literal["published", "fixed", "monotone", "learned"] | None = None,
        schedule: Literal["published", "adaptive"] = "published",
        init: Literal["auto", "means", "kmeans"] = "auto",
        epochs: int | Literal["auto"] = "auto",
        learning_rate: float | Literal["auto"] = "auto",
        batch: int = 1,
        validation: float = 0.0,
        calibration: int = 5,
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "uniform",
        decision: Literal["posterior", "nearest"] = "posterior",
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.prototypes = prototypes
        self.sigma2 = sigma2
        self.anneal = anneal
        self.schedule = schedule
        self.init = init
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch = batch
        self.validation = validation
        self.calibration = calibration
        self.priors = priors
        self.decision = decision
        self.seed = seed
        self.scale = scale
        self.center = center
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class SQFA(Accumulating, Transforming, Vectors):
    """Filters that push the classes' Gaussians apart in Fisher-Rao distance.

    The method sqfa of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    noise : float or {"auto"}, default="auto"
        Feature noise: a variance in squared units of the scaled data; auto chooses it by validation, and uses 0.5
        of the scaled variance for sub-classes.
    distance : {"auto", "calvo_oller", "riemann", "logeuclid", "bhattacharyya", "chernoff", "chernoff_best", "hellinger", "jeffreys", "wasserstein", "wasserstein_normalized", "euclid", "mahalanobis", "fisher_rao"} or callable, default="auto"
        Dissimilarity between classes; auto uses calvo_oller for SQFA, riemann for SecondMomentsSQFA and
        bhattacharyya for BDM and aggregate="bayes". A callable takes mean_a, cov_a, mean_b and cov_b of two
        classes, and returns the distance and its derivatives, value, (d_mean_a, d_cov_a, d_mean_b, d_cov_b); it is
        called for each pair and step, which is slow. See rao.torch_distance.
    aggregate : {"auto", "mean", "softmin", "bayes"}, default="auto"
        How pairs of classes are combined; auto uses mean, and bayes for sub-classes and for more than 30 classes.
    subclasses : int or {"auto"}, default=1
        Maximum number of Gaussians per class; auto uses one for every 50 rows, up to 16.
    beta : float, default=3.0
        Sharpness of softmin; above 0. Used only with aggregate="softmin".
    init : array of shape (n_features, filters) or {"auto", "pca", "random"}, default="auto"
        Initial filters; auto uses the best of principal components, discriminants, directions in which the classes
        differ most, and random filters.
    starts : int, default=1
        Number of fits; the best is kept, and all but the first start at random; from 1 to 100000.
    constraint : {"sphere", "orthogonal"} or None, default="sphere"
        Constraint on the filters.
    pairwise : int, default=0
        Learn the filters in groups of this size; 0 learns all together; from 0 to 100000.
    refine : bool, default=False
        Refine the filters, and a mixture classifier, on the rows by the posterior of the right class.
    tol : float or {"auto"}, default="auto"
        Stop when the objective changes by less than this; auto uses 1e-7, or 1e-5 for sub-classes.
    max_iter : int, default=500
        Maximum number of iterations of each fit.
    folds : int or {"auto"}, default="auto"
        Folds of the validation that chooses the noise; auto makes 5 folds and tests on enough of them for 400
        rows; from 2 to 10000. Used only with noise="auto" and subclasses=1.
    pairs : str, default="auto"
        Pairs of classes that aggregate="bayes" uses in full: all, or near:K, the K nearest of either class; others
        use the pooled covariance; auto uses near:8 above 30 classes.
    subspace : int or {"auto"} or None, default="auto"
        Dimensions in which filters are learned, half principal components, half discriminants; auto uses all; with
        near pairs and 256 or more columns it uses 128, or four per filter if that is more.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    class_weight : dict[Any, float] or {"balanced"} or None, default=None
        Weight of each class; balanced gives all classes the same weight.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.SQFA().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "sqfa"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        noise: float | Literal["auto"] = "auto",
        distance: Literal["auto", "calvo_oller", "riemann", "logeuclid", "bhattacharyya", "chernoff", "chernoff_best", "hellinger", "jeffreys", "wasserstein", "wasserstein_normalized", "euclid", "mahalanobis", "fisher_rao"] | Callable[..., Any] = "auto",
        aggregate: Literal["auto", "mean", "softmin", "bayes"] = "auto",
        subclasses: int | Literal["auto"] = 1,
        beta: float = 3.0,
        init: np.ndarray | Literal["auto", "pca", "random"] = "auto",
        starts: int = 1,
        constraint: Literal["sphere", "orthogonal"] | None = "sphere",
        pairwise: int = 0,
        refine: bool = False,
        tol: float | Literal["auto"] = "auto",
        max_iter: int = 500,
        folds: int | Literal["auto"] = "auto",
        pairs: str = "auto",
        subspace: int | Literal["auto"] | None = "auto",
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.noise = noise
        self.distance = distance
        self.aggregate = aggregate
        self.subclasses = subclasses
        self.beta = beta
        self.init = init
        self.starts = starts
        self.constraint = constraint
        self.pairwise = pairwise
        self.refine = refine
        self.tol = tol
        self.max_iter = max_iter
        self.folds = folds
        self.pairs = pairs
        self.subspace = subspace
        self.seed = seed
        self.scale = scale
        self.center = center
        self.class_weight = class_weight
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class SVM(Vectors):
    """Support vector machine with a Gaussian kernel on the raw vectors.

    The method svm-raw of the command-line tool rao.

    Parameters
    ----------
    gamma : float or {"auto"}, default="auto"
        Gamma of the kernel exp(-gamma d²); auto uses 1 over the median squared distance.
    tol : float, default=0.001
        Stop when the optimality conditions are violated by less than this; above 0.
    max_iter : int, default=100000
        Maximum number of steps for each pair of classes.
    c : float, default=1.0
        Largest weight of a training observation in the support vector machine; above 0.
    calibration : int, default=5
        Number of folds that calibrate the probabilities of support vector machines; from 2 to 10000.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.SVM().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "svm-raw"

    def __init__(
        self,
        *,
        gamma: float | Literal["auto"] = "auto",
        tol: float = 0.001,
        max_iter: int = 100000,
        c: float = 1.0,
        calibration: int = 5,
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.gamma = gamma
        self.tol = tol
        self.max_iter = max_iter
        self.c = c
        self.calibration = calibration
        self.seed = seed
        self.scale = scale
        self.center = center
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class SecondMomentsSQFA(Accumulating, Transforming, Vectors):
    """SQFA on second moments, which combine means and covariances.

    The method smsqfa of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    noise : float or {"auto"}, default="auto"
        Feature noise: a variance in squared units of the scaled data; auto chooses it by validation, and uses 0.5
        of the scaled variance for sub-classes.
    distance : {"auto", "calvo_oller", "riemann", "logeuclid", "bhattacharyya", "chernoff", "chernoff_best", "hellinger", "jeffreys", "wasserstein", "wasserstein_normalized", "euclid", "mahalanobis", "fisher_rao"} or callable, default="auto"
        Dissimilarity between classes; auto uses calvo_oller for SQFA, riemann for SecondMomentsSQFA and
        bhattacharyya for BDM and aggregate="bayes". A callable takes mean_a, cov_a, mean_b and cov_b of two
        classes, and returns the distance and its derivatives, value, (d_mean_a, d_cov_a, d_mean_b, d_cov_b); it is
        called for each pair and step, which is slow. See rao.torch_distance.
    aggregate : {"auto", "mean", "softmin", "bayes"}, default="auto"
        How pairs of classes are combined; auto uses mean, and bayes for sub-classes and for more than 30 classes.
    subclasses : int or {"auto"}, default=1
        Maximum number of Gaussians per class; auto uses one for every 50 rows, up to 16.
    beta : float, default=3.0
        Sharpness of softmin; above 0. Used only with aggregate="softmin".
    init : array of shape (n_features, filters) or {"auto", "pca", "random"}, default="auto"
        Initial filters; auto uses the best of principal components, discriminants, directions in which the classes
        differ most, and random filters.
    starts : int, default=1
        Number of fits; the best is kept, and all but the first start at random; from 1 to 100000.
    constraint : {"sphere", "orthogonal"} or None, default="sphere"
        Constraint on the filters.
    pairwise : int, default=0
        Learn the filters in groups of this size; 0 learns all together; from 0 to 100000.
    refine : bool, default=False
        Refine the filters, and a mixture classifier, on the rows by the posterior of the right class.
    tol : float or {"auto"}, default="auto"
        Stop when the objective changes by less than this; auto uses 1e-7, or 1e-5 for sub-classes.
    max_iter : int, default=500
        Maximum number of iterations of each fit.
    folds : int or {"auto"}, default="auto"
        Folds of the validation that chooses the noise; auto makes 5 folds and tests on enough of them for 400
        rows; from 2 to 10000. Used only with noise="auto" and subclasses=1.
    pairs : str, default="auto"
        Pairs of classes that aggregate="bayes" uses in full: all, or near:K, the K nearest of either class; others
        use the pooled covariance; auto uses near:8 above 30 classes.
    subspace : int or {"auto"} or None, default="auto"
        Dimensions in which filters are learned, half principal components, half discriminants; auto uses all; with
        near pairs and 256 or more columns it uses 128, or four per filter if that is more.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    class_weight : dict[Any, float] or {"balanced"} or None, default=None
        Weight of each class; balanced gives all classes the same weight.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.SecondMomentsSQFA().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "smsqfa"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        noise: float | Literal["auto"] = "auto",
        distance: Literal["auto", "calvo_oller", "riemann", "logeuclid", "bhattacharyya", "chernoff", "chernoff_best", "hellinger", "jeffreys", "wasserstein", "wasserstein_normalized", "euclid", "mahalanobis", "fisher_rao"] | Callable[..., Any] = "auto",
        aggregate: Literal["auto", "mean", "softmin", "bayes"] = "auto",
        subclasses: int | Literal["auto"] = 1,
        beta: float = 3.0,
        init: np.ndarray | Literal["auto", "pca", "random"] = "auto",
        starts: int = 1,
        constraint: Literal["sphere", "orthogonal"] | None = "sphere",
        pairwise: int = 0,
        refine: bool = False,
        tol: float | Literal["auto"] = "auto",
        max_iter: int = 500,
        folds: int | Literal["auto"] = "auto",
        pairs: str = "auto",
        subspace: int | Literal["auto"] | None = "auto",
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.noise = noise
        self.distance = distance
        self.aggregate = aggregate
        self.subclasses = subclasses
        self.beta = beta
        self.init = init
        self.starts = starts
        self.constraint = constraint
        self.pairwise = pairwise
        self.refine = refine
        self.tol = tol
        self.max_iter = max_iter
        self.folds = folds
        self.pairs = pairs
        self.subspace = subspace
        self.seed = seed
        self.scale = scale
        self.center = center
        self.class_weight = class_weight
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class SupervisedPCA(Accumulating, Transforming, Vectors):
    """Supervised principal components: directions that depend on the labels (HSIC).

    The method spca of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    blend : float, default=0.0
        Weight of the plain covariance: 0 uses only the labels, 1 gives principal components; from 0 to 1.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    class_weight : dict[Any, float] or {"balanced"} or None, default=None
        Weight of each class; balanced gives all classes the same weight.
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.SupervisedPCA().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "spca"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        blend: float = 0.0,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.blend = blend
        self.scale = scale
        self.center = center
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.class_weight = class_weight
        self.categories = categories
        self.missing = missing
        self.verbose = verbose


class TSLDA(Transforming, Matrices):
    """Linear discriminant in the tangent space.

    The method tslda of the command-line tool rao.

    Parameters
    ----------
    metric : {"riemann", "logeuclid"}, default="riemann"
        Metric of the tangent space.
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="ledoit_wolf"
        Shrinkage of the covariance of the tangent vectors: None, oas, ledoit_wolf, or an amount from 0 to 1.
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="empirical"
        Class priors: empirical (the class proportions), uniform, or a sequence of numbers.
    mean_tol : float, default=1e-09
        Stop the iteration of a mean of matrices at this norm of the mean tangent vector, or with the metrics
        wasserstein and logdet at this relative change; pyRiemann uses 1e-8; above 0 and up to 1. Used only with
        metric="riemann".
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    >>> rao.TSLDA().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "tslda"

    def __init__(
        self,
        *,
        metric: Literal["riemann", "logeuclid"] = "riemann",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "ledoit_wolf",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "empirical",
        mean_tol: float = 1e-09,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.metric = metric
        self.shrinkage = shrinkage
        self.priors = priors
        self.mean_tol = mean_tol
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class TSLR(Transforming, Matrices):
    """Logistic regression in the tangent space.

    The method tslr of the command-line tool rao.

    Parameters
    ----------
    metric : {"riemann", "logeuclid"}, default="riemann"
        Metric of the tangent space.
    c : float, default=1.0
        Inverse strength of the penalty; above 0.
    tol : float, default=1e-06
        Stop when the gradient of the mean loss has a smaller norm than this; above 0.
    max_iter : int, default=1000
        Maximum number of iterations.
    mean_tol : float, default=1e-09
        Stop the iteration of a mean of matrices at this norm of the mean tangent vector, or with the metrics
        wasserstein and logdet at this relative change; pyRiemann uses 1e-8; above 0 and up to 1. Used only with
        metric="riemann".
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    >>> rao.TSLR().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "tslr"

    def __init__(
        self,
        *,
        metric: Literal["riemann", "logeuclid"] = "riemann",
        c: float = 1.0,
        tol: float = 1e-06,
        max_iter: int = 1000,
        mean_tol: float = 1e-09,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.metric = metric
        self.c = c
        self.tol = tol
        self.max_iter = max_iter
        self.mean_tol = mean_tol
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class TSSM(Transforming, Matrices):
    """Tangent space of a submanifold: the jointly diagonalized class means, where they differ most.

    The method tssm of the command-line tool rao.

    Parameters
    ----------
    tol : float, default=1e-06
        Stop the joint diagonalization when its rotations are smaller than this; above 0.
    max_iter : int, default=2000
        Maximum number of sweeps of the joint diagonalization.
    reduced_order : int or {"auto"}, default="auto"
        Order of the smaller matrices; auto uses two thirds of the original order; from 1 to 100000.
    classifier : str or None, default="tslda"
        Classifier of the smaller matrices: tslda, tssvm, or any matrix method with its options, or None. Methods
        and options have the names of the tool, such as "knn-spd:neighbors=3".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="ledoit_wolf"
        Shrinkage of the covariance of the tangent vectors: None, oas, ledoit_wolf, or an amount from 0 to 1. Used
        only with classifier="tslda".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="empirical"
        Class priors: empirical (the class proportions), uniform, or a sequence of numbers. Used only with
        classifier="tslda".
    c : float, default=1.0
        Largest weight of a training observation in the support vector machine; above 0. Used only with
        classifier="tssvm".
    calibration : int, default=5
        Number of folds that calibrate the probabilities of support vector machines; from 2 to 10000. Used only
        with classifier="tssvm".
    seed : int, default=1
        Seed of the random numbers.
    mean_tol : float, default=1e-09
        Stop the iteration of a mean of matrices at this norm of the mean tangent vector, or with the metrics
        wasserstein and logdet at this relative change; pyRiemann uses 1e-8; above 0 and up to 1.
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    >>> rao.TSSM().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "tssm"

    def __init__(
        self,
        *,
        tol: float = 1e-06,
        max_iter: int = 2000,
        reduced_order: int | Literal["auto"] = "auto",
        classifier: str | None = "tslda",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "ledoit_wolf",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "empirical",
        c: float = 1.0,
        calibration: int = 5,
        seed: int = 1,
        mean_tol: float = 1e-09,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.reduced_order = reduced_order
        self.classifier = classifier
        self.shrinkage = shrinkage
        self.priors = priors
        self.c = c
        self.calibration = calibration
        self.seed = seed
        self.mean_tol = mean_tol
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class TSSVM(Transforming, Matrices):
    """Linear support vector machine in the tangent space.

    The method tssvm of the command-line tool rao.

    Parameters
    ----------
    metric : {"riemann", "logeuclid"}, default="riemann"
        Metric of the tangent space.
    tol : float, default=0.001
        Stop when the optimality conditions are violated by less than this; above 0.
    max_iter : int, default=100000
        Maximum number of steps for each pair of classes.
    c : float, default=1.0
        Largest weight of a training observation in the support vector machine; above 0.
    calibration : int, default=5
        Number of folds that calibrate the probabilities of support vector machines; from 2 to 10000.
    seed : int, default=1
        Seed of the random numbers.
    mean_tol : float, default=1e-09
        Stop the iteration of a mean of matrices at this norm of the mean tangent vector, or with the metrics
        wasserstein and logdet at this relative change; pyRiemann uses 1e-8; above 0 and up to 1. Used only with
        metric="riemann".
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    >>> rao.TSSVM().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "tssvm"

    def __init__(
        self,
        *,
        metric: Literal["riemann", "logeuclid"] = "riemann",
        tol: float = 0.001,
        max_iter: int = 100000,
        c: float = 1.0,
        calibration: int = 5,
        seed: int = 1,
        mean_tol: float = 1e-09,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.metric = metric
        self.tol = tol
        self.max_iter = max_iter
        self.c = c
        self.calibration = calibration
        self.seed = seed
        self.mean_tol = mean_tol
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class TangentSpace(TangentPoint, Transforming, Matrices):
    """Tangent vectors, followed by any vector method.

    The method tangent of the command-line tool rao.

    Parameters
    ----------
    metric : {"riemann", "logeuclid"}, default="riemann"
        Metric of the tangent space.
    classifier : str or None, default="lda-raw:scale=none:shrinkage=ledoit_wolf"
        Vector method for the tangent vectors, with its options, or None. Methods and options have the names of the
        tool, such as "knn:neighbors=3".
    mean_tol : float, default=1e-09
        Stop the iteration of a mean of matrices at this norm of the mean tangent vector, or with the metrics
        wasserstein and logdet at this relative change; pyRiemann uses 1e-8; above 0 and up to 1. Used only with
        metric="riemann".
    repair : str or None, default=None
        Repair of the matrices, stored in the model: auto, None, or steps joined by +: drop:CHANNELS (numbers from
        0, or names), project, shrink:AMOUNT, floor:AMOUNT.
    adapt : {"center", "smooth", "balanced", "causal", "bias"} or None, default=None
        Adaptation to a new recording without labels: center, smooth and balanced need all its matrices, causal
        only the earlier ones, and move them towards the training data; bias adapts the intercepts to the
        decisions. The argument recordings of fit shows which matrices belong together.
    adapt_rate : float or {"auto"}, default="auto"
        Learning rate of bias, or smallest rate of causal; auto uses 0.2 and 0.02; above 0 and up to 1.
    reduce : str or None, default=None
        First reduce the matrices with learned spatial filters, such as csp:8: sqfa or just a number (filters that
        push the class means apart), enuc (the patterns of ENuc), or csp.
    whiten : {"local"} or None, default=None
        Local gives less weight to directions in which neighbors of the same class differ, in the log-Euclidean
        metric; use metric="logeuclid" for MatrixKNN and ENuc.
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
    reference_ : ndarray of shape (order, order)
        Reference point of the tangent space; None with the metric logeuclid.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.datasets.make("syn1", per_class=20)
    >>> rao.TangentSpace().fit(X, y).predict(X[:3]).shape
    (3,)
    """

    _method = "tangent"

    def __init__(
        self,
        *,
        metric: Literal["riemann", "logeuclid"] = "riemann",
        classifier: str | None = "lda-raw:scale=none:shrinkage=ledoit_wolf",
        mean_tol: float = 1e-09,
        repair: str | None = None,
        adapt: Literal["center", "smooth", "balanced", "causal", "bias"] | None = None,
        adapt_rate: float | Literal["auto"] = "auto",
        reduce: str | None = None,
        whiten: Literal["local"] | None = None,
        verbose: bool = False,
    ) -> None:
        self.metric = metric
        self.classifier = classifier
        self.mean_tol = mean_tol
        self.repair = repair
        self.adapt = adapt
        self.adapt_rate = adapt_rate
        self.reduce = reduce
        self.whiten = whiten
        self.verbose = verbose


class WDA(Transforming, Vectors):
    """Wasserstein discriminant analysis.

    The method wda of the command-line tool rao.

    Parameters
    ----------
    filters : int or {"auto"}, default="auto"
        Number of filters; auto uses the number of classes minus one, but at least 2; from 1 to 100000.
    init : array of shape (n_features, filters) or {"auto", "pca", "random"}, default="auto"
        Initial filters; auto uses discriminants, or principal components if there are fewer discriminants than
        filters.
    reg : float, default=0.1
        Regularization of the transport, as a share of the variance of the leading components; named as in POT, and
        independent of reg_param of qda; above 0.
    components : int or {"auto"} or None, default="auto"
        Number of leading principal components in which the filters are learned; auto uses 100.
    rows_per_class : int or {"auto"}, default="auto"
        Number of random rows per class, for a faster fit; auto uses all.
    tol : float, default=0.005
        Stop when the logarithm of the ratio changes by a smaller share than this, twice in a row; above 0.
    max_iter : int or {"auto"}, default="auto"
        Maximum number of iterations; auto uses 30, or 2 if a class has more than 2000 rows.
    seed : int, default=1
        Seed of the random numbers.
    scale : {"auto", "std", "column"} or None, default="auto"
        Scaling of vectors: std divides all columns by one factor, column divides each by its own standard
        deviation; auto chooses between the two by the spreads of the columns and the class means.
    center : bool, default=True
        Subtract the mean of the training vectors.
    classifier : str or None, default="qda"
        Classifier on the features: qda, lda, knn, mixture, None, or any method of vectors with its options.
        Methods and options have the names of the tool, such as "knn:neighbors=3".
    priors : sequence of float or {"auto", "empirical", "uniform"}, default="auto"
        Class priors: empirical (the class proportions), uniform, a sequence of numbers, or auto; auto is
        empirical, but the SQFA family weights all pairs of classes equally unless aggregate="bayes".
    shrinkage : float or {"auto", "oas", "ledoit_wolf"} or None, default="auto"
        Shrinkage of the classifier's covariances, or those behind the filters for lda: None, oas, ledoit_wolf, an
        amount from 0 to 1, or auto; auto is None, but oas if a class has no spread in some direction, or for qda
        if a class has few rows and oas classifies left-out rows better.
    reg_param : float, default=0.0
        Weight of the identity matrix in the covariances of qda; from 0 to 1. Used only with classifier="qda".
    neighbors : int, default=5
        Neighbors of knn. Used only with classifier="knn".
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of features of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
    >>> X, y = rao.load_digits()
    >>> rao.WDA().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
    """

    _method = "wda"

    def __init__(
        self,
        *,
        filters: int | Literal["auto"] = "auto",
        init: np.ndarray | Literal["auto", "pca", "random"] = "auto",
        reg: float = 0.1,
        components: int | Literal["auto"] | None = "auto",
        rows_per_class: int | Literal["auto"] = "auto",
        tol: float = 0.005,
        max_iter: int | Literal["auto"] = "auto",
        seed: int = 1,
        scale: Literal["auto", "std", "column"] | None = "auto",
        center: bool = True,
        classifier: str | None = "qda",
        priors: Sequence[float] | Literal["auto", "empirical", "uniform"] = "auto",
        shrinkage: float | Literal["auto", "oas", "ledoit_wolf"] | None = "auto",
        reg_param: float = 0.0,
        neighbors: int = 5,
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
        verbose: bool = False,
    ) -> None:
        self.filters = filters
        self.init = init
        self.reg = reg
        self.components = components
        self.rows_per_class = rows_per_class
        self.tol = tol
        self.max_iter = max_iter
        self.seed = seed
        self.scale = scale
        self.center = center
        self.classifier = classifier
        self.priors = priors
        self.shrinkage = shrinkage
        self.reg_param = reg_param
        self.neighbors = neighbors
        self.categories = categories
        self.missing = missing
        self.verbose = verbose
