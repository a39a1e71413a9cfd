package method

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/model"
	"rao/spd"
)

// speeds returns matrices whose first variance depends on a number.
func speeds(n int) (*dataset.Data, []float64) {
	d := &dataset.Data{Source: "speeds", Stack: spd.NewStack(n, 2), Vars: map[string]*dataset.Array{}}
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(i%7) / 3
		v := d.Stack.At(i)
		v[0], v[3] = math.Exp(y[i]), 1+0.1*float64(i%3)
	}
	return d, y
}

// A regression that is saved and loaded keeps its options and predicts the same values. It writes its predictions under
// the name of the target.
func TestRegressionsAreModels(t *testing.T) {
	ctx := context.Background()
	d, y := speeds(40)
	for name, option := range map[string]string{"ridge": "ridge", "svr": "epsilon", "knn": "neighbors"} {
		m := testkit.Must(FitRegression(ctx, name, d, "speed", y, RegressionOptions{}))(t)
		testkit.ErrorContains(t, testkit.ErrorOf(m.Update(ctx, model.Matrices(d.Stack), make([]int, d.N()))),
			"predicts the number speed", name, "an update")
		if _, ok := Settings(m.Options).Get(option); !ok || m.Target() != "speed" || m.Training.Counts[0] != 40 {
			t.Errorf("%s: %v, target %q, %v", name, m.Options, m.Target(), m.Training.Counts)
		}
		got := testkit.Must(m.Values(ctx, model.BatchOf(d)))(t)
		for i, v := range got {
			testkit.Near(t, v, y[i], 0.2, name)
		}
		var file bytes.Buffer
		testkit.NoError(t, m.Write(&file))
		again := testkit.Must(model.Read(bytes.NewReader(file.Bytes()), int64(file.Len()), "m.rao"))(t)
		same := testkit.Must(again.Values(ctx, model.BatchOf(d)))(t)
		testkit.Close(t, name, same, got, 0)
		testkit.ErrorContains(t, testkit.ErrorOf(again.Predict(ctx, model.BatchOf(d))), "number speed", name, "decides")
	}
	_, err := FitRegression(ctx, "forest", d, "speed", y, RegressionOptions{})
	if err == nil || !strings.Contains(err.Error(), "forest") || !slices.Contains(Regressions(), "svr") {
		t.Errorf("unknown regression: %v", err)
	}
	testkit.Fails(t, testkit.ErrorOf(FitRegression(ctx, "knn", d, "speed", y[1:], RegressionOptions{})),
		"fewer targets than matrices")
	d.Stack, d.X = nil, dataset.NewTable(40, 1, y)
	testkit.ErrorContains(t, testkit.ErrorOf(FitRegression(ctx, "knn", d, "speed", y, RegressionOptions{})),
		"needs SPD matrices", "vectors")
}
