package predict_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
)

// The outputs of transform, predict and evaluate do not depend on how the rows are divided among files, and rows are
// numbered across the files.
func TestVerbsReadDataAsTheyGo(t *testing.T) {
	at := testkit.Folder(t)
	const n, cols = app.DataBlock + 1000, 3 // two blocks
	x, labels := make([]float64, n*cols), make([]int, n)
	for i := range labels {
		labels[i] = i % 2
		for j := range cols {
			x[i*cols+j] = math.Sin(float64(i*(j+2))) + float64(labels[i]*j)
		}
	}
	write := func(name string, lo, hi int) {
		d := &dataset.Data{X: dataset.NewTable(hi-lo, cols, x[lo*cols:hi*cols]), Labels: labels[lo:hi],
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
	tooltest.Exits(t, 1, fmt.Sprintf("row %d, column 0 is NaN", far), "predict", "--model", at("m.rao"), "--data",
		at("nan.npz"), "--out", at("no.csv"))
	testkit.Fails(t, testkit.ErrorOf(os.Stat(at("no.csv"))), "a file was left")
}

// Every command that reads an npz file in blocks matches its columns by name, and a wrong number of names is an error.
func TestColumnsOfArraysAreMatchedByName(t *testing.T) {
	at := testkit.Folder(t)
	const n = 40
	write := func(name string, names []string, order ...int) {
		x, labels := make([]float64, n*len(order)), make([]int, n)
		for i := range labels {
			labels[i] = i % 2
			for k, j := range order {
				x[i*len(order)+k] = math.Sin(float64(i*(j+2))) + float64(labels[i]*j)
			}
		}
		testkit.NoError(t, dataset.WriteFile(at(name), &dataset.Data{X: dataset.NewTable(n, len(order), x),
			Labels: labels, Classes: []string{"a", "b"}, Vars: map[string]*dataset.Array{"columns": {Name: "columns",
				Type: "U", Shape: []int{len(names)}, Strings: names}}}))
	}
	write("straight.npz", []string{"length", "width", "weight"}, 0, 1, 2)
	write("turned.npz", []string{"weight", "length", "width"}, 2, 0, 1)
	write("other.npz", []string{"weight", "length", "girth"}, 2, 0, 1)
	write("few.npz", []string{"length", "width"}, 0, 1, 2)
	commands := func(data, end string) [][]string {
		model := []string{"--model", at("m.rao"), "--data", at(data)}
		return [][]string{append([]string{"stats", "--out", at("s" + end + ".npz")}, model[2:]...),
			append([]string{"predict", "--out", at("y" + end + ".csv")}, model...),
			append([]string{"transform", "--out", at("z" + end + ".npy")}, model...),
			append([]string{"evaluate", "--allow-overlap"}, model...)}
	}
	var scores [2]string
	tooltest.Succeeds(t, "fit", "lda", "--data", at("straight.npz"), "--out", at("m.rao"))
	for i, data := range []string{"straight.npz", "turned.npz"} {
		for _, line := range commands(data, fmt.Sprint(i)) {
			scores[i] = tooltest.Output(t, line...)
		}
	}
	testkit.Equal(t, scores[1], scores[0], "scores")
	for _, name := range []string{"y%d.csv", "z%d.npy"} {
		same := testkit.Text(t, at(fmt.Sprintf(name, 0))) == testkit.Text(t, at(fmt.Sprintf(name, 1)))
		testkit.Equal(t, same, true, name)
	}
	tooltest.Exits(t, 1, "overlap", "stats", "merge", at("s0.npz"), at("s1.npz"), "--out", at("s.npz"))
	for _, line := range commands("few.npz", "") {
		tooltest.Exits(t, 1, "few.npz: the array columns has 2 names, but the observations have 3 columns", line...)
	}
	for _, line := range commands("other.npz", "")[1:] {
		tooltest.Exits(t, 1, "other.npz: column width is missing", line...)
	}
}
