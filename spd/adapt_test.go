package spd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// adaptGolden is testdata/adapt.json.
type adaptGolden struct {
	Dim, Classes                          int
	X, Mean, Centered, Smooth, Scores     []float64
	Width, Floor                          float64
	Shares, Balanced, Start, Causal, Last []float64
}

func readAdaptGolden(t *testing.T) (*adaptGolden, *Stack) {
	t.Helper()
	var g adaptGolden
	testkit.ReadJSON(t, "testdata/adapt.json", &g)
	return &g, StackOf(len(g.X)/(g.Dim*g.Dim), g.Dim, g.X)
}

// posterior is the classifier of the golden numbers, with the scores ⟨K_k, log X⟩.
func (g *adaptGolden) posterior(_ context.Context, dst *mat.Dense, x *Stack) error {
	var l Stack
	if err := Log(&l, x); err != nil {
		return err
	}
	nn := g.Dim * g.Dim
	dst.ReuseAs(x.Count, g.Classes)
	for i := range x.Count {
		row := dst.RawRowView(i)
		top := math.Inf(-1)
		for k := range row {
			for p, v := range l.At(i) {
				row[k] += v * g.Scores[k*nn+p]
			}
			top = max(top, row[k])
		}
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(v - top)
		}
		for k := range row {
			row[k] -= top + math.Log(sum)
		}
	}
	return nil
}

func TestAdaptationAgainstGolden(t *testing.T) {
	g, x := readAdaptGolden(t)
	ctx := context.Background()
	var dst Stack
	mean := testkit.Must(Center(ctx, &dst, x))(t)
	testkit.Close(t, "mean", mean.RawSymmetric().Data, g.Mean, 1e-9)
	testkit.Close(t, "centered", dst.Data, g.Centered, 1e-9)

	dst = Stack{}
	mean = testkit.Must(CenterSmoothly(ctx, &dst, x, g.Width))(t)
	testkit.Close(t, "mean of smooth", mean.RawSymmetric().Data, g.Mean, 1e-9)
	testkit.Close(t, "smooth", dst.Data, g.Smooth, 1e-9)

	dst = Stack{}
	mean = testkit.Must((BalancedCentering{Shares: g.Shares}).Adapt(ctx, &dst, x, g.posterior))(t)
	testkit.Close(t, "balanced mean", mean.RawSymmetric().Data, g.Balanced, 1e-8)

	c := testkit.Must(NewCausalCentering(mat.NewSymDense(g.Dim, slices.Clone(g.Start)), 0, g.Floor))(t)
	dst = Stack{}
	testkit.NoError(t, c.Adapt(ctx, &dst, x))
	testkit.Close(t, "causal", dst.Data, g.Causal, 1e-9)
	testkit.Close(t, "causal mean", full(c.Mean), g.Last, 1e-9)
	// Trial by trial, after a new beginning, the bits are the same.
	c = testkit.Must(NewCausalCentering(mat.NewSymDense(g.Dim, slices.Clone(g.Start)), 0, g.Floor))(t)
	var one Stack
	for k := range x.Count {
		testkit.NoError(t, c.Adapt(ctx, &one, x.Slice(k, k+1)))
		testkit.EqualSlices(t, one.At(0), dst.At(k), "trial", k, "by itself is not the same as in a stack")
	}
}

// adapters lists the ways of centering a complete recording.
func adapters(g *adaptGolden) map[string]func(dst, x *Stack) error {
	ctx := context.Background()
	return map[string]func(dst, x *Stack) error{
		"center": func(dst, x *Stack) error { _, err := Center(ctx, dst, x); return err },
		"smooth": func(dst, x *Stack) error { _, err := CenterSmoothly(ctx, dst, x, 5); return err },
		"balanced": func(dst, x *Stack) error {
			_, err := BalancedCentering{}.Adapt(ctx, dst, x, g.posterior)
			return err
		},
		"causal": func(dst, x *Stack) error {
			c, err := NewCausalCentering(mat.NewSymDense(g.Dim, slices.Clone(g.Start)), 0, 0)
			if err != nil {
				return err
			}
			return c.Adapt(ctx, dst, x)
		},
	}
}

// Recordings are adapted separately, even if their trials are interleaved, and the output may be the input.
func TestAdaptEach(t *testing.T) {
	g, x := readAdaptGolden(t)
	groups := make([]int, x.Count)
	var first, second []int
	for k := range groups {
		if k%3 == 0 {
			groups[k] = 9
			first = append(first, k)
		} else {
			groups[k] = -1
			second = append(second, k)
		}
	}
	for name, adapt := range adapters(g) {
		var dst Stack
		testkit.NoError(t, AdaptEach(&dst, x, groups, adapt), name)
		for _, members := range [][]int{first, second} {
			var alone Stack
			testkit.NoError(t, adapt(&alone, x.Select(members)), name)
			testkit.EqualSlices(t, dst.Select(members).Data, alone.Data, name,
				"a recording is not adapted as when it is alone")
		}
		own := x.Select(indices.Range(x.Count))
		if err := AdaptEach(own, own, groups, adapt); err != nil || !slices.Equal(own.Data, dst.Data) {
			t.Errorf("%s: another result in place (%v)", name, err)
		}
	}
	bad := x.Select(indices.Range(x.Count))
	bad.At(7)[0] = -100
	for name, adapt := range adapters(g) {
		err := AdaptEach(new(Stack), bad, groups, adapt)
		var e *MatrixError
		if !errors.As(err, &e) || e.Index != 7 || !strings.Contains(err.Error(), "group -1") {
			t.Errorf("%s: the error %v does not name matrix 7 of group -1", name, err)
		}
	}
	testkit.Fails(t, AdaptEach(new(Stack), x, groups[1:], nil), "a group is missing, and there is no error")
}

func TestAdaptationDoesNotDependOnWorkers(t *testing.T) {
	g, _ := readAdaptGolden(t)
	rng := rand.New(rand.NewPCG(5, 1))
	x := NewStack(600, g.Dim)
	for k := range x.Count {
		a := mat.NewDense(g.Dim, 9, testkit.Normals(rng, g.Dim*9))
		s := mat.NewSymDense(g.Dim, nil)
		s.SymOuterK(1, a)
		x.Set(k, s)
	}
	for name, adapt := range adapters(g) {
		testkit.SameAtAnyProcs(t, func() []float64 {
			var dst Stack
			testkit.NoError(t, adapt(&dst, x), name)
			return dst.Data
		}, name)
	}
}

// A congruence of all matrices only rotates the centered ones.
func TestCenteringForgetsCongruences(t *testing.T) {
	g, x := readAdaptGolden(t)
	rng := rand.New(rand.NewPCG(6, 1))
	e := testkit.Normals(rng, g.Dim*g.Dim)
	moved := new(Stack)
	testkit.NoError(t, congruences(moved, x, e))
	ctx := context.Background()
	for name, adapt := range map[string]func(dst, x *Stack) error{
		"center": func(dst, x *Stack) error { _, err := Center(ctx, dst, x); return err },
		"smooth": func(dst, x *Stack) error { _, err := CenterSmoothly(ctx, dst, x, 5); return err },
	} {
		var a, b Stack
		testkit.NoError(t, errors.Join(adapt(&a, x), adapt(&b, moved)), name)
		var da, db mat.Dense
		if err := errors.Join(Distances(ctx, &da, Riemann, &a, nil),
			Distances(ctx, &db, Riemann, &b, nil)); err != nil {
			t.Fatal(name, err)
		}
		testkit.Close(t, name+": distances", db.RawMatrix().Data, da.RawMatrix().Data, 1e-7)
	}
}

// With a wide window, smooth adaptation is the plain mean of the logarithms, which centering has made zero.
func TestWideSmoothWindowIsCentering(t *testing.T) {
	_, x := readAdaptGolden(t)
	var a, b Stack
	ctx := context.Background()
	_, err1 := Center(ctx, &a, x)
	_, err2 := CenterSmoothly(ctx, &b, x, 1e9)
	testkit.NoError(t, errors.Join(err1, err2))
	testkit.Close(t, "wide window", b.Data, a.Data, 1e-9)
}

// With labels instead of posteriors, and enough trials of every class, the balanced mean of a thinned recording equals
// the mean with equal class weights.
func TestBalancedMeanUndoesThinning(t *testing.T) {
	g, x := readAdaptGolden(t)
	labels := make([]int, x.Count)
	weights := make([]float64, x.Count)
	count := [2]float64{30, 10}
	for k := range labels {
		if k%4 == 0 {
			labels[k] = 1
		}
		weights[k] = 1 / count[labels[k]]
	}
	known := func(_ context.Context, dst *mat.Dense, x *Stack) error {
		dst.ReuseAs(x.Count, 2)
		for k, l := range labels {
			dst.Set(k, 1-l, math.Inf(-1))
		}
		return nil
	}
	ctx := context.Background()
	got := testkit.Must(BalancedCentering{}.Adapt(ctx, new(Stack), x, known))(t)
	want, _ := testkit.Must2(weightedMean(ctx, x, weights, Riemann, MeanOptions{}))(t)
	testkit.Close(t, "balanced mean", got.RawSymmetric().Data, want, 1e-8)
	testkit.Fails(t, testkit.ErrorOf((BalancedCentering{Shares: []float64{1}}).Adapt(ctx, new(Stack), x, g.posterior)),
		"shares of one class for a classifier of three, and no error")
}

func TestAdaptationRefusals(t *testing.T) {
	g, x := readAdaptGolden(t)
	few := x.Select([]int{0, 1})
	for name, adapt := range adapters(g) {
		err := adapt(new(Stack), few)
		if name != "causal" && (err == nil || !strings.Contains(err.Error(), "at least 4")) {
			t.Errorf("%s of two matrices: %v", name, err)
		}
	}
	one, minus := mat.NewSymDense(1, []float64{1}), mat.NewSymDense(1, []float64{-1})
	for want, err := range map[string]error{
		"width is -1":        testkit.ErrorOf(CenterSmoothly(context.Background(), new(Stack), x, -1)),
		"floor is -1":        BalancedCentering{Floor: -1}.Validate(),
		"sum to 2":           BalancedCentering{Shares: []float64{1, 1}}.Validate(),
		"share 0":            BalancedCentering{Shares: []float64{1, 0}}.Validate(),
		"start is missing":   (&CausalCentering{}).validate(),
		"counts as 0":        (&CausalCentering{Start: one, Mean: one}).validate(),
		"smallest rate is 2": (&CausalCentering{Start: one, Mean: one, Prior: 1, Floor: 2}).validate(),
		"mean of causal":     (&CausalCentering{Start: one, Mean: minus, Prior: 1}).validate(),
	} {
		testkit.ErrorContains(t, err, want)
	}
	c := testkit.Must(NewCausalCentering(mat.NewSymDense(g.Dim, slices.Clone(g.Start)), 0, 0))(t)
	before := fmt.Sprint(*c)
	for _, bad := range []mat.Symmetric{mat.NewSymDense(2, nil), mat.NewSymDense(4, nil),
		mat.NewDiagDense(4, []float64{1, 1, math.NaN(), 1})} {
		testkit.Fails(t, c.Adapt(context.Background(), new(Stack), StackFrom(bad)), "a bad trial, and no error")
	}
	testkit.Equal(t, fmt.Sprint(*c), before, "a bad trial moved the mean")
}

// An alignment undoes a congruence, a power and a rotation, except for what cannot be determined from the matrices.
func TestAlignmentUndoesAMove(t *testing.T) {
	g, x := readAdaptGolden(t)
	ctx := context.Background()
	base := new(Stack)
	testkit.Must(Center(ctx, base, x))(t)
	one := vec.Identity(g.Dim)
	spread := testkit.Must(dispersionOf(base, one))(t)
	// a small rotation, so the optimum closest to the identity is the one
	rng := rand.New(rand.NewPCG(8, 1))
	k := mat.NewDense(g.Dim, g.Dim, nil)
	for i := range g.Dim {
		for j := range i {
			v := 0.15 * rng.NormFloat64()
			k.Set(i, j, v)
			k.Set(j, i, -v)
		}
	}
	var q mat.Dense
	q.Exp(k)
	moved := new(Stack)
	testkit.NoError(t, errors.Join(Pow(moved, base, 1.7), congruences(moved, moved, q.RawMatrix().Data)))
	testkit.NoError(t, recenter(moved, moved, one, g.Start))
	a := testkit.Must(fitAlignment(ctx, moved, spread))(t)
	testkit.Close(t, "power", []float64{a.Power}, []float64{1 / 1.7}, 1e-8)
	half := new(Stack)
	testkit.NoError(t, a.Apply(half, moved))
	testkit.Must(a.turn(ctx, half, base, nil))(t)
	whole := new(Stack)
	testkit.NoError(t, a.Apply(whole, moved))
	testkit.Close(t, "aligned", whole.Data, base.Data, 1e-6)
	if _, err := a.turn(ctx, whole, base, nil); err != nil { // nothing is left to turn
		t.Fatal(err)
	}
	testkit.NoError(t, a.Apply(half, moved))
	testkit.Close(t, "turned twice", half.Data, whole.Data, 1e-6)
}

func BenchmarkAdaptation(b *testing.B) {
	x := bciTrials(b, "A01").Select(indices.Range(288))
	ctx := context.Background()
	mean, _ := testkit.Must2(weightedMean(ctx, x, nil, Riemann, MeanOptions{}))(b)
	b.Run("smooth", func(b *testing.B) {
		for b.Loop() {
			testkit.Must(CenterSmoothly(ctx, new(Stack), x, 0))(b)
		}
	})
	b.Run("causal", func(b *testing.B) {
		c := testkit.Must(NewCausalCentering(mat.NewSymDense(x.Dim, mean), 0, 0))(b)
		var dst Stack
		for b.Loop() {
			testkit.NoError(b, c.Adapt(context.Background(), &dst, x.Slice(0, 1)))
		}
	})
}
