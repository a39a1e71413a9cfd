// Package feature learns linear filters: principal components (PCA), linear discriminants (LDA) and common spatial
// patterns (CSP). PCA and LDA return a [Model] with n×m filters F that map a row x to the m features F'(x - μ):
//
//	stats, err := gaussian.Estimate(x, labels, names)
//	pca, err := feature.FitPCA(stats, feature.PCAOptions{Filters: 9})
//	var z mat.Dense
//	pca.Transform(&z, test)
//
// [FitCSP] learns filters for the channels of SPD matrices. Package method fits further learners by name: fa, ica, gem,
// spca, lfda, nca, lmnn, wda, ama and gapca.
//
// PCA ignores the labels and depends on the scale of the columns. LDA separates only the class means, so it has at most
// c-1 filters for c classes. Fits give the same bits on any number of processors.
package feature
