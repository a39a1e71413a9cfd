// Package gaussian describes classes by Gaussians.
//
// [Statistics] holds what a Gaussian classifier or a filter learner needs from a labeled
// data set: the counts, means and covariances of the classes. One streaming pass computes
// them ([Accumulator], [Estimate]). Merging and subtracting them gives, up to rounding, what
// pooling the observations would give, and they can be scaled and projected. Plain statistics
// are not anonymous: see the guide to private statistics before you share a file.
//
//	stats, err := gaussian.Estimate(x, labels, nil)
//	shrunk, _, err := stats.Shrink(gaussian.OAS, 0)
//
// The package also measures how different two Gaussians are, with gradients, by
// many dissimilarities: see [Dissimilarity].
//
// # Caveats
//
// Covariances have the divisor count-1. Statistics of a class with a single observation are allowed while parts are
// collected and merged (its covariance is zero), but [Statistics.Validate], which every fit calls, rejects them.
//
// Ledoit-Wolf shrinkage needs third and fourth moments. [EstimateMoments] collects them;
// per-column scaling and projection lose them.
package gaussian
