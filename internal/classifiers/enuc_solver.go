package classifiers

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/evaluate"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// nuclearSolver minimizes the objective of [ENuc] for several subsets of the same rows at once: all rows in the first
// fit, and the rows without one fold in the others. All fits share every pass over the vectors and the batches of the
// eigen-solver. The first fit continues alone if all others converge earlier.
//
// It is FISTA (Beck and Teboulle 2009) with the restart of O'Donoghue and Candès (2015, gradient scheme), and momentum
// limited to the value for the strong convexity ρ (Nesterov 2018, scheme 2.2.22). With V a point ahead of W by
// momentum, a step is
//
//	W⁺ = prox(V − G/L),  G = E'Z + ρV,  E_i = weight_i (p(·|V, z_i) − onehot(y_i))
//
// where prox keeps the eigenvectors of each class's matrix and moves its eigenvalues towards zero by λ/L, setting
// smaller ones to zero. The intercepts are updated by plain gradient steps with the same momentum. L starts at a
// quarter of a bound on the curvature. It grows if the loss at the end of a step is above the parabola that the step
// minimizes.
type nuclearSolver struct {
	*nuclearRows
	folds    []evaluate.Fold // for each fit: the rows from which it learns, and its held-out rows
	fits     int
	weight   [][]float64 // for each fit and row: 0 or the share of the row
	share    []float64   // for each fit: one over the number of rows from which it learns
	rate     []float64   // step length 1/L of each fit, for its current L
	safe     []float64   // step length of each fit for a global bound on L
	tol      []float64   // a fit has converged when no coefficient moves by more than this in a step
	settled  []bool
	ridge    float64
	lambda   float64
	momentum []float64 // t of each fit
	moved    []float64 // for each fit: largest change of a coefficient in the last step

	now, next, ahead parameters // W, W⁺ and V
	chances          []float64  // rows×(fits·classes): probabilities at V
	residual         []float64  // rows×(fits·classes)
	changes, grown   []float64  // rows×(fits·classes): changes of the scores in a step, and their exponentials
	losses           []float64  // one per row: losses of fit 0 at V
	loss             float64    // loss of fit 0 at W
	bends            []float64  // chunks of rows×fits: differences between the losses at W⁺ and their tangents at V
	bend             []float64  // their sums
	gradient         []float64  // dim×(fits·classes): gradient of the mean loss
	sums             []float64  // fits·classes: derivatives of the mean loss with respect to the intercepts
	full             []float64  // (fits·classes) symmetric matrices, for the prox
	nuclear          []float64  // nuclear norms after the prox
	moves            []float64  // (fits·classes)×dim: changes of the coefficients in the last step
	work             []small.Workspace
	beta             []float64 // fits·classes: β of V = W⁺ + β(W⁺ − W)
}

// nuclearRows is the data that all fits share.
type nuclearRows struct {
	rows, dim, order, classes int

	z, zt   []float64 // rows×dim, contiguous, and its transpose
	longest float64   // length of the longest row
	most    float64   // largest eigenvalue of Z'Z/N
	labels  []int
	held    *mat.Dense // log-probabilities of each row from the fit that does not use it
}

// parameters is a point for each fit, with its scores.
type parameters struct {
	w      []float64 // (fits·classes)×dim
	b      []float64 // fits·classes
	scores []float64 // rows×(fits·classes), without intercepts
}

const (
	// proxGrain is the number of matrices that a worker decomposes at once: the largest group that package small
	// interleaves.
	proxGrain = 8
	// trialGrain is the number of rows that a worker processes at once.
	trialGrain = 48
	// Steps start boldness times longer than the bound on the curvature allows, because real data seldom reach the
	// bound. A step that is too long is shortened by the factor caution.
	boldness = 4
	caution  = 0.7
	// least is the number of steps before a small step counts as convergence.
	least = 12
	// foldTol is the ratio of the tolerance of the folds to the tolerance of fit 0. The temperature, a single number
	// from the scores of all rows, is then within 0.2 % of the value for exact fits.
	foldTol = 30
)

// newNuclearRows prepares tangent vectors of matrices of the given order.
func newNuclearRows(v *mat.Dense, labels []int, classes, order int) (*nuclearRows, error) {
	rows, dim := v.Dims()
	raw := v.RawMatrix()
	if raw.Stride != dim {
		return nil, errors.New("the matrix of tangent vectors has gaps between its rows; copy it to a matrix without " +
			"gaps")
	}
	d := &nuclearRows{rows: rows, dim: dim, order: order, classes: classes, z: raw.Data[:rows*dim],
		zt: make([]float64, rows*dim), labels: labels, held: mat.NewDense(rows, classes, nil)}
	vec.Transpose(d.zt, d.z, rows, dim)
	for i := range rows {
		d.longest = max(d.longest, vec.Norm(d.z[i*dim:(i+1)*dim]))
	}
	d.most = d.curvature()
	if !vec.NotNegative(d.most) {
		return nil, faults.Data("the logarithms of the matrices are too large for a fit; check the units of the data")
	}
	return d, nil
}

// all returns the fold without held-out rows.
func (d *nuclearRows) all() evaluate.Fold {
	return evaluate.Fold{Train: indices.Range(d.rows)}
}

// newNuclearSolver returns a solver of one fit for each fold.
func newNuclearSolver(d *nuclearRows, folds []evaluate.Fold, opt ENucOptions) *nuclearSolver {
	s := &nuclearSolver{nuclearRows: d, folds: folds, fits: len(folds), ridge: opt.Ridge, lambda: opt.Nuclear}
	s.allocate()
	for j, fold := range folds {
		s.weight[j], s.share[j] = make([]float64, d.rows), 1/float64(len(fold.Train))
		for _, i := range fold.Train {
			s.weight[j][i] = s.share[j]
		}
		// The Hessian of the softmax is at most ½. The power steps approach the largest eigenvalue from below, so the
		// factor includes 5 % more. The term 0.25 is the curvature of the intercepts.
		s.safe[j] = 1 / (0.525*d.most*float64(d.rows)*s.share[j] + 0.25 + s.ridge)
		s.rate[j], s.momentum[j], s.tol[j] = boldness*s.safe[j], 1, opt.Tol
		if len(fold.Test) > 0 {
			s.tol[j] *= foldTol
		}
	}
	return s
}

func (s *nuclearSolver) allocate() {
	m := s.fits * s.classes
	numbers := func(n int) []float64 { return make([]float64, n) }
	for _, p := range []*parameters{&s.now, &s.next, &s.ahead} {
		*p = parameters{numbers(m * s.dim), numbers(m), numbers(s.rows * m)}
	}
	s.chances, s.residual = numbers(s.rows*m), numbers(s.rows*m)
	s.changes, s.grown = numbers(s.rows*m), numbers(s.rows*m)
	s.losses, s.bends, s.bend = numbers(s.rows), numbers(par.Chunks(s.rows, trialGrain)*s.fits), numbers(s.fits)
	s.gradient, s.sums, s.beta = numbers(m*s.dim), numbers(m), numbers(m)
	s.full, s.nuclear, s.moves = numbers(m*s.order*s.order), numbers(m), numbers(m*s.dim)
	s.weight, s.share, s.settled = make([][]float64, s.fits), numbers(s.fits), make([]bool, s.fits)
	s.rate, s.safe, s.tol = numbers(s.fits), numbers(s.fits), numbers(s.fits)
	s.momentum, s.moved = numbers(s.fits), numbers(s.fits)
	s.hire()
}

func (s *nuclearSolver) hire() {
	m := s.fits * s.classes
	s.work = make([]small.Workspace, par.Workers(m, proxGrain))
	for i := range s.work {
		s.work[i].Narrow = m <= proxGrain/2
	}
}

// curvature estimates the largest eigenvalue of Z'Z/N by power steps, slightly too small.
func (d *nuclearRows) curvature() float64 {
	v, u := make([]float64, d.dim), make([]float64, d.dim)
	for i := range v {
		v[i] = 1
	}
	norm := 0.0
	for range 15 {
		clear(u)
		for i := range d.rows {
			z := d.z[i*d.dim : (i+1)*d.dim]
			vec.Axpy(u, vec.Dot(z, v)/float64(d.rows), z)
		}
		if norm = vec.Norm(u); norm == 0 || !vec.Finite(norm) {
			return norm
		}
		for i, x := range u {
			v[i] = x / norm
		}
	}
	return norm
}

// run makes steps until every fit has converged, MaxIter is reached or ctx ends.
func (s *nuclearSolver) run(ctx context.Context, opt ENucOptions, progress rao.Progress) (rao.Report, error) {
	if s.fits == 0 {
		return rao.Report{Status: rao.StatusConverged}, nil
	}
	rep := rao.Report{Status: rao.StatusMaxIterations, Passes: 15, History: []float64{math.Log(float64(s.classes))}}
	for rep.Iterations < opt.MaxIter {
		if ctx.Err() != nil {
			rep.Status = rao.StatusCanceled
			break
		}
		if err := s.step(); err != nil {
			return rep, err
		}
		rep.Iterations++
		rep.Passes += 2
		rep.Objective = s.objective()
		rep.History = append(rep.History, rep.Objective)
		progress.Send(rao.Event{Stage: "fit", Done: rep.Iterations, Limit: opt.MaxIter, Objective: rep.Objective})
		if rep.Iterations < least {
			continue
		}
		for j, v := range s.moved {
			s.settled[j] = s.settled[j] || v < s.tol[j]
		}
		if s.foldsSettled() {
			s.leaveFolds()
		}
		if !slices.Contains(s.settled, false) {
			rep.Status = rao.StatusConverged
			break
		}
	}
	if rep.Status != rao.StatusCanceled {
		s.leaveFolds()
	}
	rep.Objective = rep.History[len(rep.History)-1]
	rep.Evaluations = rep.Iterations + 1
	rep.GradientNorm = s.moved[0] / s.rate[0]
	return rep, nil
}

// foldsSettled reports whether the fits of all folds have converged while the first fit continues.
func (s *nuclearSolver) foldsSettled() bool {
	return s.fits > 1 && len(s.folds[0].Test) == 0 && !slices.Contains(s.settled[1:], false)
}

// leaveFolds stores the result of the folds: the log-probabilities of their held-out rows. The first fit continues
// alone.
func (s *nuclearSolver) leaveFolds() {
	c, m := s.classes, s.fits*s.classes
	for j, fold := range s.folds[:s.fits] {
		for _, i := range fold.Test {
			s.now.posterior(s.held.RawRowView(i), i, j, m)
		}
	}
	for _, p := range []*parameters{&s.now, &s.next, &s.ahead} {
		for i := range s.rows {
			copy(p.scores[i*c:(i+1)*c], p.scores[i*m:])
		}
		p.w, p.b, p.scores = p.w[:c*s.dim], p.b[:c], p.scores[:s.rows*c]
	}
	s.fits, s.weight, s.settled, s.moved, s.bend = 1, s.weight[:1], s.settled[:1], s.moved[:1], s.bend[:1]
	s.sums, s.beta, s.bends = s.sums[:c], s.beta[:c], s.bends[:par.Chunks(s.rows, trialGrain)]
	s.hire()
}

// posterior writes the log-probabilities of row i in fit j; m is the number of scores in a row.
func (p *parameters) posterior(dst []float64, i, j, m int) {
	c := len(dst)
	for k := range dst {
		dst[k] = p.scores[i*m+j*c+k] + p.b[j*c+k]
	}
	vec.LogSoftmax(dst)
}

// objective returns the objective of fit 0 at its current point, after a step.
func (s *nuclearSolver) objective() float64 {
	nuclear := vec.Total(s.nuclear[:s.classes])
	w := s.now.w[:s.classes*s.dim]
	return s.loss + s.lambda*nuclear + s.ridge/2*vec.Dot(w, w)
}

// solution returns coefficients and intercepts of the first fit.
func (s *nuclearSolver) solution() (*mat.Dense, []float64) {
	c := s.classes
	return mat.NewDense(c, s.dim, slices.Clone(s.now.w[:c*s.dim])), slices.Clone(s.now.b[:c])
}
