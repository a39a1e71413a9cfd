package potato

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/spd"
)

func potatoGold(t *testing.T) (map[string][]float64, *spd.Stack) {
	t.Helper()
	var gold map[string][]float64
	testkit.ReadJSON(t, "testdata/potato.json", &gold)
	return gold, spd.StackOf(30, 4, gold["x"])
}

// The scores of a potato, its scores after it has followed clean matrices, and the probabilities of a field equal the
// values of pyRiemann 0.12 (see testdata/potato.py).
func TestPotatoesAgreeWithPyRiemann(t *testing.T) {
	gold, x := potatoGold(t)
	ctx := context.Background()
	one := testkit.Must(Fit(ctx, x.Slice(0, 20), Options{Threshold: 2.5}))(t)
	var z mat.Dense
	testkit.NoError(t, one.Scores(t.Context(), &z, x))
	testkit.Close(t, "z", z.RawMatrix().Data, gold["z"], 1e-7)
	var followed mat.Dense
	testkit.NoError(t, one.Follow(ctx, &followed, x.Slice(20, 30), 0.2))
	if !one.Artifact(followed.RawRowView(2)) || one.Artifact(followed.RawRowView(0)) {
		t.Error("matrix 22 is the artifact")
	}
	testkit.NoError(t, one.Scores(t.Context(), &z, x))
	testkit.Close(t, "after", z.RawMatrix().Data, gold["after"], 1e-7)

	field := testkit.Must(Fit(ctx, x.Slice(0, 20), Options{Threshold: 2.5,
		Channels: [][]int{{0, 1}, {1, 2, 3}}}))(t)
	var both mat.Dense
	testkit.NoError(t, field.Scores(t.Context(), &both, x))
	testkit.Close(t, "field", both.RawMatrix().Data, gold["field"], 1e-7)
	for k, want := range gold["p"] {
		row := both.RawRowView(k)
		if p := field.Probability(row); math.Abs(p-want) > 1e-8 || field.Artifact(row) != (want <= 0.01) {
			t.Errorf("matrix %d: %v, want %v", k, p, want)
		}
	}
}

// Find scores the matrices that it learns from with their potato, and the others while the potato follows them. A
// matrix is an artifact if its score is at least the threshold.
func TestFindArtifactsFollows(t *testing.T) {
	_, x := potatoGold(t)
	ctx, opt := context.Background(), Options{Threshold: 2.5}
	field := testkit.Must(Fit(ctx, x.Slice(0, 20), opt))(t)
	var before, after mat.Dense
	testkit.NoError(t, field.Scores(t.Context(), &before, x.Slice(0, 20)))
	testkit.NoError(t, field.Follow(ctx, &after, x.Slice(20, 30), 0.2))
	a := testkit.Must(Find(ctx, x, 20, 0.2, opt))(t)
	testkit.Close(t, "z", a.Z.RawMatrix().Data, append(before.RawMatrix().Data, after.RawMatrix().Data...), 0)
	for k, p := range a.P {
		if found := slices.Contains(a.Found, k); found != (a.Z.At(k, 0) >= 2.5) || !(p >= 0 && p <= 1) {
			t.Errorf("matrix %d: z %g, p %g, artifact %v", k, a.Z.At(k, 0), p, found)
		}
	}
	all, err := Find(ctx, x, 0, 0, opt)
	if err != nil || len(all.P) != 30 || all.Z.At(0, 0) == a.Z.At(0, 0) {
		t.Errorf("learned from all: %v", err)
	}
}

// Scores do not change if the same mixing is applied to the channels of all matrices.
func TestPotatoIsInvariantUnderMixing(t *testing.T) {
	gold, x := potatoGold(t)
	ctx := context.Background()
	mixed := new(spd.Stack)
	spd.Congruence(mixed, x, mat.NewDense(4, 4, gold["x"][:16]))
	var scores [2]mat.Dense
	for k, stack := range []*spd.Stack{x, mixed} {
		f := testkit.Must(Fit(ctx, stack, Options{}))(t)
		testkit.NoError(t, f.Scores(t.Context(), &scores[k], stack))
	}
	testkit.Close(t, "scores", scores[1].RawMatrix().Data, scores[0].RawMatrix().Data, 1e-6)
}

func TestPotatoRefuses(t *testing.T) {
	_, x := potatoGold(t)
	ctx := context.Background()
	same := spd.NewStack(5, 2)
	for k := range 5 {
		copy(same.At(k), []float64{2, 0, 0, 1})
	}
	for _, c := range []struct {
		x    *spd.Stack
		opt  Options
		said string
	}{
		{same, Options{}, "whether the matrices are equal"},
		{x.Slice(0, 2), Options{}, "at least 3 matrices, not 2; give more"},
		{x, Options{Threshold: 0.1}, "higher threshold"},
		{x, Options{Threshold: -1}, "threshold of a potato is -1; it must be above 0"},
		{x, Options{Channels: [][]int{{0, 4}}}, "channels from 0 to 3"},
		{x, Options{Channels: [][]int{}}, "has no potatoes"},
		{x, Options{Metric: "reimann"}, "did you mean riemann"},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(Fit(ctx, c.x, c.opt)), c.said, c.opt)
	}
	f := testkit.Must(Fit(ctx, x, Options{}))(t)
	testkit.Fails(t, f.update(t.Context(), x.View(0), 1.5), "rate 1.5")
	bad := x.Select([]int{0, 1})
	bad.At(1)[0] = math.NaN()
	var z mat.Dense
	testkit.ErrorContains(t, f.Follow(ctx, &z, bad, 0.1), "matrix 1 is NaN")
}

// If every fifth matrix is an artifact, the plain fit accepts artifacts as normal, and the robust fit finds all of
// them.
func TestRobustFitFindsManyArtifacts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	const n, count = 4, 100
	x := spd.NewStack(count, n)
	for k := range count {
		var a, s mat.Dense
		a.CloneFrom(mat.NewDense(60, n, nil))
		for i := range 60 {
			for j := range n {
				a.Set(i, j, r.NormFloat64())
			}
			if k%5 == 0 {
				a.Set(i, 0, a.At(i, 0)*6)
			}
		}
		s.Mul(a.T(), &a)
		copy(x.At(k), s.RawMatrix().Data)
	}
	for robust, clean := range map[bool][2]int{false: {95, 100}, true: {76, 80}} {
		f := testkit.Must(Fit(t.Context(), x, Options{Robust: robust}))(t)
		if got := f.Potatoes[0].Clean; got < clean[0] || got > clean[1] {
			t.Errorf("robust %v: %d of %d are clean, 80 are", robust, got, count)
		}
	}
}

// A given distance replaces the distance of the metric; giving the metric's own distance changes nothing.
func TestDistanceOfItsOwn(t *testing.T) {
	x := spd.NewStack(30, 2)
	for k := range x.Count {
		size := 1 + 0.1*float64(k%7) + 0.01*float64(k)
		x.At(k)[0], x.At(k)[3] = size, 2/size
	}
	asked := 0
	own := Options{Distance: func(ctx context.Context, x *spd.Stack, center *mat.SymDense) ([]float64, error) {
		asked++
		var d mat.Dense
		err := spd.Distances(ctx, &d, spd.Riemann, x, spd.StackFrom(center))
		return d.RawMatrix().Data, err
	}}
	var z [2]mat.Dense
	for i, opt := range []Options{{}, own} {
		f := testkit.Must(Fit(t.Context(), x, opt))(t)
		testkit.NoError(t, f.Scores(t.Context(), &z[i], x))
		var after mat.Dense
		testkit.NoError(t, f.Follow(t.Context(), &after, x, 0.1))
	}
	if asked < 40 || !mat.Equal(&z[0], &z[1]) {
		t.Errorf("asked %d times; scores %v and %v", asked, z[0].At(3, 0), z[1].At(3, 0))
	}
	wrong := errors.New("no distance")
	own.Distance = func(context.Context, *spd.Stack, *mat.SymDense) ([]float64, error) { return nil, wrong }
	testkit.ErrorIs(t, testkit.ErrorOf(Fit(t.Context(), x, own)), wrong, "the error of the distance")
}
