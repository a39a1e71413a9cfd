package classify

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/spd"
)

// QDAOptions adjust [FitQDA]. The zero value is the plain quadratic classifier with
// the classes' shares as priors.
type QDAOptions struct {
	// RegParam draws each covariance towards the identity, Φ → (1-r)Φ + r I, 0 to 1.
	// It is scikit-learn's reg_param and depends on the unit of the data. Default 0.
	RegParam float64
	// Shrinkage draws each covariance towards a multiple of the identity by a
	// coefficient that fits the unit of the data; it comes before RegParam. Default none.
	Shrinkage gaussian.Shrinkage
	// Amount is the coefficient for gaussian.Fixed, 0 to 1.
	Amount float64
	// Priors are the class probabilities, any positive numbers in the order of the
	// classes; nil takes the shares of the observations.
	Priors []float64
}

// QDA is the quadratic discriminant: one Gaussian a class, the most probable class
// wins. The log-posteriors are, up to a constant of the row,
//
//	log π_i - ½ log det Φ_i - ½ ‖L_i⁻¹ (x - μ_i)‖²,  Φ_i = L_i L_i'
//
// The exported fields determine the model; [QDA.Validate] rebuilds the rest after
// they have been read from a file.
type QDA struct {
	Classes     []string           // c class names
	Priors      []float64          // c, sum one
	Means       *mat.Dense         // c×n
	Covariances *spd.Stack         // c matrices n×n, regularized
	RegParam    float64            // as fitted
	Shrinkage   gaussian.Shrinkage // as fitted
	Shrunk      []float64          // shrinkage coefficient of each class

	center []float64 // n: mean of the means
	whiten []float64 // c·n(n+3)/2: the rows of the L_i⁻¹ up to the diagonal, before each -L_i⁻¹(μ_i - center)
	consts []float64 // c: log π_i - ½ log det Φ_i
}

// FitQDA fits the classifier to class statistics. With the zero options it agrees
// with scikit-learn's QuadraticDiscriminantAnalysis: covariances have divisor
// count-1.
//
// It returns an error for fewer than two classes, options out of range, and a class
// covariance that is not positive definite, with the class's name, its smallest
// eigenvalue and the remedy. The cost is c n³/3 operations; classes run in parallel.
func FitQDA(s *gaussian.Statistics, opt QDAOptions) (*QDA, error) {
	if err := s.ValidateFor(2); err != nil {
		return nil, fmt.Errorf("qda: %w", err)
	}
	if !(opt.RegParam >= 0 && opt.RegParam <= 1) {
		return nil, fmt.Errorf("qda: reg_param %g is outside 0 to 1", opt.RegParam)
	}
	priors, err := checkPriors(s, opt.Priors)
	if err != nil {
		return nil, fmt.Errorf("qda: %w", err)
	}
	shrunk, rho, err := s.Shrink(opt.Shrinkage, opt.Amount)
	if err != nil {
		return nil, fmt.Errorf("qda: %w", err)
	}
	c, n := s.NumClasses(), s.Dim
	q := &QDA{Priors: priors, RegParam: opt.RegParam, Shrinkage: opt.Shrinkage.Or(gaussian.None), Shrunk: rho,
		Means: mat.NewDense(c, n, nil), Covariances: spd.NewStack(c, n)}
	for i := range c {
		q.Classes = append(q.Classes, s.Name(i))
		q.Means.SetRow(i, s.Mean(i))
		cov := q.Covariances.At(i)
		for j, v := range shrunk.Covariance(i).RawSymmetric().Data {
			cov[j] = (1 - opt.RegParam) * v
		}
		for j := range n {
			cov[j*n+j] += opt.RegParam
		}
	}
	if err := q.prepare(); err != nil {
		if i := q.singular(); i >= 0 && s.Counts[i] <= n {
			return nil, fmt.Errorf("%w; the class has %d observations for %d dimensions", err, s.Counts[i], n)
		}
		return nil, err
	}
	return q, nil
}

// singular returns the first class whose covariance has no Cholesky factor, or -1.
func (q *QDA) singular() int {
	n := q.Covariances.Dim
	l := make([]float64, n*n)
	for i := range q.Classes {
		copy(l, q.Covariances.At(i))
		if _, _, ok := tri.Cholesky(n, l, pivotTolerance*float64(n)); !ok {
			return i
		}
	}
	return -1
}

// prepare computes the unexported fields from the exported ones.
func (q *QDA) prepare() error {
	c, n := len(q.Classes), q.Covariances.Dim
	q.center = make([]float64, n)
	for i := range c {
		for j, v := range q.Means.RawRowView(i) {
			q.center[j] += v / float64(c)
		}
	}
	q.whiten, q.consts = make([]float64, c*n*(n+3)/2), make([]float64, c)
	errs := make([]error, c)
	par.For(c, 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			errs[i] = q.prepareClass(i)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (q *QDA) prepareClass(i int) error {
	n := q.Covariances.Dim
	l, li := make([]float64, n*n), make([]float64, n*n)
	copy(l, q.Covariances.At(i))
	if _, _, ok := tri.Cholesky(n, l, pivotTolerance*float64(n)); !ok {
		return fmt.Errorf("qda: covariance of class %s is not positive definite, smallest eigenvalue %.3g; "+
			"set a shrinkage (oas) or a reg_param (0.01, say), drop constant columns, or use fewer dimensions",
			q.Classes[i], smallestEigenvalue(q.Covariances.At(i), n))
	}
	tri.InvertLower(n, li, l)
	q.consts[i] = math.Log(q.Priors[i]) - tri.LogDet(n, l)/2
	mean, row := q.Means.RawRowView(i), q.whiten[i*n*(n+3)/2:]
	for j := range n {
		for k, v := range li[j*n : j*n+j+1] {
			row[1+k] = v
			row[0] -= v * (mean[k] - q.center[k])
		}
		row = row[j+2:]
	}
	return nil
}

// NumClasses returns c.
func (q *QDA) NumClasses() int { return len(q.Classes) }

// Dim returns n, the number of columns of the input.
func (q *QDA) Dim() int { return q.Covariances.Dim }

// LogPosterior writes the N×c log-probabilities of the rows of x to dst, which is
// resized when empty. It panics with mat.ErrShape if x has not Dim columns or dst
// another shape. A row with a NaN gives NaNs. The cost is 2 N c n² operations at the
// speed of the matrix product; rows run in parallel, with the same bits for any
// number of processors.
func (q *QDA) LogPosterior(dst *mat.Dense, x mat.Matrix) { q.posterior(dst, x, logarithms) }

// Posterior is [QDA.LogPosterior] with the probabilities themselves.
func (q *QDA) Posterior(dst *mat.Dense, x mat.Matrix) { q.posterior(dst, x, probabilities) }

func (q *QDA) posterior(dst *mat.Dense, x mat.Matrix, as form) {
	c, n := q.NumClasses(), q.Dim()
	in := rows.New(x)
	if in.Cols != n {
		panic(mat.ErrShape)
	}
	shape(dst, in.Rows, c)
	block := min(max(1<<11/(n+1)&^63, 64), rowGrain) // rows whose features stay in the cache
	par.For(in.Rows, rowGrain, func(_, from, to int) {
		s := works.Get().(*work)
		defer works.Put(s)
		for lo := from; lo < to; lo += block {
			q.block(dst, in, lo, min(lo+block, to), s, as)
		}
	})
}

// block writes the posteriors of the rows lo to hi-1. It works on the transpose, a row for
// every feature and then for every class, so that all loops run over observations.
func (q *QDA) block(dst *mat.Dense, in *rows.Reader, lo, hi int, s *work, as form) {
	c, n, m := q.NumClasses(), q.Dim(), hi-lo
	wide := (m + 7) &^ 7
	x, scores, factor := q.columns(in, lo, hi, wide, s), room(&s.scores, c*wide), q.whiten
	for i, v := range q.consts {
		vec.HalfSquares(scores[i*wide:(i+1)*wide], n, v, factor, x, wide)
		factor = factor[n*(n+3)/2:]
	}
	normalizeColumns(dst, lo, hi, scores, wide, s, as)
}

// columns returns a row of ones and under it the features of the rows lo to hi-1 less the center,
// a row each of wide values: columns beyond those rows repeat the last.
func (q *QDA) columns(in *rows.Reader, lo, hi, wide int, s *work) []float64 {
	n := q.Dim()
	x := room(&s.in, (n+1)*wide)
	read, stride := in.Raw()
	if read != nil {
		read = read[lo*stride:]
	} else {
		read, stride = room(&s.forms, (hi-lo)*n), n
		in.Read(read, n, lo, hi, nil)
	}
	for j := range wide {
		x[j] = 1
	}
	row := func(i int) []float64 {
		i = min(i, hi-lo-1) * stride
		return read[i : i+n]
	}
	for i := 0; i < wide; i += 4 { // four at a time, so that each is read once
		a, b, c, d, to := row(i), row(i+1), row(i+2), row(i+3), x[wide+i:]
		for k, center := range q.center {
			t := to[k*wide : k*wide+4 : k*wide+4]
			t[0], t[1], t[2], t[3] = a[k]-center, b[k]-center, c[k]-center, d[k]-center
		}
	}
	return x
}

// Validate checks the exported fields, which may come from a damaged file, and
// rebuilds the rest.
func (q *QDA) Validate() error {
	if q.Covariances == nil {
		return fmt.Errorf("qda: covariances are missing")
	}
	if err := q.Covariances.Validate(); err != nil {
		return fmt.Errorf("qda: %w", err)
	}
	c, n := len(q.Classes), q.Covariances.Dim
	if c < 2 || q.Covariances.Count != c {
		return fmt.Errorf("qda: %d covariances for %d classes", q.Covariances.Count, c)
	}
	if err := checkProbabilities("priors", q.Priors, c); err != nil {
		return fmt.Errorf("qda: %w", err)
	}
	if err := checkMatrix("means", q.Means, c, n); err != nil {
		return fmt.Errorf("qda: %w", err)
	}
	for i := range c {
		if j := notFinite(q.Covariances.At(i)); j >= 0 {
			return fmt.Errorf("qda: covariance of class %s holds %g", q.Classes[i], q.Covariances.At(i)[j])
		}
	}
	return q.prepare()
}
