package learners

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
	"rao/internal/par"
	"rao/internal/rows"
)

const (
	amaLeast = 128  // minimum number of rows per step, or all rows if there are fewer
	amaBatch = 2048 // maximum number of rows per step; between the two limits, a step uses 1/64 of the rows
	amaRate  = 0.2  // peak rate of Adam for one-dimensional filters; it is divided by the square root of the dimension
)

// FitAMABatches works like [FitAMA] for rows in batches, given the statistics s of the same rows. The decoder computes
// the means F'μ and the covariances F'ΦF of the features from s. In expectation, the cost of a batch therefore equals
// the cost of FitAMA. Adam minimizes the cost. The learning rate rises for 15 % of the steps and then falls to zero
// along a cosine. Memory does not depend on the number of rows.
//
// [Epochs] determines the number of passes. A positive opt.MaxIter limits it. FitAMABatches returns an error if
// NoisyResponses, Group, StartRows, Tol or Seed is set. The report's Objective is the mean over the last pass, during
// which the filters still change. A step on B rows costs 4 B n m operations, plus 2 c n² m for the statistics.
func FitAMABatches(ctx context.Context, s *gaussian.Statistics, batches Batches, opt AMAOptions) (*feature.Model,
	error) {
	begin := time.Now()
	if opt.NoisyResponses || opt.Group != 0 || opt.StartRows != 0 || opt.Tol != 0 || opt.Seed != 0 {
		return nil, faults.Option("noisy responses, groups, a first fit, a tolerance and a seed need all rows in " +
			"memory; leave out these options, or read all rows into memory")
	}
	a, err := newAMABatches(s, opt)
	if err != nil {
		return nil, err
	}
	report, err := a.run(ctx, batches)
	if err != nil {
		return nil, err
	}
	report.Elapsed = time.Since(begin)
	a.unit.Normalize(a.f, a.w, a.m)
	ritz.FixSigns(a.f, a.n, a.m)
	out := &feature.Model{Method: "ama", Filters: mat.NewDense(a.n, a.m, a.f), Center: a.mean, Report: report}
	if report.Status == rao.StatusCanceled {
		return out, &rao.NotConvergedError{Cause: ctx.Err(),
			Method: "ama", Report: report, Remedy: "the filters found so far are usable"}
	}
	return out, nil
}

// amaBatches learns the filters of AMA by stochastic gradient steps.
type amaBatches struct {
	s          *gaussian.Statistics
	n, m, c    int
	rows, size int // total number of rows, number of rows per batch
	opt        AMAOptions
	mean       []float64
	g          *gaussianPosterior
	adam       optim.Adam

	w, f     []float64 // free filters, n×m, and the same scaled to unit norm
	unit     optim.UnitColumns
	dw       []float64
	means    []float64 // c×n
	products []float64 // c×n×m: ΦF
	sums     []float64 // c×n×m: gradients through the covariances
	x        []float64 // rows of the batch
	z, dz    []float64 // size×m
}

func newAMABatches(s *gaussian.Statistics, opt AMAOptions) (*amaBatches, error) {
	if err := classstats.Validate(s, 2); err != nil {
		return nil, err
	}
	mean, _, _, cov := s.Pooled(nil)
	f, err := startFrom(cov.RawSymmetric().Data, s.Dim, opt.Filters, opt.Start)
	if err != nil {
		return nil, err
	}
	opt.StartRows = -1
	if err := opt.fill(f); err != nil {
		return nil, err
	}
	for _, x := range opt.Also {
		if err := checkShape("alternative starting filters", x, s.Dim, opt.Filters); err != nil {
			return nil, err
		}
	}
	a := &amaBatches{s: s, n: s.Dim, m: opt.Filters, c: s.NumClasses(), opt: opt, mean: mean, w: f.filters}
	a.rows = s.Total()
	a.size = min(a.rows, max(amaLeast, min(amaBatch, a.rows/64)))
	n, m, c := a.n, a.m, a.c
	t := &training{rows: a.size, dim: n, classes: c, names: s.Classes, counts: s.Counts, labels: make([]int, a.size)}
	priors, err := logPriors(t, opt.Priors)
	if err != nil {
		return nil, err
	}
	a.g = newGaussianPosterior(t, m, opt.Noise, priors)
	a.f, a.dw = make([]float64, n*m), make([]float64, n*m)
	a.products, a.sums = make([]float64, c*n*m), make([]float64, c*n*m)
	a.x, a.z, a.dz = make([]float64, a.size*n), make([]float64, a.size*m), make([]float64, a.size*m)
	a.means = make([]float64, 0, c*n)
	for i := range c {
		for j, v := range s.Mean(i) {
			a.means = append(a.means, v-a.mean[j])
		}
	}
	return a, nil
}

// run runs all steps. If ctx is canceled, it returns a report with status Canceled and no error.
func (a *amaBatches) run(ctx context.Context, batches Batches) (rao.Report, error) {
	height := amaRate / math.Sqrt(float64(a.n))
	if len(a.opt.Also) > 0 {
		if err := a.chooseStart(ctx, batches, height); err != nil && ctx.Err() == nil {
			return rao.Report{}, err
		}
	}
	return optim.Epochs(ctx, min(Epochs(a.rows), a.opt.MaxIter), a.rows/a.size, "batches", a.opt.Progress,
		func(epoch int, step func(float64) (float64, float64)) error {
			return batches(ctx, epoch, a.size, func(x mat.Matrix, labels []int) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				loss, err := a.loss(x, labels)
				if err != nil {
					return err
				}
				rate, momentum := step(loss)
				a.adam.Step(a.w, a.dw, height*rate, momentum)
				return nil
			})
		})
}

// errEnoughRows ends the pass that reads the rows for the comparison of starts.
var errEnoughRows = errors.New("enough rows")

// chooseStart compares several filters by their cost on the same batches, with about amaTrialRows rows in total: the
// current filters, the filters in opt.Also, and the results of amaTrial steps from each of these. The fit continues
// from the filters with the lowest cost.
func (a *amaBatches) chooseStart(ctx context.Context, batches Batches, height float64) error {
	most := max(1, min(amaTrialRows, a.rows)/a.size)
	var parts []*mat.Dense
	var labels [][]int
	err := batches(ctx, 0, a.size, func(x mat.Matrix, l []int) error {
		parts, labels = append(parts, mat.DenseCopyOf(x)), append(labels, slices.Clone(l))
		if len(parts) == most {
			return errEnoughRows
		}
		return ctx.Err()
	})
	if err != nil && !errors.Is(err, errEnoughRows) {
		return err
	}
	best, least := slices.Clone(a.w), math.Inf(1)
	compare := func() {
		cost := 0.0
		for i, x := range parts {
			v, err := a.loss(x, labels[i])
			if err != nil {
				return
			}
			cost += v
		}
		if cost < least {
			least = cost
			copy(best, a.w)
		}
	}
	starts := [][]float64{slices.Clone(a.w)}
	for _, f := range a.opt.Also {
		starts = append(starts, mat.DenseCopyOf(f).RawMatrix().Data)
	}
	for _, start := range starts {
		copy(a.w, start)
		compare()
		a.adam = optim.Adam{}
		for step := range amaTrial {
			if _, err := a.loss(parts[step%len(parts)], labels[step%len(parts)]); err != nil || ctx.Err() != nil {
				break
			}
			rate, momentum := optim.Cycle(step, amaTrial+1)
			a.adam.Step(a.w, a.dw, height*rate, momentum)
		}
		compare()
	}
	copy(a.w, best)
	a.adam = optim.Adam{}
	return nil
}

// loss returns the cost of a batch and stores its gradient.
func (a *amaBatches) loss(x mat.Matrix, labels []int) (float64, error) {
	in := rows.New(x)
	if in.Rows != a.size || in.Cols != a.n || len(labels) != in.Rows {
		panic(mat.ErrShape)
	}
	if err := in.CheckFinite(); err != nil {
		return 0, err
	}
	if err := indices.CheckLabels("row", labels, a.c); err != nil {
		return 0, fmt.Errorf("batch: %w", err)
	}
	copy(a.g.t.labels, labels)
	par.For(in.Rows, 128, func(_, lo, hi int) { in.Read(a.x[lo*a.n:], a.n, lo, hi, a.mean) })
	a.unit.Normalize(a.f, a.w, a.m)
	a.project()
	if !a.g.invert() {
		return 0, faults.Data("the covariance of a class is not positive definite; try another start or a larger " +
			"noise")
	}
	n, m := a.n, a.m
	dense.Gemm(false, false, a.size, m, n, 1, a.x, n, a.f, m, 0, a.z, m)
	value := a.g.posterior(a.z, a.dz)
	dense.Gemm(true, false, n, m, a.size, 1, a.x, n, a.dz, m, 0, a.dw, m)
	a.statisticsGradient()
	a.unit.Gradient(a.dw, a.f)
	return value, nil
}

// project computes the means and covariances of the features of each class.
func (a *amaBatches) project() {
	n, m, g := a.n, a.m, a.g
	dense.Gemm(false, false, a.c, m, n, 1, a.means, n, a.f, m, 0, g.means, m)
	for k := range a.c {
		t, cov := a.products[k*n*m:(k+1)*n*m], g.covs[k*m*m:(k+1)*m*m]
		dense.Gemm(false, false, n, m, n, 1, a.s.Covariance(k).RawSymmetric().Data, n, a.f, m, 0, t, m)
		dense.Gemm(true, false, m, m, n, 1, a.f, m, t, m, 0, cov, m)
		for i := range m {
			cov[i*m+i] += a.opt.Noise
			for j := range i { // makes it exactly symmetric
				cov[i*m+j] = cov[j*m+i]
			}
		}
	}
}

// statisticsGradient adds the gradient through the class statistics: μ dμ' + 2ΦF dΣ for each class.
func (a *amaBatches) statisticsGradient() {
	n, m := a.n, a.m
	dense.Gemm(true, false, n, m, a.c, 1, a.means, n, a.g.dmean, m, 1, a.dw, m)
	par.For(a.c, 1, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			out := a.sums[k*n*m : (k+1)*n*m]
			for i := range n {
				row, t := out[i*m:(i+1)*m], a.products[(k*n+i)*m:(k*n+i+1)*m]
				clear(row)
				for j, v := range t {
					vec.Axpy(row, 2*v, a.g.dcov[k*m*m+j*m:k*m*m+(j+1)*m])
				}
			}
		}
	})
	for k := range a.c {
		vec.Axpy(a.dw, 1, a.sums[k*n*m:(k+1)*n*m])
	}
}
