package optim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/testkit"
)

// rosenbrock returns the chained valley with its minimum 0 at (1, …, 1).
func rosenbrock(x, g []float64) float64 {
	clear(g)
	var f float64
	for i := range len(x) - 1 {
		a, b := x[i+1]-x[i]*x[i], 1-x[i]
		f += 100*a*a + b*b
		g[i] += -400*a*x[i] - 2*b
		g[i+1] += 200 * a
	}
	return f
}

func TestMinimizeRosenbrock(t *testing.T) {
	for _, n := range []int{2, 10, 50} {
		x0 := make([]float64, n)
		for i := range x0 {
			x0[i] = -1.2 + float64(i%2)*2.2
		}
		r := testkit.Must(Minimize(context.Background(), x0, rosenbrock,
			Options{GradientTolerance: 1e-10, FunctionTolerance: -1, MaxIterations: 2000}))(t)
		testkit.Equal(t, r.Status, rao.StatusConverged, fmt.Sprintf("n=%d", n))
		want := slices.Repeat([]float64{1}, n)
		if n == 2 || r.Value < 1 { // longer chains have a second, local minimum near (-1, 1, …)
			testkit.Close(t, fmt.Sprintf("minimizer for n=%d", n), r.X, want, 1e-8)
		}
		testkit.Equal(t, x0[0], -1.2, "the start was written")
		if len(r.History) != r.Iterations+1 || r.History[r.Iterations] != r.Value {
			t.Error("history does not end at the value found")
		}
		for i := 1; i < len(r.History); i++ {
			if r.History[i] > r.History[i-1] {
				t.Fatalf("value rose in iteration %d", i)
			}
		}
	}
}

// A quadratic of condition 1e6 in 30 dimensions has a known minimizer.
func TestMinimizeIllConditioned(t *testing.T) {
	n := 30
	want := make([]float64, n)
	for i := range want {
		want[i] = math.Sin(float64(i))
	}
	f := func(x, g []float64) float64 {
		var s float64
		for i := range x {
			w := math.Pow(1e6, float64(i)/float64(n-1))
			e := x[i] - want[i]
			s += w * e * e / 2
			g[i] = w * e
		}
		return s
	}
	r := testkit.Must(Minimize(context.Background(), make([]float64, n), f,
		Options{GradientTolerance: 1e-8, FunctionTolerance: -1, Memory: 40, Curvature: 0.1, MaxIterations: 60}))(t)
	testkit.Equal(t, r.Status, rao.StatusConverged)
	testkit.Close(t, "minimizer", r.X, want, 1e-8)
}

// Beyond the wall at x = 0 the function is not defined: the search must shorten.
func TestMinimizeStaysInsideDomain(t *testing.T) {
	f := func(x, g []float64) float64 {
		g[0] = 1 - 1e-3/x[0]
		return x[0] - 1e-3*math.Log(x[0])
	}
	r, err := Minimize(context.Background(), []float64{50}, f, Options{GradientTolerance: 1e-8})
	if err != nil || math.Abs(r.X[0]-1e-3) > 1e-9 {
		t.Fatal(r.X, err)
	}
}

func TestMinimizeEndings(t *testing.T) {
	canceled, cancel := context.WithCancel(context.Background())
	seen := 0
	r, err := Minimize(canceled, []float64{-1.2, 1}, rosenbrock, Options{OnIteration: func(it int, f, g float64) {
		if seen = it; it == 5 {
			cancel()
		}
	}})
	if err != nil || r.Status != rao.StatusCanceled || seen != 5 || r.Iterations != 5 || r.X == nil {
		t.Errorf("canceled run: %+v %v", r, err)
	}
	r, err = Minimize(context.Background(), []float64{-1.2, 1}, rosenbrock, Options{MaxIterations: 3})
	if err != nil || r.Status != rao.StatusMaxIterations || r.Iterations != 3 {
		t.Errorf("limited run: %+v %v", r, err)
	}
	_, err = Minimize(context.Background(), []float64{1}, func(x, g []float64) float64 { return math.NaN() }, Options{})
	testkit.ErrorIs(t, err, ErrStart, "start at NaN")
	// A kink, where no smooth step exists, ends as stalled and not in a loop.
	r, err = Minimize(context.Background(), []float64{0.3}, func(x, g []float64) float64 {
		g[0] = math.Copysign(1, x[0])
		return math.Abs(x[0])
	}, Options{})
	if err != nil || r.Status != rao.StatusStalled && r.Status != rao.StatusConverged || math.Abs(r.X[0]) > 1e-6 {
		t.Errorf("kink: %+v %v", r, err)
	}
	for _, o := range []Options{{Memory: -1}, {MaxIterations: -1}, {Patience: -2}, {MaxTrials: -1}, {Curvature: 2},
		{GradientTolerance: math.NaN()}} {
		testkit.Fails(t, testkit.ErrorOf(Minimize(context.Background(), []float64{1}, rosenbrock, o)), o)
	}
}

// quadratic is f(F) = -sum_j w_j f_j' A f_j as a problem on a manifold.
type quadratic struct {
	a          *mat.SymDense
	w          []float64
	n, k       int
	x, d, y, g []float64
	curve      *Curve
	passes     int
}

func (q *quadratic) eval(x, g []float64) float64 {
	var f float64
	for j := range q.k {
		for r := range q.n {
			var s float64
			for c := range q.n {
				s += q.a.At(r, c) * x[c*q.k+j]
			}
			g[r*q.k+j] = -2 * q.w[j] * s
			f -= q.w[j] * s * x[r*q.k+j]
		}
	}
	return f
}
func (q *quadratic) Start(x, g []float64) (float64, error) { return q.eval(x, g), nil }
func (q *quadratic) Search(x, d []float64) error {
	q.passes++
	q.x, q.d = append(q.x[:0], x...), append(q.d[:0], d...)
	q.curve.Set(x, d)
	return nil
}
func (q *quadratic) Along(t float64) (float64, float64) {
	if !q.curve.At(t) {
		return math.NaN(), 0
	}
	q.curve.Point(q.y, q.x, q.d, t)
	f := q.eval(q.y, q.g)
	// slope: gradient times d/dt of (F+tD)N = D N + (F+tD) N'
	var s float64
	for r := range q.n {
		for j := range q.k {
			var v float64
			for h := range q.k {
				v += q.d[r*q.k+h]*q.curve.N[h*q.k+j] + (q.x[r*q.k+h]+t*q.d[r*q.k+h])*q.curve.DN[h*q.k+j]
			}
			s += v * q.g[r*q.k+j]
		}
	}
	return f, s
}
func (q *quadratic) Take(t float64, x, g []float64) error {
	q.Along(t)
	copy(x, q.y)
	copy(g, q.g)
	return nil
}

// Over orthonormal columns, the leading eigenvectors maximize the weighted Rayleigh quotient (Brockett). Over spheres,
// every column is the leading eigenvector.
func TestRunFindsEigenvectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n, k := 20, 3
	a := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			a.SetSym(i, j, rng.NormFloat64())
		}
	}
	var eig mat.EigenSym
	eig.Factorize(a, true)
	values := eig.Values(nil)
	for _, kind := range []Constraint{Sphere, Orthogonal} {
		m := NewManifold(kind, n, k)
		q := &quadratic{a: a, w: []float64{3, 2, 1}, n: n, k: k, y: make([]float64, n*k), g: make([]float64, n*k),
			curve: NewCurve(m)}
		x := testkit.Normals(rng, n*k)
		testkit.NoError(t, m.Normalize(x))
		r, err := Run(context.Background(), q, m, x, Options{GradientTolerance: 1e-8, FunctionTolerance: -1})
		testkit.NoError(t, err)
		testkit.Equal(t, r.Status, rao.StatusConverged, kind)
		want := -6 * values[n-1]
		if kind == Orthogonal {
			want = -3*values[n-1] - 2*values[n-2] - values[n-3]
		}
		testkit.Close(t, kind.String(), []float64{r.Value}, []float64{want}, 1e-12)
		if q.passes > r.Iterations+2 {
			t.Errorf("%v: %d passes for %d iterations", kind, q.passes, r.Iterations)
		}
	}
}

func TestManifoldProjectionAndCurve(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n, k, fixed := 9, 3, 2
	random := func(l int) []float64 { return testkit.Normals(rng, l) }
	for _, kind := range []Constraint{Sphere, Orthogonal, None} {
		m := NewManifold(kind, n, k)
		if kind == Orthogonal {
			h := NewManifold(Orthogonal, n, fixed)
			m.Against, m.AgainstCols = random(n*fixed), fixed
			testkit.NoError(t, h.Normalize(m.Against))
		}
		x, d := random(n*k), random(n*k)
		testkit.NoError(t, m.Normalize(x))
		m.Project(x, d)
		again := append([]float64(nil), d...)
		m.Project(x, again)
		testkit.Close(t, kind.String()+": projecting twice", again, d, 1e-14)

		c := NewCurve(m)
		c.Set(x, d)
		at := func(s float64) []float64 {
			if !c.At(s) {
				t.Fatalf("%v: no curve at %g", kind, s)
			}
			out := make([]float64, n*k)
			c.Point(out, x, d, s)
			return out
		}
		testkit.Close(t, kind.String()+": the curve starts at x", at(0), x, 1e-14)
		p := at(0.7)
		dn := append([]float64(nil), c.DN...)
		moved := append([]float64(nil), p...)
		testkit.NoError(t, m.Normalize(moved))
		testkit.Close(t, kind.String()+": the curve stays on the manifold", p, moved, 1e-13)
		const h = 1e-6
		at(0.7 + h)
		plus := append([]float64(nil), c.N...)
		at(0.7 - h)
		for i := range plus {
			plus[i] = (plus[i] - c.N[i]) / (2 * h)
		}
		testkit.Close(t, kind.String()+": derivative of N", dn, plus, 1e-8)
		a, b := at(h), at(-h)
		for i := range a {
			a[i] = (a[i] - b[i]) / (2 * h)
		}
		testkit.Close(t, kind.String()+": the curve leaves along d", a, d, 1e-8)
	}
}

func TestNormalizeNamesTheVanishingColumn(t *testing.T) {
	m := NewManifold(Orthogonal, 3, 2)
	err := m.Normalize([]float64{1, 2, 0, 0, 2, 4})
	testkit.ErrorContains(t, err, "column 2 is zero", "dependent columns")
	err = NewManifold(Sphere, 2, 1).Normalize([]float64{0, 0})
	testkit.ErrorContains(t, err, "column 1 is zero", "zero column")
}

// A solver that has run before gives the same bits and allocates nothing.
func TestSolverIsReusable(t *testing.T) {
	s := testkit.Must(NewSolver(2, Options{}))(t)
	p := Function(2, rosenbrock)
	run := func() Result {
		return testkit.Must(s.Run(context.Background(), p, nil, []float64{-1.2, 1}))(t)
	}
	first := append([]float64(nil), run().X...)
	second := run().X
	testkit.Equal(t, first[0], second[0], first, "then", second)
	testkit.Equal(t, first[1], second[1], first, "then", second)
	if n := testing.AllocsPerRun(5, func() { run() }); n > 0 {
		t.Errorf("%v allocations in a later run", n)
	}
}

func ExampleMinimize() {
	// The point nearest to (3, 4), with a slight pull to the origin.
	f := func(x, grad []float64) float64 {
		a, b := x[0]-3, x[1]-4
		grad[0], grad[1] = 2*a+0.2*x[0], 2*b+0.2*x[1]
		return a*a + b*b + 0.1*(x[0]*x[0]+x[1]*x[1])
	}
	r, err := Minimize(context.Background(), []float64{0, 0}, f, Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4f %v\n", r.X, r.Status)
	// Output: [2.7273 3.6364] converged
}
