// Package feature learns linear filters by the methods that SQFA is compared with. They all return a [Model] of n×m
// filters F, which maps a row x to the m features F'(x - μ).
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
// Methods that need only statistics can be fitted without collecting the data in one place. The others need the rows
// as float64 in memory; they do not copy rows that already are float64.
//
// # Which one
//
// PCA, FA and ICA ignore the labels. LDA uses only the class means and has at most one filter fewer than classes. GEM
// uses second moments. LFDA allows classes with several clusters. NCA and LMNN are for nearest-neighbor classifiers.
// WDA compares distributions. AMA-Gauss maximizes the posterior of the correct class under the quadratic classifier
// that usually follows, and is the most accurate given enough data.
//
// # Caveats
//
// The results of PCA, ICA, LMNN, NCA, WDA and AMA depend on the scale of the columns: bring them to comparable units
// first. Iterative fits that stop early return a usable model and a *rao.NotConvergedError. Every fit gives the same
// bits for any number of processors.
package feature
