package evaluate

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// The pseudo-F and exact p-values equal those of pyRiemann 0.12 (see testdata/manova.py).
func TestManovaAgreesWithPyRiemann(t *testing.T) {
	var gold struct {
		Squared      []float64
		Y, Groups    []int
		F, P         float64
		Permutations int
		Inside       int
		PInside      float64 `json:"p_inside"`
	}
	testkit.ReadJSON(t, "testdata/manova.json", &gold)
	n := len(gold.Y)
	d := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i {
			d.SetSym(i, j, math.Sqrt(gold.Squared[i*n+j]))
		}
	}
	ctx := context.Background()
	r := testkit.Must(Manova(ctx, d, gold.Y, ManovaOptions{}))(t)
	if math.Abs(r.F-gold.F) > 1e-9 || !r.Exact || r.Permutations != gold.Permutations || math.Abs(r.P-gold.P) > 1e-12 {
		t.Errorf("%+v, want F %v, p %v of %d", r, gold.F, gold.P, gold.Permutations)
	}
	r = testkit.Must(Manova(ctx, d, gold.Y, ManovaOptions{Groups: gold.Groups}))(t)
	if !r.Exact || r.Permutations != gold.Inside || math.Abs(r.P-gold.PInside) > 1e-12 {
		t.Errorf("in groups %+v, want p %v of %d", r, gold.PInside, gold.Inside)
	}
	exact := r.P
	r = testkit.Must(Manova(ctx, d, gold.Y, ManovaOptions{Groups: gold.Groups, Permutations: 300, Seed: 4}))(t)
	if r.Exact || r.Permutations != 301 || math.Abs(r.P-exact) > 4*math.Sqrt(exact/300) {
		t.Errorf("drawn %+v, want p near %v", r, exact)
	}
}

// On a line the pseudo-F equals the F of an analysis of variance. Without an effect p is uniform; with one it is small.
// The result does not depend on the number of processors.
func TestManovaOnALine(t *testing.T) {
	ctx := context.Background()
	below := 0
	for seed := range uint64(200) {
		d, y := testkit.PointsOnALine(20, 0, seed)
		r := testkit.Must(Manova(ctx, d, y, ManovaOptions{Permutations: 199, Seed: 7}))(t)
		if r.P <= 0.1 {
			below++
		}
	}
	if below < 8 || below > 36 { // 20 are expected; the range has 99.9 %
		t.Errorf("%d of 200 p-values are at most 0.1", below)
	}
	d, y := testkit.PointsOnALine(40, 2, 3)
	want, err := Manova(ctx, d, y, ManovaOptions{Permutations: 999, Seed: 1})
	if err != nil || want.P > 0.002 || want.DFBetween != 1 || want.DFWithin != 38 {
		t.Fatalf("%+v, %v", want, err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	got, err := Manova(ctx, d, y, ManovaOptions{Permutations: 999, Seed: 1})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v on one processor, %+v on more; %v", got, want, err)
	}
}

func TestManovaRefuses(t *testing.T) {
	d, y := testkit.PointsOnALine(6, 1, 1)
	ctx := context.Background()
	for _, c := range []struct {
		labels, groups []int
		n              int
		said           string
	}{
		{[]int{0, 0, 0, 0, 0, 0}, nil, 0, "two classes"},
		{[]int{0, 1, 2, 3, 4, 5}, nil, 0, "more observations than classes"},
		{[]int{0, 1, -1, 0, 1, 0}, nil, 0, "row 2 has label -1"},
		{y, []int{0, 1, 0, 1, 0, 1}, 0, "no labels can be exchanged"},
		{y, nil, -1, "it must be 0 or more"},
	} {
		_, err := Manova(ctx, d, c.labels, ManovaOptions{Groups: c.groups, Permutations: c.n})
		testkit.ErrorContains(t, err, c.said, c.labels, c.groups)
	}
	if _, err := Manova(testkit.Canceled(), d, y, ManovaOptions{}); err != context.Canceled {
		t.Error(err)
	}
	d.SetSym(1, 2, math.NaN())
	testkit.ErrorContains(t, testkit.ErrorOf(Manova(ctx, d, y, ManovaOptions{})), "observations 2 and 1")
	testkit.ErrorContains(t, testkit.ErrorOf(Manova(ctx, mat.NewSymDense(6, nil), y, ManovaOptions{})),
		"all distances are zero")
}

// The stored values of F are the ones from which p is computed, including the observed value.
func TestManovaKeepsWhatItCompared(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	for _, n := range []int{8, 24} { // all labelings, and drawn ones
		d := mat.NewSymDense(n, nil)
		labels := make([]int, n)
		for i := range n {
			labels[i] = i % 2
			for j := range i {
				d.SetSym(i, j, 1+rng.Float64()+0.3*float64((i+j)%2))
			}
		}
		r := testkit.Must(Manova(context.Background(), d, labels, ManovaOptions{Permutations: 500, Keep: true}))(t)
		reached := 0
		for _, f := range r.All {
			if f >= r.F-1e-9 {
				reached++
			}
		}
		if len(r.All) != r.Permutations || r.P != float64(reached)/float64(len(r.All)) {
			t.Errorf("n = %d: %d values, %d of them reach F, want p = %v of %d", n, len(r.All), reached, r.P,
				r.Permutations)
		}
	}
}
