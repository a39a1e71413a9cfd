package learners

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/linearfilters"
	"rao/internal/testkit"
)

// factorRows draws rows of a factor model with loadings of the given size and noise variances from 0.5 to 1.5.
func factorRows(seed uint64, rows, n, m int, size float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 7))
	load, x := mat.NewDense(m, n, nil), new(mat.Dense)
	for i := range m {
		for j := range n {
			load.Set(i, j, size*rng.NormFloat64())
		}
	}
	z := mat.NewDense(rows, m, testkit.Normals(rng, rows*m))
	x.Mul(z, load)
	for j := range n {
		noise := math.Sqrt(0.5 + rng.Float64())
		for i := range rows {
			x.Set(i, j, x.At(i, j)+noise*rng.NormFloat64())
		}
	}
	return x
}

// A failed solve is an error. Earlier versions returned filters of zeros without an error.
func TestFAWithoutAPosteriorIsAnError(t *testing.T) {
	f := newFactors(make([]float64, 9), 3, 1, FAOptions{NoiseFloor: 1e-12})
	for i := range f.psi {
		f.psi[i], f.load[i] = 1, math.NaN()
	}
	if m, err := f.model(make([]float64, 3)); m != nil || err == nil ||
		!strings.Contains(err.Error(), "raise the noise floor") {
		t.Errorf("model %v, error %v", m, err)
	}
}

// With more columns than rows, the fixed-point steps reach a stationary point of the likelihood after at most 60
// decompositions, whether or not the data contain factors.
func TestFAOfManyColumnsTakesFewSteps(t *testing.T) {
	for _, size := range []float64{1, 0.1, 0} {
		x := factorRows(3, 80, 160, 3, size)
		m := testkit.Must(FitFA(background, estimate(t, x, make([]int, 80)), FAOptions{Filters: 3}))(t)
		if m.Report.Evaluations > 60 {
			t.Errorf("loadings of size %g: %d decompositions", size, m.Report.Evaluations)
		}
		// the noise variances are what the loadings leave of the columns' variances
		worst := 0.0
		for j, psi := range m.NoiseVariances {
			v := 0.0
			col := mat.Col(nil, j, x)
			mean := mat.Sum(mat.NewVecDense(len(col), col)) / float64(len(col))
			for _, c := range col {
				v += (c - mean) * (c - mean) / float64(len(col))
			}
			row := m.Loadings.RawRowView(j)
			worst = math.Max(worst, math.Abs(v-mat.Dot(mat.NewVecDense(3, row), mat.NewVecDense(3, row))-psi)/psi)
		}
		if worst > 1e-4 {
			t.Errorf("loadings of size %g: a noise variance is %.3g off what it should be", size, worst)
		}
	}
}

// Both optimizers check the context between the blocks of a decomposition, and return the best result so far.
func TestFAHearsCancellation(t *testing.T) {
	s := estimate(t, factorRows(4, 150, 400, 3, 0), make([]int, 150))
	for _, em := range []bool{false, true} {
		began := testkit.Busy()
		m, err := FitFA(testkit.Canceled(), s, FAOptions{Filters: 3, EM: em})
		if m == nil || !rao.HasModel(err) || m.Report.Status != rao.StatusCanceled {
			t.Fatalf("EM %v: model %v, error %v", em, m != nil, err)
		}
		if took := testkit.Busy() - began; took > testkit.Soon {
			t.Errorf("EM %v: a canceled fit worked for %v", em, took)
		}
		if err := m.Validate(); err != nil || mat.Norm(m.Filters, 2) == 0 {
			t.Errorf("EM %v: filters of norm %g, %v", em, mat.Norm(m.Filters, 2), err)
		}
	}
}

// The iteration finds the same result as the full decomposition, also if eigenvalues are close together and after a
// restart.
func TestKrylovFindsTheLeadingPairs(t *testing.T) {
	const n, m = 120, 5
	rng := rand.New(rand.NewPCG(5, 5))
	x := mat.NewDense(150, n, testkit.Normals(rng, 150*n))
	var c mat.Dense
	c.Mul(x.T(), x)
	a := c.RawMatrix().Data
	all, v := testkit.Must2(linearfilters.FullEigen(a, n))(t)
	w := linearfilters.NewKrylov(n, m)
	if !w.Solve(background, linearfilters.Symmetric(a, n), 1e-13*math.Sqrt(n)) {
		t.Fatal("no convergence")
	}
	for j := range m {
		testkit.Near(t, w.Values[j]/all[n-1-j], 1, 1e-12, "value", j)
		dot := 0.0
		for i := range n {
			dot += w.Vectors[i*m+j] * v[i*n+n-1-j]
		}
		if 1-math.Abs(dot) > 1e-11 {
			t.Errorf("vector %d has cosine %.15f", j, dot)
		}
	}
}

// With the option Loadings the filters are the loadings, and without it they are not.
func TestFALoadingsAsFilters(t *testing.T) {
	s := testkit.Must(gaussian.Estimate(factorRows(1, 400, 6, 2, 1), make([]int, 400), []string{"a"}))(t)
	plain := testkit.Must(FitFA(context.Background(), s, FAOptions{Filters: 2}))(t)
	loadings := testkit.Must(FitFA(context.Background(), s, FAOptions{Filters: 2, Loadings: true}))(t)
	if !mat.Equal(loadings.Filters, plain.Loadings) || mat.Equal(plain.Filters, plain.Loadings) {
		t.Error("the filters are not the loadings")
	}
}
