package learners

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/optim"
	"rao/internal/testkit"
	"rao/spd"
)

func TestNCAAgreesWithScikitLearn(t *testing.T) {
	g, x := readGolden(t)
	tr := testkit.Must(newTraining(x, g.Y, nil))(t)
	start := mat.DenseCopyOf(mat.NewDense(2, g.Dim, g.NCA.Start).T())
	rows := float64(len(g.Y))
	p := newProjection(tr.in, make([]float64, g.Dim), optim.NewManifold(optim.None, g.Dim, 2), newNCA(tr, 2).cost)
	grad := make([]float64, g.Dim*2)
	value := testkit.Must(p.Start(start.RawMatrix().Data, grad))(t)
	testkit.Close(t, "objective", []float64{-value * rows}, []float64{g.NCA.Value}, 1e-11)
	theirs := mat.DenseCopyOf(mat.NewDense(2, g.Dim, g.NCA.Gradient).T()).RawMatrix().Data
	for i := range grad {
		grad[i] *= -rows
	}
	testkit.Close(t, "gradient", grad, theirs, 1e-10)
	m := testkit.Fitted(FitNCA(background, x, g.Y, nil,
		NCAOptions{Filters: 2, Start: start, Tol: 1e-9, MaxIter: 1000}))(t)
	if got := m.Report.Objective * rows; got < g.NCA.Best*(1-1e-4) {
		t.Errorf("objective %g, scikit-learn reaches %g", got, g.NCA.Best)
	}
}

func TestNCAGradient(t *testing.T) {
	tr, z := smallTraining(t, 70, 3, 2, 20) // more rows than a block
	checkGradient(t, "nca", newNCA(tr, 2).cost, z, 1e-7)
}

// spdSample returns matrices whose spread is along the first two coordinates.
func spdSample(count, n int, seed uint64) *spd.Stack {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := spd.NewStack(count, n)
	for k := range count {
		a := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				a.Set(i, j, 0.1*rng.NormFloat64())
			}
			spread := 0.05
			if i < 2 {
				spread = 1
			}
			a.Set(i, i, a.At(i, i)+math.Exp(spread*rng.NormFloat64()))
		}
		var s mat.Dense
		s.Mul(a, a.T())
		for i := range n {
			for j := range n {
				x.At(k)[i*n+j] = (s.At(i, j) + s.At(j, i)) / 2
			}
		}
	}
	return x
}

func TestGAPCAKeepsTheSpread(t *testing.T) {
	x := spdSample(60, 6, 1)
	c := testkit.Must(FitGAPCA(background, x, GAPCAOptions{Dim: 2}))(t)
	testkit.NoError(t, c.Validate())
	inside := 0.0
	for j := range 2 {
		inside += math.Pow(c.Filters.At(0, j), 2) + math.Pow(c.Filters.At(1, j), 2)
	}
	if inside < 1.8 {
		t.Errorf("share of the filters along the coordinates that vary: %g of 2", inside)
	}
	if !(c.Report.Objective < c.Total) || c.Report.Objective < 0.7*c.Total {
		t.Errorf("kept %g of %g", c.Report.Objective, c.Total)
	}
	z := new(spd.Stack)
	spd.Congruence(z, x, c.Filters)
	if err := z.Validate(); err != nil || z.Dim != 2 {
		t.Fatal(z.Dim, err)
	}
	var f, xf, want mat.Dense
	f.CloneFrom(c.Filters)
	xf.Mul(x.Sym(3), &f)
	want.Mul(f.T(), &xf)
	testkit.Close(t, "compressed matrix", z.At(3), want.RawMatrix().Data, 1e-12)
	if in, out := c.Dims(); in != 6 || out != 2 {
		t.Errorf("orders %d and %d", in, out)
	}
}

// With as many filters as dimensions, the complete spread is preserved in any basis.
func TestGAPCAOfFullOrderIsAnIsometry(t *testing.T) {
	x := spdSample(20, 3, 2)
	c := testkit.Must(FitGAPCA(background, x, GAPCAOptions{Dim: 3}))(t)
	testkit.Close(t, "spread", []float64{c.Report.Objective}, []float64{c.Total}, 1e-9)
}

func TestGAPCAGradient(t *testing.T) {
	x := spdSample(20, 4, 3)
	g := newGAPCA(x, spdSample(1, 4, 4).At(0), 2)
	rng := rand.New(rand.NewPCG(6, 6))
	f := testkit.Normals(rng, 8)
	checkGradient(t, "gapca", g.cost, f, 1e-7)
}

func TestGAPCAExplainsBadInput(t *testing.T) {
	x := spdSample(5, 3, 7)
	broken := spdSample(5, 3, 7)
	broken.At(2)[0] = -1
	fit := func(x *spd.Stack, o GAPCAOptions) error { _, err := FitGAPCA(background, x, o); return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{fit(x, GAPCAOptions{Dim: 4}), "the number of filters is 4; it must be between 1 and 3, the order of " +
			"the matrices"},
		{fit(x.Select([]int{0}), GAPCAOptions{Dim: 1}), "at least two"},
		{fit(broken, GAPCAOptions{Dim: 1}), "2"},
		{fit(x, GAPCAOptions{Dim: 1, Tol: -1}), "tolerance -1"},
	} {
		testkit.ErrorContains(t, c.err, c.want)
	}
	c := &Compression{}
	if c.Validate() == nil {
		t.Error("an empty model is valid")
	}
	c = &Compression{Filters: mat.NewDense(2, 1, []float64{1, math.NaN()}), Mean: mat.NewSymDense(2, nil)}
	testkit.ErrorContains(t, c.Validate(), "dimension 1")
}
