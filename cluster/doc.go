// Package cluster groups symmetric positive definite matrices without labels: by k-means on the manifold ([KMeans]) or
// in the feature space of a Gaussian kernel ([KernelKMeans]), by the modes of the density of the matrices
// ([MeanShift]), or by mixtures of Gaussians in tangent spaces ([Mixture]).
//
//	m, err := cluster.FitKMeans(ctx, x, 4, cluster.KMeansOptions{Seed: 1})
//	m.Assignments             // group of every training matrix
//	groups, err := m.Predict(ctx, test)
//
// [SpectralEmbedding] and [LocallyLinearEmbedding] compute coordinates for a map of the matrices.
//
// Both k-means methods start from k-means++ seeds, run several times and keep the best result. The same seed gives the
// same result on any number of processors. [Accuracy] compares groups with classes.
//
// # Caveats
//
// k-means finds a local optimum; more restarts find better ones. It assumes groups of similar spread. Kernel k-means
// holds the kernel of all pairs in memory (8 N² bytes), and mean shift the distances of all pairs. A component of a
// mixture needs more matrices than a tangent vector has values, which is n(n+1)/2 for matrices of order n.
package cluster
