package classifiers

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
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
	stats, err := riemannianMeans(ctx, white, labels, classes)
	if err != nil {
		return nil, err
	}
	start, err := logStart(stats, m)
	if err != nil {
		return nil, err
	}
	fit, err := sqfa.Fit(ctx, stats,
		sqfa.Options{Filters: m, Distance: gaussian.Riemann,
			Constraint: "orthogonal", Start: "given", Initial: start})
	if fit == nil {
		return nil, fmt.Errorf("spatial filters: %w", err)
	}
	w, werr := unwhiten(mean, fit.Filters)
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
	u, err := leadingOfSquares(w, m)
	if err != nil {
		return nil, err
	}
	filters, err := unwhiten(fit.Tangent.Reference, u)
	if err != nil {
		return nil, err
	}
	return &Reduction{Kind: "enuc", Filters: filters, Report: fit.Report}, unsettled
}

func checkReduction(x *spd.Stack, labels []int, classes []string, m int) error {
	switch {
	case x == nil || x.Count == 0:
		return errors.New("spatial filters: there are no matrices; give at least one per class")
	case m < 1 || m > x.Dim:
		return fmt.Errorf("spatial filters: %d filters were requested for %s; there must be at least 1 and "+
			"at most as many as channels", m, text.Plural(x.Dim, "channel", "channels"))
	case len(classes) < 2:
		return fmt.Errorf("spatial filters: at least two classes are needed, not %d", len(classes))
	}
	if err := indices.CheckOnePer("label", len(labels), "matrix", x.Count); err != nil {
		return fmt.Errorf("spatial filters: %w", err)
	}
	return nil
}

// riemannianMeans returns statistics with the Riemannian class means as covariances and zero means.
func riemannianMeans(ctx context.Context, x *spd.Stack, labels []int, classes []string) (*gaussian.Statistics, error) {
	stats := gaussian.New(classes, x.Dim)
	if err := indices.CheckLabels("matrix", labels, len(classes)); err != nil {
		return nil, fmt.Errorf("spatial filters: %w", err)
	}
	for i, rows := range indices.Groups(labels, len(classes)) {
		if len(rows) == 0 {
			return nil, fmt.Errorf("spatial filters: class %s has no matrices; leave the class out or add data",
				classes[i])
		}
		mean, _, err := spd.Mean(ctx, x.Select(rows), nil, spd.Riemann, spd.MeanOptions{})
		if err != nil && !rao.HasModel(err) {
			return nil, fmt.Errorf("spatial filters: mean of class %s: %w", classes[i], err)
		}
		stats.Counts[i] = max(2, len(rows))
		copy(stats.Covariance(i).RawSymmetric().Data, mean.RawSymmetric().Data)
	}
	return stats, nil
}

// logStart returns the m leading eigenvectors of Σ log² over the class covariances.
func logStart(stats *gaussian.Statistics, m int) (*mat.Dense, error) {
	logs := new(spd.Stack)
	if err := spd.Log(logs, spd.StackOf(stats.NumClasses(), stats.Dim, stats.Covariances)); err != nil {
		return nil, err
	}
	return leadingOfSquares(logs, m)
}

// leadingOfSquares returns the m leading eigenvectors, as columns, of the sum of the squares of symmetric matrices.
func leadingOfSquares(x *spd.Stack, m int) (*mat.Dense, error) {
	n := x.Dim
	sum := mat.NewSymDense(n, nil)
	for k := range x.Count {
		sum.SymRankK(sum, 1, mat.NewDense(n, n, x.At(k)))
	}
	var e mat.EigenSym
	if !e.Factorize(sum, true) {
		return nil, errors.New("spatial filters: the eigenvectors of the class patterns did not converge; check the " +
			"matrices for extreme values")
	}
	var all mat.Dense
	e.VectorsTo(&all)
	out := mat.NewDense(n, m, nil)
	for j := range m {
		for i := range n {
			out.Set(i, j, all.At(i, n-1-j))
		}
	}
	return out, nil
}

// unwhiten returns M^-½ f with columns of unit length, where M is the mean. The entry of largest magnitude of each
// column is positive.
func unwhiten(mean mat.Symmetric, f *mat.Dense) (*mat.Dense, error) {
	n, m := f.Dims()
	root := new(spd.Stack)
	if err := spd.InvSqrt(root, spd.StackFrom(mean)); err != nil {
		return nil, err
	}
	w := mat.NewDense(n, m, nil)
	w.Mul(mat.NewDense(n, n, root.Data), f)
	linearfilters.UnitColumns(n, m, w.RawMatrix().Data)
	ritz.FixSigns(w.RawMatrix().Data, n, m)
	return w, nil
}
