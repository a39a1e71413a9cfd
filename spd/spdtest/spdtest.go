// Package spdtest checks the properties of a metric of SPD matrices that learners rely on. A package that registers a
// metric with [spd.RegisterMetric] calls it in a test:
//
//	func TestMyMetric(t *testing.T) { spdtest.Check(t, "my_metric") }
package spdtest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// Check tests a metric with random matrices of order 1, 2, 5 and 9. Distances must be positive and symmetric, be zero
// for equal matrices, obey the triangle inequality unless the metric is a divergence, and have the same bits at any
// GOMAXPROCS. Matrices that are not positive definite must give an error with their index. At the mean, small steps in
// any direction must not decrease the sum of squared distances. A geodesic must start and end at its matrices and have
// constant speed. The logarithmic and exponential maps must be inverse to each other. The metric's flat spaces, units
// and iterations must be as declared. Functions that the metric does not have are skipped.
func Check(t *testing.T, m spd.Metric) {
	t.Helper()
	if _, err := spd.ParseMetric(string(m)); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 5, 9} {
		c := &check{t: t, m: m, n: n, rng: rand.New(rand.NewPCG(uint64(n), 1))}
		t.Run(string(m), func(t *testing.T) {
			c.t = t
			c.distances()
			c.refusals()
			c.mean()
			c.geodesic()
			c.maps()
			c.flat()
		})
	}
}

type check struct {
	t   *testing.T
	m   spd.Metric
	n   int
	rng *rand.Rand
}

// random returns SPD matrices with eigenvalues that span one or two decades.
func (c *check) random(count int) *spd.Stack {
	x := spd.NewStack(count, c.n)
	for k := range count {
		g := mat.NewDense(c.n, c.n, nil)
		for j := range c.n {
			s := math.Exp(0.5 * c.rng.NormFloat64())
			for i := range c.n {
				g.Set(i, j, s*c.rng.NormFloat64())
			}
		}
		var a mat.SymDense
		a.SymOuterK(1, g)
		for i := range c.n {
			a.SetSym(i, i, a.At(i, i)+0.2)
		}
		x.Set(k, &a)
	}
	return x
}

// between returns the distances between the matrices of x and y.
func (c *check) between(x, y *spd.Stack) *mat.Dense {
	c.t.Helper()
	var d mat.Dense
	if err := spd.Distances(context.Background(), &d, c.m, x, y); err != nil {
		c.t.Fatal(err)
	}
	return &d
}

// distance returns the distance between two matrices.
func (c *check) distance(a, b mat.Symmetric) float64 {
	c.t.Helper()
	d, err := spd.Distance(c.m, a, b)
	if err != nil {
		c.t.Fatal(err)
	}
	return d
}

func (c *check) divergence() bool { return c.m.Square(3) == 3 }

func (c *check) near(what string, got, want, tol float64) {
	c.t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		c.t.Errorf("order %d: %s is %.12g, want %.12g", c.n, what, got, want)
	}
}

func (c *check) distances() {
	x := c.random(8)
	d := c.between(x, nil)
	back := c.between(x.Slice(5, 8), x) // the other way around, computed differently
	for i := range 8 {
		// rounding errors grow with the matrices, as distances to other matrices do
		c.near("the distance of a matrix to itself, relative to the distance to another",
			c.distance(x.Sym(i), x.Sym(i))/(1+d.At(i, (i+1)%8)), 0, 1e-6)
		for j := range 8 {
			if i != j && !(d.At(i, j) > 0) {
				c.t.Errorf("order %d: the distance between different matrices is %g, want more than 0", c.n, d.At(i, j))
			}
			if i >= 5 {
				c.near("a distance swapped", back.At(i-5, j), d.At(j, i), 1e-6)
			}
			for k := range 8 {
				if !c.divergence() && d.At(i, j) > d.At(i, k)+d.At(k, j)+1e-9 {
					c.t.Fatalf("order %d: d(%d,%d) > d(%d,%d) + d(%d,%d)", c.n, i, j, i, k, k, j)
				}
			}
		}
	}
	many := c.random(70)
	want := c.between(many, nil).RawMatrix().Data
	for _, procs := range []int{1, 3} {
		old := runtime.GOMAXPROCS(procs)
		got := c.between(many, nil).RawMatrix().Data
		runtime.GOMAXPROCS(old)
		if !slices.Equal(got, want) {
			c.t.Errorf("order %d: distances differ at GOMAXPROCS %d", c.n, procs)
		}
	}
}

func (c *check) refusals() {
	for _, set := range []func(a []float64){func(a []float64) { a[0] = -1 }, func(a []float64) { a[0] = math.NaN() }} {
		x := c.random(3)
		set(x.At(1))
		var e *spd.MatrixError
		err := spd.Distances(context.Background(), new(mat.Dense), c.m, x, nil)
		if (!errors.As(err, &e) || e.Index != 1) && !c.everywhere() {
			c.t.Errorf("order %d: matrix 1 is not positive definite, but the error of Distances is %v, "+
				"want a MatrixError for matrix 1", c.n, err)
		}
		if _, _, err := spd.Mean(context.Background(), x, nil, c.m, spd.MeanOptions{}); err == nil && !c.everywhere() {
			c.t.Errorf("order %d: Mean accepts a matrix that is not positive definite", c.n)
		}
	}
}

// everywhere reports whether the metric is defined for all symmetric matrices, like the Euclidean metric.
func (c *check) everywhere() bool {
	x := c.random(2)
	x.At(1)[0] = -1
	return spd.Distances(context.Background(), new(mat.Dense), c.m, x, nil) == nil
}

func (c *check) mean() {
	x := c.random(7)
	weights := []float64{1, 2, 3, 1, 0.5, 0.1, 4}
	sum := func(at mat.Symmetric) (s float64) {
		for i, d := range c.between(spd.StackFrom(at), x).RawRowView(0) {
			s += weights[i] * c.m.Square(d)
		}
		return s
	}
	mean, report, err := spd.Mean(context.Background(), x, weights, c.m, spd.MeanOptions{Tol: 1e-11, MaxIter: 5000})
	if err != nil {
		c.t.Fatal(err)
	}
	if c.m.Iterates() != (report.Status != rao.StatusClosed) {
		c.t.Errorf("order %d: Iterates returns %v, but the mean ended with the status %v", c.n, c.m.Iterates(),
			report.Status)
	}
	least := sum(mean)
	for range 10 {
		step := c.random(1).Sym(0)
		for _, h := range []float64{1e-3, -1e-3} {
			moved := mat.NewSymDense(c.n, nil)
			moved.AddSym(mean, scaled(step, h*mat.Norm(mean, 2)/mat.Norm(step, 2)/float64(c.n*c.n)))
			if s := sum(moved); s < least*(1-1e-9) {
				c.t.Errorf("order %d: Σ w d² is %.12g at the mean, but %.12g near it", c.n, least, s)
			}
		}
	}
	one, _, err := spd.Mean(context.Background(), x, []float64{0, 0, 1, 0, 0, 0, 0}, c.m, spd.MeanOptions{Tol: 1e-11})
	if err != nil {
		c.t.Fatal(err)
	}
	c.near("the mean with all weight on one matrix", distinct(one, x.Sym(2)), 0, 1e-6)
}

func scaled(a *mat.SymDense, f float64) *mat.SymDense {
	var out mat.SymDense
	out.ScaleSym(f, a)
	return &out
}

// distinct returns ‖a−b‖/‖b‖ in the Frobenius norm.
func distinct(a, b mat.Symmetric) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Norm(&d, 2) / mat.Norm(b, 2)
}

func (c *check) geodesic() {
	x := c.random(2)
	a, b := x.Sym(0), x.Sym(1)
	at := func(t float64) *mat.SymDense {
		var g mat.SymDense
		if err := spd.Geodesic(&g, c.m, a, b, t); err != nil {
			c.t.Fatal(err)
		}
		return &g
	}
	if spd.Geodesic(new(mat.SymDense), c.m, a, b, 0.5) != nil {
		return
	}
	c.near("the start of a geodesic", distinct(at(0), a), 0, 1e-8)
	c.near("the end of a geodesic", distinct(at(1), b), 0, 1e-8)
	length := c.distance(a, b)
	c.near("a quarter of a geodesic", c.distance(a, at(0.25)), 0.25*length, 1e-6)
	c.near("the rest of a geodesic", c.distance(at(0.25), b), 0.75*length, 1e-6)
}

func (c *check) maps() {
	x, ref := c.random(5), c.random(1).Sym(0)
	var v, back spd.Stack
	if spd.LogMap(&v, c.m, x, ref) != nil {
		return
	}
	if err := spd.ExpMap(&back, c.m, &v, ref); err != nil {
		c.t.Fatal(err)
	}
	for k := range x.Count {
		c.near("the exponential map of a logarithm", distinct(back.Sym(k), x.Sym(k)), 0, 1e-7)
	}
	for i := range v.Data {
		v.Data[i] *= 0.4
	}
	if err := spd.ExpMap(&v, c.m, &v, ref); err != nil {
		c.t.Fatal(err)
	}
	for k := range x.Count {
		var g mat.SymDense
		if err := spd.Geodesic(&g, c.m, ref, x.Sym(k), 0.4); err != nil {
			c.t.Fatal(err)
		}
		c.near("the exponential map along a geodesic", distinct(v.Sym(k), &g), 0, 1e-6)
	}
}

func (c *check) flat() {
	ctx, x := context.Background(), c.random(6)
	d := c.between(x, nil)
	size := c.n * (c.n + 1) / 2
	if below := c.m.Below(); below != nil {
		v, err := below.Vectors(ctx, x, "matrix")
		if err != nil {
			c.t.Fatal(err)
		}
		for i := range x.Count {
			for j := range x.Count {
				e := apart(v[i*size:(i+1)*size], v[j*size:(j+1)*size])
				if e > d.At(i, j)*(1+1e-9)+1e-9 {
					c.t.Errorf("order %d: the distance is %g, but the lower bound by Below is %g", c.n, d.At(i, j), e)
				}
				if c.m.Flat() != nil {
					c.near("the distance in the flat space", e, d.At(i, j), 1e-9)
				}
			}
		}
	}
	f := c.m.Flat()
	if f == nil {
		return
	}
	larger := spd.StackOf(x.Count, x.Dim, slices.Clone(x.Data))
	for i := range larger.Data {
		larger.Data[i] *= 9
	}
	if same := mat.EqualApprox(c.between(larger, nil), d, 1e-9); f.Scaled() == same && c.n > 1 {
		c.t.Errorf("order %d: distances change with the unit: %v, but Scaled returns %v", c.n, !same, f.Scaled())
	}
	v, err := f.Vectors(ctx, x, "matrix")
	if err != nil {
		c.t.Fatal(err)
	}
	back, err := f.Matrices(v, c.n)
	if err != nil {
		c.t.Fatal(err)
	}
	c.near("a matrix from its vector", apart(back.Data, x.Data), 0, 1e-8)
	project := f.Projection(v, c.n, 1e-4)
	v[0] *= -1
	if project == nil { // every vector belongs to an SPD matrix
		if _, err := f.Matrices(v, c.n); err != nil {
			c.t.Error(err)
		}
	} else {
		if err := project(v[:size]); err != nil {
			c.t.Fatal(err)
		}
		inside := slices.Clone(v[:size])
		if err := project(inside); err != nil || apart(inside, v[:size]) > 1e-12 {
			c.t.Errorf("order %d: projecting twice changes the vector by %g (error: %v)", c.n,
				apart(inside, v[:size]), err)
		}
		one, err := f.Matrices(v[:size], c.n)
		if err != nil {
			c.t.Fatal(err)
		}
		if err := spd.Log(new(spd.Stack), one); err != nil {
			c.t.Errorf("order %d: Projection returns a vector of a matrix that is not SPD: %v", c.n, err)
		}
	}
	var k mat.Dense
	if err := spd.GaussianKernel(ctx, &k, c.m, x, nil, 0.3); err != nil {
		c.t.Fatal(err)
	}
	var eigen mat.EigenSym
	kernel := mat.NewSymDense(x.Count, k.RawMatrix().Data)
	if !eigen.Factorize(kernel, false) || slices.Min(eigen.Values(nil)) < -1e-12 || k.At(3, 3) != 1 {
		c.t.Errorf("order %d: the Gaussian kernel has the eigenvalues %g, want no negative ones, and is %g for equal "+
			"matrices, want 1", c.n, eigen.Values(nil), k.At(3, 3))
	}
}

func apart(a, b []float64) float64 { return math.Sqrt(vec.SquaredDistance(a, b)) }
