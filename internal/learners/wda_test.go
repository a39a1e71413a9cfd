package learners

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/internal/linalg/vec"
	"rao/internal/nearest"
	"rao/internal/testkit"
)

func TestLMNNBringsNeighborsTogether(t *testing.T) {
	x, y := twoShapes(300, 9)
	for i := range 300 { // separate the classes along the first dimension only, which is small
		x.Set(i, 0, x.At(i, 0)*0.1+float64(y[i]))
	}
	m := testkit.Fitted(FitLMNN(background, x, y, nil, LMNNOptions{Filters: 2}))(t)
	errors := func(m *feature.Model) int {
		var z mat.Dense
		m.Transform(&z, x)
		_, k := z.Dims()
		data := z.RawMatrix().Data
		index, distance := make([]int, 300), make([]float64, 300)
		_ = nearest.New(data, 300, k).Search(context.Background(), data, 300, 1, true, index, distance)
		wrong := 0
		for i, j := range index {
			if y[i] != y[j] {
				wrong++
			}
		}
		return wrong
	}
	pca := testkit.Must(feature.FitPCA(estimate(t, x, y), feature.PCAOptions{Filters: 2}))(t)
	if before, after := errors(pca), errors(m); before < 60 || after > 6 {
		t.Errorf("%d neighbors of the wrong class by principal components, %d by lmnn", before, after)
	}
	if h := m.Report.History; h[len(h)-1] > h[0] {
		t.Errorf("the cost rose: %v", h)
	}
}

// A large regularization compares means: the subspace maximizes the ratio of mean squared distances, computed here from
// the definition.
func TestWDAWithLargeRegularizationComparesMeans(t *testing.T) {
	x, y := sample(60, 3, 2, 10)
	m := testkit.Fitted(FitWDA(background, x, y, nil,
		WDAOptions{Filters: 1, Regularization: 1e6, Tol: 1e-12, MaxIter: 200}))(t)
	s := estimate(t, x, y)
	ratio := func(f []float64) float64 {
		quad := func(a []float64) float64 {
			v := 0.0
			for i := range 3 {
				v += f[i] * vec.Dot(a[i*3:(i+1)*3], f)
			}
			return v * 29 / 30
		}
		d := 0.0
		for i := range 3 {
			d += f[i] * (s.Mean(0)[i] - s.Mean(1)[i])
		}
		a, b := quad(s.Covariance(0).RawSymmetric().Data), quad(s.Covariance(1).RawSymmetric().Data)
		return (d*d + a + b) / (2*a + 2*b)
	}
	got := ratio(m.Filters.RawMatrix().Data)
	testkit.Close(t, "ratio", []float64{m.Report.Objective}, []float64{got}, 1e-5)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		f := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		if r := ratio(f); r > got*(1+1e-6) {
			t.Fatalf("direction %v has ratio %g, wda found %g", f, r, got)
		}
	}
}

func TestTransportOfEqualCloudsHasEqualMarginals(t *testing.T) {
	_, z := smallTraining(t, 40, 2, 2, 11)
	w := transportWork{tolerance: 1e-10}
	for _, n1 := range []int{20, 40} { // one cloud with itself, and with another of other size
		var tr transport
		b, n2 := z[:40], 20
		if n1 == 40 {
			b = z[10:50]
		}
		a := z[:2*min(n1, 30)]
		p := w.solve(&tr, a, b, len(a)/2, n2, 2, 1)
		rows, cols := make([]float64, len(a)/2), make([]float64, n2)
		for i := range rows {
			for j := range cols {
				rows[i] += p.u[i] * p.k.wide[i*n2+j] * p.v[j]
				cols[j] += p.u[i] * p.k.wide[i*n2+j] * p.v[j]
			}
		}
		for i := range rows {
			testkit.Close(t, "row", rows[i:i+1], []float64{2 / float64(len(a))}, 1e-8)
		}
		for j := range cols {
			testkit.Close(t, "column", cols[j:j+1], []float64{1. / 20}, 1e-8)
		}
	}
}

// The iteration ends at the same plan from every start: the plan between fewer points, old potentials, or absurd
// potentials.
func TestTransportDoesNotDependOnItsStart(t *testing.T) {
	const n1, n2, m, eps = 700, 600, 2, 3.
	_, z := smallTraining(t, n1+n2, 3, 2, 12)
	a, b := z[:n1*m], z[n1*m:]
	plan := func(single bool, a, b []float64, n1, n2 int, start func(tr *transport)) []float64 {
		w, tr := transportWork{tolerance: 1e-11}, transport{}
		w.k.single = single
		if start != nil {
			tr = transport{f: make([]float64, n1), g: make([]float64, n2), factor: 1, ready: true}
			start(&tr)
		}
		p := w.solve(&tr, a, b, n1, n2, m, eps)
		out := make([]float64, n1*n2)
		for i := range n1 {
			for j := range n2 {
				out[i*n2+j] = p.u[i] * p.v[j] * float64(n1*n2)
				p.k.times(out[i*n2+j:i*n2+j+1], i*n2+j)
			}
		}
		return out
	}
	rng := rand.New(rand.NewPCG(2, 2))
	off := func(size float64) func(tr *transport) {
		return func(tr *transport) {
			for i := range tr.f {
				tr.f[i] = size * eps * rng.NormFloat64()
			}
			for j := range tr.g {
				tr.g[j] = size * eps * rng.NormFloat64()
			}
		}
	}
	want := plan(false, a, b, n1, n2, nil)
	for _, size := range []float64{0, 10, 1e6} {
		testkit.Close(t, fmt.Sprintf("potentials off by %g", size), plan(false, a, b, n1, n2, off(size)), want, 1e-7)
		testkit.Close(t, fmt.Sprintf("single precision, potentials off by %g", size),
			plan(true, a, b, n1, n2, off(size)), want, 1e-6)
	}
	one := plan(false, a, a, n1, n1, nil)
	testkit.Close(t, "one cloud", plan(false, a, a, n1, n1, off(0)), one, 1e-7)
	testkit.Close(t, "one cloud in single precision", plan(true, a, a, n1, n1, nil), one, 1e-6)
}

func TestWDAIsFiniteForAnyRegularization(t *testing.T) {
	x, y := sample(60, 4, 3, 12)
	for _, reg := range []float64{1e-4, 1e-2, 1, 1e8} {
		m := testkit.Fitted(FitWDA(background, x, y, nil,
			WDAOptions{Filters: 2, Regularization: reg, MaxIter: 3}))(t, "regularization", reg)
		if err := m.Validate(); err != nil || !(m.Report.Objective > 0) {
			t.Errorf("regularization %g: objective %g, %v", reg, m.Report.Objective, err)
		}
	}
}

// Constant columns do not attract filters. The classes do not differ along them, and neither do the rows of a class, so
// the ratio is undefined there.
func TestWDAStaysInTheLeadingComponents(t *testing.T) {
	x, y := sample(120, 4, 2, 8)
	wide := mat.NewDense(120, 12, nil)
	for i := range 120 {
		for j := range 4 {
			wide.Set(i, j, x.At(i, j))
		}
		for j := 4; j < 12; j++ { // next to nothing
			wide.Set(i, j, 1e-4*x.At(i, j%4)*x.At(i, (j+1)%4))
		}
	}
	m := testkit.Fitted(FitWDA(background, wide, y, nil, WDAOptions{Filters: 2, Components: 4}))(t)
	for j := range 2 {
		outside, norm := 0.0, 0.0
		for i := range 12 {
			v := m.Filters.At(i, j)
			norm += v * v
			if i >= 4 {
				outside += v * v
			}
		}
		testkit.Close(t, "norm", []float64{norm}, []float64{1}, 1e-9)
		if outside > 1e-3 {
			t.Errorf("filter %d: %.2g of it lies where nothing varies", j, outside)
		}
	}
	testkit.NoError(t, m.Validate())
	_, err := FitWDA(background, wide, y, nil, WDAOptions{Filters: 3, Components: 2})
	testkit.ErrorContains(t, err, "the number of components", "more filters than components")
	_, err = FitWDA(background, wide, y, nil, WDAOptions{Filters: 2, Components: 4, Start: mat.NewDense(3, 2, nil)})
	testkit.ErrorContains(t, err, "the starting filters have shape 3×2, but must have shape 12×2",
		"start of another shape")
}

// The first evaluation also checks the context, in the middle of a plan. It used to run to its end, which takes seconds
// with many rows.
func TestWDAHearsCancellationWithinAPlan(t *testing.T) {
	x, y := sample(240, 20, 2, 6)
	for _, questions := range []int64{1, 6, 41} {
		ctx := testkit.CancelAt(questions)
		m, err := FitWDA(ctx, x, y, nil, WDAOptions{Filters: 3, Regularization: 0.001})
		if m == nil || !rao.HasModel(err) || m.Report.Status != rao.StatusCanceled {
			t.Fatalf("%d questions: model %v, error %v", questions, m != nil, err)
		}
		if late := ctx.Later(); late > 30 {
			t.Errorf("%d questions: the fit asked %d times more", questions, late)
		}
		if m.Report.Evaluations > 0 {
			t.Errorf("%d questions: %d evaluations came to an end", questions, m.Report.Evaluations)
		}
		testkit.NoError(t, m.Validate())
	}
}
