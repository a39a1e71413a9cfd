package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/dense"
	"rao/internal/par"
	"rao/spd"
)

// MatrixSVMOptions adjust [FitMatrixSVM].
type MatrixSVMOptions struct {
	// Metric of the Gaussian kernel exp(−γ d²): spd.LogEuclid (default), spd.Euclid,
	// spd.Chol, spd.LogChol or spd.Harmonic; others give no positive kernel.
	Metric spd.Metric
	// Gamma is γ, positive. Default: 1 over the median squared distance between
	// training matrices.
	Gamma float64
	// C bounds the weight of a training matrix, positive. Default 1, as in LIBSVM.
	C float64
	// Tol ends the optimisation at this violation of its conditions. Default 1e-3.
	Tol float64
	// MaxIter limits the steps of each two-class problem. Default 100000.
	MaxIter int
	// Folds is the number of parts of the cross-validation that fits the
	// probabilities, at least 2. Default 5.
	Folds int
	// Seed draws the folds.
	Seed uint64
	// Progress receives an event after every pair of classes.
	Progress rao.Progress
}

func (o MatrixSVMOptions) filled() (MatrixSVMOptions, error) {
	if o.Metric == "" {
		o.Metric = spd.LogEuclid
	}
	if o.C == 0 {
		o.C = 1
	}
	if o.Tol == 0 {
		o.Tol = 1e-3
	}
	if o.MaxIter == 0 {
		o.MaxIter = 100000
	}
	if o.Folds == 0 {
		o.Folds = 5
	}
	if !(o.C > 0) || math.IsInf(o.C, 0) || !(o.Gamma >= 0) || math.IsInf(o.Gamma, 0) || !(o.Tol > 0) || o.MaxIter < 1 || o.Folds < 2 {
		return o, fmt.Errorf("svm-spd: C %g, gamma %g, tolerance %g and iteration limit %d must be positive, folds %d at least 2",
			o.C, o.Gamma, o.Tol, o.MaxIter, o.Folds)
	}
	return o, nil
}

// maxSVM bounds the training matrices: the kernel takes 8 N² bytes.
const maxSVM = 20000

// MatrixSVM is the support vector machine with a Gaussian kernel on SPD matrices
// (Jayasumana, Hartley, Salzmann, Li and Harandi 2013), one machine for every pair
// of classes. The decision value of a pair becomes a probability by a sigmoid
// that is fitted on cross-validated values (Platt 2000; Lin, Lin and Weng 2007),
// and the pairs' probabilities are joined to one a class (Wu, Lin and Weng 2004).
// The decision is the most probable class.
//
// The exported fields determine the model.
type MatrixSVM struct {
	Classes  []string
	Metric   string
	Gamma    float64
	Matrices *spd.Stack // support matrices of all pairs
	Coef     *mat.Dense // pairs×support: y∘α; pairs (0,1), (0,2), …, (1,2), …
	Bias     []float64  // of each pair; a positive decision is for the first class
	SigmoidA []float64  // p(first) = 1/(1+exp(A f + B))
	SigmoidB []float64
	Report   rao.Report
}

// FitMatrixSVM fits the machines. When a two-class problem reaches its limit, or ctx
// ends the work, the model is usable and comes with a *rao.NotConvergedError. Other
// errors name the matrix or class, or the option out of range.
// Cost: all distances, then steps of 2N operations; 8 N² bytes, N at most 20000.
func FitMatrixSVM(ctx context.Context, x *spd.Stack, labels []int, classes []string, opt MatrixSVMOptions) (*MatrixSVM, error) {
	begin := time.Now()
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := checkStack("svm-spd", x, labels, classes, 2); err != nil {
		return nil, err
	}
	if x.Count > maxSVM {
		return nil, fmt.Errorf("svm-spd: %d training matrices need %.1f GiB for the kernel; use at most %d, or a method whose memory grows with N (tslr, plrsq)",
			x.Count, 8*float64(x.Count)*float64(x.Count)/(1<<30), maxSVM)
	}
	m := &MatrixSVM{Classes: slices.Clone(classes), Metric: string(opt.Metric), Gamma: opt.Gamma}
	var k mat.Dense
	if m.Gamma == 0 {
		if m.Gamma, err = medianGamma(x, opt.Metric); err != nil {
			return nil, fmt.Errorf("svm-spd: %w", err)
		}
	}
	if err := spd.GaussianKernel(&k, opt.Metric, x, nil, m.Gamma); err != nil {
		return nil, fmt.Errorf("svm-spd: %w", err)
	}
	coef := m.fitPairs(ctx, &k, labels, opt)
	m.keepSupport(x, coef)
	m.Report.Elapsed = time.Since(begin)
	if !m.Report.Status.Good() {
		return m, &rao.NotConvergedError{Method: "svm-spd", Report: m.Report, Remedy: "raise the iteration limit, or lower C"}
	}
	return m, nil
}

// medianGamma returns 1 over the median squared distance of at most 500 matrices,
// taken at equal steps.
func medianGamma(x *spd.Stack, metric spd.Metric) (float64, error) {
	index := make([]int, min(x.Count, 500))
	for i := range index {
		index[i] = i * x.Count / len(index)
	}
	var d mat.Dense
	if err := spd.Distances(&d, metric, x.Select(index), nil); err != nil {
		return 0, err
	}
	var v []float64
	for i := range index {
		for j := range i {
			v = append(v, d.At(i, j)*d.At(i, j))
		}
	}
	slices.Sort(v)
	if m := v[len(v)/2]; m > 0 {
		return 1 / m, nil
	}
	return 0, errors.New("more than half of the training matrices are equal: give gamma")
}

// fitPairs trains one machine a pair of classes, in parallel, and returns the
// pairs×N coefficients.
func (m *MatrixSVM) fitPairs(ctx context.Context, k *mat.Dense, labels []int, opt MatrixSVMOptions) *mat.Dense {
	c := len(m.Classes)
	pairs := c * (c - 1) / 2
	coef := mat.NewDense(pairs, len(labels), nil)
	m.Bias, m.SigmoidA, m.SigmoidB = make([]float64, pairs), make([]float64, pairs), make([]float64, pairs)
	good := make([]bool, pairs)
	index := membersOf(labels, c)
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
		kernel := subKernel(k, set, set)
		var alpha []float64
		alpha, m.Bias[p], good[p] = smo(kernel, y, opt.C, opt.Tol, opt.MaxIter)
		for t, s := range set {
			coef.Set(p, s, alpha[t])
		}
		held := heldOut(kernel, y, opt, rand.New(rand.NewPCG(opt.Seed, uint64(p))))
		m.SigmoidA[p], m.SigmoidB[p] = platt(held, y)
	})
	m.Report.Status, m.Report.Passes = rao.Converged, 1
	if slices.Contains(good, false) {
		m.Report.Status = rao.MaxIterations
	}
	if ctx.Err() != nil {
		m.Report.Status = rao.Cancelled
	}
	opt.Progress.Send(rao.Event{Stage: "fit", Done: pairs, Total: pairs})
	return coef
}

// pairOf returns the classes of pair p.
func pairOf(p, c int) (i, j int) {
	for i = 0; p >= c-1-i; i++ {
		p -= c - 1 - i
	}
	return i, i + 1 + p
}

func subKernel(k *mat.Dense, rows, cols []int) []float64 {
	out := make([]float64, len(rows)*len(cols))
	for a, r := range rows {
		row := k.RawRowView(r)
		for b, c := range cols {
			out[a*len(cols)+b] = row[c]
		}
	}
	return out
}

// heldOut returns the decision value of every matrix by machines that were trained
// without its fold. Folds hold both classes in proportion where they can.
func heldOut(kernel, y []float64, opt MatrixSVMOptions, rng *rand.Rand) []float64 {
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
		k := make([]float64, len(train)*len(train))
		for a, s := range train {
			for b, t := range train {
				k[a*len(train)+b] = kernel[s*n+t]
			}
		}
		alpha, bias, _ := smo(k, labels, opt.C, opt.Tol, opt.MaxIter)
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

// keepSupport drops the training matrices that no machine uses.
func (m *MatrixSVM) keepSupport(x *spd.Stack, coef *mat.Dense) {
	pairs, n := coef.Dims()
	var support []int
	for k := range n {
		for p := range pairs {
			if coef.At(p, k) != 0 {
				support = append(support, k)
				break
			}
		}
	}
	if len(support) == 0 {
		support = []int{0} // cancelled before the first machine
	}
	m.Matrices = x.Select(support)
	m.Coef = mat.NewDense(pairs, len(support), nil)
	for p := range pairs {
		for s, k := range support {
			m.Coef.Set(p, s, coef.At(p, k))
		}
	}
}

// NumClasses returns c.
func (m *MatrixSVM) NumClasses() int { return len(m.Classes) }

// Dim returns the order of the matrices.
func (m *MatrixSVM) Dim() int { return m.Matrices.Dim }

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst, which
// is resized when empty; another shape panics with mat.ErrShape. Errors name the
// matrix. Cost: one distance to every support matrix.
func (m *MatrixSVM) LogPosterior(dst *mat.Dense, x *spd.Stack) error {
	if err := checkOrder("svm-spd", x, m.Dim()); err != nil {
		return err
	}
	c := m.NumClasses()
	shape(dst, x.Count, c)
	if x.Count == 0 {
		return nil
	}
	var k mat.Dense
	if err := spd.GaussianKernel(&k, spd.Metric(m.Metric), x, m.Matrices, m.Gamma); err != nil {
		return fmt.Errorf("svm-spd: %w", err)
	}
	pairs, support := m.Coef.Dims()
	f := make([]float64, x.Count*pairs)
	raw, coef := k.RawMatrix(), m.Coef.RawMatrix()
	dense.Gemm(false, true, x.Count, pairs, support, 1, raw.Data, raw.Stride, coef.Data, coef.Stride, 0, f, pairs)
	const least = 1e-7 // as in LIBSVM: no pair is certain
	r := make([]float64, c*c)
	for t := range x.Count {
		for p := range pairs {
			i, j := pairOf(p, c)
			v := 1 / (1 + math.Exp(m.SigmoidA[p]*(f[t*pairs+p]+m.Bias[p])+m.SigmoidB[p]))
			v = min(max(v, least), 1-least)
			r[i*c+j], r[j*c+i] = v, 1-v
		}
		row := dst.RawRowView(t)
		couple(row, r)
		for i, v := range row {
			row[i] = math.Log(max(v, least*least))
		}
		normalise(row)
	}
	return nil
}

// Validate checks the exported fields, which may come from a damaged file.
func (m *MatrixSVM) Validate() error {
	c := len(m.Classes)
	if c < 2 || m.Matrices == nil {
		return fmt.Errorf("svm-spd: %d classes, or no support matrices", c)
	}
	if err := m.Matrices.Verify(); err != nil {
		return fmt.Errorf("svm-spd: support matrices: %w", err)
	}
	if _, err := spd.LookupMetric(m.Metric); err != nil {
		return fmt.Errorf("svm-spd: %w", err)
	}
	pairs := c * (c - 1) / 2
	if err := checkMatrix("coefficients", m.Coef, pairs, m.Matrices.Count); err != nil {
		return fmt.Errorf("svm-spd: %w", err)
	}
	for _, v := range [][]float64{m.Bias, m.SigmoidA, m.SigmoidB} {
		if len(v) != pairs || notFinite(v) >= 0 {
			return fmt.Errorf("svm-spd: %d biases or sigmoids for %d pairs, or one that is not finite", len(v), pairs)
		}
	}
	if !(m.Gamma > 0) || math.IsInf(m.Gamma, 1) {
		return fmt.Errorf("svm-spd: gamma %g; it must be positive", m.Gamma)
	}
	return nil
}
