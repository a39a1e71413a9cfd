package classifiers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// MachineOptions are the options of two-class support vector machines and their probabilities. The zero value is a
// good default.
type MachineOptions struct {
	// C is the largest weight of a training matrix, positive. Default 1, as in LIBSVM.
	C float64
	// Tol ends the optimization when the optimality conditions are violated by less than this. Default 1e-3.
	Tol float64
	// MaxIter is the largest number of steps for each two-class problem. Default 100000.
	MaxIter int
	// Folds is the number of cross-validation folds used to fit the probabilities, at least 2. Default 5.
	Folds int
	// Seed is the seed of the folds.
	Seed uint64
	// Progress receives an event after every pair of classes.
	Progress rao.Progress
}

func (o MachineOptions) filled() (MachineOptions, error) {
	o.C = cmp.Or(o.C, 1)
	o.Tol = cmp.Or(o.Tol, 1e-3)
	o.MaxIter = cmp.Or(o.MaxIter, 100000)
	o.Folds = cmp.Or(o.Folds, 5)
	if !vec.Positive(o.C) || !(o.Tol > 0) || o.MaxIter < 1 || o.Folds < 2 {
		return o, faults.Option("the cost is %g, the tolerance %g, the iteration limit %d and the number of folds %d; "+
			"the first three must be positive, and the folds at least 2",
			o.C, o.Tol, o.MaxIter, o.Folds)
	}
	return o, nil
}

// maxSVM limits the number of training matrices, because the kernel needs 8 N² bytes.
const maxSVM = 20000

// checkKernel returns an error if the kernel of n matrices would be too large.
func checkKernel(n int) error {
	if n <= maxSVM {
		return nil
	}
	return fmt.Errorf("%d training matrices need %.1f GiB for the kernel; use at most %d, "+
		"or a method whose memory is proportional to their number (tslr, plrsq)",
		n, 8*float64(n)*float64(n)/(1<<30), maxSVM)
}

// Machines are support vector machines, one per pair of classes, with sigmoids that convert their decision values to
// probabilities. The pairs are (0,1), (0,2), …, (1,2), …
type Machines struct {
	Classes  []string   `json:"classes"`   // c class names
	Bias     []float64  `json:"bias"`      // one per pair; a positive decision is for the first class
	SigmoidA []float64  `json:"sigmoid_a"` // p(first) = 1/(1+exp(A f + B))
	SigmoidB []float64  `json:"sigmoid_b"` // B of each pair
	Report   rao.Report `json:"report"`    // how the fit ended
}

// fitPairs trains the machines on the kernel of all N observations, in parallel, and returns them with their
// coefficients y∘α, pairs×N. If ctx ends, machines that have not started remain untrained.
func fitPairs(ctx context.Context, k *mat.Dense, labels []int, classes []string,
	opt MachineOptions) (m Machines, coef *mat.Dense) {
	c := len(classes)
	pairs := c * (c - 1) / 2
	coef = mat.NewDense(pairs, len(labels), nil)
	m = Machines{Classes: slices.Clone(classes), Bias: make([]float64, pairs), SigmoidA: make([]float64, pairs),
		SigmoidB: make([]float64, pairs)}
	good := make([]bool, pairs)
	index := indices.Groups(labels, c)
	var news sync.Mutex
	done := 0
	fitted := func() { // each pair is fitted once to all its rows, and once for each fold
		news.Lock()
		defer news.Unlock()
		done++
		opt.Progress.Send(rao.Event{Stage: "fit", Done: done, Total: pairs * (1 + opt.Folds)})
	}
	par.For(pairs, 1, func(_, p, _ int) {
		if ctx.Err() != nil {
			return
		}
		i, j := pairOf(p, c)
		set := slices.Concat(index[i], index[j])
		y := make([]float64, len(set))
		for t := range set {
			y[t] = 1
			if t >= len(index[i]) {
				y[t] = -1
			}
		}
		kernel := subKernel(k, set)
		var alpha []float64
		alpha, m.Bias[p], good[p] = smo(ctx, kernel, y, opt)
		fitted()
		for t, s := range set {
			coef.Set(p, s, alpha[t])
		}
		m.SigmoidA[p] = -1 // use the decision value itself if there is no time for a better sigmoid
		if held := heldOut(ctx, kernel, y, opt, rand.New(rand.NewPCG(opt.Seed, uint64(p))), fitted); held != nil {
			m.SigmoidA[p], m.SigmoidB[p] = platt(held, y)
		}
	})
	m.Report.Status, m.Report.Passes = rao.StatusConverged, 1
	if slices.Contains(good, false) {
		m.Report.Status = rao.StatusMaxIterations
	}
	if ctx.Err() != nil {
		m.Report.Status = rao.StatusCanceled
	}
	return m, coef
}

// finish records the time since begin. It returns an error if a machine did not converge.
func (m *Machines) finish(ctx context.Context, method string, begin time.Time) error {
	m.Report.Elapsed = time.Since(begin)
	return faults.Unfinished(ctx, method, m.Report, "raise the iteration limit, or lower C")
}

// pairOf returns the classes of pair p.
func pairOf(p, c int) (i, j int) {
	for i = 0; p >= c-1-i; i++ {
		p -= c - 1 - i
	}
	return i, i + 1 + p
}

// subKernel returns the rows and columns of k with the given indices.
func subKernel(k *mat.Dense, index []int) []float64 {
	out := make([]float64, len(index)*len(index))
	vec.Submatrix(out, k.RawMatrix().Data, k.RawMatrix().Stride, index)
	return out
}

// heldOut returns held-out decision values by cross-validation, or nil if ctx ends first. Folds are stratified where
// possible.
func heldOut(ctx context.Context, kernel, y []float64, opt MachineOptions, rng *rand.Rand, fitted func()) []float64 {
	n := len(y)
	fold := make([]int, n)
	for _, sign := range []float64{1, -1} {
		var index []int
		for t, v := range y {
			if v == sign {
				index = append(index, t)
			}
		}
		rng.Shuffle(len(index), func(a, b int) { index[a], index[b] = index[b], index[a] })
		for r, t := range index {
			fold[t] = r % opt.Folds
		}
	}
	out := make([]float64, n)
	all := mat.NewDense(n, n, kernel)
	for f := range opt.Folds {
		var train []int
		var labels []float64
		for t := range n {
			if fold[t] != f {
				train, labels = append(train, t), append(labels, y[t])
			}
		}
		if !slices.Contains(labels, 1) || !slices.Contains(labels, -1) {
			continue // a class of one or two matrices: decision value 0 is not informative
		}
		alpha, bias, _ := smo(ctx, subKernel(all, train), labels, opt)
		if ctx.Err() != nil {
			return nil
		}
		fitted()
		for t := range n {
			if fold[t] != f {
				continue
			}
			out[t] = bias
			for a, s := range train {
				out[t] += alpha[a] * kernel[t*n+s]
			}
		}
	}
	return out
}

// leastPair is the smallest probability of a pair, as in LIBSVM: no pair is certain.
const leastPair = 1e-7

// posterior writes the log-probabilities of the classes to row from the decisions f of the pairs, without their biases.
func (m *Machines) posterior(row, f []float64) {
	c := len(row)
	w := coupleWorks.Get().(*coupleWork)
	defer coupleWorks.Put(w)
	vec.Room(&w.r, c*c)
	r := w.r
	for p, v := range f {
		i, j := pairOf(p, c)
		v := 1 / (1 + math.Exp(m.SigmoidA[p]*(v+m.Bias[p])+m.SigmoidB[p]))
		v = min(max(v, leastPair), 1-leastPair)
		r[i*c+j], r[j*c+i] = v, 1-v
	}
	w.couple(row)
	for i, v := range row {
		row[i] = math.Log(max(v, leastPair*leastPair))
	}
	vec.LogSoftmax(row)
}

// validate checks the machines and their coefficients, one row of n values per pair.
func (m *Machines) validate(coef *mat.Dense, n int) error {
	c := len(m.Classes)
	if err := faults.OneClass(c); err != nil {
		return err
	}
	pairs := c * (c - 1) / 2
	if err := common.CheckMatrix("coefficients", coef, pairs, n); err != nil {
		return err
	}
	for _, v := range []struct {
		what   string
		values []float64
	}{{"biases", m.Bias}, {"slopes of the sigmoids", m.SigmoidA}, {"offsets of the sigmoids", m.SigmoidB}} {
		if err := common.CheckFinite(v.what, v.values, pairs, "pair", "pairs of classes"); err != nil {
			return err
		}
	}
	return nil
}
