// Package privacy makes class statistics that can be shared where the rows cannot: differentially private counts,
// means and covariances that merge exactly across sites.
//
//	r, err := privacy.Estimate(ctx, gaussian.RowsOf(x, labels, classes), privacy.Options{
//		Guarantee: privacy.Guarantee{Epsilon: 1, Delta: 1e-6},
//		Classes:   classes,
//		Domain:    privacy.Domain{Low: []float64{0}, High: []float64{255}},
//	})
//	s, err := r.Subclasses() // one Gaussian per class, for a fit
//
// # Mechanism
//
// Neighbors are two data sets that differ by one row, added or removed. The classes, and the range of the values
// or the largest length of a row, are public. Rows are moved and mapped by public numbers, cut to a ball of public
// radius, put on a lattice of integers and summed exactly. Discrete Gaussian noise (Canonne, Kamath and
// Steinke 2020) from the system's secure source is added to the sums, in integer arithmetic, and everything else
// follows from the noisy sums.
//
// Subspace statistics take three readings of the rows. The first gives the mean of all rows, the second the means
// of the classes and a basis, the third the covariance of each class in this basis, whose number of dimensions
// follows from the noise alone. Pooled statistics end after the second reading. Privacy is counted in
// zero-concentrated differential privacy (ρ, Bun and Steinke 2016), which adds up over readings, and is reported
// as (ε, δ).
//
// # Units
//
// With [Options.Units] neighbors differ in all rows of one unit, such as a person. The first M rows of a unit are used
// (M is [Options.UnitRows]), and the noise is M times that of rows: the changes of the counts, sums and second moments
// by each row are vectors of bounded length, and the length of their sum is at most M times the bound, whatever their
// classes. Memory holds a count for each unit. What a unit spends at several sites adds up.
//
// # Several sites
//
// Each site makes the release of a round ([Begin], [Measure]), [Merge] adds them, and [Release.Next] is the plan
// of the next round for all. A [Ledger] is a site's record of what its rows have spent.
//
// # Limits
//
// Without a unit the guarantee is for rows: a person with k rows spends k² times the ρ of one. Covariances are those
// of rows cut to a ball, good for decisions and not for inference or distances between classes. For d dimensions, a
// class needs about 11·d^1.5/ε rows. Timing, memory and swap of the machine that reads the rows are not protected.
package privacy
