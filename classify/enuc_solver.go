package classify

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/evaluate"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// nuclearSolver minimizes the objective of [ENuc] for several sets of the same rows at
// once. They share every pass over the vectors and the batches of the eigen-solver; the
// fits that leave a fold out, which begin at the solution for all rows, cost little so.
//
// It is FISTA (Beck and Teboulle 2009) with the restart of O'Donoghue and Candès (2015,
// gradient scheme). With V a point ahead of W by momentum, a step is
//
//	W⁺ = prox(V − G/L),  G = E'Z + ρV,  E_i = weight_i (p(·|V, z_i) − onehot(y_i))
//
// where prox keeps the eigenvectors of each class's matrix and moves its eigenvalues
// towards zero by λ/L, those nearer to it becoming zero. The intercepts take plain
// steps with the same momentum. L begins at a quarter of a bound of the curvature and
// grows where the loss at the end of a step is above the step's parabola.
type nuclearSolver struct {
	rows, dim, order, classes, fits int

	z      []float64 // rows×dim, contiguous
	labels []int
	weight [][]float64 // of each fit: of each row, 0 or one over the rows that it learns from
	rate   []float64   // length of the steps of each fit, 1/L at its present L
	safe   []float64   // that of a bound of L everywhere
	ridge  float64
	lambda float64
	most   float64 // largest eigenvalue of Z'Z/N
	warm   bool    // the fits begin at a solution of much the same rows

	now, next, ahead parameters // W, W⁺ and V
	residual         []float64  // rows×(fits·classes)
	chances          []float64  // rows×(fits·classes): exponentials of scores
	lost             []float64  // rows×fits: weighted losses
	ahead0, next0    []float64  // their sums for each fit at V and at W⁺
	gradient         []float64  // (fits·classes)×dim, of the mean loss
	sums             []float64  // fits·classes: its derivatives in the intercepts
	full             []float64  // (fits·classes) symmetric matrices, for the prox
	values           []float64  // their eigenvalues, then those that remain
	work             []small.Workspace
	momentum         []float64 // t of each fit
	moved            []float64 // largest change of a coefficient in the last step, of each fit
}

// parameters are a point of all fits and its scores.
type parameters struct {
	w      []float64 // (fits·classes)×dim
	b      []float64 // fits·classes
	scores []float64 // rows×(fits·classes), without intercepts
}

// proxGrain is how many matrices a worker decomposes at once: the widest group that
// package small interleaves.
const proxGrain = 8

// newNuclearSolver returns a solver with one fit for each list of rows to train on; no list
// is one fit to all rows. They begin where the first fit of another solver of the same
// vectors ended, at zero where there is none.
func newNuclearSolver(v *mat.Dense, labels []int, classes, order int, train [][]int, from *nuclearSolver,
	opt ENucOptions) (*nuclearSolver, error) {
	rows, dim := v.Dims()
	raw := v.RawMatrix()
	if raw.Stride != dim {
		return nil, errors.New("tangent vectors with gaps between the rows")
	}
	s := &nuclearSolver{rows: rows, dim: dim, order: order, classes: classes, fits: max(1, len(train)),
		z: raw.Data[:rows*dim], labels: labels, ridge: opt.Ridge, lambda: opt.Nuclear}
	m := s.fits * classes
	for _, p := range []*parameters{&s.now, &s.next, &s.ahead} {
		*p = parameters{make([]float64, m*dim), make([]float64, m), make([]float64, rows*m)}
	}
	s.residual, s.gradient, s.chances = make([]float64, rows*m), make([]float64, m*dim), make([]float64, rows*m)
	s.full, s.values = make([]float64, m*order*order), make([]float64, m*order)
	s.work = make([]small.Workspace, par.Workers(m, proxGrain))
	for i := range s.work {
		s.work[i].Narrow = m <= proxGrain/2
	}
	s.rate, s.safe = make([]float64, s.fits), make([]float64, s.fits)
	s.momentum, s.moved = make([]float64, s.fits), make([]float64, s.fits)
	s.lost, s.sums, s.ahead0, s.next0 = make([]float64, rows*s.fits), make([]float64, m), make([]float64, s.fits),
		make([]float64, s.fits)
	s.setWeights(train)
	if from != nil {
		s.startAt(from)
	} else if s.most = s.curvature(); !(s.most >= 0) || math.IsInf(s.most, 1) {
		return nil, fmt.Errorf("the logarithms of the matrices are too large for a fit")
	}
	for j, w := range s.weight {
		most := 0.0
		for _, v := range w {
			most = max(most, v)
		}
		// The softmax's Hessian is at most ½. The power steps come from below, hence
		// the margin of a twentieth; ¼ serves the intercepts, whose scores are all one.
		s.safe[j] = 1 / (0.525*s.most*float64(rows)*most + 0.25 + s.ridge)
		s.rate[j], s.momentum[j] = boldness*s.safe[j], 1
	}
	return s, nil
}

// setWeights gives each row its weight in each fit.
func (s *nuclearSolver) setWeights(train [][]int) {
	s.weight = make([][]float64, s.fits)
	for j := range s.weight {
		w := make([]float64, s.rows)
		s.weight[j] = w
		if train == nil {
			for i := range w {
				w[i] = 1 / float64(s.rows)
			}
			continue
		}
		for _, i := range train[j] {
			w[i] = 1 / float64(len(train[j]))
		}
	}
}

// startAt begins every fit where the first fit of another solver of the same vectors ended.
func (s *nuclearSolver) startAt(o *nuclearSolver) {
	s.most, s.warm = o.most, true
	c, m := s.classes, s.fits*s.classes
	for _, p := range []*parameters{&s.now, &s.ahead} {
		for j := range s.fits {
			copy(p.w[j*c*s.dim:(j+1)*c*s.dim], o.now.w)
			copy(p.b[j*c:(j+1)*c], o.now.b)
			for i := range s.rows {
				copy(p.scores[i*m+j*c:i*m+(j+1)*c], o.now.scores[i*o.fits*c:i*o.fits*c+c])
			}
		}
	}
}

// curvature returns the largest eigenvalue of Z'Z/N by power steps, a little below it.
func (s *nuclearSolver) curvature() float64 {
	v, u := make([]float64, s.dim), make([]float64, s.dim)
	for i := range v {
		v[i] = 1
	}
	norm := 0.0
	for range 15 {
		clear(u)
		for i := range s.rows {
			z := s.z[i*s.dim : (i+1)*s.dim]
			vec.Axpy(u, vec.Dot(z, v)/float64(s.rows), z)
		}
		if norm = vec.Norm(u); norm == 0 || norm-norm != 0 {
			return norm
		}
		for i, x := range u {
			v[i] = x / norm
		}
	}
	return norm
}

// run steps until every fit moves by no more than the tolerance.
func (s *nuclearSolver) run(ctx context.Context, opt ENucOptions) (rao.Report, error) {
	least := 12 // steps, before a small one means anything
	if s.warm {
		least = 1
	}
	rep := rao.Report{Status: rao.MaxIterations, Passes: 15, History: []float64{math.Log(float64(s.classes))}}
	for rep.Iterations < opt.MaxIter {
		if ctx.Err() != nil {
			rep.Status = rao.Cancelled
			break
		}
		if err := s.step(); err != nil {
			return rep, err
		}
		rep.Iterations++
		rep.Passes += 2
		rep.Objective = s.objective()
		rep.History = append(rep.History, rep.Objective)
		opt.Progress.Send(rao.Event{Stage: "fit", Done: rep.Iterations, Total: opt.MaxIter, Objective: rep.Objective})
		most := 0.0
		for _, v := range s.moved {
			most = max(most, v)
		}
		if most < opt.Tol && rep.Iterations >= least {
			rep.Status = rao.Converged
			break
		}
	}
	rep.Objective = rep.History[len(rep.History)-1]
	rep.Evaluations = rep.Iterations + 1
	rep.GradientNorm = s.moved[0] / s.rate[0]
	return rep, nil
}

// step makes one step of every fit, the longer ones shorter until the loss at their end
// is below the parabola that the step minimizes.
func (s *nuclearSolver) step() error {
	m := s.fits * s.classes
	s.residuals()
	dense.Gemm(true, false, m, s.dim, s.rows, 1, s.residual, m, s.z, s.dim, 0, s.gradient, s.dim)
	clear(s.sums)
	for i := range s.rows {
		vec.Axpy(s.sums, 1, s.residual[i*m:(i+1)*m])
	}
	for {
		if err := s.propose(); err != nil {
			return err
		}
		s.losses()
		short := true
		for j := range s.fits {
			if s.rate[j] > s.safe[j] && !s.below(j) {
				s.rate[j], short = max(s.safe[j], s.rate[j]*caution), false
			}
		}
		if short {
			break
		}
	}
	for j := range s.fits {
		s.advance(j)
	}
	s.now, s.next = s.next, s.now
	return nil
}

// Steps begin boldness times as long as the bound of the curvature says, which data seldom
// reach, and are cut by caution where they prove too long.
const (
	boldness = 4
	caution  = 0.7
)

// below reports whether the smooth part of the objective of fit j at W⁺ is not above the
// parabola of its step.
func (s *nuclearSolver) below(j int) bool {
	c := s.classes
	square, slope := 0.0, 0.0
	for k := j * c; k < (j+1)*c; k++ {
		v, w, g := s.ahead.w[k*s.dim:(k+1)*s.dim], s.next.w[k*s.dim:], s.gradient[k*s.dim:]
		for i, x := range v {
			d := w[i] - x
			square += d * d
			slope += g[i] * d
		}
		d := s.next.b[k] - s.ahead.b[k]
		square += d * d
		slope += s.sums[k] * d
	}
	// The penalty is a parabola itself, and takes its part of the step's.
	bound := s.ahead0[j] + slope + square/2*(1/s.rate[j]-s.ridge)
	return s.next0[j] <= bound+1e-12*(1+math.Abs(bound))
}

// losses writes the mean loss of each fit at W⁺, without penalties.
func (s *nuclearSolver) losses() {
	m, c := s.fits*s.classes, s.classes
	par.For(s.rows, 64, func(_, lo, hi int) {
		s.next.exponentials(s.chances[lo*m:hi*m], lo, hi, c, s.fits, m)
		for i := lo; i < hi; i++ {
			for j := range s.fits {
				row, sum := s.chances[i*m+j*c:i*m+(j+1)*c], 0.0
				for _, v := range row {
					sum += v
				}
				s.lost[i*s.fits+j] = s.weight[j][i] * logRatio(sum, row[s.labels[i]])
			}
		}
	})
	s.total(s.next0)
}

// propose writes the end of a step from V to W⁺, with its scores.
func (s *nuclearSolver) propose() error {
	m := s.fits * s.classes
	for k := range m {
		rate := s.rate[k/s.classes]
		keep := 1 - rate*s.ridge
		to, from, g := s.next.w[k*s.dim:(k+1)*s.dim], s.ahead.w[k*s.dim:], s.gradient[k*s.dim:]
		for i := range to {
			to[i] = keep*from[i] - rate*g[i]
		}
	}
	for k := range m {
		s.next.b[k] = s.ahead.b[k] - s.rate[k/s.classes]*s.sums[k]
	}
	if err := s.shrink(); err != nil {
		return err
	}
	dense.Gemm(false, true, s.rows, m, s.dim, 1, s.z, s.dim, s.next.w, s.dim, 0, s.next.scores, m)
	return nil
}

// residuals writes E of every fit at V, and the mean loss there.
func (s *nuclearSolver) residuals() {
	m, c := s.fits*s.classes, s.classes
	par.For(s.rows, 64, func(_, lo, hi int) {
		block := s.residual[lo*m : hi*m]
		s.ahead.exponentials(block, lo, hi, c, s.fits, m)
		for i := lo; i < hi; i++ {
			for j := range s.fits {
				row := s.residual[i*m+j*c : i*m+(j+1)*c]
				weight, sum := s.weight[j][i], 0.0
				for _, v := range row {
					sum += v
				}
				s.lost[i*s.fits+j] = weight * logRatio(sum, row[s.labels[i]])
				for k, v := range row {
					row[k] = v * (weight / sum)
				}
				row[s.labels[i]] -= weight
			}
		}
	})
	s.total(s.ahead0)
}

// logRatio is log(a/b), large and finite where b has no weight.
func logRatio(a, b float64) float64 { return -math.Log(max(b/a, math.SmallestNonzeroFloat64)) }

// total adds up the losses of the rows for each fit.
func (s *nuclearSolver) total(dst []float64) {
	clear(dst)
	for i := range s.rows {
		vec.Axpy(dst, 1, s.lost[i*s.fits:(i+1)*s.fits])
	}
}

// exponentials writes exp of the scores less the largest of their row, for rows lo to
// hi of the first fits, to dst; m is the number of scores of a row.
func (p *parameters) exponentials(dst []float64, lo, hi, c, fits, m int) {
	for i := lo; i < hi; i++ {
		for j := range fits {
			row := dst[((i-lo)*fits+j)*c : ((i-lo)*fits+j+1)*c]
			top := math.Inf(-1)
			for k := range row {
				row[k] = p.scores[i*m+j*c+k] + p.b[j*c+k]
				top = max(top, row[k])
			}
			for k := range row {
				row[k] -= top
			}
		}
	}
	vec.Exp(dst, -700)
}

// posterior writes the log-probabilities of row i in fit j; m is the number of scores
// of a row.
func (p *parameters) posterior(dst []float64, i, j, m int) {
	c := len(dst)
	for k := range dst {
		dst[k] = p.scores[i*m+j*c+k] + p.b[j*c+k]
	}
	normalize(dst)
}

// shrink applies the prox of the nuclear norms to the next coefficients.
func (s *nuclearSolver) shrink() error {
	m, n := s.fits*s.classes, s.order
	errs := make([]error, par.Chunks(m, proxGrain))
	par.For(m, proxGrain, func(worker, lo, hi int) {
		a, vals := s.full[lo*n*n:hi*n*n], s.values[lo*n:hi*n]
		for k := lo; k < hi; k++ {
			vec.Unpack(a[(k-lo)*n*n:(k-lo+1)*n*n], s.next.w[k*s.dim:(k+1)*s.dim], n)
		}
		w := &s.work[worker]
		if err := w.Eigen(vals, a, a, n, hi-lo); err != nil {
			errs[lo/proxGrain] = fmt.Errorf("coefficients of the fit: %w", err)
			return
		}
		for k := lo; k < hi; k++ {
			threshold := s.lambda * s.rate[k/s.classes]
			for i, v := range vals[(k-lo)*n : (k-lo+1)*n] {
				vals[(k-lo)*n+i] = math.Copysign(max(math.Abs(v)-threshold, 0), v)
			}
		}
		w.Rebuild(a, a, vals, n, hi-lo)
		for k := lo; k < hi; k++ {
			vec.Pack(s.next.w[k*s.dim:(k+1)*s.dim], a[(k-lo)*n*n:(k-lo+1)*n*n], n)
		}
	})
	return errors.Join(errs...)
}

// advance sets V of fit j from the last two points: ahead of the new one by momentum,
// or at it, when the step went against the momentum.
func (s *nuclearSolver) advance(j int) {
	m, c := s.fits*s.classes, s.classes
	lo, hi := j*c*s.dim, (j+1)*c*s.dim
	old, next, v := s.now.w[lo:hi], s.next.w[lo:hi], s.ahead.w[lo:hi]
	against, moved := 0.0, 0.0
	for i, x := range next {
		d := x - old[i]
		against += (v[i] - x) * d
		moved = max(moved, math.Abs(d))
	}
	s.moved[j] = moved
	beta := 0.0
	if against > 0 {
		s.momentum[j] = 1
	} else {
		t := (1 + math.Sqrt(1+4*s.momentum[j]*s.momentum[j])) / 2
		beta = (s.momentum[j] - 1) / t
		s.momentum[j] = t
	}
	extrapolate(v, next, old, beta)
	extrapolate(s.ahead.b[j*c:(j+1)*c], s.next.b[j*c:], s.now.b[j*c:], beta)
	for i := range s.rows {
		at := i*m + j*c
		extrapolate(s.ahead.scores[at:at+c], s.next.scores[at:], s.now.scores[at:], beta)
	}
}

// extrapolate writes x + β(x − old), of the length of dst.
func extrapolate(dst, x, old []float64, beta float64) {
	x, old = x[:len(dst)], old[:len(dst)]
	for i, v := range x {
		dst[i] = v + beta*(v-old[i])
	}
}

// objective returns that of fit 0 at its present point, after a step.
func (s *nuclearSolver) objective() float64 {
	c, n := s.classes, s.order
	loss, squares, nuclear := s.next0[0], 0.0, 0.0
	for _, v := range s.now.w[:c*s.dim] {
		squares += v * v
	}
	for _, v := range s.values[:c*n] {
		nuclear += math.Abs(v)
	}
	return loss + s.lambda*nuclear + s.ridge/2*squares
}

// solution returns coefficients and intercepts of fit j.
func (s *nuclearSolver) solution(j int) (*mat.Dense, []float64) {
	c := s.classes
	w := append([]float64(nil), s.now.w[j*c*s.dim:(j+1)*c*s.dim]...)
	return mat.NewDense(c, s.dim, w), append([]float64(nil), s.now.b[j*c:(j+1)*c]...)
}

// heldOut returns the log-probabilities of each row by the fit that has not seen it.
func (s *nuclearSolver) heldOut(folds []evaluate.Fold) *mat.Dense {
	out := mat.NewDense(s.rows, s.classes, nil)
	for f, fold := range folds {
		for _, i := range fold.Test {
			s.now.posterior(out.RawRowView(i), i, f, s.fits*s.classes)
		}
	}
	return out
}
