// Package gaussian describes classes by their Gaussians.
//
// [Statistics] holds what a Gaussian classifier or a filter learner needs of a labeled
// data set: the counts, means and covariances of the classes. They come from one
// streaming pass ([Accumulator], [Estimate]). They can be merged and subtracted exactly
// as if the observations had been pooled, and survive affine scaling and projection. A
// file of them can be shared instead of the data.
//
//	stats, err := gaussian.Estimate(x, labels, nil)
//	shrunk, _, err := stats.Shrink(gaussian.OAS, 0)
//
// The package also measures how different two Gaussians are, with gradients, by
// many dissimilarities: see [Dissimilarity].
//
// # Caveats
//
// Covariances have the divisor count-1. Statistics of a class with a single
// observation are legal while parts are collected and merged (its covariance is
// zero), but [Statistics.Validate] refuses them, and every fit calls it.
//
// Ledoit-Wolf shrinkage needs third and fourth moments, which are collected where they are
// asked for ([EstimateMoments]) and which per-column scaling and projection lose.
package gaussian
