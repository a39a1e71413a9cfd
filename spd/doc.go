// Package spd implements the geometry of symmetric positive definite (SPD) matrices: distances, means, geodesics,
// tangent spaces and kernels in nine metrics, the matrix functions behind them, and repairs for matrices that are not
// SPD.
//
// A [Stack] contains matrices of the same order in the layout of a C-order numpy array of shape (count, n, n). Metrics
// have the names that pyRiemann uses:
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
// The maps are [LogMap] and [ExpMap], which [Median] also needs. Start with riemann: it is invariant under any
// invertible mixing of the channels (congruence). logeuclid gives similar results and is several times faster.
// [Distance] by wasserstein accepts a second matrix that is singular.
//
// # Other means
//
// [Median] tolerates a minority of outliers. [PowerMean] is between the Euclidean and the harmonic mean. [MaskedMean]
// accepts matrices with missing channels. [JointMean] diagonalizes all matrices together, like [JointFilters].
//
// # Differences between sessions and people
//
// Recordings from two days have different means. [Center] moves the mean of each recording to the identity, without
// labels. [CenterSmoothly] also follows a drift within a recording. [BalancedCentering] does not depend on the class
// proportions, and [CausalCentering] uses only the trials so far. [AdaptEach] adapts one recording after the other.
// [AlignGroups] aligns the recordings of different people: it centers and scales them and, with labels, rotates them.
//
// # Matrices that are not SPD
//
// Many real recordings give matrices that are not SPD. An average reference reduces the rank of an EEG covariance by
// one, a dead electrode gives a row of zeros, and a short trial has fewer samples than channels. For these matrices,
// the functions return a [*MatrixError] that names the matrix and its smallest eigenvalue. [Check] finds the cause and
// [ParseRepair] a remedy. A model stores its [Repair] and applies it to every new matrix.
//
// # Caveats
//
// Matrices must be symmetric to 1e-8 of their largest entry, and finite. Every call checks this, in one pass over the
// values. Both triangles are read. Eigenvalue methods resolve eigenvalues down to about 1e-15 of the largest. Cholesky
// methods (distances by riemann, kullback_sym, logdet, chol, logchol) also stay accurate for matrices whose channels
// have very different units.
//
// Functions that write to dst resize an empty dst, and panic with mat.ErrShape if dst has another shape. Functions are
// safe for concurrent use on the same input. They use several goroutines and give the same bits at any GOMAXPROCS.
package spd
