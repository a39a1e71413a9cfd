// Package gaussian describes classes by Gaussians.
//
// [Statistics] has what a Gaussian classifier or a filter learner needs from a labeled data set: the counts, means and
// covariances of the classes. One streaming pass computes them ([Accumulator], [Estimate]). Merging and subtracting
// statistics gives, up to rounding, the same as pooling or removing the observations. Statistics can also be scaled
// and projected. They are not anonymous: see the guide to private statistics before you share a file.
//
//	stats, err := gaussian.Estimate(x, labels, nil)
//	shrunk, _, err := stats.Shrink(gaussian.OAS, 0)
//
// The package also measures how different two Gaussians are, with gradients, by many dissimilarities: see
// [Dissimilarity].
//
// # Caveats
//
// Covariances have the divisor count-1. A class may have a single observation, with covariance zero, while parts are
// collected and merged. [Statistics.Validate], which every fit calls, rejects such a class.
//
// Ledoit-Wolf shrinkage needs third and fourth moments. [EstimateMoments] collects them;
// per-column scaling and projection lose them.
package gaussian
