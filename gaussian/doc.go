// Package gaussian describes classes by Gaussians. [Statistics] contains what a Gaussian classifier or a filter learner
// needs from labeled data: the counts, means and covariances of the classes.
//
//	stats, err := gaussian.Estimate(x, labels, nil)
//	shrunk, _, err := stats.Shrink(gaussian.ShrinkRule{Kind: "oas"})
//	err = stats.WriteFile("classes.npz")
//
// An [Accumulator] computes statistics in one pass over rows that arrive in blocks. [Merge] pools the statistics of
// several data sets, and [Subtract] removes observations, both up to rounding. [Statistics.Affine] returns the
// statistics of scaled data, and [Statistics.Project] the statistics of filtered data. Statistics are not anonymous:
// read the guide to private statistics before you share a file.
//
// # Many classes or dimensions
//
// [OpenSource] opens a statistics file and reads one covariance at a time. Pooled and diagonal statistics
// ([CompactAccumulator]) have one covariance for all classes, or only variances.
//
// # Dissimilarities
//
// A [Dissimilarity] measures how different two Gaussians are, for example by the Calvo-Oller bound of the Fisher-Rao
// distance:
//
//	var d mat.Dense
//	err = stats.DissimilarityMatrix(&d, gaussian.CalvoOller)
//
// [Dissimilarity.Pairs] returns an evaluator for many pairs, with gradients. [RegisterDissimilarity] adds a
// dissimilarity.
//
// # Caveats
//
// Covariances have the divisor count-1. A class may have a single observation, with covariance zero, while parts are
// collected and merged. [Statistics.Validate], which every fit calls, rejects such a class.
//
// Ledoit-Wolf shrinkage needs third and fourth moments. [EstimateMoments] collects them; per-column scaling and
// projection lose them.
package gaussian
