package classifiers

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/gaussian"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/text"
	"rao/spd"
	"rao/sqfa"
)

// FitSQFAReduction learns m spatial filters with SQFA. Let M be the Riemannian mean of all matrices, and C_k the
// Riemannian class means after moving M to the identity. The filters are W = M^-½ F with the orthonormal F that
// separates the class means best:
//
//	max_F mean over pairs k<l of δ(F'C_kF, F'C_lF)
//
// with δ the affine-invariant distance (Herrera-Esposito and Burge's objective on second moments, with Riemannian
// class means as the statistics). It starts at the leading eigenvectors of Σ_k log² C_k. F is defined only up to a
// rotation, so you can interpret the reduced matrices but not a single filter.
//
// Errors name the class or matrix. If the error is a *rao.NotConvergedError, the result is usable. The cost is the
// means, plus a fit on c matrices of order n.
func FitSQFAReduction(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	m int) (*Reduction, error) {
	if err := checkReduction(x, labels, classes, m); err != nil {
		return nil, err
	}
	mean, _, err := spd.Mean(ctx, x, nil, spd.Riemann, spd.MeanOptions{})
	if err != nil && !rao.HasModel(err) {
		return nil, err
	}
	unsettled := err
	white := new(spd.Stack)
	if err := spd.Recenter(white, x, mean, nil); err != nil {
		return nil, err
	}
	mdm, err := classify.FitMDM(ctx, white, labels, classes, classify.MDMOptions{})
	if mdm == nil {
		return nil, fmt.Errorf("spatial filters: %w", err)
	}
	stats := gaussian.New(classes, x.Dim)
	for i, n := range indices.Tally(labels, len(classes)) {
		stats.Counts[i] = max(2, n) // a fit needs two, and uses only the covariances
	}
	stats.Covariances = mdm.Means.Data
	logs := new(spd.Stack)
	if err := spd.Log(logs, mdm.Means); err != nil {
		return nil, err
	}
	start, _, err := linearfilters.LeadingOfSquares(logs, m)
	if err != nil {
		return nil, err
	}
	fit, err := sqfa.Fit(ctx, stats,
		sqfa.Options{Filters: m, Distance: gaussian.Riemann,
			Constraint: "orthogonal", Start: "given", Initial: start})
	if fit == nil {
		return nil, fmt.Errorf("spatial filters: %w", err)
	}
	w, werr := unitFilters(mean, fit.Filters)
	if werr != nil {
		return nil, werr
	}
	return &Reduction{Kind: "sqfa", Filters: w, Report: fit.Report}, errors.Join(err, unsettled)
}

// FitENucReduction returns the m directions that the class patterns of [FitENuc] use most: W = M^-½ U for the leading
// eigenvectors U of Σ_k W_k², with W_k the coefficient matrix of class k. It returns the errors of that fit. If the
// error is a *rao.NotConvergedError, the result is usable.
func FitENucReduction(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	m int) (*Reduction, error) {
	if err := checkReduction(x, labels, classes, m); err != nil {
		return nil, err
	}
	fit, unsettled := FitENuc(ctx, x, labels, classes, ENucOptions{Folds: -1})
	if fit == nil {
		return nil, unsettled
	}
	n := x.Dim
	w := spd.NewStack(len(classes), n)
	for k := range classes {
		vec.Unpack(w.At(k), fit.Coefficients.RawRowView(k), n)
	}
	u, _, err := linearfilters.LeadingOfSquares(w, m)
	if err != nil {
		return nil, err
	}
	filters, err := unitFilters(fit.Tangent.Reference, u)
	if err != nil {
		return nil, err
	}
	return &Reduction{Kind: "enuc", Filters: filters, Report: fit.Report}, unsettled
}

func checkReduction(x *spd.Stack, labels []int, classes []string, m int) error {
	err := common.CheckStack(x, labels, classes, 1)
	if err == nil && (m < 1 || m > x.Dim) {
		err = faults.Option(
			"%d filters were requested for %s; there must be at least 1 and at most as many as channels",
			m, text.Plural(x.Dim, "channel", "channels"))
	}
	if err != nil {
		return fmt.Errorf("spatial filters: %w", err)
	}
	return nil
}

// unitFilters returns M^-½ f with columns of unit length, where M is the mean. The entry of largest magnitude of each
// column is positive.
func unitFilters(mean mat.Symmetric, f *mat.Dense) (*mat.Dense, error) {
	w, err := linearfilters.Unwhiten(mean, f)
	if err != nil {
		return nil, err
	}
	n, m := w.Dims()
	vec.NormalizeColumns(w.RawMatrix().Data, m)
	ritz.FixSigns(w.RawMatrix().Data, n, m)
	return w, nil
}
