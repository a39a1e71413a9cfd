// Package spd implements the geometry of symmetric positive definite (SPD) matrices:
// distances, means, geodesics, tangent spaces and kernels in nine metrics, the matrix
// functions behind them, and repairs for matrices that are not quite SPD.
//
// A [Stack] holds matrices of one order in the layout of a C-order numpy array of
// shape (count, n, n). A [Metric] is named as in pyRiemann:
//
//	x := spd.StackOf(count, 22, data)
//	mean, report, err := spd.Mean(ctx, x, nil, spd.Riemann, spd.MeanOptions{})
//	var d mat.Dense
//	err = spd.Distances(ctx, &d, spd.Riemann, x, nil) // all pairs
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
// Start with riemann: it is invariant under any invertible mixing of the channels (congruence). logeuclid gives
// similar results and is several times faster. wasserstein accepts singular matrices on one side.
//
// # Other means
//
// [Median] tolerates a minority of outliers. [PowerMean] is between the Euclidean and the harmonic mean. [MaskedMean]
// accepts matrices with missing channels. [JointMean] diagonalizes all matrices together, like [JointFilters].
//
// # Differences between sessions and people
//
// Recordings from two days have different means. Without labels, [Centering] moves each to the identity by its own
// mean, and [SmoothCentering] follows a drift within it. [BalancedCentering] does not depend on the proportions of
// the classes, and [CausalCentering] uses only the trials so far. [AdaptEach] adapts recording by recording.
// [AlignGroups] also scales, and with labels rotates, the recordings of different people onto each other.
//
// # Matrices that are not SPD
//
// Real data often give such matrices. An EEG with average reference loses a rank, a dead electrode gives a row of
// zeros, and a short trial has fewer samples than channels. The functions then return a [*MatrixError] that names the
// matrix and its smallest eigenvalue. [Check] finds the cause and [SuggestRepair] a remedy. A model stores its
// [Repair] and applies it when it predicts.
//
// # Caveats
//
// Matrices must be symmetric to 1e-8 of their largest entry, and finite. Every call checks this, in one pass over the
// values. Both triangles are read. Eigenvalue methods resolve eigenvalues down to about 1e-15 of the largest. Cholesky
// methods (distances by riemann, kullback_sym, logdet, chol, logchol) stay accurate if matrices are badly scaled only
// because the units of the channels differ.
//
// Functions are safe for concurrent use on the same input. They run in parallel and give the same bits at any
// GOMAXPROCS.
package spd
