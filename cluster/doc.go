// Package cluster groups symmetric positive definite matrices without labels: by k-means on the manifold
// ([FitKMeans]) or in the feature space of a Gaussian kernel ([FitKernelKMeans]), by the modes of the density of the
// matrices ([FitMeanShift]), or by mixtures of Gaussians in tangent spaces ([FitMixture]).
//
//	m, err := cluster.FitKMeans(ctx, x, 4, cluster.KMeansOptions{Seed: 1})
//	m.Assignments             // cluster of every training matrix
//	found, err := m.Predict(ctx, test)
//
// [SpectralEmbedding] and [LocallyLinearEmbedding] compute coordinates for a map of the matrices.
//
// Both k-means methods run several times from k-means++ seeds and return the best result. A seed gives the same result
// on any number of processors. [Accuracy] compares clusters with classes.
//
// # Caveats
//
// k-means finds a local optimum, and more starts may find a better one. It assumes that the spreads of the clusters are
// similar. Kernel k-means stores the kernel of all pairs (8 N² bytes), and mean shift the distances of all pairs. A
// component of a mixture needs more matrices than the number of values in a tangent vector, which is n(n+1)/2 for
// matrices of order n.
package cluster
