// Package spd is the geometry of symmetric positive definite (SPD) matrices:
// distances, means, geodesics, tangent spaces and kernels in nine metrics, the
// functions of matrices they rest on, and what to do with matrices that are not
// quite SPD.
//
// A [Stack] holds matrices of one order in the layout of a C-order numpy array of
// shape (count, n, n). A [Metric] is named as in pyRiemann:
//
//	x := spd.StackOf(count, 22, data)
//	mean, report, err := spd.Mean(ctx, x, nil, spd.Riemann, spd.MeanOptions{})
//	var d mat.Dense
//	err = spd.Distances(&d, spd.Riemann, x, nil) // all pairs
//
//	             distance mean geodesic maps kernel Gaussian kernel
//	riemann         x      x      x      x     x
//	logeuclid       x      x      x      x     x         x
//	euclid          x      x      x      x     x         x
//	wasserstein     x      x      x      x
//	kullback_sym    x      x
//	logdet          x      x
//	chol            x      x      x                      x
//	logchol         x      x      x      x               x
//	harmonic        x      x      x                      x
//
// Which one? riemann does not change under any invertible mixing of the channels
// (congruence) and is the first choice. logeuclid is close to it and several times
// faster. wasserstein accepts singular matrices on one side.
//
// # Means beside the mean
//
// [Median] stays with the majority of the matrices. [PowerMean] lies between
// the Euclidean and the harmonic mean. [MaskedMean] takes matrices in which channels
// are missing. [JointMean] diagonalizes all matrices together, as [JointFilters] does.
//
// # Other sessions, other people
//
// Recordings of two days lie in different places. Without labels, [Centering] brings
// each to the identity by its own mean, and [SmoothCentering] follows a drift inside
// it. [BalancedCentering] keeps its place when the classes come in other proportions,
// and [CausalCentering] does with the trials so far. [AdaptEach] does so recording by
// recording. [GroupAlignment] also scales, and with labels turns, the
// recordings of different people onto each other.
//
// # Matrices that are not SPD
//
// Data cause this often. An EEG referenced to the average of its channels has lost a
// rank, a dead electrode is a row of zeros, a short trial has fewer samples than
// channels. The functions then return a [*MatrixError] that names the matrix and its
// smallest eigenvalue. [Check] finds the cause, [SuggestRepair] a remedy, and the
// [Repair] is kept with a model to be applied again when it predicts.
//
// # Caveats
//
// Input must be symmetric to 1e-8 of its largest entry, and finite; this is checked on
// every call, which costs one pass. Both triangles are read. Eigenvalue methods resolve
// eigenvalues down to about 1e-15 of the largest. Cholesky methods (distances by
// riemann, kullback_sym, logdet, chol, logchol) keep the digits of matrices that are
// badly scaled only because the units of the channels differ.
//
// Functions are safe for concurrent use on the same input, run in parallel inside,
// and give the same bits for any GOMAXPROCS.
package spd
