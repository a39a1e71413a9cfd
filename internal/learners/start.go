package learners

import (
	"context"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/internal/faults"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/optim"
	"rao/internal/priors"
)

var inf = math.Inf(1)

// started contains the initial filters of an iterative learner.
type started struct {
	filters  []float64 // n×m
	variance float64   // mean variance of the m leading principal components
	rows     int
}

// startFilters returns the m leading principal components, or a copy of the given filters, and the mean of the rows.
func startFilters(x mat.Matrix, m int, given *mat.Dense) (*started, []float64, error) {
	mean, cov, n, err := pooled(x)
	if err != nil {
		return nil, nil, err
	}
	s, err := startFrom(cov, n, m, given)
	if err != nil {
		return nil, nil, err
	}
	s.rows, _ = x.Dims()
	return s, mean, nil
}

// PrincipalComponents returns the m leading principal components of the rows, one per column.
func PrincipalComponents(x mat.Matrix, m int) (*mat.Dense, error) {
	s, _, err := startFilters(x, m, nil)
	if err != nil {
		return nil, err
	}
	_, n := x.Dims()
	return mat.NewDense(n, m, s.filters), nil
}

// startFrom works like startFilters for a given covariance of the rows. It returns no mean and does not set the number
// of rows.
func startFrom(cov []float64, n, m int, given *mat.Dense) (*started, error) {
	if err := linearfilters.CheckFilters(m, n, "the number of dimensions"); err != nil {
		return nil, err
	}
	values, f, err := linearfilters.Leading(cov, n, m)
	if err != nil {
		return nil, err
	}
	s := &started{filters: f}
	for _, v := range values {
		s.variance += math.Max(v, 0) / float64(m)
	}
	if !(s.variance > 0) {
		return nil, faults.Data("all rows are equal, so there is nothing to learn; check which columns or which " +
			"variable was read")
	}
	if err := checkShape("the starting filters", given, n, m); err != nil || given == nil {
		return s, err
	}
	for i := range n {
		copy(f[i*m:(i+1)*m], given.RawRowView(i))
	}
	if bad := vec.NotFinite(f); bad >= 0 {
		return nil, faults.Option("the value of starting filter %d in dimension %d (counted from 0) is not finite; "+
			"give finite filters", bad%m, bad/m)
	}
	return s, nil
}

// logPriors returns the logarithms of the given priors, after scaling them to sum to one. If given is nil, the priors
// are the class frequencies.
func logPriors(t *training, given []float64) ([]float64, error) {
	if given == nil {
		given = make([]float64, t.classes)
		for i, n := range t.counts {
			given[i] = float64(n)
		}
	}
	out, err := priors.Normalize(given, t.classes, t.name)
	if err != nil {
		return nil, err
	}
	for i, p := range out {
		out[i] = math.Log(p)
	}
	return out, nil
}

// checkShape returns an error unless the filters are nil or n×m.
func checkShape(what string, filters *mat.Dense, n, m int) error {
	if filters != nil {
		if r, c := filters.Dims(); r != n || c != m {
			return faults.Option("%s have shape %d×%d, but must have shape %d×%d", what, r, c, n, m)
		}
	}
	return nil
}

// checkLimits returns an error unless an iteration can run.
func checkLimits(limit int, tolerance float64) error {
	if limit < 1 || !(tolerance > 0) {
		return faults.Option("the iteration limit is %d and the tolerance %g; both must be positive", limit, tolerance)
	}
	return nil
}

// finish returns a model with the result of a minimization, with the signs of the filters fixed. sign (1 or -1)
// converts the minimized value to the objective of the method.
func finish(ctx context.Context, method string, r optim.Result, sign float64, passes, n, m int, mean []float64,
	start time.Time) (*feature.Model, error) {
	ritz.FixSigns(r.X, n, m)
	report := rao.Report{Status: r.Status, Iterations: r.Iterations, Evaluations: r.Evaluations, Passes: passes,
		Objective: sign * r.Value, GradientNorm: r.GradientNorm, History: make([]float64, len(r.History))}
	for i, v := range r.History {
		report.History[i] = sign * v
	}
	report.Elapsed = time.Since(start)
	model := &feature.Model{Method: method, Filters: mat.NewDense(n, m, r.X), Center: mean, Report: report}
	return model, faults.Unfinished(ctx, method, report, "raise max-iter or tol")
}
