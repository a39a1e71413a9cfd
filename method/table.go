package method

import (
	"slices"

	"rao/spd"
)

// Options by subject, so that a method lists what it reads by name.
var (
	preprocessing = []string{"scale", "center"}
	classifying   = []string{"classifier", "priors", "shrinkage", "reg-param", "neighbours"}
	sqfaOptions   = []string{"filters", "noise", "distance", "aggregate", "beta", "init", "starts", "constraint",
		"pairwise", "refine", "tol", "max-iter", "folds", "seed"}
	iterating        = []string{"tol", "max-iter", "seed"}
	onManifold       = []string{"repair", "recenter"}
	prototypeOptions = []string{"prototypes", "sigma2", "anneal", "schedule", "start", "epochs", "rate", "batch",
		"validation", "calibration", "reject-error", "reject-coverage", "reject-outliers", "priors", "seed"}
)

func options(groups ...[]string) []string { return slices.Concat(groups...) }

// table holds every method, in the order in which help and tables show them.
var table = []Method{
	{Name: "sqfa", Summary: "filters that push the classes' Gaussians apart in Fisher-Rao distance",
		Options: options(sqfaOptions, preprocessing, classifying), fit: sqfaWith("calvo_oller")},
	{Name: "smsqfa", Summary: "the same on second moments, without means",
		Options: options(sqfaOptions, preprocessing, classifying), fit: sqfaWith("affine_invariant")},
	{Name: "bdm", Summary: "filters that push the classes apart in Bhattacharyya distance",
		Options: options(sqfaOptions, preprocessing, classifying), fit: sqfaWith("bhattacharyya")},
	{Name: "pca", Summary: "principal components: directions of largest variance",
		Options: options([]string{"filters"}, preprocessing, classifying), fit: learnFeature(fitPCA)},
	{Name: "lda", Summary: "linear discriminants: directions that separate the means in units of the spread within classes",
		Options: options([]string{"filters"}, preprocessing, classifying), fit: learnFeature(fitLDA)},
	{Name: "fa", Summary: "factor analysis: directions shared by the columns beyond their own noise",
		Options: options([]string{"filters", "em", "noise-floor", "tol", "max-iter"}, preprocessing, classifying), fit: learnFeature(fitFA)},
	{Name: "spca", Summary: "supervised principal components: directions that depend on the labels (HSIC)",
		Options: options([]string{"filters", "blend"}, preprocessing, classifying), fit: learnFeature(fitSPCA)},
	{Name: "gem", Summary: "generalised eigenvectors of pairs of classes",
		Options: options([]string{"filters", "ridge"}, preprocessing, classifying), fit: learnFeature(fitGEM)},
	{Name: "ica", Summary: "independent components (FastICA)", Rows: true,
		Options: options([]string{"filters", "contrast", "deflation", "init"}, iterating, preprocessing, classifying), fit: learnFeature(fitICA)},
	{Name: "lfda", Summary: "local Fisher discriminants: classes may have several clusters", Rows: true,
		Options: options([]string{"filters", "local"}, preprocessing, classifying), fit: learnFeature(fitLFDA)},
	{Name: "lmnn", Summary: "large-margin nearest neighbours", Rows: true,
		Options: options([]string{"filters", "targets", "input-targets", "push", "impostors", "rounds", "inner", "components", "init", "start-rows", "tol", "seed"},
			preprocessing, classifying), fit: learnFeature(fitLMNN)},
	{Name: "nca", Summary: "neighbourhood components: soft nearest neighbours", Rows: true,
		Options: options([]string{"filters", "init", "start-rows"}, iterating, preprocessing, classifying), fit: learnFeature(fitNCA)},
	{Name: "wda", Summary: "Wasserstein discriminant analysis", Rows: true,
		Options: options([]string{"filters", "reg", "components", "rows", "init"}, iterating, preprocessing, classifying), fit: learnFeature(fitWDA)},
	{Name: "ama", Summary: "filters by the posterior of a Gaussian decoder (AMA-Gauss)", Rows: true,
		Options: options([]string{"filters", "noise", "init", "start-rows"}, iterating, preprocessing, classifying), fit: learnFeature(fitAMA)},
	{Name: "qda-raw", Summary: "quadratic classifier on the vectors themselves, no filters",
		Options: options(preprocessing, []string{"priors", "shrinkage", "reg-param"}), fit: direct("qda")},
	{Name: "lda-raw", Summary: "linear classifier on the vectors themselves, no filters",
		Options: options(preprocessing, []string{"priors", "shrinkage"}), fit: direct("lda")},

	{Name: "plrsq", Summary: "prototypes on the manifold of SPD matrices", Matrices: true,
		Options: options(prototypeOptions, onManifold), fit: onMatrices(plrsqWith(spd.Riemann))},
	{Name: "plrsq-le", Summary: "the same in the log-Euclidean metric", Matrices: true,
		Options: options(prototypeOptions, onManifold), fit: onMatrices(plrsqWith(spd.LogEuclid))},
	{Name: "rslvq", Summary: "the same on the entries of the matrices, projected back", Matrices: true,
		Options: options(prototypeOptions, onManifold), fit: onMatrices(plrsqWith(spd.Euclid))},
	{Name: "mdm", Summary: "minimum distance to the class means", Matrices: true,
		Options: options([]string{"metric"}, onManifold), fit: onMatrices(fitMDM)},
	{Name: "fgmdm", Summary: "minimum distance to mean after geodesic filtering", Matrices: true,
		Options: options([]string{"shrinkage"}, onManifold), fit: onMatrices(fitFgMDM)},
	{Name: "tslda", Summary: "linear discriminant in the tangent space", Matrices: true,
		Options: options([]string{"metric", "shrinkage", "priors"}, onManifold), fit: onMatrices(fitTangentLDA)},
	{Name: "tslr", Summary: "logistic regression in the tangent space", Matrices: true,
		Options: options([]string{"metric", "c", "tol", "max-iter"}, onManifold), fit: onMatrices(fitTangentLogistic)},
	{Name: "tssm", Summary: "tangent space of a learned sub-manifold, linear discriminant in it", Matrices: true,
		Options: options([]string{"order", "shrinkage", "priors", "tol", "max-iter"}, onManifold), fit: onMatrices(fitTSSM)},
	{Name: "gapca", Summary: "geometry-aware principal components: smaller matrices that keep the spread", Matrices: true,
		Options: options([]string{"order", "matrix-classifier", "metric", "shrinkage", "priors", "neighbours", "tol", "max-iter", "seed"}, onManifold),
		fit:     onMatrices(fitGAPCA)},
	{Name: "knn-spd", Summary: "nearest neighbours on the manifold", Matrices: true,
		Options: options([]string{"metric", "neighbours"}, onManifold), fit: onMatrices(fitMatrixKNN)},
	{Name: "svm-spd", Summary: "support vectors with a Gaussian kernel of matrices", Matrices: true,
		Options: options([]string{"metric", "c", "gamma", "folds", "tol", "max-iter", "seed"}, onManifold), fit: onMatrices(fitMatrixSVM)},
	{Name: "gmlvq", Summary: "prototypes with a learned quadratic distance on the entries", Matrices: true,
		Options: options([]string{"prototypes", "start", "epochs", "rate", "calibration", "seed"}, onManifold), fit: onMatrices(fitMatrixGMLVQ)},
}
