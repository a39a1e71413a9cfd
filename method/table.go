package method

import (
	"slices"

	"rao/gaussian"
	"rao/spd"
)

// table lists all methods in the order of the help. Register adds to it during initialization; it is read-only
// afterwards.
var table []*Method

func init() { table = slices.Concat(onVectorsTable(), onMatricesTable()) }

func onVectorsTable() []*Method {
	return []*Method{
		sqfaMethod("sqfa", "filters that push the classes' Gaussians apart in Fisher-Rao distance",
			family{gaussian.CalvoOller, true}),
		sqfaMethod("smsqfa", "SQFA on second moments, which combine means and covariances",
			family{distance: gaussian.Riemann}),
		sqfaMethod("bdm", "filters that push the classes apart in Bhattacharyya distance",
			family{distance: gaussian.Bhattacharyya}),
		onVectors("pca", "principal components: directions of largest variance",
			Traits{Span: true, Pooled: true, Memory: Copies{Square: 4}}, fitPCA),
		onVectors("lda", "linear discriminants: directions that separate the class means relative to the spread "+
			"within classes", Traits{Memory: Copies{Classes: 2, Square: 4}}, fitLDA),
		onVectors("fa", "factor analysis: directions of variance that columns share, beyond the noise of each "+
			"column",
			Traits{Memory: Copies{Classes: 1, Square: 4}}, fitFA),
		onVectors("spca", "supervised principal components: directions that depend on the labels (HSIC)",
			Traits{Span: true, Memory: Copies{Classes: 1, Square: 4}}, fitSPCA),
		onVectors("gem", "generalized eigenvectors of pairs of classes", Traits{Memory: Copies{Classes: 5, Square: 3}},
			fitGEM),
		onVectors("ica", "independent components (FastICA)",
			Traits{Rows: true, Span: true, Memory: Copies{Rows: 2, Square: 3}}, fitICA),
		onVectors("lfda", "local Fisher discriminants: classes may have several clusters",
			Traits{Rows: true, Memory: Copies{Rows: 3, Square: 4}}, fitLFDA),
		onVectors("lmnn", "large-margin nearest neighbors",
			Traits{Rows: true, Span: true, Memory: Copies{Rows: 4, Square: 4}}, fitLMNN),
		onVectors("nca", "neighborhood components: soft nearest neighbors",
			Traits{Rows: true, Span: true, Memory: Copies{Rows: 2, Square: 2}}, fitNCA),
		onVectors("wda", "Wasserstein discriminant analysis", Traits{Rows: true, Memory: Copies{Rows: 3, Square: 4}},
			fitWDA),
		onVectors("ama", "filters by the posterior of a Gaussian decoder (AMA-Gauss)",
			Traits{Rows: true, Span: true, Batches: true, Memory: Copies{Rows: 2, Classes: 2, Square: 4}}, fitAMA),
		onVectors("qda-raw", "quadratic classifier of the raw vectors, without filters",
			Traits{Memory: Copies{Classes: 5, Square: 2}}, fitRawQDA),
		onVectors("mixture-raw", "discriminant analysis with mixtures of Gaussians, without filters",
			Traits{Rows: true, Mixtures: true, Memory: Copies{Rows: 2, Square: 4}}, fitRawMixture),
		onVectors("lda-raw", "linear classifier of the raw vectors, without filters",
			Traits{Memory: Copies{Classes: 2, Square: 3}}, fitRawLDA),
		onVectors("logistic-raw", "logistic regression on the raw vectors",
			Traits{Rows: true, Memory: Copies{Rows: 3}}, fitRawLogistic),
		onVectors("rslvq-raw", "probabilistic prototypes of the raw vectors (RSLVQ)",
			Traits{Rows: true, Memory: Copies{Rows: 2}}, fitRawRSLVQ),
		onVectors("glvq-raw", "prototypes of the raw vectors by relative distances (GLVQ)",
			Traits{Rows: true, Memory: Copies{Rows: 2}}, rawGMLVQ("none")),
		onVectors("gmlvq-raw", "prototypes of the raw vectors with a learned quadratic distance (GMLVQ)",
			Traits{Rows: true, Memory: Copies{Rows: 2, Square: 3}}, rawGMLVQ("")),
		onVectors("lgmlvq-raw", "prototypes of the raw vectors, each with its own quadratic distance (localized "+
			"GMLVQ)",
			Traits{Rows: true, Memory: Copies{Classes: 3, Rows: 2}}, rawGMLVQ("local")),
		onVectors("knn-raw", "nearest neighbors of the raw vectors, without filters",
			Traits{Rows: true, Memory: Copies{Rows: 3}}, fitRawKNN),
		onVectors("svm-raw", "support vector machine with a Gaussian kernel on the raw vectors",
			Traits{Rows: true, Memory: Copies{Rows: 3, Pairs: 3.5}}, fitRawSVM),
	}
}

func onMatricesTable() []*Method {
	return []*Method{
		onMatrices("plrsq", "prototypes on the manifold of SPD matrices", Copies{Rows: 2}, fitPLRSQ),
		onMatrices("plrsq-le", "prototypes in the log-Euclidean metric", Copies{Rows: 2}, plrsqWith(spd.LogEuclid)),
		onMatrices("rslvq", "prototypes of the matrix entries, projected back to SPD matrices",
			Copies{Rows: 2}, plrsqWith(spd.Euclid)),
		onMatrices("mdm", "minimum distance to the class means", Copies{Rows: 1}, fitMDM),
		onMatrices("fgmdm", "minimum distance to the class means after geodesic filters",
			Copies{Rows: 1, Coordinates: 2}, fitFgMDM),
		onMatrices("tslda", "linear discriminant in the tangent space", Copies{Rows: 1, Coordinates: 2, Tangent: 3},
			fitTangentLDA),
		onMatrices("tslr", "logistic regression in the tangent space", Copies{Rows: 1, Coordinates: 2},
			fitTangentLogistic),
		onMatrices("enuc", "logistic regression in the tangent space whose coefficients are a few spatial "+
			"patterns per class", Copies{Rows: 1, Coordinates: 1}, fitENuc),
		onMatrices("tssvm", "linear support vector machine in the tangent "+
			"space", Copies{Rows: 1, Pairs: 3.5, Coordinates: 2},
			fitTangentSVM),
		onMatrices("tssm", "tangent space of a submanifold: the jointly diagonalized class means, where they "+
			"differ most", Copies{Rows: 1, Coordinates: 1, Tangent: 1}, fitTSSM),
		onMatrices("tssm-fisher", "tangent space of a submanifold that separates the classes by Fisher's ratio",
			Copies{Rows: 1, Coordinates: 1, Tangent: 1}, fitFisherTSSM),
		onMatrices("gapca", "geometry-aware principal components: smaller matrices that keep the spread",
			Copies{Rows: 1}, fitGAPCA),
		onMatrices("csp", "common spatial patterns: filters whose output variance separates the "+
			"classes", Copies{}, fitCSP),
		onMatrices("tangent", "tangent vectors, followed by any vector method",
			Copies{Rows: 1, Coordinates: 1}, fitTangent),
		onMatrices("knn-spd", "nearest neighbors on the manifold", Copies{Rows: 2}, fitMatrixKNN),
		onMatrices("svm-spd", "support vector machine with a Gaussian kernel on "+
			"matrices", Copies{Rows: 2, Pairs: 3.5},
			fitMatrixSVM),
		onMatrices("gmlvq-spd", "prototypes with a learned quadratic distance, on the matrices as vectors",
			Copies{Rows: 1, Coordinates: 1, Relevance: 1}, fitMatrixGMLVQ),
	}
}
