package learners

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

func statisticsOf(t *testing.T, x *mat.Dense, y []int, classes ...string) *gaussian.Statistics {
	t.Helper()
	return testkit.Must(gaussian.Estimate(x, y, classes))(t)
}

// The gradient of a step agrees with central differences, and the cost of all rows as one batch equals that of FitAMA.
func TestAMABatchGradient(t *testing.T) {
	x, y := sample(90, 5, 3, 4)
	s := statisticsOf(t, x, y, "a", "b", "c")
	start := mat.NewDense(5, 2, []float64{1, 0, 0.2, 1, -0.3, 0.5, 0, 0.4, 0.1, -0.6})
	a := testkit.Must(newAMABatches(s, AMAOptions{Filters: 2, Noise: 0.3, Start: start}))(t)
	value := testkit.Must(a.loss(x, y))(t)
	grad := append([]float64(nil), a.dw...)
	want := make([]float64, len(grad))
	const h = 1e-6
	for i := range a.w {
		keep := a.w[i]
		a.w[i] = keep + h
		up, _ := a.loss(x, y)
		a.w[i] = keep - h
		down, _ := a.loss(x, y)
		a.w[i] = keep
		want[i] = (up - down) / (2 * h)
	}
	testkit.Close(t, "gradient", grad, want, 1e-6)

	tr := testkit.Must(newTraining(x, y, s.Classes))(t)
	priors, _ := logPriors(tr, nil)
	g := newGaussianPosterior(tr, 2, 0.3, priors)
	a.unit.Normalize(a.f, a.w, a.m)
	var z mat.Dense
	z.Mul(x, mat.NewDense(5, 2, a.f))
	whole := g.cost(append([]float64(nil), z.RawMatrix().Data...), make([]float64, 2*90))
	testkit.Near(t, whole, value, 1e-10, "cost")
}

// Batches lead to nearly the same filters as a fit on all rows.
func TestAMABatchesFindTheShapesThatDiffer(t *testing.T) {
	x, y := twoShapes(4000, 1)
	start := mat.NewDense(6, 2, []float64{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}) // a third of what is looked for
	held := testkit.Must(FitAMA(background, x, y, nil, AMAOptions{Filters: 2, Noise: 0.01, Tol: 1e-9, Start: start}))(t)
	s := statisticsOf(t, x, y, "a", "b")
	var first *feature.Model
	testkit.SameAtAnyProcs(t, func() []float64 {
		first = testkit.Must(FitAMABatches(background, s, testkit.Batches(x, y), AMAOptions{Filters: 2, Noise: 0.01,
			Start: start}))(t)
		return first.Filters.RawMatrix().Data
	})
	if d := held.Report.Objective - first.Report.Objective; d > 0.005 || first.Report.Passes != 24 {
		t.Errorf("objective %.5f, of all rows at once %.5f; %d passes", first.Report.Objective, held.Report.Objective,
			first.Report.Passes)
	}
	inside := 0.0
	for j := range 2 {
		inside += first.Filters.At(0, j)*first.Filters.At(0, j) + first.Filters.At(1, j)*first.Filters.At(1, j)
	}
	if inside < 1.98 {
		t.Errorf("share of the filters in the first two dimensions: %g of 2", inside)
	}
}

func TestAMABatchesEndEarlyAndRefuse(t *testing.T) {
	x, y := twoShapes(600, 3)
	s := statisticsOf(t, x, y, "a", "b")
	ctx, cancel := context.WithCancel(background)
	opt := AMAOptions{Filters: 2, Progress: func(rao.Event) { cancel() }}
	m, err := FitAMABatches(ctx, s, testkit.Batches(x, y), opt)
	if !rao.HasModel(err) || m == nil || m.Report.Passes != 1 || m.Validate() != nil {
		t.Errorf("canceled: %v", err)
	}
	for _, opt := range []AMAOptions{{Filters: 2, Group: 1}, {Filters: 2, Seed: 1}, {Filters: 2, Tol: 1e-3},
		{Filters: 2, StartRows: 5}, {Filters: 2, NoisyResponses: true}, {Filters: 7}, {Filters: 2, Noise: -1}} {
		testkit.Fails(t, testkit.ErrorOf(FitAMABatches(background, s, testkit.Batches(x, y), opt)),
			fmt.Sprintf("%+v passes", opt))
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 1, math.NaN())
	testkit.Fails(t, testkit.ErrorOf(FitAMABatches(background, s, testkit.Batches(bad, y), AMAOptions{Filters: 2})),
		"NaN passes")
}

// Batches start from the best of several filters; uninformative filters are not chosen.
func TestAMABatchesChooseTheirStart(t *testing.T) {
	x, y := twoShapes(4000, 1)
	s := statisticsOf(t, x, y, "a", "b")
	poor, good := mat.NewDense(6, 1, []float64{0, 0, 0, 0, 1, 0}), mat.NewDense(6, 1, []float64{1, 0.2, 0, 0, 0, 0})
	fit := func(start *mat.Dense, also ...*mat.Dense) float64 {
		m := testkit.Must(FitAMABatches(background, s, testkit.Batches(x, y),
			AMAOptions{Filters: 1, Noise: 0.01, Start: start, Also: also, MaxIter: 1}))(t)
		return m.Report.Objective
	}
	alone, best := fit(poor), fit(good)
	if both := fit(poor, good); both != fit(good, poor) || both < best || best < alone+0.01 {
		t.Errorf("objective %.4f from one start, %.4f from the other, %.4f from the better", alone, best, both)
	}
	if _, err := FitAMABatches(background, s, testkit.Batches(x, y), AMAOptions{Filters: 1,
		Also: []*mat.Dense{mat.NewDense(5, 1, nil)}}); err == nil {
		t.Error("a start of other dimensions is accepted")
	}
}

// Starts are compared on several batches: the first has only rows that the better start gets wrong.
func TestAMABatchesCompareStartsOnManyRows(t *testing.T) {
	x, y := twoShapes(4000, 1)
	s := statisticsOf(t, x, y, "a", "b")
	poor, good := mat.NewDense(6, 1, []float64{0, 0, 0, 0, 1, 0}), mat.NewDense(6, 1, []float64{1, 0, 0, 0, 0, 0})
	var order [2][]int // of each class, the rows most like the other class first
	for i, label := range y {
		order[label] = append(order[label], i)
	}
	for label, members := range order {
		slices.SortFunc(members, func(i, j int) int {
			d := math.Abs(x.At(j, 0)) - math.Abs(x.At(i, 0))
			return cmp.Compare(d*[]float64{1, -1}[label], 0)
		})
	}
	for _, members := range order { // but for the first batch, in random order
		rest := members[amaLeast/2:]
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	}
	sorted, labels := mat.NewDense(4000, 6, nil), make([]int, 4000)
	for i := range labels {
		row := order[i%2][i/2]
		labels[i] = y[row]
		sorted.SetRow(i, x.RawRowView(row))
	}
	inOrder := func(_ context.Context, _, size int, fn func(x mat.Matrix, labels []int) error) error {
		for lo := 0; lo+size <= 4000; lo += size {
			if err := fn(sorted.Slice(lo, lo+size, 0, 6), labels[lo:lo+size]); err != nil {
				return err
			}
		}
		return nil
	}
	a := testkit.Must(newAMABatches(s, AMAOptions{Filters: 1, Noise: 0.01, Start: poor, Also: []*mat.Dense{good}}))(t)
	testkit.NoError(t, a.chooseStart(background, inOrder, amaRate/math.Sqrt(6)))
	if vec.Norm(a.w[:2]) < 0.9*vec.Norm(a.w) {
		t.Errorf("the fit continues from %.3f", a.w)
	}
}
