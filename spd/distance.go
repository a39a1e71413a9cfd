package spd

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// Distance returns the distance between the n×n matrices a and b. See the
// constants of [Metric] for the formulas. The error names the matrix ("first" or
// "second") that is not SPD. It panics with mat.ErrShape if a slice is too short.
//
// To compare many matrices use [Distances], which factors each matrix once.
func Distance(metric Metric, a, b []float64, n int) (float64, error) {
	if n < 1 || len(a) < n*n || len(b) < n*n {
		panic(mat.ErrShape)
	}
	m, err := metric.resolve()
	if err != nil {
		return 0, err
	}
	var d [1]float64
	x, y := StackOf(1, n, a), StackOf(1, n, b)
	if err := x.verify("first matrix"); err != nil {
		return 0, single(err)
	}
	if err := y.verify("second matrix"); err != nil {
		return 0, single(err)
	}
	err = new(team).pairwise(m, x, y, "first matrix", "second matrix", func(i, j int, v float64) { d[0] = v })
	return d[0], single(err)
}

// Distances writes to dst the distances between every matrix of x (rows) and every
// matrix of y (columns). With y nil it writes the symmetric matrix of all pairs of
// x, each computed once, zero on the diagonal. An empty dst is resized; another
// shape panics with mat.ErrShape.
//
// Each matrix is factored once; for Riemann a pair then costs one congruence
// and the eigenvalues of one matrix. Pairs run in parallel, and the result
// does not depend on the number of workers. Errors name the matrix.
func Distances(dst *mat.Dense, metric Metric, x, y *Stack) error {
	return DistancesNamed(dst, metric, x, y, "matrix", "matrix")
}

// DistancesNamed is [Distances] with the words that errors use for a matrix of x
// and of y, such as "trial" and "prototype".
func DistancesNamed(dst *mat.Dense, metric Metric, x, y *Stack, roleX, roleY string) error {
	return new(Comparer).Distances(dst, metric, x, y, roleX, roleY)
}

// Comparer computes distances again and again in the same memory, for streams of
// single matrices. Its zero value is ready; it serves one goroutine at a time.
type Comparer struct{ crew team }

// Distances is [DistancesNamed].
func (c *Comparer) Distances(dst *mat.Dense, metric Metric, x, y *Stack, roleX, roleY string) error {
	m, err := metric.resolve()
	if err != nil {
		return err
	}
	if err := x.verify(roleX); err != nil {
		return err
	}
	if y == nil {
		fitDense(dst, x.Count, x.Count)
		raw := dst.RawMatrix()
		for i := range x.Count {
			raw.Data[i*raw.Stride+i] = 0
		}
		return c.crew.allPairs(m, x, roleX, func(i, j int, v float64) {
			raw.Data[i*raw.Stride+j] = v
			raw.Data[j*raw.Stride+i] = v
		})
	}
	if err := y.verify(roleY); err != nil {
		return err
	}
	if err := sameDim(x, y); err != nil {
		return err
	}
	fitDense(dst, x.Count, y.Count)
	raw := dst.RawMatrix()
	return c.crew.pairwise(m, x, y, roleX, roleY, func(i, j int, v float64) { raw.Data[i*raw.Stride+j] = v })
}

// pairs computes the distances of one matrix on the left to a block of matrices on
// the right.
type pairs struct {
	crew        *team
	metric      Metric
	n           int
	left, right *Stack
	roleRight   string
	// What is computed once per matrix: whitening factors or square roots on the
	// left, embedded vectors or inverses on both sides; traces or log-determinants.
	leftData, rightData     []float64
	leftScalar, rightScalar []float64
}

// pairwise calls emit for every pair of matrices of x and y.
func (t *team) pairwise(m Metric, x, y *Stack, roleX, roleY string, emit func(i, j int, d float64)) error {
	// The side with fewer matrices is factored: distances are symmetric.
	if y.Count < x.Count {
		p, err := t.newPairs(m, y, x, roleY, roleX)
		if err != nil {
			return err
		}
		return p.run(false, func(i, j int, d float64) { emit(j, i, d) })
	}
	p, err := t.newPairs(m, x, y, roleX, roleY)
	if err != nil {
		return err
	}
	return p.run(false, emit)
}

// allPairs calls emit for every pair i < j of x.
func (t *team) allPairs(m Metric, x *Stack, role string, emit func(i, j int, d float64)) error {
	p, err := t.newPairs(m, x, x, role, role)
	if err != nil {
		return err
	}
	return p.run(true, emit)
}

func (t *team) newPairs(m Metric, left, right *Stack, roleLeft, roleRight string) (*pairs, error) {
	p := &pairs{crew: t, metric: m, n: left.Dim, left: left, right: right, roleRight: roleRight}
	var err error
	once := func(x *Stack, role string, f func(*Stack, string) ([]float64, []float64, error), data, scalar *[]float64) {
		if err == nil {
			*data, *scalar, err = f(x, role)
		}
	}
	both := func(f func(*Stack, string) ([]float64, []float64, error)) {
		once(left, roleLeft, f, &p.leftData, &p.leftScalar)
		if right == left {
			p.rightData, p.rightScalar = p.leftData, p.leftScalar
			return
		}
		once(right, roleRight, f, &p.rightData, &p.rightScalar)
	}
	switch m {
	case Riemann:
		p.leftData, err = t.whiteners(left, roleLeft)
	case Wasserstein:
		root := NewStack(0, 0)
		if err = t.apply(root, left, roleLeft, true, math.Sqrt); err == nil {
			p.leftData = root.Data
		}
		p.leftScalar, p.rightScalar = traces(left), traces(right)
	case KullbackSym:
		both(t.inverses)
	case LogDet:
		both(func(x *Stack, role string) ([]float64, []float64, error) {
			v, err := t.logDeterminants(x, role)
			return nil, v, err
		})
	default:
		both(func(x *Stack, role string) ([]float64, []float64, error) {
			v, err := t.embed(x, m, role)
			return v, nil, err
		})
	}
	return p, err
}

// run computes all pairs, or those with left < right, block by block.
func (p *pairs) run(upper bool, emit func(i, j int, d float64)) error {
	grain := batchSize(p.n)
	blocks := par.Chunks(p.right.Count, grain)
	tasks := p.left.Count * blocks
	crew := p.crew
	crew.ready(par.Workers(tasks, 1), tasks)
	par.For(tasks, 1, func(worker, t, _ int) {
		i, b := t/blocks, t%blocks
		lo, hi := b*grain, min((b+1)*grain, p.right.Count)
		if upper {
			lo = max(lo, i+1)
		}
		if lo >= hi {
			return
		}
		s := crew.work[worker]
		d := s.buf(2, hi-lo)
		if crew.errs[t] = p.row(s, d, i, lo, hi); crew.errs[t] != nil {
			return
		}
		for k, v := range d {
			emit(i, lo+k, v)
		}
	})
	return crew.firstError()
}

// row writes the distances of left matrix i to right matrices lo..hi-1.
func (p *pairs) row(s *scratch, d []float64, i, lo, hi int) error {
	switch p.metric {
	case Riemann:
		return p.riemann(s, d, i, lo, hi)
	case Wasserstein:
		return p.wasserstein(s, d, i, lo, hi)
	case KullbackSym:
		p.kullback(d, i, lo, hi)
		return nil
	case LogDet:
		return p.logdet(s, d, i, lo, hi)
	}
	m := packed(p.n)
	a := p.leftData[i*m : (i+1)*m]
	for k := range d {
		d[k] = math.Sqrt(vec.SquaredDistance(a, p.rightData[(lo+k)*m:(lo+k+1)*m]))
	}
	return nil
}

func (p *pairs) riemann(s *scratch, d []float64, i, lo, hi int) error {
	n, nn := p.n, p.n*p.n
	if err := s.w.LogSquaredDistances(d, p.leftData[i*nn:(i+1)*nn], p.right.block(lo, hi, s, 3), n, hi-lo); err != nil {
		return failed(err, p.right, lo, p.roleRight)
	}
	// A whitened matrix whose eigenvalues span all digits has a logarithm beyond
	// half of that: only then need the right matrix be looked at.
	suspect := math.Log(float64(n)*unit) / 2
	for k, v := range d {
		if v >= suspect*suspect && p.right != p.left {
			if err := s.factors(s.buf(0, nn), p.right, lo+k, lo+k+1, p.roleRight); err != nil {
				return err
			}
		}
		d[k] = math.Sqrt(v)
	}
	return nil
}

func (p *pairs) wasserstein(s *scratch, d []float64, i, lo, hi int) error {
	n, nn, c := p.n, p.n*p.n, hi-lo
	m, vals := s.buf(0, c*nn), s.values(c*n)
	s.w.Congruence(m, p.leftData[i*nn:(i+1)*nn], p.right.block(lo, hi, s, 3), n, c, true)
	if err := s.w.EigenValues(vals, m, n, c); err != nil {
		return failed(err, p.right, lo, p.roleRight)
	}
	for k := range d {
		v := vals[k*n : (k+1)*n]
		if v[0] < -float64(n)*unit*math.Abs(v[n-1]) {
			return notDefinite(p.right.At(lo+k), n, p.roleRight, lo+k)
		}
		root := 0.0
		for _, l := range v {
			root += math.Sqrt(max(l, 0))
		}
		d[k] = math.Sqrt(max(0, p.leftScalar[i]+p.rightScalar[lo+k]-2*root))
	}
	return nil
}

// kullback uses tr(A⁻¹B + B⁻¹A)/2 − n = tr((A−B)(B⁻¹−A⁻¹))/2, which does not
// cancel for close matrices.
func (p *pairs) kullback(d []float64, i, lo, hi int) {
	nn := p.n * p.n
	a, ai := p.left.At(i), p.leftData[i*nn:(i+1)*nn]
	for k := range d {
		b, bi := p.right.At(lo+k), p.rightData[(lo+k)*nn:(lo+k+1)*nn]
		var sum float64
		for t, v := range a {
			sum += (v - b[t]) * (bi[t] - ai[t])
		}
		d[k] = max(0, sum/2)
	}
}

func (p *pairs) logdet(s *scratch, d []float64, i, lo, hi int) error {
	n, nn, c := p.n, p.n*p.n, hi-lo
	mid, l := s.buf(0, c*nn), s.buf(1, c*nn)
	a := p.left.At(i)
	for k := range c {
		b := p.right.At(lo + k)
		for t, v := range a {
			mid[k*nn+t] = 0.5 * (v + b[t])
		}
	}
	if err := s.w.Cholesky(l, mid, n, c); err != nil {
		return failed(err, p.right, lo, p.roleRight)
	}
	for k := range d {
		v := logDeterminant(l[k*nn:(k+1)*nn], n) - 0.5*(p.leftScalar[i]+p.rightScalar[lo+k])
		d[k] = math.Sqrt(max(0, v))
	}
	return nil
}

// logDeterminant returns log det(L L').
func logDeterminant(l []float64, n int) float64 {
	s := 0.0
	for i := range n {
		s += math.Log(l[i*n+i])
	}
	return 2 * s
}

func (t *team) logDeterminants(x *Stack, role string) ([]float64, error) {
	n, nn := x.Dim, x.Dim*x.Dim
	out := make([]float64, x.Count)
	err := t.batches(x.Count, n, func(s *scratch, lo, hi int) error {
		l := s.buf(0, (hi-lo)*nn)
		if err := s.factors(l, x, lo, hi, role); err != nil {
			return err
		}
		for k := lo; k < hi; k++ {
			out[k] = logDeterminant(l[(k-lo)*nn:(k-lo+1)*nn], n)
		}
		return nil
	})
	return out, err
}

// inverses returns A⁻¹ for every matrix of x, contiguous.
func (t *team) inverses(x *Stack, role string) ([]float64, []float64, error) {
	nn := x.Dim * x.Dim
	out := make([]float64, x.Count*nn)
	err := t.batches(x.Count, x.Dim, func(s *scratch, lo, hi int) error {
		return s.flatten(out[lo*nn:hi*nn], x, lo, hi, Harmonic, role)
	})
	return out, nil, err
}

func traces(x *Stack) []float64 {
	out := make([]float64, x.Count)
	for k := range out {
		a := x.At(k)
		for i := range x.Dim {
			out[k] += a[i*x.Dim+i]
		}
	}
	return out
}
