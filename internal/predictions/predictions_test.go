package predictions

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/spd"
)

// The values that a regression predicts are written under the name of the target.
func TestWriteValues(t *testing.T) {
	ctx := context.Background()
	d := &dataset.Data{Stack: spd.NewStack(40, 2), Labels: make([]int, 40), Classes: []string{"all"},
		Source: "matrices"}
	y := make([]float64, 40)
	for i := range y {
		y[i] = float64(i) / 10
		copy(d.Stack.At(i), []float64{1 + y[i], 0.1, 0.1, 2})
	}
	m := testkit.Must(method.FitRegression(ctx, "ridge", d, "speed", y, method.RegressionOptions{}))(t)
	var table bytes.Buffer
	written, err := WriteValues(ctx, &table, m, func(do func(*dataset.Data, int) error) error { return do(d, d.N()) })
	lines := strings.Split(strings.TrimSpace(table.String()), "\n")
	if err != nil || len(lines) != 41 || lines[0] != ValuePrefix+"speed" {
		t.Fatalf("%v, %q", err, lines)
	}
	want := testkit.Must(m.Values(ctx, model.BatchOf(d)))(t)
	testkit.Close(t, "values", written, want, 0)
}
