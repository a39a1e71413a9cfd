// Package privacy computes class statistics for data whose rows cannot be shared: differentially private counts, means
// and covariances, which can be merged exactly across sites.
//
//	r, err := privacy.Estimate(ctx, subclasses.RowsOf(x, labels, classes), privacy.Options{
//		Guarantee: privacy.Guarantee{Epsilon: 1, Delta: 1e-6},
//		Classes:   classes,
//		Domain:    privacy.Domain{Low: []float64{0}, High: []float64{255}},
//	})
//	s, err := r.Subclasses() // one Gaussian per class, for a fit
//
// # Mechanism
//
// Two data sets are neighbors if they differ by one row, added or removed. The classes are public. The range of the
// values or the largest norm of a row is public as well. Rows are centered and mapped with public numbers, clipped to
// a ball of public radius, and rounded to a lattice of integers. Their sums are exact. Discrete Gaussian noise
// (Canonne, Kamath and Steinke 2020) from the system's secure source is added to the sums in integer arithmetic.
// Everything else is computed from the noisy sums.
//
// Subspace statistics read the rows three times. The first round gives the mean of all rows, the second the means of
// the classes and a basis, and the third the covariance of each class in this basis. The number of dimensions is chosen
// from the noise alone. Pooled statistics end after the second round. Privacy is counted in zero-concentrated
// differential privacy (ρ, Bun and Steinke 2016), which adds up over rounds, and is reported as (ε, δ).
//
// # Units
//
// With [Options.Units], neighbors differ in all rows of one unit, such as a person. Only the first M rows of a unit are
// used (M is [Options.UnitRows]), and the noise is M times as large as for rows. The reason is that each row changes
// the counts, sums and second moments by a vector of bounded length, and the sum of M of these vectors is at most M
// times as long. The memory is one count per unit. If a unit has rows at several sites, the ρ of these sites add up.
//
// # Several sites
//
// Each site makes the release of a round ([Begin], [Measure]). [Merge] adds them, and [Release.Next] returns the plan
// of the next round for all sites. A [Ledger] is a site's record of the privacy that its rows have spent.
//
// # Limits
//
// Without units the guarantee is for rows: a person with k rows spends k² times the ρ of one row. Covariances are
// computed from clipped rows. They are suitable for decisions, but not for inference or for distances between classes.
// For d dimensions, a class needs about 11·d^1.5/ε rows. Timing, memory and swap of the machine that reads the rows are
// not protected.
package privacy
