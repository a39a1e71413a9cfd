package sqfa

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/linearfilters"
	"rao/internal/testkit"
)

// Covariances that stay in their file give the same filters as covariances in memory.
func TestFitToAFile(t *testing.T) {
	ctx := context.Background()
	s := manyClasses(60, 40, 8)
	opt := bayes(5)
	opt.Subspace, opt.Start = 16, startLDA
	want := testkit.Must(Fit(ctx, s, opt))(t)
	path := filepath.Join(t.TempDir(), "s.npz")
	testkit.NoError(t, gaussian.WriteSource(ctx, path, s.Source(), false))
	src := testkit.Must(gaussian.OpenSource(path))(t)
	defer src.Close()
	got := testkit.Must(Fit(ctx, src, opt))(t)
	testkit.Close(t, "filters", values(got.Filters), values(want.Filters), 0)
	a, b := got.Report, want.Report
	if a.Objective != b.Objective || a.Passes != b.Passes || a.Passes != 4 {
		t.Errorf("objective %v in %d passes, in memory %v in %d, want 4 passes", a.Objective, a.Passes, b.Objective,
			b.Passes)
	}
	opt.Subspace, opt.MaxIter = 0, 5 // all covariances are loaded
	want, _ = Fit(ctx, s, opt)
	if got, _ = Fit(ctx, src, opt); got == nil {
		t.Fatal("no filters in all dimensions")
	}
	testkit.Close(t, "filters in all dimensions", values(got.Filters), values(want.Filters), 0)
}

// A subspace has a dimension for every filter, even if there are few discriminants or a column is constant.
func TestSubspaceHasRoomForTheFilters(t *testing.T) {
	const rows, n = 300, 10
	rng := rand.New(rand.NewPCG(28, 5))
	x, labels := mat.NewDense(rows, n, nil), make([]int, rows)
	for i := range rows {
		labels[i] = i % 3
		for j := range n - 1 {
			x.Set(i, j, rng.NormFloat64()*float64(1+labels[i]*j)+float64(labels[i]))
		}
		x.Set(i, n-1, 7)
	}
	stats := testkit.Must(gaussian.Estimate(x, labels, nil))(t)
	for _, src := range []Loader{stats, stats.Source(), Rows{X: x, Labels: labels}} {
		for _, noise := range []float64{0.1, AutoNoise} {
			m, err := Fit(t.Context(), src, Options{Filters: 6, Subspace: 6, Noise: noise})
			if m == nil {
				t.Fatalf("%T, noise %g: %v", src, noise, err)
			}
		}
	}
	opt := Options{Filters: n, Noise: 0.1}
	m := testkit.Must(Fit(t.Context(), stats, opt))(t)
	testkit.NoError(t, testkit.ErrorOf(AdviseNoise(t.Context(), stats, m.Filters, x, labels, opt)))
}

// The statistics in the subspace extended by the gradient equal those in the full space.
func TestExtendedSubspace(t *testing.T) {
	ctx := context.Background()
	s := manyClasses(40, 30, 9)
	given := bayes(4)
	given.Subspace = 12
	opt := testkit.Must(given.plan(40, 30))(t)
	r := testkit.Must(newReduced(ctx, s.Source(), opt))(t)
	start := testkit.Must(discriminantStart(r.reduced(), 4, opt.Noise))(t)
	before := r.q
	if none, err := r.extend(ctx, opt, start); err != nil || none || r.q != before+4 {
		t.Fatalf("%d dimensions after %d (%v)", r.q, before, err)
	}
	want, got := s.Project(mat.NewDense(30, r.q, linearfilters.Columns(r.v, r.cap, 0, r.q))), r.reduced()
	testkit.Close(t, "means", got.Means, want.Means, 1e-12)
	testkit.Close(t, "covariances", got.Covariances, want.Covariances, 1e-12)
}

// For small statistics the subspace has sixteen dimensions per filter. For large statistics it has a sixth of the
// columns, but at least four dimensions per filter.
func TestRoomOfASubspace(t *testing.T) {
	for _, c := range []struct{ classes, n, m, coarse, want int }{
		{10, 784, 9, 0, 144}, {10, 64, 9, 0, 64}, {200, 512, 16, 0, 85}, {200, 512, 60, 0, 240},
		{10, 4096, 16, 128, 384},
	} {
		testkit.Equal(t, roomFor(c.classes, c.n, c.m, c.coarse), c.want, c.classes, "classes of", c.n, "columns,", c.m,
			"filters")
	}
}

// A fit canceled during or between its passes returns the best filters so far, or an error before there are any.
func TestFitInSubspaceHearsCancellation(t *testing.T) {
	s := manyClasses(40, 30, 9)
	opt := bayes(4)
	opt.Subspace, opt.Start = 12, startLDA
	var usable int
	for n := int64(1); n < 4000; n += n/8 + 1 {
		ctx := testkit.CancelAt(n)
		m, err := Fit(ctx, s.Source(), opt)
		if !ctx.Canceled() {
			break // it ended before
		}
		switch {
		case m == nil && !errors.Is(err, context.Canceled):
			t.Fatalf("canceled at question %d: %v", n, err)
		case m != nil && m.Report.Status == rao.StatusCanceled:
			usable++
			if r, k := m.Filters.Dims(); !rao.HasModel(err) || r != 30 || k != 4 {
				t.Fatalf("canceled at question %d: %d×%d filters, %v", n, r, k, err)
			}
		}
	}
	if usable < 3 {
		t.Errorf("%d canceled fits gave filters", usable)
	}
}
