package classify

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/spd"
)

// MixtureOptions adjust [FitMixture]. The zero value is a good default.
type MixtureOptions struct {
	// Noise is a variance that is added to every direction of the components. Default 0.
	Noise float64
	// Priors are the class probabilities, any positive numbers in the order of the
	// classes; nil takes the shares of the observations.
	Priors []float64
}

// Mixture is the discriminant of classes that are mixtures of Gaussians (Hastie and
// Tibshirani 1996): the log-posterior of class i is, up to a constant of the row,
//
//	1/T log Σ_{k of class i} w_k N(x; μ_k, Φ_k)
//
// With one component a class it is the quadratic discriminant, [QDA]. The exported fields
// determine the model; [Mixture.Validate] rebuilds the rest after they have been read from
// a file.
type Mixture struct {
	Classes     []string   // c class names
	Of          []int      // the class of each of the k components, ascending
	Weights     []float64  // k, sum one
	Means       *mat.Dense // k×n
	Covariances *spd.Stack // k matrices n×n
	Temperature float64    // T, positive; see [Mixture.Calibrate]

	center []float64 // n: mean of the means
	whiten []float64 // n×n: L⁻ᵀ of the mean covariance
	theta  []float64 // q×k: the log-densities as functions of [z_a z_b (a≤b), z, 1]
	consts []float64 // k
	first  []int     // c+1: the first component of each class, and k
}

// FitMixture makes the classifier from statistics of components, component k of class
// of[k] ([gaussian.Subclasses], projected to the features and shrunk). The temperature is
// one.
//
// It returns an error for options out of range, a class without components, and a
// covariance that is not positive definite, with the component's name and the remedy.
func FitMixture(components *gaussian.Statistics, of []int, classes []string, opt MixtureOptions) (*Mixture, error) {
	c, k, n := len(classes), components.NumClasses(), components.Dim
	m := &Mixture{Classes: append([]string(nil), classes...), Of: append([]int(nil), of...), Temperature: 1,
		Weights: make([]float64, k), Means: mat.NewDense(k, n, nil), Covariances: spd.NewStack(k, n)}
	if err := m.checkOf(); err != nil {
		return nil, err
	}
	if !(opt.Noise >= 0) || math.IsInf(opt.Noise, 1) {
		return nil, fmt.Errorf("mixture: noise %g: want a finite variance of 0 or more", opt.Noise)
	}
	if len(of) != k {
		return nil, fmt.Errorf("mixture: %d components, %d of them with a class", k, len(of))
	}
	whole := &gaussian.Statistics{Classes: classes, Counts: make([]int, c)}
	for j, i := range of {
		whole.Counts[i] += components.Counts[j]
	}
	priors, err := checkPriors(whole, opt.Priors)
	if err != nil {
		return nil, fmt.Errorf("mixture: %w", err)
	}
	for j, i := range of {
		m.Weights[j] = priors[i] * float64(components.Counts[j]) / float64(whole.Counts[i])
		m.Means.SetRow(j, components.Mean(j))
		cov := m.Covariances.At(j)
		copy(cov, components.Covariance(j).RawSymmetric().Data)
		for a := range n {
			cov[a*n+a] += opt.Noise
		}
	}
	return m, m.prepare()
}

// checkOf returns an error unless every class has components, in order.
func (m *Mixture) checkOf() error {
	next := 0
	for k, i := range m.Of {
		if i != next && i != next-1 || i < 0 {
			return fmt.Errorf("mixture: component %d is of class %d, after one of class %d", k, i, next-1)
		}
		next = i + 1
	}
	if c := len(m.Classes); c < 2 || next != c {
		return fmt.Errorf("mixture: components of %d classes for %d names, want two or more of each", next, c)
	}
	return nil
}

// prepare computes the unexported fields from the exported ones. The features are
// centered and whitened by the mean covariance first, so that the quadratic forms that
// are multiplied out lose no digits.
func (m *Mixture) prepare() error {
	k, n := len(m.Of), m.Covariances.Dim
	m.first = firstOf(m.Of, len(m.Classes))
	m.center = make([]float64, n)
	mean := make([]float64, n*n)
	for j := range k {
		vec.Axpy(m.center, m.Weights[j], m.Means.RawRowView(j))
		vec.Axpy(mean, m.Weights[j], m.Covariances.At(j))
	}
	l := make([]float64, n*n)
	if _, _, ok := tri.Cholesky(n, mean, pivotTolerance*float64(n)); !ok {
		return errSingular(m.Classes[0], smallestEigenvalue(m.Covariances.At(0), n)) // as all are then
	}
	tri.InvertLower(n, l, mean)
	m.whiten = make([]float64, n*n)
	for a := range n {
		for b := range n {
			m.whiten[a*n+b] = l[b*n+a]
		}
	}
	m.theta, m.consts = make([]float64, (n*(n+1)/2+n)*k), make([]float64, k)
	errs := make([]error, k)
	par.For(k, 1, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			errs[j] = m.prepareComponent(j, l)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// firstOf returns the first component of each of c classes, and behind them how many there are.
func firstOf(of []int, c int) []int {
	first := make([]int, c+1)
	for _, i := range of {
		first[i+1]++
	}
	for i := range c {
		first[i+1] += first[i]
	}
	return first
}

func errSingular(class string, smallest float64) error {
	return fmt.Errorf("mixture: the covariance of a component of class %s is not positive definite "+
		"(smallest eigenvalue %.3g): take fewer sub-classes or filters, or drop constant columns", class, smallest)
}

// prepareComponent writes column j of theta. With S the covariance of the whitened
// features, Q its inverse and h = Q μ, the log-density is
//
//	-½ Σ_a Q_aa z_a² - Σ_{a<b} Q_ab z_a z_b + h'z + const.
func (m *Mixture) prepareComponent(j int, whiten []float64) error {
	n, k := m.Covariances.Dim, len(m.Of)
	s, t := make([]float64, n*n), make([]float64, n*n)
	dense.Gemm(false, false, n, n, n, 1, whiten, n, m.Covariances.At(j), n, 0, t, n)
	dense.Gemm(false, true, n, n, n, 1, t, n, whiten, n, 0, s, n)
	vec.Symmetrize(s, n)
	if _, _, ok := tri.Cholesky(n, s, pivotTolerance*float64(n)); !ok {
		return errSingular(m.Classes[m.Of[j]], smallestEigenvalue(m.Covariances.At(j), n))
	}
	m.consts[j] = math.Log(m.Weights[j]) - tri.LogDet(n, s)/2
	tri.InvertLower(n, t, s)
	q := make([]float64, n*n)
	dense.Gemm(true, false, n, n, n, 1, t, n, t, n, 0, q, n)
	mean, h := make([]float64, n), make([]float64, n)
	for a, v := range m.Means.RawRowView(j) {
		h[a] = v - m.center[a]
	}
	for a := range n {
		mean[a] = vec.Dot(whiten[a*n:(a+1)*n], h)
	}
	at := 0
	put := func(v float64) { m.theta[at*k+j] = v; at++ }
	for a := range n {
		h[a] = vec.Dot(q[a*n:(a+1)*n], mean)
		m.consts[j] -= h[a] * mean[a] / 2
		put(-q[a*n+a] / 2)
		for b := a + 1; b < n; b++ {
			put(-q[a*n+b])
		}
	}
	for _, v := range h {
		put(v)
	}
	return nil
}

// NumClasses returns c.
func (m *Mixture) NumClasses() int { return len(m.Classes) }

// Dim returns n, the number of columns of the input.
func (m *Mixture) Dim() int { return m.Covariances.Dim }

// LogPosterior writes the N×c log-probabilities of the rows of x to dst, which is
// resized when empty. It panics with mat.ErrShape if x has not Dim columns or dst
// another shape. A row with a NaN gives NaNs. The cost is that of one matrix product,
// N k n(n+3) operations for k components; the bits are the same for any number of
// processors.
func (m *Mixture) LogPosterior(dst *mat.Dense, x mat.Matrix) { m.posterior(dst, x, logarithms) }

// Posterior is [Mixture.LogPosterior] with the probabilities themselves.
func (m *Mixture) Posterior(dst *mat.Dense, x mat.Matrix) { m.posterior(dst, x, probabilities) }

func (m *Mixture) posterior(dst *mat.Dense, x mat.Matrix, as form) {
	in := rows.New(x)
	n, k, c := m.Dim(), len(m.Of), m.NumClasses()
	if in.Cols != n {
		panic(mat.ErrShape)
	}
	shape(dst, in.Rows, c)
	q := len(m.theta) / k
	block := min(max(workValues/(q+k+2*n), 64), max(in.Rows, 1))
	s := works.Get().(*work)
	defer works.Put(s)
	buf, z := room(&s.in, block*n), room(&s.z, block*n)
	forms, scores := room(&s.forms, block*q), room(&s.scores, block*k)
	for lo := 0; lo < in.Rows; lo += block {
		r := min(block, in.Rows-lo)
		par.For(r, rowGrain, func(_, from, to int) { in.Read(buf[from*n:], n, lo+from, lo+to, m.center) })
		dense.Gemm(false, false, r, n, n, 1, buf, n, m.whiten, n, 0, z, n)
		par.For(r, rowGrain, func(_, from, to int) {
			for i := from; i < to; i++ {
				vec.Quadratic(forms[i*q:(i+1)*q], z[i*n:(i+1)*n])
			}
		})
		dense.Gemm(false, false, r, k, q, 1, forms, q, m.theta, k, 0, scores, k)
		par.For(r, rowGrain, func(_, from, to int) { m.classes(dst, lo, from, to, scores, as) })
	}
}

// classes writes the posteriors of rows lo+from to lo+to-1 of dst from the scores by
// component of rows from to to-1 of a block.
func (m *Mixture) classes(dst *mat.Dense, lo, from, to int, scores []float64, as form) {
	k := len(m.Of)
	s := works.Get().(*work)
	defer works.Put(s)
	exps := room(&s.forms, (to-from)*k)
	for i := from; i < to; i++ {
		out, e := dst.RawRowView(lo+i), exps[(i-from)*k:(i-from+1)*k]
		for j, v := range scores[i*k : (i+1)*k] {
			e[j] = v + m.consts[j]
		}
		for c := range out {
			first, last := m.first[c], m.first[c+1]
			if out[c] = largest(e[first:last]); math.IsInf(out[c], -1) {
				continue // the exponentials of -Inf are zeros
			}
			for j := first; j < last; j++ {
				e[j] -= out[c]
			}
		}
	}
	vec.Exp(exps, -708)
	for i := from; i < to; i++ {
		out, e := dst.RawRowView(lo+i), exps[(i-from)*k:(i-from+1)*k]
		for c, top := range out {
			sum := 0.0
			for _, v := range e[m.first[c]:m.first[c+1]] {
				sum += v
			}
			out[c] = (top + math.Log(sum)) / m.Temperature
		}
	}
	normalizeRows(dst, lo+from, lo+to, as)
}

// Validate checks the exported fields, which may come from a damaged file, and
// rebuilds the rest.
func (m *Mixture) Validate() error {
	if m.Covariances == nil {
		return fmt.Errorf("mixture: covariances are missing")
	}
	if err := m.Covariances.Validate(); err != nil {
		return fmt.Errorf("mixture: %w", err)
	}
	if err := m.checkOf(); err != nil {
		return err
	}
	k, n := len(m.Of), m.Covariances.Dim
	if m.Covariances.Count != k {
		return fmt.Errorf("mixture: %d covariances for %d components", m.Covariances.Count, k)
	}
	if err := checkProbabilities("weights", m.Weights, k); err != nil {
		return fmt.Errorf("mixture: %w", err)
	}
	if err := checkMatrix("means", m.Means, k, n); err != nil {
		return fmt.Errorf("mixture: %w", err)
	}
	if !(m.Temperature > 0) || math.IsInf(m.Temperature, 1) {
		return fmt.Errorf("mixture: temperature %g, want a positive number", m.Temperature)
	}
	for j := range k {
		if a := notFinite(m.Covariances.At(j)); a >= 0 {
			return fmt.Errorf("mixture: covariance of component %d holds %g", j, m.Covariances.At(j)[a])
		}
	}
	return m.prepare()
}
