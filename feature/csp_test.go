package feature

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/testkit"
	"rao/spd"
)

type cspGolden struct {
	Stack   []float64
	Values  []float64 `json:"csp_values"`
	Vectors []float64 `json:"csp_vectors"`
}

func loadCSPGolden(t testing.TB) cspGolden {
	var g cspGolden
	testkit.ReadJSON(t, "testdata/csp.json", &g)
	return g
}

// For two classes the filters solve C0 w = λ (C0+C1)/2 w, with scipy's numbers.
func TestCSPAgreesWithScipy(t *testing.T) {
	g := loadCSPGolden(t)
	x := spd.StackOf(12, 4, g.Stack)
	m := testkit.Must(FitCSP(context.Background(), x, testkit.Alternate(12, 2), []string{"a", "b"}, CSPOptions{}))(t)
	used := map[int]bool{}
	for j, score := range m.Scores {
		for k, v := range g.Values {
			if math.Abs(v-score) > 1e-12 || used[k] {
				continue
			}
			used[k] = true
			sign := math.Copysign(1, m.Filters.At(0, j)*g.Vectors[k])
			for i := range 4 {
				if d := m.Filters.At(i, j) - sign*g.Vectors[4*i+k]; math.Abs(d) > 1e-10 {
					t.Errorf("filter %d, channel %d: %g off", j, i, d)
				}
			}
		}
	}
	testkit.Equal(t, len(used), 4, "scores", m.Scores, "scipy's", g.Values)
	for j := 1; j < 4; j++ {
		testkit.Near(t, m.Scores[j], 0.5, math.Abs(m.Scores[j-1]-0.5), "scores", m.Scores,
			"are not in the order of their distance from one half")
	}
	var eye mat.Dense
	eye.Mul(m.Patterns.T(), m.Filters)
	for i := range 4 {
		for j := range 4 {
			want := 0.0
			if i == j {
				want = 1
			}
			testkit.Near(t, eye.At(i, j), want, 1e-12, "patterns'·filters at", i, j)
		}
	}
	testkit.NoError(t, m.Validate())
}

// mixed returns a stack with the covariances of c classes, and the mixing matrix. The sources are independent and have
// different variances in each class.
func mixed(seed uint64, c, n int) (*spd.Stack, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 0))
	a := mat.NewDense(n, n, testkit.Normals(rng, n*n))
	x := spd.NewStack(c, n)
	for k := range c {
		d := mat.NewDiagDense(n, nil)
		for i := range n {
			d.SetDiag(i, math.Exp(rng.NormFloat64()))
		}
		var t, s mat.Dense
		t.Mul(a, d)
		s.Mul(&t, a.T())
		sym := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				sym.SetSym(i, j, s.At(i, j))
			}
		}
		x.Set(k, sym)
	}
	return x, a
}

// If the covariances of several classes have a common joint diagonalizer, the sources are recovered exactly: filters' ·
// mixing is a permutation up to scale.
func TestCSPOfManyClassesUnmixes(t *testing.T) {
	for seed := range uint64(5) {
		x, a := mixed(seed, 4, 5)
		m := testkit.Must(FitCSP(context.Background(), x, testkit.Alternate(4, 4), []string{"a", "b", "c", "d"},
			CSPOptions{Filters: 5}))(t)
		testkit.Equal(t, m.Report.Status, rao.StatusConverged, "status after", m.Report.Iterations, "sweeps")
		var p mat.Dense
		p.Mul(m.Filters.T(), a)
		for i := range 5 {
			big, rest := 0.0, 0.0
			for j := range 5 {
				v := math.Abs(p.At(i, j))
				rest += v
				big = math.Max(big, v)
			}
			if rest-big > 1e-7*big {
				t.Errorf("seed %d: source %d is a mixture: %v", seed, i, mat.Row(nil, i, &p))
			}
		}
	}
}

// Mixing the channels does not change the features of any trial.
func TestCSPFeaturesDoNotDependOnTheMixing(t *testing.T) {
	g := loadCSPGolden(t)
	x := spd.StackOf(12, 4, g.Stack)
	a := mat.NewDense(4, 4, []float64{1, 2, 0, 1, 0, 1, -1, 3, 2, 0, 1, 0, 1, 1, 1, 4})
	y := spd.NewStack(12, 4)
	for k := range 12 {
		var t1, s mat.Dense
		t1.Mul(a, mat.NewDense(4, 4, x.At(k)))
		s.Mul(&t1, a.T())
		copy(y.At(k), s.RawMatrix().Data)
	}
	for _, c := range []int{2, 3} {
		classes := []string{"a", "b", "c"}[:c]
		opt := CSPOptions{KeepPower: true}
		m1 := testkit.Must(FitCSP(context.Background(), x, testkit.Alternate(12, c), classes, opt))(t)
		m2 := testkit.Must(FitCSP(context.Background(), y, testkit.Alternate(12, c), classes, opt))(t)
		var f1, f2 mat.Dense
		m1.Transform(&f1, x)
		m2.Transform(&f2, y)
		testkit.Close(t, "features", f2.RawMatrix().Data, f1.RawMatrix().Data, 1e-6)
		p := new(spd.Stack)
		spd.Congruence(p, x, m1.Filters)
		for k := range 12 {
			for j := range 4 {
				if d := math.Log(p.At(k)[5*j]) - f1.At(k, j); math.Abs(d) > 1e-12 {
					t.Fatalf("trial %d, filter %d: projected variance and feature differ by %g", k, j, d)
				}
			}
		}
	}
}

func TestCSPRefuses(t *testing.T) {
	g := loadCSPGolden(t)
	x := spd.StackOf(12, 4, g.Stack)
	flat := spd.NewStack(12, 4)
	bad := testkit.Alternate(12, 2)
	bad[3] = 7
	for _, c := range []struct {
		x       *spd.Stack
		labels  []int
		classes []string
		opt     CSPOptions
		want    string
	}{
		{x, testkit.Alternate(12, 1), []string{"a"}, CSPOptions{}, "need at least two"},
		{x, testkit.Alternate(12, 1), []string{"a", "b"}, CSPOptions{}, "class b has no trials"},
		{x, bad, []string{"a", "b"}, CSPOptions{}, "trial 3 has label 7"},
		{x, testkit.Alternate(12, 2), []string{"a", "b"}, CSPOptions{Filters: 5},
			"5 spatial filters were requested for 4"},
		{flat, testkit.Alternate(12, 2), []string{"a", "b"}, CSPOptions{},
			"trial 0 has the trace 0; it must be positive"},
		{flat, testkit.Alternate(12, 2), []string{"a", "b"}, CSPOptions{KeepPower: true}, "not positive definite"},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(FitCSP(context.Background(), c.x, c.labels, c.classes, c.opt)), c.want)
	}
	y, _ := mixed(1, 3, 4)
	m, err := FitCSP(context.Background(), y, testkit.Alternate(3, 3), []string{"a", "b", "c"}, CSPOptions{MaxIter: 1})
	if m == nil || !rao.IsNotConverged(err) {
		t.Errorf("one sweep: %v, %v", m, err)
	}
	m.Filters.Set(0, 0, math.NaN())
	testkit.ErrorContains(t, m.Validate(), "NaN at row 0, column 0", "NaN filter")
	m.Scores = nil
	testkit.Fails(t, m.Validate(), "a model without scores is valid")
}
