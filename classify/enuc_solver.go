package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/evaluate"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// nuclearSolver minimizes the objective of [ENuc] for several sets of the same rows at
// once: those of the first fit, and for others the rows without a fold. They share every pass
// over the vectors and the batches of the eigen-solver. Where the first fit has no fold and
// is the last to settle, it goes on alone.
//
// It is FISTA (Beck and Teboulle 2009) with the restart of O'Donoghue and Candès (2015,
// gradient scheme) and no more momentum than suits the strong convexity ρ (Nesterov 2018,
// scheme 2.2.22). With V a point ahead of W by momentum, a step is
//
//	W⁺ = prox(V − G/L),  G = E'Z + ρV,  E_i = weight_i (p(·|V, z_i) − onehot(y_i))
//
// where prox keeps the eigenvectors of each class's matrix and moves its eigenvalues
// towards zero by λ/L, those nearer to it becoming zero. The intercepts take plain
// steps with the same momentum. L begins at a quarter of a bound of the curvature and
// grows where the loss at the end of a step is above the step's parabola.
type nuclearSolver struct {
	*nuclearRows
	folds    []evaluate.Fold // of each fit: the rows that it learns from, and those that it is blind to
	fits     int
	weight   [][]float64 // of each fit: of each row, 0 or its share
	share    []float64   // of each fit: one over the rows that it learns from
	rate     []float64   // length of the steps of each fit, 1/L at its present L
	safe     []float64   // that of a bound of L everywhere
	tol      []float64   // each fit is settled when no coefficient has moved by more in a step
	settled  []bool
	ridge    float64
	lambda   float64
	momentum []float64 // t of each fit
	moved    []float64 // largest change of a coefficient in the last step, of each fit

	now, next, ahead parameters // W, W⁺ and V
	chances          []float64  // rows×(fits·classes): probabilities at V
	residual         []float64  // rows×(fits·classes)
	changes, grown   []float64  // rows×(fits·classes): what a step adds to the scores, and its exponentials
	losses           []float64  // rows: of fit 0 at V
	loss             float64    // of fit 0 at W
	bends            []float64  // chunks of rows×fits: how far the losses at W⁺ are above their tangents at V
	bend             []float64  // their sums
	gradient         []float64  // dim×(fits·classes), of the mean loss
	sums             []float64  // fits·classes: its derivatives in the intercepts
	full             []float64  // (fits·classes) symmetric matrices, for the prox
	nuclear          []float64  // their nuclear norms after it
	moves            []float64  // (fits·classes)×dim: of the coefficients in the last step
	work             []small.Workspace
	beta             []float64 // fits·classes: how far V is ahead
}

// nuclearRows is what all fits have in common.
type nuclearRows struct {
	rows, dim, order, classes int

	z, zt   []float64 // rows×dim, contiguous, and its transpose
	longest float64   // length of the longest row
	most    float64   // largest eigenvalue of Z'Z/N
	labels  []int
	held    *mat.Dense // log-probabilities of each row by the fit that is blind to it
}

// parameters are a point of all fits and its scores.
type parameters struct {
	w      []float64 // (fits·classes)×dim
	b      []float64 // fits·classes
	scores []float64 // rows×(fits·classes), without intercepts
}

const (
	// proxGrain is how many matrices a worker decomposes at once: the widest group that
	// package small interleaves.
	proxGrain = 8
	// trialGrain is how many rows a worker takes at once.
	trialGrain = 48
	// Steps begin boldness times as long as the bound of the curvature says, which data seldom
	// reach, and are cut by caution where they prove too long.
	boldness = 4
	caution  = 0.7
	// least is how many steps are made before a small one means anything.
	least = 12
	// foldTol is the tolerance of the folds over that of fit 0. The temperature, one number
	// from the scores of all rows, is then within 0.2 % of that of exact fits.
	foldTol = 30
)

// newNuclearRows takes tangent vectors of matrices of the given order.
func newNuclearRows(v *mat.Dense, labels []int, classes, order int) (*nuclearRows, error) {
	rows, dim := v.Dims()
	raw := v.RawMatrix()
	if raw.Stride != dim {
		return nil, errors.New("tangent vectors with gaps between the rows")
	}
	d := &nuclearRows{rows: rows, dim: dim, order: order, classes: classes, z: raw.Data[:rows*dim],
		zt: make([]float64, rows*dim), labels: labels, held: mat.NewDense(rows, classes, nil)}
	transpose(d.zt, d.z, dim)
	for i := range rows {
		d.longest = max(d.longest, vec.Norm(d.z[i*dim:(i+1)*dim]))
	}
	d.most = d.curvature()
	if !(d.most >= 0) || math.IsInf(d.most, 1) {
		return nil, errors.New("the logarithms of the matrices are too large for a fit")
	}
	return d, nil
}

// all is the fold that leaves nothing out.
func (d *nuclearRows) all() evaluate.Fold {
	train := make([]int, d.rows)
	for i := range train {
		train[i] = i
	}
	return evaluate.Fold{Train: train}
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
		// The softmax's Hessian is at most ½. The power steps come from below, hence
		// the margin of a twentieth; ¼ serves the intercepts, whose scores are all one.
		s.safe[j] = 1 / (0.525*d.most*float64(d.rows)*s.share[j] + 0.25 + s.ridge)
		s.rate[j], s.momentum[j], s.tol[j] = boldness*s.safe[j], 1, opt.Tol
		if len(fold.Test) > 0 {
			s.tol[j] *= foldTol
		}
	}
	return s
}

// allocate makes the memory of all fits.
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

// hire makes the workers of the prox.
func (s *nuclearSolver) hire() {
	m := s.fits * s.classes
	s.work = make([]small.Workspace, par.Workers(m, proxGrain))
	for i := range s.work {
		s.work[i].Narrow = m <= proxGrain/2
	}
}

// transpose writes that of x, whose rows have n values. It goes by squares that stay in the
// first cache.
func transpose(dst, x []float64, n int) {
	const side = 16
	rows := len(x) / n
	for i0 := 0; i0 < rows; i0 += side {
		for j0 := 0; j0 < n; j0 += side {
			for i := i0; i < min(i0+side, rows); i++ {
				for j, v := range x[i*n+j0 : i*n+min(j0+side, n)] {
					dst[(j0+j)*rows+i] = v
				}
			}
		}
	}
}

// curvature returns the largest eigenvalue of Z'Z/N by power steps, a little below it.
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
		if norm = vec.Norm(u); norm == 0 || norm-norm != 0 {
			return norm
		}
		for i, x := range u {
			v[i] = x / norm
		}
	}
	return norm
}

// run steps until every fit is settled.
func (s *nuclearSolver) run(ctx context.Context, opt ENucOptions, progress rao.Progress) (rao.Report, error) {
	if s.fits == 0 {
		return rao.Report{Status: rao.Converged}, nil
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
		progress.Send(rao.Event{Stage: "fit", Done: rep.Iterations, Total: opt.MaxIter, Objective: rep.Objective})
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
			rep.Status = rao.Converged
			break
		}
	}
	if rep.Status != rao.Cancelled {
		s.leaveFolds()
	}
	rep.Objective = rep.History[len(rep.History)-1]
	rep.Evaluations = rep.Iterations + 1
	rep.GradientNorm = s.moved[0] / s.rate[0]
	return rep, nil
}

// foldsSettled reports whether the fits of folds are, beside one that goes on.
func (s *nuclearSolver) foldsSettled() bool {
	return s.fits > 1 && len(s.folds[0].Test) == 0 && !slices.Contains(s.settled[1:], false)
}

// leaveFolds keeps what the fits of folds are for, the log-probabilities of the rows that
// they are blind to. The first fit goes on alone.
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

// step makes one step of every fit, the longer ones shorter until the loss at their end
// is below the parabola that the step minimizes.
func (s *nuclearSolver) step() error {
	m := s.fits * s.classes
	s.residuals()
	dense.Gemm(false, false, s.dim, m, s.rows, 1, s.zt, s.rows, s.residual, m, 0, s.gradient, m)
	clear(s.sums)
	for i := range s.rows {
		vec.Axpy(s.sums, 1, s.residual[i*m:(i+1)*m])
	}
	for {
		if err := s.propose(); err != nil {
			return err
		}
		s.compare()
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
	s.loss = s.lossAhead() + s.slope() + s.bend[0]
	par.For(s.fits, 1, func(_, j, _ int) { s.advance(j) })
	s.now, s.next = s.next, s.now
	return nil
}

// below reports whether the smooth part of the objective of fit j at W⁺ is not above the
// parabola of its step. The penalty is a parabola itself, and takes its part of the step's.
func (s *nuclearSolver) below(j int) bool {
	lo, hi := j*s.classes, (j+1)*s.classes
	square := vec.SquaredDistance(s.ahead.w[lo*s.dim:hi*s.dim], s.next.w[lo*s.dim:hi*s.dim]) +
		vec.SquaredDistance(s.ahead.b[lo:hi], s.next.b[lo:hi])
	return s.bend[j] <= square/2*(1/s.rate[j]-s.ridge)+1e-12
}

// lossAhead returns the mean loss of fit 0 at V, slope how much its tangent there rises to W⁺.
func (s *nuclearSolver) lossAhead() float64 {
	sum := 0.0
	for _, v := range s.losses {
		sum += v
	}
	return sum
}

func (s *nuclearSolver) slope() float64 {
	m, sum := s.fits*s.classes, 0.0
	for k := range s.classes {
		to, from := s.next.w[k*s.dim:(k+1)*s.dim], s.ahead.w[k*s.dim:]
		for i, v := range to {
			sum += s.gradient[i*m+k] * (v - from[i])
		}
		sum += s.sums[k] * (s.next.b[k] - s.ahead.b[k])
	}
	return sum
}

// compare writes how far the mean loss of each fit at W⁺ is above its tangent at V,
//
//	Σ_i weight_i (log Σ_k p_k exp(d_k) − Σ_k p_k d_k),
//
// d being what the step adds to the scores of a row.
func (s *nuclearSolver) compare() {
	m := s.fits * s.classes
	shift := make([]float64, m)
	for k, b := range s.next.b {
		shift[k] = b - s.ahead.b[k]
	}
	par.For(s.rows, trialGrain, func(_, lo, hi int) {
		d, e := s.changes[lo*m:hi*m], s.grown[lo*m:hi*m]
		for i := 0; i < len(d); i += m {
			to, from := s.next.scores[lo*m+i:], s.ahead.scores[lo*m+i:]
			for k, v := range shift {
				d[i+k] = to[k] - from[k] + v
			}
		}
		copy(e, d)
		vec.Exp(e, -700)
		for j := range s.fits {
			s.bends[lo/trialGrain*s.fits+j] = s.share[j] * s.excess(j, lo, hi)
		}
	})
	clear(s.bend)
	for at := 0; at < len(s.bends); at += s.fits {
		vec.Axpy(s.bend, 1, s.bends[at:at+s.fits])
	}
}

// excess is the sum of compare over the rows lo to hi-1 that fit j learns from, but for their
// weight. The logarithms are taken of products, as long as those stay in range.
func (s *nuclearSolver) excess(j, lo, hi int) float64 {
	m, c := s.fits*s.classes, s.classes
	total, product := 0.0, 1.0
	for i := lo; i < hi; i++ {
		if s.weight[j][i] == 0 {
			continue
		}
		at := i*m + j*c
		p, d, e, sum := s.chances[at:at+c], s.changes[at:at+c], s.grown[at:at+c], 0.0
		for k, v := range p {
			sum += v * e[k]
			total -= v * d[k]
		}
		product *= sum
		if !(product > 1e-100 && product < 1e100) {
			total += math.Log(product)
			product = 1
		}
	}
	return total + math.Log(product)
}

// propose writes the end of a step from V to W⁺, with its scores.
func (s *nuclearSolver) propose() error {
	m := s.fits * s.classes
	for k := range m {
		rate := s.rate[k/s.classes]
		keep := 1 - rate*s.ridge
		to, from := s.next.w[k*s.dim:(k+1)*s.dim], s.ahead.w[k*s.dim:]
		for i := range to {
			to[i] = keep*from[i] - rate*s.gradient[i*m+k]
		}
		s.next.b[k] = s.ahead.b[k] - rate*s.sums[k]
	}
	if err := s.shrink(); err != nil {
		return err
	}
	dense.Gemm(false, true, s.rows, m, s.dim, 1, s.z, s.dim, s.next.w, s.dim, 0, s.next.scores, m)
	return nil
}

// residuals writes the scores, the probabilities and E of every fit at V, and the losses of
// fit 0 there.
func (s *nuclearSolver) residuals() {
	m, c := s.fits*s.classes, s.classes
	wide := s.reach() > 300
	par.For(s.rows, trialGrain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			x, old := s.now.scores[i*m:(i+1)*m], s.next.scores[i*m:(i+1)*m]
			ahead, p := s.ahead.scores[i*m:(i+1)*m], s.chances[i*m:(i+1)*m]
			for k, beta := range s.beta {
				v := x[k] + beta*(x[k]-old[k])
				ahead[k], p[k] = v, v+s.ahead.b[k]
			}
			if wide {
				for at := 0; at < m; at += c {
					lower(p[at : at+c])
				}
			}
		}
		vec.Exp(s.chances[lo*m:hi*m], -700)
		for i := lo; i < hi; i++ {
			for j := range s.fits {
				row, e := s.chances[i*m+j*c:i*m+(j+1)*c], s.residual[i*m+j*c:i*m+(j+1)*c]
				sum := 0.0
				for _, v := range row {
					sum += v
				}
				weight, inverse := s.weight[j][i], 1/sum
				for k, v := range row {
					row[k] = v * inverse
					e[k] = weight * row[k]
				}
				e[s.labels[i]] -= weight
			}
			s.losses[i] = -s.share[0] * math.Log(max(s.chances[i*m+s.labels[i]], math.SmallestNonzeroFloat64))
		}
	})
}

// reach bounds the scores at V; exponentials of those that are beyond 700 overflow.
func (s *nuclearSolver) reach() float64 {
	most := 0.0
	for k, b := range s.ahead.b {
		most = max(most, s.longest*vec.Norm(s.ahead.w[k*s.dim:(k+1)*s.dim])+math.Abs(b))
	}
	return most
}

// lower takes the largest value from all.
func lower(row []float64) {
	top := slices.Max(row)
	for k := range row {
		row[k] -= top
	}
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
		a := s.full[lo*n*n : hi*n*n]
		for k := lo; k < hi; k++ {
			vec.Unpack(a[(k-lo)*n*n:(k-lo+1)*n*n], s.next.w[k*s.dim:(k+1)*s.dim], n)
		}
		err := s.work[worker].Function(a, nil, a, n, hi-lo, func(k int, values []float64) {
			threshold, sum := s.lambda*s.rate[(lo+k)/s.classes], 0.0
			for i, v := range values {
				values[i] = math.Copysign(max(math.Abs(v)-threshold, 0), v)
				sum += math.Abs(values[i])
			}
			s.nuclear[lo+k] = sum
		})
		if err != nil {
			errs[lo/proxGrain] = fmt.Errorf("coefficients of the fit: %w", err)
			return
		}
		for k := lo; k < hi; k++ {
			vec.Pack(s.next.w[k*s.dim:(k+1)*s.dim], a[(k-lo)*n*n:(k-lo+1)*n*n], n)
		}
	})
	return errors.Join(errs...)
}

// advance sets V of fit j from the last two points, but for its scores: ahead of the new one
// by momentum, or at it, when the step went against the momentum.
func (s *nuclearSolver) advance(j int) {
	c := s.classes
	lo, hi := j*c*s.dim, (j+1)*c*s.dim
	old, next, v, d := s.now.w[lo:hi], s.next.w[lo:hi], s.ahead.w[lo:hi], s.moves[lo:hi]
	moved := 0.0
	for i, x := range next {
		d[i] = x - old[i]
		if a := math.Abs(d[i]); a > moved {
			moved = a
		}
	}
	s.moved[j] = moved
	beta := 0.0
	if vec.Dot(v, d) > vec.Dot(next, d) {
		s.momentum[j] = 1
	} else {
		t := (1 + math.Sqrt(1+4*s.momentum[j]*s.momentum[j])) / 2
		q := math.Sqrt(min(1, s.ridge*s.rate[j]))
		beta = min((s.momentum[j]-1)/t, (1-q)/(1+q))
		s.momentum[j] = t
	}
	copy(v, next)
	vec.Axpy(v, beta, d)
	for k := j * c; k < (j+1)*c; k++ {
		s.beta[k], s.ahead.b[k] = beta, s.next.b[k]+beta*(s.next.b[k]-s.now.b[k])
	}
}

// objective returns that of fit 0 at its present point, after a step.
func (s *nuclearSolver) objective() float64 {
	nuclear := 0.0
	for _, v := range s.nuclear[:s.classes] {
		nuclear += v
	}
	w := s.now.w[:s.classes*s.dim]
	return s.loss + s.lambda*nuclear + s.ridge/2*vec.Dot(w, w)
}

// solution returns coefficients and intercepts of the first fit.
func (s *nuclearSolver) solution() (*mat.Dense, []float64) {
	c := s.classes
	return mat.NewDense(c, s.dim, slices.Clone(s.now.w[:c*s.dim])), slices.Clone(s.now.b[:c])
}
