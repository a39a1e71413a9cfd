package method

import (
	"slices"

	"rao/lvq"
	"rao/spd"
)

// table holds every method, in the order in which help and tables show them. Register
// adds to it while the program starts; nothing writes it later.
var table []*Method

func init() { table = slices.Concat(onVectorsTable(), onMatricesTable()) }

func onVectorsTable() []*Method {
	return []*Method{
		sqfaMethod("sqfa", "filters that push the classes' Gaussians apart in Fisher-Rao distance", "calvo_oller"),
		sqfaMethod("smsqfa", "like sqfa on second moments: differences of means and of covariances count alike", "affine_invariant"),
		sqfaMethod("bdm", "filters that push the classes apart in Bhattacharyya distance", "bhattacharyya"),
		onVectors("pca", "principal components: directions of largest variance", Traits{Span: true, Pooled: true}, fitPCA),
		onVectors("lda", "linear discriminants: directions that separate the means in units of the spread within classes", Traits{}, fitLDA),
		onVectors("fa", "factor analysis: directions shared by the columns beyond their own noise", Traits{}, fitFA),
		onVectors("spca", "supervised principal components: directions that depend on the labels (HSIC)", Traits{Span: true}, fitSPCA),
		onVectors("gem", "generalized eigenvectors of pairs of classes", Traits{}, fitGEM),
		onVectors("ica", "independent components (FastICA)", Traits{Rows: true, Span: true}, fitICA),
		onVectors("lfda", "local Fisher discriminants: classes may have several clusters", Traits{Rows: true}, fitLFDA),
		onVectors("lmnn", "large-margin nearest neighbors", Traits{Rows: true, Span: true}, fitLMNN),
		onVectors("nca", "neighborhood components: soft nearest neighbors", Traits{Rows: true, Span: true}, fitNCA),
		onVectors("wda", "Wasserstein discriminant analysis", Traits{Rows: true}, fitWDA),
		onVectors("ama", "filters by the posterior of a Gaussian decoder (AMA-Gauss)", Traits{Rows: true, Span: true}, fitAMA),
		onVectors("qda-raw", "quadratic classifier on the vectors themselves, no filters", Traits{}, fitRawQDA),
		onVectors("lda-raw", "linear classifier on the vectors themselves, no filters", Traits{}, fitRawLDA),
		onVectors("rslvq-raw", "probabilistic prototypes of the vectors themselves (RSLVQ)", Traits{Rows: true}, fitRawRSLVQ),
		onVectors("glvq-raw", "prototypes of the vectors themselves by relative distances (GLVQ)", Traits{Rows: true}, rawGMLVQ(lvq.RelevanceNone)),
		onVectors("gmlvq-raw", "prototypes of the vectors themselves with a learned quadratic distance (GMLVQ)", Traits{Rows: true}, rawGMLVQ(lvq.RelevanceShared)),
		onVectors("lgmlvq-raw", "prototypes with a quadratic distance of each (localized GMLVQ)", Traits{Rows: true}, rawGMLVQ(lvq.RelevanceLocal)),
		onVectors("knn-raw", "nearest neighbors among the vectors themselves, no filters", Traits{Rows: true}, fitRawKNN),
		onVectors("svm-raw", "support vectors with a Gaussian kernel of the vectors themselves", Traits{Rows: true}, fitRawSVM),
	}
}

func onMatricesTable() []*Method {
	return []*Method{
		onMatrices("plrsq", "prototypes on the manifold of SPD matrices", plrsqWith(spd.Riemann)),
		onMatrices("plrsq-le", "prototypes in the log-Euclidean metric", plrsqWith(spd.LogEuclid)),
		onMatrices("rslvq", "prototypes on the entries of the matrices, projected back to SPD matrices", plrsqWith(spd.Euclid)),
		onMatrices("mdm", "minimum distance to the class means", fitMDM),
		onMatrices("fgmdm", "minimum distance to mean after geodesic filtering", fitFgMDM),
		onMatrices("tslda", "linear discriminant in the tangent space", fitTangentLDA),
		onMatrices("tslr", "logistic regression in the tangent space", fitTangentLogistic),
		onMatrices("enuc", "logistic regression in the tangent space whose coefficients are a few spatial patterns a class", fitENuc),
		onMatrices("tssvm", "linear support vectors in the tangent space", fitTangentSVM),
		onMatrices("tssm", "tangent space of a sub-manifold: the class means, diagonalized together, where they differ most", fitTSSM),
		onMatrices("tssm-fisher", "tangent space of a sub-manifold that separates the classes by Fisher's ratio", fitFisherTSSM),
		onMatrices("gapca", "geometry-aware principal components: smaller matrices that keep the spread", fitGAPCA),
		onMatrices("csp", "common spatial patterns: filters whose variance tells the classes", fitCSP),
		onMatrices("tangent", "tangent vectors, on which any method of vectors learns", fitTangent),
		onMatrices("knn-spd", "nearest neighbors on the manifold", fitMatrixKNN),
		onMatrices("svm-spd", "support vectors with a Gaussian kernel of matrices", fitMatrixSVM),
		onMatrices("gmlvq", "prototypes with a learned quadratic distance on the entries", fitMatrixGMLVQ),
	}
}
