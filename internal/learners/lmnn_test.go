package learners

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// lmnnCost returns the cost in equation 13 of Weinberger and Saul (2009) with the rounded hinge, for
// targets among the features, from the definition.
func lmnnCost(z *mat.Dense, y []int, k int, push float64) float64 {
	rows, _ := z.Dims()
	distance := func(i, j int) float64 { return vec.SquaredDistance(z.RawRowView(i), z.RawRowView(j)) }
	sum := 0.0
	for i := range rows {
		target := slices.Repeat([]float64{math.Inf(1)}, k)
		for j := range rows {
			if j == i || y[j] != y[i] {
				continue
			}
			d := distance(i, j)
			for h := range target {
				if d < target[h] {
					d, target[h] = target[h], d
				}
			}
		}
		for _, near := range target {
			sum += (1 - push) * near
			for l := range rows {
				if y[l] != y[i] {
					v, _ := hinge(1 + near - distance(i, l))
					sum += push * v
				}
			}
		}
	}
	return sum / float64(rows)
}

// The objective is the complete cost with the neighbors of the returned filters, not with those of an earlier round.
func TestLMNNReportsTheCostOfItsFilters(t *testing.T) {
	x, y := sample(120, 40, 3, 4)
	for _, opt := range []LMNNOptions{{Filters: 2}, {Filters: 36, Push: 0.3, Neighbors: 2}, {Filters: 3, Rounds: 1}} {
		opt.Impostors = 200
		m := testkit.Fitted(FitLMNN(background, x, y, nil, opt))(t)
		var z mat.Dense
		m.Transform(&z, x)
		testkit.NoError(t, opt.fill())
		want := lmnnCost(&z, y, opt.Neighbors, opt.Push)
		h := m.Report.History
		if got := m.Report.Objective; math.Abs(got-want) > 1e-9*want || got != h[len(h)-1] || got >= h[0] {
			t.Errorf("%d filters: objective %.12g, want %.12g; history %v", opt.Filters, got, want, h)
		}
	}
}

// The triples that the triangle inequality excludes do not change the result, however far the rows have moved since
// their impostors were found.
func TestLMNNPassesOverOnlyWhatIsInactive(t *testing.T) {
	tr, z := smallTraining(t, 200, 3, 3, 7)
	opt := LMNNOptions{Filters: 3}
	testkit.NoError(t, opt.fill())
	l := &lmnn{t: tr, opt: opt, k: opt.Neighbors}
	_ = l.targetsAmong(background, z)
	_ = l.findImpostors(background, z)
	dz, want := make([]float64, len(z)), make([]float64, len(z))
	for _, scale := range []float64{1, 1.01, 0.9, 1.3, 3} {
		moved := append([]float64(nil), z...)
		for i := range moved {
			moved[i] *= scale + 0.02*math.Sin(float64(i))
		}
		found := l.found
		got := l.cost(moved, dz)
		l.found = make([]float64, len(z))
		for i := range l.found {
			l.found[i] = 1e6 // so far away that nothing is known of any distance
		}
		testkit.Equal(t, l.cost(moved, want), got, "scale", scale, "cost")
		for i := range dz {
			if dz[i] != want[i] {
				t.Fatalf("scale %g: derivative %d is %g, %g when nothing is passed over", scale, i, dz[i], want[i])
			}
		}
		l.found = found
	}
}

// Filters restricted to the leading components equal the filters learned from the coordinates along these components.
func TestLMNNWithinComponents(t *testing.T) {
	x, y := sample(150, 8, 3, 5)
	pca := testkit.Must(feature.FitPCA(estimate(t, x, y), feature.PCAOptions{Filters: 4}))(t)
	opt := LMNNOptions{Filters: 3, Components: 4, Start: mat.NewDense(8, 3, nil)}
	for j := range 3 {
		for i := range 8 {
			opt.Start.Set(i, j, pca.Filters.At(i, j))
		}
	}
	got := testkit.Fitted(FitLMNN(background, x, y, nil, opt))(t)
	testkit.NoError(t, got.Validate())
	var along, inside, z mat.Dense
	along.Mul(pca.Filters.T(), got.Filters)
	inside.Mul(pca.Filters, &along)
	if !mat.EqualApprox(&inside, got.Filters, 1e-9) {
		t.Error("the filters leave the span of the components")
	}
	pca.Transform(&z, x)
	var start mat.Dense
	start.Mul(pca.Filters.T(), opt.Start)
	want := testkit.Fitted(FitLMNN(background, &z, y, nil, LMNNOptions{Filters: 3, Start: &start}))(t)
	testkit.Near(t, got.Report.Objective, want.Report.Objective, 1e-6*want.Report.Objective,
		"objective when learned from the coordinates")
	testkit.Fails(t, testkit.ErrorOf(FitLMNN(background, x, y, nil, LMNNOptions{Filters: 5, Components: 4})),
		"more filters than components are accepted")
}

// The searches for targets and impostors can be canceled, and the fit then returns the filters of the last round.
func TestLMNNHearsCancellation(t *testing.T) {
	x, y := sample(900, 40, 3, 4)
	ended := 0
	for _, opt := range []LMNNOptions{{Filters: 2}, {Filters: 2, InputTargets: true}, {Filters: 2, StartRows: 300}} {
		for at := int64(1); at <= 12; at++ {
			ctx := testkit.CancelAt(at)
			m, err := FitLMNN(ctx, x, y, nil, opt)
			if !rao.HasModel(err) || m.Report.Status != rao.StatusCanceled {
				t.Fatalf("%+v, told to end at its question %d: %v", opt, at, err)
			}
			if late := ctx.Late(); late > testkit.Soon {
				t.Errorf("%+v: ended %v after its question %d", opt, late, at)
			}
			if m.Report.Iterations == 0 {
				ended++ // before the first step
			}
			if i := vec.NotFinite(m.Filters.RawMatrix().Data); i >= 0 {
				t.Errorf("value %d of the filters is not finite", i)
			}
		}
	}
	if ended < 6 {
		t.Errorf("%d fits ended in the first search of neighbors, want some of each kind", ended)
	}
}
