package spd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// randomSPD returns count matrices of order n with eigenvalues over a few
// decades.
func randomSPD(rng *rand.Rand, count, n int) *Stack {
	x := NewStack(count, n)
	for k := range count {
		g := testkit.Normals(rng, n*n)
		for i := range n {
			s := math.Exp(0.6 * rng.NormFloat64())
			for j := range n {
				g[j*n+i] *= s
			}
		}
		a := x.At(k)
		for i := range n {
			for j := range i + 1 {
				v := 0.0
				for p := range n {
					v += g[i*n+p] * g[j*n+p]
				}
				if i == j {
					v += 0.1
				}
				a[i*n+j], a[j*n+i] = v, v
			}
		}
	}
	return x
}

// congruent returns W X W' for every matrix.
func congruent(x *Stack, w []float64) *Stack {
	var out Stack
	if err := congruences(&out, x, w); err != nil {
		panic(err)
	}
	return &out
}

func inverted(t *testing.T, x *Stack) *Stack {
	t.Helper()
	var out Stack
	testkit.NoError(t, Pow(&out, x, -1))
	return &out
}

func scaled(x *Stack, c float64) *Stack {
	out := x.Select(indices.Range(x.Count))
	for i := range out.Data {
		out.Data[i] *= c
	}
	return out
}

func distances(t *testing.T, m Metric, x, y *Stack) []float64 {
	t.Helper()
	var d mat.Dense
	testkit.NoError(t, Distances(t.Context(), &d, m, x, y), m)
	return d.RawMatrix().Data
}

func meanOf(t *testing.T, m Metric, x *Stack, w []float64) []float64 {
	t.Helper()
	v, _ := testkit.Must2(weightedMean(context.Background(), x, w, m, MeanOptions{Tol: 1e-11, MaxIter: 2000}))(t, m)
	return v
}

var orders = []int{1, 2, 5, 9, 22}

type laws struct {
	metric                          Metric
	congruence, inversion, rotation bool
	scale                           float64 // d(cA, cB) = c^scale d(A, B); NaN: no such law
}

// invariance lists the transformations that leave the distance of each metric unchanged.
var invariance = []laws{
	{Riemann, true, true, true, 0},
	{LogEuclid, false, true, true, 0},
	{Euclid, false, false, true, 1},
	{Wasserstein, false, false, true, 0.5},
	{KullbackSym, true, true, true, 0},
	{LogDet, true, true, true, 0},
	{Chol, false, false, false, 0.5},
	{LogChol, false, false, false, math.NaN()},
	{Harmonic, false, false, true, -1},
}

func TestDistanceInvariances(t *testing.T) {
	for _, name := range Metrics() {
		if !slices.ContainsFunc(invariance, func(l laws) bool { return l.metric == Metric(name) }) {
			t.Errorf("say in the table above which laws the metric %s obeys", name)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range orders {
		x := randomSPD(rng, 7, n)
		w, q := testkit.Normals(rng, n*n), testkit.Rotation(rng, n).RawMatrix().Data
		for i := range n {
			w[i*n+i] += 3
		}
		for _, c := range invariance {
			name := fmt.Sprintf("%s n=%d", c.metric, n)
			d := distances(t, c.metric, x, nil)
			if c.congruence {
				testkit.Close(t, name+" under congruence", distances(t, c.metric, congruent(x, w), nil), d, 1e-8)
			} else if n > 1 {
				if e := distances(t, c.metric, congruent(x, w), nil); math.Abs(e[1]-d[1]) < 1e-6*d[1] {
					t.Errorf("%s does not change under congruence, the table says it does", name)
				}
			}
			if c.inversion {
				testkit.Close(t, name+" under inversion", distances(t, c.metric, inverted(t, x), nil), d, 1e-8)
			}
			if c.rotation {
				testkit.Close(t, name+" under rotation", distances(t, c.metric, congruent(x, q), nil), d, 1e-8)
			}
			if !math.IsNaN(c.scale) {
				f := math.Pow(3, c.scale)
				want := slices.Clone(d)
				for i := range want {
					want[i] *= f
				}
				testkit.Close(t, name+" under scaling", distances(t, c.metric, scaled(x, 3), nil), want, 1e-8)
			}
			order := rng.Perm(x.Count)
			p := distances(t, c.metric, x.Select(order), nil)
			for i, a := range order {
				for j, b := range order {
					testkit.Close(t, name+" under permutation", []float64{p[i*x.Count+j]}, []float64{d[a*x.Count+b]},
						1e-10)
				}
			}
		}
	}
}

// For the three metrics with terms, which are invariant under congruence, a distance is the sum of the terms of the
// eigenvalues of A⁻¹B.
func TestDistancesAreSumsOfTerms(t *testing.T) {
	x := randomSPD(rand.New(rand.NewPCG(5, 5)), 2, 4)
	var quotient mat.Dense
	testkit.NoError(t, quotient.Solve(x.Sym(0), x.Sym(1)))
	var eig mat.Eigen
	if !eig.Factorize(&quotient, mat.EigenNone) {
		t.Fatal("no eigenvalues")
	}
	var with []Metric
	for _, name := range Metrics() {
		m := Metric(name)
		if _, ok := m.Term(1); !ok {
			continue
		}
		with = append(with, m)
		sum := 0.0
		for _, v := range eig.Values(nil) {
			term, _ := m.Term(real(v))
			sum += term
		}
		d, err := Distance(m, x.Sym(0), x.Sym(1))
		if want := m.Square(d); err != nil || math.Abs(sum-want) > 1e-10*want {
			t.Errorf("%s: terms add up to %g, the squared distance is %g (%v)", m, sum, want, err)
		}
	}
	testkit.EqualSlices(t, with, []Metric{Riemann, KullbackSym, LogDet}, "metrics with terms")
}

func TestMeanLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range orders {
		x := randomSPD(rng, 9, n)
		w := make([]float64, 9)
		for i := range w {
			w[i] = rng.Float64()
		}
		mix := testkit.Normals(rng, n*n)
		for i := range n {
			mix[i*n+i] += 3
		}
		for _, c := range invariance {
			name := fmt.Sprintf("%s n=%d mean", c.metric, n)
			m := meanOf(t, c.metric, x, w)
			if c.congruence {
				want := congruent(StackOf(1, n, m), mix).Data
				testkit.Close(t, name+" moves with congruence", meanOf(t, c.metric, congruent(x, mix), w), want, 1e-7)
			}
			if c.inversion && c.metric != LogDet {
				testkit.Close(t, name+" of inverses", meanOf(t, c.metric, inverted(t, x), w),
					inverted(t, StackOf(1, n, m)).Data, 1e-7)
			}
			testkit.Close(t, name+" scales", meanOf(t, c.metric, scaled(x, 5), w), scaled(StackOf(1, n, m), 5).Data,
				1e-7)
			order := rng.Perm(9)
			pw := make([]float64, 9)
			for i, k := range order {
				pw[i] = w[k]
			}
			testkit.Close(t, name+" under permutation", meanOf(t, c.metric, x.Select(order), pw), m, 1e-7)
			// A matrix given twice counts as one with twice the weight.
			twice := append(indices.Range(9), 4)
			ww := append(slices.Clone(w), w[4])
			w4 := slices.Clone(w)
			w4[4] *= 2
			testkit.Close(t, name+" with a repeated matrix", meanOf(t, c.metric, x.Select(twice), ww),
				meanOf(t, c.metric, x, w4), 1e-7)
			testkit.Close(t, name+" of one matrix", meanOf(t, c.metric, x.Select([]int{2}), nil), x.At(2), 1e-8)
			testkit.Close(t, name+" is weighted to one matrix",
				meanOf(t, c.metric, x, []float64{0, 0, 1, 0, 0, 0, 0, 0, 0}), x.At(2), 1e-7)
		}
	}
}

func TestGeodesicLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, n := range orders {
		x := randomSPD(rng, 2, n)
		a, b := x.At(0), x.At(1)
		for _, m := range []Metric{Riemann, LogEuclid, Euclid, Wasserstein, Chol, LogChol, Harmonic} {
			at := func(s float64) []float64 {
				return testkit.Must(geodesicOf(m, a, b, s, n))(t)
			}
			name := fmt.Sprintf("%s n=%d geodesic", m, n)
			testkit.Close(t, name+" starts at the first matrix", at(0), a, 1e-9)
			testkit.Close(t, name+" ends at the second", at(1), b, 1e-9)
			back := testkit.Must(geodesicOf(m, b, a, 0.7, n))(t)
			testkit.Close(t, name+" runs back", back, at(0.3), 1e-8)
			testkit.Close(t, name+" midpoint is the mean of two", meanOf(t, m, x, nil), at(0.5), 1e-7)
			d := func(u, v []float64) float64 {
				return testkit.Must(pairDistance(m, u, v, n))(t)
			}
			whole := d(a, b)
			testkit.Close(t, name+" has constant speed",
				[]float64{d(a, at(0.25)), d(at(0.25), at(0.8)), d(at(0.8), b)},
				[]float64{0.25 * whole, 0.55 * whole, 0.2 * whole}, 1e-7)
		}
	}
}

func TestMapsLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, n := range orders {
		x := randomSPD(rng, 6, n)
		ref := randomSPD(rng, 1, n).Data
		for _, name := range namesOf(func(g *geometry) bool { return g.logMap != nil }) {
			m := Metric(name)
			name := fmt.Sprintf("%s n=%d", m, n)
			var v, back, small, short Stack
			testkit.NoError(t, LogMap(&v, m, x, symmetric(x.Dim, ref)))
			testkit.NoError(t, ExpMap(&back, m, &v, symmetric(x.Dim, ref)))
			testkit.Close(t, name+": exp of log", back.Data, x.Data, 1e-8)
			// The exponential map of s·V is the geodesic at s.
			short = *scaled(&v, 0.4)
			testkit.NoError(t, ExpMap(&small, m, &short, symmetric(x.Dim, ref)))
			for k := range x.Count {
				g := testkit.Must(geodesicOf(m, ref, x.At(k), 0.4, n))(t)
				testkit.Close(t, name+": exp map runs along the geodesic", small.At(k), g, 1e-7)
			}
			// In place gives the same.
			in := x.Select(indices.Range(x.Count))
			testkit.NoError(t, LogMap(in, m, in, symmetric(x.Dim, ref)))
			testkit.Close(t, name+": in place", in.Data, v.Data, 1e-14)
		}
	}
}

func TestTangentVectorsLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, n := range orders {
		x := randomSPD(rng, 12, n)
		ref := randomSPD(rng, 1, n)
		var v mat.Dense
		testkit.NoError(t, tangentVectors(context.Background(), &v, x, ref.Data))
		d := distances(t, Riemann, ref, x)
		for k := range x.Count {
			testkit.Close(t, "norm of the tangent vector is the distance", []float64{vec.Norm(v.RawRowView(k))},
				d[k:k+1], 1e-9)
		}
		var back Stack
		testkit.NoError(t, UntangentVectors(&back, &v, ref.View(0)))
		testkit.Close(t, "untangent of tangent", back.Data, x.Data, 1e-8)
		testkit.NoError(t, tangentVectors(context.Background(), &v, x, meanOf(t, Riemann, x, nil)))
		sum := make([]float64, vec.PackedLen(n))
		for k := range x.Count {
			vec.Axpy(sum, 1, v.RawRowView(k))
		}
		if vec.Norm(sum) > 1e-10*mat.Norm(&v, 2) {
			t.Errorf("n=%d: tangent vectors at the mean sum to %g", n, vec.Norm(sum))
		}
	}
}

func TestFunctionsOfMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, n := range []int{1, 3, 22, 40} {
		x := randomSPD(rng, 5, n)
		var l, e, s, ss, i, p Stack
		for _, err := range []error{Log(&l, x), Exp(&e, &l), Sqrt(&s, x), Pow(&ss, &s, 2), InvSqrt(&i, x),
			Pow(&p, x, -0.5)} {
			testkit.NoError(t, err)
		}
		testkit.Close(t, "exp log", e.Data, x.Data, 1e-9)
		testkit.Close(t, "sqrt squared", ss.Data, x.Data, 1e-9)
		testkit.Close(t, "inverse root", i.Data, p.Data, 1e-9)
	}
}

func TestRecenterMovesTheMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	n := 6
	x, to := randomSPD(rng, 20, n), randomSPD(rng, 1, n).Data
	m := meanOf(t, Riemann, x, nil)
	var atOne, atTo Stack
	testkit.NoError(t, recenter(&atOne, x, m, nil))
	one := vec.Identity(n)
	testkit.Close(t, "mean after recentering", meanOf(t, Riemann, &atOne, nil), one, 1e-8)
	testkit.NoError(t, recenter(&atTo, x, m, to))
	testkit.Close(t, "mean after recentering to a point", meanOf(t, Riemann, &atTo, nil), to, 1e-8)
	testkit.Close(t, "distances stay", distances(t, Riemann, &atTo, nil), distances(t, Riemann, x, nil), 1e-8)
}
