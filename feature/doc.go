// Package feature learns linear filters by the methods that SQFA is compared with.
// They all give a [Model]: n×m filters, with which a row x becomes the m features
// F'(x - μ).
//
//	from class statistics        FitPCA FitLDA FitFA FitGEM FitSPCA
//	from rows                    FitICA
//	from rows and labels         FitLFDA FitNCA FitLMNN FitWDA FitAMA
//	from SPD matrices            FitGAPCA (gives a [Compression])
//
// For example
//
//	stats, err := gaussian.Estimate(x, labels, names)
//	pca, err := feature.FitPCA(stats, feature.PCAOptions{Filters: 9})
//	var z mat.Dense
//	pca.Transform(&z, test)
//
// A learner that needs only statistics can be fitted where the data never come
// together. The others hold the rows as float64 during the fit; rows
// that are stored so already are not copied.
//
// # Which one
//
// PCA, FA and ICA do not look at the labels. LDA sees the means only; it has at most
// one filter fewer than there are classes. GEM sees second moments. LFDA keeps
// classes of several clusters in shape. NCA and LMNN serve nearest-neighbor
// classifiers. WDA compares whole distributions. AMA-Gauss maximizes the posterior of the right class
// under the quadratic classifier that usually follows, and wins where there are data
// enough.
//
// # Caveats
//
// Results depend on the scale of the columns for PCA, ICA, LMNN, NCA, WDA and AMA:
// bring them to comparable units first. Iterative fits return a
// rao.NotConvergedError with a usable model when they stop early. Every fit gives
// the same bits for any number of processors.
package feature
