package sqfa

import (
	"math"
	"slices"

	"rao"
	"rao/gaussian"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// pooled is the part of the Bayes bound from the pairs that are not in the list of the objective. It uses the pooled
// covariance S = Σ p_i S_i for each of these pairs:
//
//	E_ij = sqrt(p_i p_j) exp(-d'S⁻¹d/8),  d = μ_i - μ_j.
//
// All pairs together need a few products of matrices: c² m multiplications. Let ω be the symmetric matrix with the
// share of each pair in the sum of the bound, M the c×m matrix of the means, and L = diag(ω1) M - ω M. The logarithm
// of the sum then has the gradient
//
//	∂M = -L S⁻¹/4,  ∂S_i = p_i S⁻¹ M'L S⁻¹/8.
type pooled struct {
	c, m     int
	share    []float64 // p_i
	half     []float64 // log p_i / 2
	near     [][]int   // for every class, itself and the classes with which it forms a listed pair
	work     small.Workspace
	s, l, li []float64
	inverse  []float64
	y        []float64   // M S⁻¹
	square   []float64   // diagonal of M S⁻¹ M'
	rows     [][]float64 // rows of E, scratch memory for each goroutine
	tops     []float64   // logarithm of the largest term in each block of rows of E
	logs     []float64   // logarithm of the sum of each block
	laplace  []float64   // L times the sum, c×m, every block relative to its largest term
}

// farRows is the number of classes processed at a time.
const farRows = 32

// newPooled returns the pooled part for c classes, without the pairs in the list.
func newPooled(o plan, list []gaussian.Pair, c, m int) *pooled {
	f := &pooled{c: c, m: m, share: o.shares(c), half: make([]float64, c), near: make([][]int, c),
		s: make([]float64, m*m), l: make([]float64, m*m), li: make([]float64, m*m), inverse: make([]float64, m*m),
		y: make([]float64, c*m), square: make([]float64, c), laplace: make([]float64, c*m),
		tops: make([]float64, par.Chunks(c, farRows)), logs: make([]float64, par.Chunks(c, farRows))}
	for i, p := range f.share {
		f.half[i] = math.Log(p) / 2
		f.near[i] = []int{i}
	}
	for _, p := range list {
		f.near[p.I], f.near[p.J] = append(f.near[p.I], p.J), append(f.near[p.J], p.I)
	}
	for _, list := range f.near {
		slices.Sort(list)
	}
	return f
}

// whiten computes S⁻¹ and the products needed for distances between the means.
func (f *pooled) whiten(means, covs []float64) error {
	c, m, mm := f.c, f.m, f.m*f.m
	clear(f.s)
	for i, p := range f.share {
		vec.Axpy(f.s, p, covs[i*mm:(i+1)*mm])
	}
	if err := f.work.Cholesky(f.l, f.s, m, 1); err != nil {
		values := make([]float64, m)
		if f.work.EigenValues(values, f.s, m, 1) != nil {
			values[0] = math.NaN()
		}
		return &gaussian.SingularError{Class: -1, Smallest: values[0], Largest: values[m-1],
			Remedy: "add feature noise"}
	}
	f.work.InvertLower(f.li, f.l, m, 1)
	dense.Gemm(true, false, m, m, m, 1, f.li, m, f.li, m, 0, f.inverse, m)
	dense.Gemm(false, false, c, m, m, 1, means, m, f.inverse, m, 0, f.y, m)
	for i := range c {
		f.square[i] = vec.Dot(f.y[i*m:(i+1)*m], means[i*m:(i+1)*m])
	}
	return nil
}

// term returns the logarithm of the term of two classes.
func (f *pooled) term(i, k int, means []float64) float64 {
	m := f.m
	return f.half[i] + f.half[k] - (f.square[i]+f.square[k]-2*vec.Dot(f.y[i*m:(i+1)*m], means[k*m:(k+1)*m]))/8
}

// nearByPooled lists the pairs in which one class is among the Near rivals of the other with the largest terms.
func nearByPooled(o plan, features *gaussian.Statistics) ([]gaussian.Pair, error) {
	c := features.NumClasses()
	f := newPooled(o, nil, c, features.Dim)
	if err := f.whiten(features.Means, features.Covariances); err != nil {
		return nil, err
	}
	keep := newNearest(c, o.Near)
	for i := range c {
		for k := i + 1; k < c; k++ {
			keep.offer(gaussian.Pair{I: i, J: k}, -f.term(i, k, features.Means))
		}
	}
	return keep.pairs(), nil
}

// log returns log Σ E.
func (f *pooled) log(means, covs []float64) (float64, error) {
	if err := f.whiten(means, covs); err != nil {
		return math.NaN(), err
	}
	c := f.c
	for len(f.rows) < par.Workers(c, farRows) {
		f.rows = append(f.rows, make([]float64, farRows*c))
	}
	par.For(c, farRows, func(worker, lo, hi int) {
		i := lo / farRows
		f.tops[i], f.logs[i] = f.block(f.rows[worker], means, lo, hi)
	})
	return vec.LogSumExp(f.logs) - math.Ln2, nil // every pair was counted twice
}

// block computes the rows [lo,hi) of E, writes the same rows of L, and returns the logarithms of the largest term and
// of the sum. It does not use [vec.ExpFromTop], because there are too many terms for math.Exp.
func (f *pooled) block(e, means []float64, lo, hi int) (top, log float64) {
	c, m, rows := f.c, f.m, hi-lo
	e = e[:rows*c]
	top = math.Inf(-1)
	for r := range rows {
		row := e[r*c : (r+1)*c]
		for k := range row {
			row[k] = f.term(lo+r, k, means)
		}
		for _, k := range f.near[lo+r] {
			row[k] = math.Inf(-1)
		}
		for _, v := range row {
			top = math.Max(top, v)
		}
	}
	if math.IsInf(top, -1) {
		clear(f.laplace[lo*m : hi*m])
		return top, top
	}
	for j := range e {
		e[j] -= top
	}
	vec.Exp(e, -700)
	sum := 0.0
	for r := range rows {
		row, out := e[r*c:(r+1)*c], f.laplace[(lo+r)*m:(lo+r+1)*m]
		total := 0.0
		clear(out)
		for k, v := range row {
			if v != 0 {
				total += v
				vec.Axpy(out, -v, means[k*m:(k+1)*m])
			}
		}
		vec.Axpy(out, total, means[(lo+r)*m:(lo+r+1)*m])
		sum += total
	}
	return top, top + math.Log(sum)
}

// gradient adds the gradient of -log Z, where Z is the sum of all terms, including the terms of the list, and log its
// logarithm.
func (f *pooled) gradient(gradMeans, gradCovs, means []float64, log float64) {
	c, m, mm := f.c, f.m, f.m*f.m
	for i, top := range f.tops {
		scale := math.Exp(top - log)
		for j := i * farRows * m; j < min((i+1)*farRows, c)*m; j++ {
			f.laplace[j] *= scale
		}
		f.tops[i] = log // laplace is relative to this from here on
	}
	dense.Gemm(false, false, c, m, m, 0.25, f.laplace, m, f.inverse, m, 1, gradMeans, m)
	inner, left := make([]float64, mm), make([]float64, mm)
	dense.Gemm(true, false, m, m, c, -0.125, means, m, f.laplace, m, 0, inner, m)
	dense.Gemm(false, false, m, m, m, 1, f.inverse, m, inner, m, 0, left, m)
	dense.Gemm(false, false, m, m, m, 1, left, m, f.inverse, m, 0, inner, m)
	vec.Symmetrize(inner, m)
	for i, p := range f.share {
		vec.Axpy(gradCovs[i*mm:(i+1)*mm], p, inner)
	}
}

// pooled runs learn on near pairs, with the pooled covariance for all other pairs. After a round, pairs that have
// become near under the pooled covariance are added to the list. The objective is for the last list. The history has
// the objectives of all rounds, each for its own list.
func (learn learner) pooled(stats *gaussian.Statistics, opt plan, fixed []float64, p int,
	start []float64) (*groupResult, error) {
	n := stats.Dim
	k := len(start) / n
	var list []gaussian.Pair
	var r rao.Report
	next, left := start, opt.MaxIter
	for round := 1; ; round++ {
		near, err := nearByPooled(opt, featuresOf(stats, joinColumns(fixed, p, next, k, n), p+k, opt.Noise))
		if err != nil {
			return nil, err
		}
		list = joined(list, near)
		o := opt
		o.pairs, o.MaxIter = list, left
		if round < pooledRounds {
			o.MaxIter = min(left, nearIterations)
		}
		res, err := learn(o, fixed, p, next)
		if err != nil {
			return nil, err
		}
		next = res.filters
		left -= res.report.Iterations
		last := res.report
		last.History = append(r.History, last.History...)
		last.Iterations, last.Evaluations, last.Passes = last.Iterations+r.Iterations, last.Evaluations+
			r.Evaluations, last.Passes+r.Passes+1
		r = last
		if r.Status != rao.StatusMaxIterations || left < 1 || round == pooledRounds {
			return &groupResult{filters: next, report: r}, nil
		}
	}
}

// pooledRounds is the number of times that near pairs are chosen in a fit with the pooled covariance.
const pooledRounds = 4

// judge writes to the report the objective over all pairs for filters that were learned with the pooled covariance, and
// to Learned the objective that was maximized. Callers skip it for a canceled fit, because evaluating all pairs of many
// classes can last seconds.
func judge(model *Model, stats *gaussian.Statistics, opt plan) error {
	features := featuresOf(stats, values(model.Filters), opt.Filters, model.Noise)
	all, _, err := survey(opt, features)
	model.Learned, model.Report.Objective = model.Report.Objective, all
	return err
}
