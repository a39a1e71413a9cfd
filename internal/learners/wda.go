package learners

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
	"rao/internal/optionvalues"
)

// WDAOptions are the options of [FitWDA]. Filters is required.
type WDAOptions struct {
	Filters int // number of filters, 1 to the number of dimensions; required
	// Regularization is the entropic regularization ε, as a fraction of the total variance of the leading principal
	// components, of which there is one per filter. Large values compare only means, like LDA; small values compare
	// individual points, at a higher cost.
	Regularization float64 `opt:"reg" default:"0.1" above:"0" help:"regularization of the transport, as a share of the variance of the leading components; named as in POT, and independent of reg-param of qda"`
	// In many dimensions without components, the optimum can be one good filter and others without any variance,
	// because filters without variance do not change the ratio.
	Components optionvalues.SomeCount `opt:"components" default:"auto" help:"number of leading principal components in which the filters are learned; auto uses 100"`
	Rows       optionvalues.AutoCount `opt:"rows-per-class" default:"auto" help:"number of random rows per class, for a faster fit; auto uses all"`
	// Start, n×m, contains the initial filters. Default: linear discriminants, or principal components if there are
	// fewer discriminants than filters.
	Start *mat.Dense
	// Tol ends the fit when the logarithm of the ratio, in each of two consecutive iterations, changes by at most Tol
	// times the larger of 1 and its magnitude.
	Tol      float64                `opt:"tol" default:"5e-3" above:"0" help:"stop when the logarithm of the ratio changes by a smaller share than this, twice in a row"`
	MaxIter  optionvalues.AutoCount `opt:"max-iter" default:"auto" min:"1" max:"100000000" help:"maximum number of iterations; auto uses 30, or 2 if a class has more than 2000 rows"`
	Seed     uint64                 // seed of the random subsets
	Progress rao.Progress
}

// wdaStages lists the numbers of rows per class of the quick fits before the final fit. Each fit starts from the result
// of the previous one.
var wdaStages = []int{150, 600, 2000}

// quickIterations is the maximum number of iterations of each quick fit.
const quickIterations = 30

// planTolerance is the mean relative error of the plans' marginals at which Sinkhorn's iteration stops.
const planTolerance = 1e-5

// If a class has more than manyRows rows, evaluations are slow. Plans are then computed less exactly, and the fit to
// all rows has fewer iterations.
const manyRows = 2000

// FitWDA fits Wasserstein discriminant analysis (Flamary, Cuturi, Courty and Rakotomamonjy 2018, equation 4). It learns
// orthonormal filters, in the span of the leading principal components, that maximize the ratio of the regularized
// Wasserstein distances between classes to the distances within classes,
//
//	Σ_{c<c'} W_ε(X_c F, X_c' F) / Σ_c W_ε(X_c F, X_c F),  W_ε = Σ P*_ij ‖z_i - z_j‖²
//
// with P* the entropic optimal plan. Plans are computed by Sinkhorn iterations to convergence, starting from the
// potentials of the previous filters or of a subset of the points. To avoid overflow, potentials are stored as
// logarithms, and scalings are absorbed into the potentials before the scalings grow large (Schmitzer 2019). Plans are
// differentiated by the implicit function theorem. The fit uses all rows of all classes; fast fits to random subsets
// provide the start.
//
// The report's Objective is the ratio. FitWDA returns an error for invalid data (with row and column) or options out of
// range. If the fit ends early, it returns a usable model and a *rao.NotConvergedError. An evaluation costs some tens
// of passes over N_c×N_c' values for every pair of classes. One matrix of this size is in memory, in single precision
// if it is large.
func FitWDA(ctx context.Context, x mat.Matrix, labels []int, classes []string, opt WDAOptions) (*feature.Model, error) {
	start := time.Now()
	t, err := newTraining(x, labels, classes)
	if err != nil {
		return nil, err
	}
	opt.Components = cmp.Or(opt.Components, wdaComponents)
	if k := int(opt.Components); k > 0 && k < t.dim {
		return withinComponents("wda", x, k, opt.Filters, opt.Start,
			func(z, start *mat.Dense) (*feature.Model, error) {
				opt.Components, opt.Start = -1, start
				return FitWDA(ctx, z, labels, classes, opt)
			})
	}
	s, mean, err := startFilters(x, opt.Filters, opt.Start)
	if err != nil {
		return nil, err
	}
	if opt.MaxIter == 0 && t.largest() > manyRows && (opt.Rows == 0 || opt.Rows > manyRows) {
		opt.MaxIter = 2
	}
	if err := opt.fill(); err != nil {
		return nil, err
	}
	m := opt.Filters
	if opt.Start == nil {
		s.discriminants(t, x, m)
	}
	manifold := optim.NewManifold(optim.Orthogonal, t.dim, m)
	if err := manifold.Normalize(s.filters); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	eps := opt.Regularization * s.variance * float64(m)
	result, passes, err := opt.stages(ctx, t, mean, manifold, s.filters, eps)
	if err != nil {
		return nil, fmt.Errorf("%w; try another start or a larger regularization", err)
	}
	model, err := finish(ctx, "wda", result, -1, passes, t.dim, m, mean, start)
	model.Report.Objective = math.Exp(model.Report.Objective)
	for i, v := range model.Report.History {
		model.Report.History[i] = math.Exp(v)
	}
	return model, err
}

// wdaComponents is the default of [WDAOptions].Components.
const wdaComponents = 100

// stages runs the quick fits to subsets of the rows, and then the final fit. Each starts from the result of the
// previous one and reuses its curvature, because the objectives of the stages are similar. If ctx ends, the result is
// from the current stage.
func (opt *WDAOptions) stages(ctx context.Context, t *training, mean []float64, manifold *optim.Manifold, f []float64,
	eps float64) (result optim.Result, passes int, err error) {
	name, iterations := "start", quickIterations
	solver, err := optim.NewSolver(len(f),
		optim.Options{MaxIterations: iterations, FunctionTolerance: opt.Tol, Patience: 2, GradientTolerance: 1e-6,
			OnIteration: func(k int, value, _ float64) {
				opt.Progress.Send(rao.Event{Stage: name, Done: k, Limit: iterations, Objective: math.Exp(-value)})
			}})
	if err != nil {
		return result, 0, err
	}
	f = append([]float64(nil), f...)
	for stage, rows := range append(append([]int(nil), wdaStages...), math.MaxInt) {
		last := stage == len(wdaStages)
		if most := int(opt.Rows); most > 0 && rows >= most {
			rows, last = most, true
		}
		part := t
		if largest := t.largest(); rows < largest {
			if 2*rows > largest && !last {
				continue
			}
			part = t.subset(float64(rows)/float64(largest), opt.Seed)
		} else if !last {
			continue
		}
		w := newWDA(part, manifold.Cols, eps)
		w.work.stop = func() bool { return ctx.Err() != nil }
		if part.largest() > manyRows {
			w.work.tolerance *= 10
		}
		if last {
			name, iterations = "fit", int(opt.MaxIter)
			solver.SetMaxIterations(iterations)
		}
		p := newProjection(part.in, mean, manifold, w.cost)
		result, err = solver.Run(ctx, p, manifold, f)
		passes += p.passes
		// an evaluation was interrupted
		if ctx.Err() != nil && (err != nil || !last || result.Status == rao.StatusStalled) {
			if err != nil { // it was the first evaluation of the stage
				result, err = optim.Result{X: f}, nil
			}
			result.Status = rao.StatusCanceled
		}
		if err != nil || last || result.Status == rao.StatusCanceled {
			break
		}
		copy(f, result.X)
		solver.Grow(len(f)) // keeps the curvature for the next stage
	}
	return result, passes, err
}

// fill sets the defaults and checks the options.
func (opt *WDAOptions) fill() error {
	optionvalues.Fill(opt)
	opt.MaxIter = cmp.Or(opt.MaxIter, 30)
	switch {
	case !vec.Positive(opt.Regularization):
		return faults.Option("the regularization is %g; it must be positive and finite", opt.Regularization)
	case opt.Rows < 0 || opt.Rows == 1:
		return faults.Option("the number of rows per class is %d; it must be 2 or more, or 0 for all", opt.Rows)
	}
	return checkLimits(int(opt.MaxIter), opt.Tol)
}

// largest returns the number of rows of the largest class.
func (t *training) largest() int {
	most := 0
	for _, c := range t.counts {
		most = max(most, c)
	}
	return most
}

// wda is a cost: the logarithm of the ratio of the distances within classes to the distances between classes.
type wda struct {
	t      *training
	m      int
	eps    float64
	pairs  []transport // one for each of the c(c+1)/2 pairs (i,j) with i <= j, in order
	work   transportWork
	points [][]float64 // projected rows of each class
	din    [][]float64 // derivative of the sum of distances within classes
	dout   [][]float64 // derivative of the sum of distances between classes
}

func newWDA(t *training, m int, eps float64) *wda {
	w := &wda{t: t, m: m, eps: eps, pairs: make([]transport, t.classes*(t.classes+1)/2),
		work: transportWork{tolerance: planTolerance}}
	w.work.k.single = t.largest()*t.largest() >= singleFrom
	for _, count := range t.counts {
		w.points = append(w.points, make([]float64, count*m))
		w.din = append(w.din, make([]float64, count*m))
		w.dout = append(w.dout, make([]float64, count*m))
	}
	return w
}

// cost implements [cost] for a projection.
func (w *wda) cost(z, dz []float64) float64 {
	m := w.m
	for c, members := range w.t.members {
		for a, i := range members {
			copy(w.points[c][a*m:(a+1)*m], z[i*m:(i+1)*m])
		}
		clear(w.din[c])
		clear(w.dout[c])
	}
	within, between, k := 0.0, 0.0, 0
	for i := range w.points {
		for j := i; j < len(w.points); j++ {
			if w.work.stopped() {
				return math.NaN()
			}
			p := w.work.solve(&w.pairs[k], w.points[i], w.points[j], w.t.counts[i], w.t.counts[j], m, w.eps)
			if i == j {
				within += p.gradient(w.din[i], w.din[i])
			} else {
				between += p.gradient(w.dout[i], w.dout[j])
			}
			k++
		}
	}
	if w.work.stopped() {
		return math.NaN()
	}
	for c, members := range w.t.members {
		for a, i := range members {
			for h := range m {
				dz[i*m+h] = w.din[c][a*m+h]/within - w.dout[c][a*m+h]/between
			}
		}
	}
	return math.Log(within) - math.Log(between)
}
