package lvq

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/small"
	"rao/internal/optim"
	"rao/internal/par"
	"rao/spd"
)

// JointOptions of [FitJointPLRSQ]. The zero value is a good default.
type JointOptions struct {
	Prototypes       int       // prototypes a class; default 1
	Start            Start     // of the prototypes, behind the starting filters; means or kmeans, default as in Options
	Sigma2           float64   // σ²; 0: half the median squared distance at the start
	Priors           []float64 // class probabilities; nil: every prototype equally probable
	MaxIter          int       // iterations; default 100
	Tol              float64   // norm of the gradient of the mean cost that ends the fit; default 1e-4
	CalibrationFolds int       // as in Options
	Seed             uint64
	Progress         rao.Progress
}

// FitJointPLRSQ learns a map to smaller matrices, X → W'XW, together with the prototypes
// behind it: W (n×m) and the P_l (m×m) minimize
//
//	−1/N Σ_i log P(y_i | W'X_iW),  P(c | Z) ∝ Σ_{l of c} π_l exp(−δ²(Z, P_l)/(2σ²))
//
// with δ the affine-invariant distance, by L-BFGS over W and factors of the P_l, from the
// filters start and prototypes at the class means behind them. Tang et al. 2021 (arXiv
// 2102.00667, section 6.3) leave dimension reduction within PLRSQ to future work and do not
// say how; the joint form is ours. Nothing holds
// the filters back, and with few matrices they fit these alone: docs/results.md has the
// table, where filters of SQFA, and PLRSQ behind them, do better on a new session.
//
// W comes with columns of unit length. A *rao.NotConvergedError stands beside a usable
// result when the iterations or ctx ended the fit, which on few data is usual. Other
// errors name the matrix, class or option.
//
// Cost of an iteration: N (n²m + nm²) operations and N p eigendecompositions of order m;
// the calibration takes as much again for each fold.
func FitJointPLRSQ(ctx context.Context, x *spd.Stack, labels []int, classes []string, start *mat.Dense,
	opt JointOptions) (*mat.Dense, *PLRSQ, error) {
	begin := time.Now()
	if err := checkStackShape(x); err != nil {
		return nil, nil, err
	}
	counts, err := countLabels(labels, x.Count, classes)
	if err != nil {
		return nil, nil, err
	}
	j, err := newJoint(ctx, x, certainTargets(labels, len(counts)), counts, start, opt)
	if err != nil {
		return nil, nil, err
	}
	fit, err := j.fit(ctx, sequence(x.Count), j.opt.Progress)
	if err != nil {
		return nil, nil, err
	}
	score := func(ctx context.Context, train, test []int) (energy, near []float64, err error) {
		return j.score(ctx, train, test)
	}
	m := &PLRSQ{Metric: spd.Riemann, Labels: j.opt.label, Classes: namesOf(classes, len(counts)), Sigma2: fit.sigma2,
		Priors: opt.Priors, ClassShare: j.targets.shares(), Report: fit.report}
	if m.Calibration, err = calibration(ctx, j.opt, j.targets, score, &m.Report); err != nil {
		return nil, nil, err
	}
	filters, z, err := fit.settle(j.whitener, x)
	if err != nil {
		return nil, nil, err
	}
	m.Prototypes = fit.prototypes
	reference, _, err := spd.Mean(ctx, z, nil, spd.Riemann, spd.MeanOptions{})
	if reference == nil {
		return nil, nil, fmt.Errorf("lvq: mean of the reduced matrices: %w", err)
	}
	m.Reference = reference
	m.Report.Elapsed = time.Since(begin)
	if err := m.Prepare(); err != nil {
		return nil, nil, err
	}
	if !m.Report.Status.Good() {
		return filters, m, &rao.NotConvergedError{Method: "plrsq", Report: m.Report, Remedy: "more iterations fit " +
			"the training closer, and new data seldom; give more matrices, or leave --joint out"}
	}
	return filters, m, nil
}

// joint is the problem: the matrices, whitened so that their mean is the identity, and
// where filters begin there.
type joint struct {
	x        *spd.Stack
	targets  *targets
	opt      *resolved
	limits   JointOptions
	start    *mat.Dense // n×m, orthonormal columns
	whitener *mat.Dense // C^-½
}

func newJoint(ctx context.Context, x *spd.Stack, q *targets, counts []int, start *mat.Dense,
	opt JointOptions) (*joint, error) {
	n, m := start.Dims()
	if n != x.Dim || m > n {
		return nil, fmt.Errorf("lvq: %d filters of %d channels to start from, for matrices of order %d", m, n, x.Dim)
	}
	if opt.MaxIter == 0 {
		opt.MaxIter = 100
	}
	if opt.Tol == 0 {
		opt.Tol = 1e-4
	}
	if opt.MaxIter < 1 || !(opt.Tol > 0) {
		return nil, fmt.Errorf("lvq: %d iterations and tolerance %g: both must be positive", opt.MaxIter, opt.Tol)
	}
	// The training of the prototypes is this one: no epochs, no noise at the start.
	o, err := Options{Prototypes: opt.Prototypes, Start: opt.Start, Sigma2: opt.Sigma2, Priors: opt.Priors, Epochs: 1,
		Noise: -1, CalibrationFolds: opt.CalibrationFolds, Seed: opt.Seed, Progress: opt.Progress}.resolve(m, counts)
	if err != nil {
		return nil, err
	}
	if err := checkSPD("matrix", x); err != nil {
		return nil, err
	}
	mean, _, err := spd.Mean(ctx, x, nil, spd.Riemann, spd.MeanOptions{})
	if mean == nil {
		return nil, fmt.Errorf("lvq: mean of the training matrices: %w", err)
	}
	j := &joint{x: new(spd.Stack), targets: q, opt: o, limits: opt}
	if err := spd.Recenter(j.x, x, mean, nil); err != nil {
		return nil, fmt.Errorf("lvq: %w", err)
	}
	root, inverse := new(spd.Stack), new(spd.Stack)
	if err := errors.Join(spd.Sqrt(root, spd.StackFrom(mean)), spd.InvSqrt(inverse, spd.StackFrom(mean))); err != nil {
		return nil, fmt.Errorf("lvq: mean of the training matrices: %w", err)
	}
	j.whitener = mat.NewDense(n, n, inverse.Data)
	var white mat.Dense
	white.Mul(mat.NewDense(n, n, root.Data), start)
	var qr mat.QR
	qr.Factorize(&white)
	if qr.Cond() > 1e12 {
		return nil, fmt.Errorf("lvq: the %d filters to start from span fewer dimensions", m)
	}
	var all mat.Dense
	qr.QTo(&all)
	j.start = mat.DenseCopyOf(all.Slice(0, n, 0, m))
	return j, nil
}

// jointFit is where a fit ended: filters of whitened matrices and prototypes behind them.
type jointFit struct {
	filters    *mat.Dense
	prototypes *spd.Stack
	sigma2     float64
	report     rao.Report
}

// fit learns from the matrices of index alone.
func (j *joint) fit(ctx context.Context, index []int, progress rao.Progress) (*jointFit, error) {
	src, err := prepare(spd.Riemann, reducedBy(j.start, j.x))
	if err != nil {
		return nil, err
	}
	t, err := startTraining(ctx, src, j.opt, j.targets, index, 1)
	if err != nil {
		return nil, err
	}
	prototypes, err := src.stack(t.space)
	if err != nil {
		return nil, err
	}
	n, m := j.start.Dims()
	c := newJointCost(j, index, t.sched.sigma2)
	from := append([]float64(nil), j.start.RawMatrix().Data...)
	var ws small.Workspace
	factors := make([]float64, len(prototypes.Data))
	if err := ws.Cholesky(factors, prototypes.Data, m, prototypes.Count); err != nil {
		return nil, placeError("prototype", err, func(k int) int { return k })
	}
	r, err := optim.Minimize(ctx, append(from, factors...), c.value, optim.Options{MaxIterations: j.limits.MaxIter,
		GradientTolerance: j.limits.Tol, FunctionTolerance: 1e-7,
		OnIteration: func(k int, value, _ float64) {
			progress.Send(rao.Event{Stage: "filters and prototypes", Done: k, Total: j.limits.MaxIter,
				Objective: value})
		}})
	if err != nil {
		return nil, fmt.Errorf("lvq: filters and prototypes: %w", err)
	}
	fit := &jointFit{filters: mat.NewDense(n, m, r.X[:n*m]), prototypes: spd.NewStack(prototypes.Count, m),
		sigma2: c.sigma2, report: rao.Report{Status: r.Status, Iterations: r.Iterations, Evaluations: r.Evaluations,
			Passes: r.Evaluations, Objective: r.Value, GradientNorm: r.GradientNorm, History: r.History}}
	for l := range prototypes.Count {
		f := mat.NewDense(m, m, r.X[n*m+l*m*m:n*m+(l+1)*m*m])
		mat.NewDense(m, m, fit.prototypes.At(l)).Mul(f, f.T())
		symmetrize(fit.prototypes.At(l), m)
	}
	return fit, nil
}

// score learns from some matrices and measures others, for the calibration.
func (j *joint) score(ctx context.Context, train, test []int) (energy, near []float64, err error) {
	fit, err := j.fit(ctx, train, nil)
	if err != nil {
		return nil, nil, err
	}
	f, err := newFactors(reducedBy(fit.filters, j.x.Select(test)), fit.prototypes)
	if err != nil {
		return nil, nil, err
	}
	p := fit.prototypes.Count
	energy, near = make([]float64, len(test)*p), make([]float64, len(test))
	if err := measureAll(energy, f, sequence(len(test)), p); err != nil {
		return nil, nil, err
	}
	energies(energy, near, p, fit.sigma2)
	return energy, near, nil
}

// settle carries filters and prototypes to the matrices x before whitening, with columns
// of unit length, and returns these filters and what they make of x.
func (f *jointFit) settle(whitener *mat.Dense, x *spd.Stack) (*mat.Dense, *spd.Stack, error) {
	n, m := f.filters.Dims()
	w := mat.NewDense(n, m, nil)
	w.Mul(whitener, f.filters)
	scale := make([]float64, m)
	for k := range m {
		norm := mat.Norm(w.ColView(k), 2)
		if !(norm > 0) || math.IsInf(norm, 1) {
			return nil, nil, fmt.Errorf("lvq: filter %d vanished; start from other filters", k)
		}
		scale[k] = 1 / norm
		for i := range n {
			w.Set(i, k, w.At(i, k)/norm)
		}
	}
	for l := range f.prototypes.Count {
		a := f.prototypes.At(l)
		for i := range m {
			for k := range m {
				a[i*m+k] *= scale[i] * scale[k]
			}
		}
	}
	return w, reducedBy(w, x), nil
}

// reducedBy returns W'XW of every matrix, symmetric to the bit.
func reducedBy(w *mat.Dense, x *spd.Stack) *spd.Stack {
	n, m := w.Dims()
	out := spd.NewStack(x.Count, m)
	par.For(x.Count, 16, func(_, lo, hi int) {
		xw := mat.NewDense(n, m, nil)
		for k := lo; k < hi; k++ {
			xw.Mul(mat.NewDense(n, n, x.At(k)), w)
			mat.NewDense(m, m, out.At(k)).Mul(w.T(), xw)
			symmetrize(out.At(k), m)
		}
	})
	return out
}
