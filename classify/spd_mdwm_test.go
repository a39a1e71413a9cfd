package classify

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"rao"
	"rao/internal/testkit"
	"rao/spd"
)

// Weighted means equal the means of pyRiemann 0.12 (see testdata/mdwm.py).
func TestMDWMAgreesWithPyRiemann(t *testing.T) {
	var gold map[string][]float64
	testkit.ReadJSON(t, "testdata/mdwm.json", &gold)
	x := spd.StackOf(30, 3, gold["x"])
	y := make([]int, 30)
	for i, v := range gold["y"] {
		y[i] = int(v)
	}
	ctx := context.Background()
	source, target := x.Slice(0, 22), x.Slice(22, 30)
	classes := []string{"a", "b"}
	own := testkit.Must(FitMDM(ctx, target, y[22:], classes, MDMOptions{}))(t)
	for _, tradeoff := range []float64{0, 0.3, 1} {
		m := testkit.Must(FitMDM(ctx, source, y[:22], classes, MDMOptions{}))(t)
		testkit.NoError(t, m.Approach(own, tradeoff))
		testkit.Close(t, fmt.Sprint(tradeoff), m.Means.Contiguous(), gold[fmt.Sprint(tradeoff)], 1e-7)
		testkit.NoError(t, m.Validate())
	}
	testkit.ErrorContains(t, own.Approach(own, 1.5), "between 0 and 1")
	small := testkit.Must(FitMDM(ctx, spd.StackOf(2, 1, []float64{1, 2}), []int{0, 1}, classes, MDMOptions{}))(t)
	var shape *rao.ShapeError
	if err := small.Approach(own, 0.5); !errors.As(err, &shape) || shape.Got != 3 || shape.Want != 1 {
		t.Errorf("other channels: %v", err)
	}
}

// A weight of two counts a matrix twice, and a weight of zero leaves it out.
func TestMDMWeights(t *testing.T) {
	ctx := context.Background()
	x := spd.StackOf(4, 2, []float64{1, 0, 0, 2 /**/, 3, 0.5, 0.5, 1 /**/, 2, -0.5, -0.5, 2 /**/, 9, 1, 1, 4})
	classes := []string{"a", "b"}
	got := testkit.Must(FitMDM(ctx, x, []int{0, 0, 0, 1}, classes, MDMOptions{Weights: []float64{1, 2, 0, 5}}))(t)
	want := testkit.Must(FitMDM(ctx, x.Select([]int{0, 1, 1, 3}), []int{0, 0, 0, 1}, classes, MDMOptions{}))(t)
	testkit.Close(t, "means", got.Means.Data, want.Means.Data, 1e-9)
	for _, w := range [][]float64{{1}, {1, -1, 1, 1}, {1, 1, 1, 0}} {
		testkit.Fails(t, testkit.ErrorOf(FitMDM(ctx, x, []int{0, 0, 0, 1}, classes, MDMOptions{Weights: w})),
			"weights", w, "pass")
	}
}
