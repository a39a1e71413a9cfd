package predict_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
)

// What transform, predict and evaluate write does not depend on how the rows are spread
// over files, and rows are counted through.
func TestVerbsReadDataAsTheyGo(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const n, cols = app.DataBlock + 1000, 3 // two blocks
	x, labels := make([]float64, n*cols), make([]int, n)
	for i := range labels {
		labels[i] = i % 2
		for j := range cols {
			x[i*cols+j] = math.Sin(float64(i*(j+2))) + float64(labels[i]*j)
		}
	}
	write := func(name string, lo, hi int) {
		d := &dataset.Data{X: dataset.NewTable64(hi-lo, cols, x[lo*cols:hi*cols]), Labels: labels[lo:hi],
			Classes: []string{"a", "b"}}
		testkit.NoError(t, dataset.WriteFile(at(name), d))
	}
	run := func(line ...string) (string, string) {
		status, out, said := tooltest.Run(t, line...)
		if status != 0 {
			t.Fatalf("%q: exit status %d, %s", line, status, said)
		}
		return out, said
	}
	write("all.npz", 0, n)
	write("part-a.npz", 0, 5000)
	write("part-b.npz", 5000, n)
	run("fit", "sqfa", "--data", at("part-a.npz"), "--filters", "2", "--noise", "0.1", "--out", at("m.rao"))
	var scores [2]string
	for i, data := range []string{at("all.npz"), at("part-*.npz")} {
		end := fmt.Sprint(i)
		run("transform", "--model", at("m.rao"), "--data", data, "--out", at("z"+end+".npy"))
		run("predict", "--model", at("m.rao"), "--data", data, "--out", at("y"+end+".csv"))
		scores[i], _ = run("evaluate", "--model", at("m.rao"), "--data", data, "--allow-overlap")
	}
	for _, pair := range [][2]string{{"z0.npy", "z1.npy"}, {"y0.csv", "y1.csv"}} {
		a, err1 := os.ReadFile(at(pair[0]))
		b, err2 := os.ReadFile(at(pair[1]))
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%v differ: %v %v", pair, err1, err2)
		}
	}
	if scores[0] != scores[1] || !strings.Contains(scores[0], fmt.Sprint(n)) {
		t.Errorf("scores differ:\n%s\n%s", scores[0], scores[1])
	}

	far := n - 7
	x[far*cols] = 1e9
	write("far.npz", 0, n)
	_, said := run("predict", "--model", at("m.rao"), "--data", at("far.npz"), "--out", at("y.csv"))
	if want := fmt.Sprintf("observations far outside the training data: 1 of %d; check their units and scaling "+
		"(the first is observation %d, at", n, far); !strings.Contains(said, want) {
		t.Errorf("%s, want %s", said, want)
	}
	x[far*cols] = math.NaN()
	write("nan.npz", 0, n)
	status, _, said := tooltest.Run(t, "predict", "--model", at("m.rao"), "--data", at("nan.npz"), "--out",
		at("no.csv"))
	if want := fmt.Sprintf("row %d, column 0 is NaN", far); status != 1 || !strings.Contains(said, want) {
		t.Errorf("status %d: %s, want %s", status, said, want)
	}
	testkit.Fails(t, testkit.ErrorOf(os.Stat(at("no.csv"))), "a file was left")
}
