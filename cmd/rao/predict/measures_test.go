package predict_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/scoring"
	"rao/internal/testkit"
)

// evaluate, compare and tune report the same measures, and a threshold changes decisions but no area.
func TestMeasures(t *testing.T) {
	train, file, dir := twoClasses(t, 400)
	test := filepath.Join(dir, "test.csv")
	writeTwoClasses(t, test, 300, 2)
	scores := func(args ...string) (r struct {
		Accuracy  float64           `json:"accuracy"`
		Confusion [][]int           `json:"confusion"`
		Measures  []scoring.Measure `json:"measures"`
		Positive  string            `json:"positive"`
	}) {
		t.Helper()
		tooltest.Decode(t, &r, append([]string{"evaluate", "--model", file, "--data", test}, args...)...)
		return r
	}
	value := func(list []scoring.Measure, name string) scoring.Measure {
		for _, m := range list {
			if m.Name == name {
				return m
			}
		}
		t.Fatalf("no %s in %+v", name, list)
		return scoring.Measure{}
	}
	plain, low, first := scores(), scores("--threshold", "0.05"), scores("--positive", "bad", "--threshold", "0.95")
	testkit.Equal(t, plain.Positive, "good", "positive classes")
	testkit.Equal(t, first.Positive, "bad", "positive classes")
	for _, name := range []string{"auc", "average_precision"} {
		if a, b := value(plain.Measures, name), value(low.Measures, name); a.Value != b.Value || a.Interval == nil {
			t.Errorf("%s is %+v, and %+v at a threshold", name, a, b)
		}
	}
	if value(low.Measures, "recall").Value <= value(plain.Measures, "recall").Value ||
		value(low.Measures, "accuracy").Value != low.Accuracy || low.Confusion[1][1] <= plain.Confusion[1][1] {
		t.Errorf("a lower threshold gives %+v and %v, without it %+v", low.Measures, low.Confusion, plain.Measures)
	}
	if a, b := first.Confusion, low.Confusion; a[0][0] != b[0][0] || a[1][1] != b[1][1] {
		t.Errorf("0.95 of one class decides %v, and 0.05 of the other %v", a, b)
	}
	for want, args := range [][]string{1: {"--positive", "ugly"}, 2: {"--threshold", "2"}} {
		status, _, said := tooltest.Run(t, append([]string{"evaluate", "--model", file, "--data", test}, args...)...)
		if args != nil && status != want || args != nil && !strings.Contains(said, args[0]) {
			t.Errorf("%v: exit status %d, %s", args, status, said)
		}
	}
	var compared struct {
		Rows []struct {
			Measures []scoring.Measure `json:"measures"`
		} `json:"rows"`
	}
	tooltest.Decode(t, &compared, "compare", "--data", train, "--test", test, "--methods", "lda-raw", "--measures",
		"auc,f1")
	testkit.Equal(t, len(compared.Rows), 1, "rows")
	for i, name := range []string{"auc", "f1"} {
		got, want := compared.Rows[0].Measures[i], value(plain.Measures, name)
		if got.Value != want.Value || *got.Interval != *want.Interval {
			t.Errorf("compare reports %+v, evaluate %+v", got, want)
		}
	}
	other := scores("--positive", "bad")
	tooltest.Decode(t, &compared, "compare", "--data", train, "--test", test, "--methods", "lda-raw", "--measures",
		"average_precision,recall", "--positive", "bad")
	for i, name := range []string{"average_precision", "recall"} {
		got, want := compared.Rows[0].Measures[i], value(other.Measures, name)
		if got.Value != want.Value || got.Value == value(plain.Measures, name).Value {
			t.Errorf("compare of the other class reports %+v, evaluate %+v", got, want)
		}
	}
	var tuned [2]struct {
		Rows []struct {
			Score float64 `json:"score"`
		} `json:"rows"`
	}
	for i, class := range []string{"good", "bad"} {
		tooltest.Decode(t, &tuned[i], "tune", "lda-raw", "--data", train, "--score", "recall", "--positive", class)
	}
	if good, bad := tuned[0].Rows[0].Score, tuned[1].Rows[0].Score; !(good < bad) {
		t.Errorf("recall is %v of the rare class and %v of the frequent one", good, bad)
	}
	for _, args := range [][]string{
		{"compare", "--data", train, "--test", test, "--methods", "lda-raw", "--measures", "f1", "--positive", "ugly"},
		{"compare", "--data", train, "--test", test, "--methods", "lda-raw", "--positive", "bad"},
		{"tune", "lda-raw", "--data", train, "--positive", "ugly"},
		{"tune", "lda-raw", "--data", train, "--positive", "bad", "--threshold-rule", "f1"},
	} {
		want := 1 // the data do not have the class, or have it first
		if args[0] == "compare" && !slices.Contains(args, "--measures") {
			want = 2
		}
		tooltest.Exits(t, want, "--positive", args...)
	}
	tooltest.Exits(t, 2, "auc", "compare", "--data", train, "--test", test, "--methods", "lda-raw", "--measures", "acu")
	testkit.Contains(t, tooltest.Output(t, "tune", "lda-raw", "--data", train, "--score", "auc"), "AUC")
}

// A model stores the threshold that tune chooses or fit is given: show prints it, predict and evaluate use it, and an
// option overrides it.
func TestThresholdIsKept(t *testing.T) {
	train, plain, dir := twoClasses(t, 400)
	kept, given, out := filepath.Join(dir, "kept.rao"), filepath.Join(dir, "given.rao"), filepath.Join(dir, "p.csv")
	tooltest.Succeeds(t, "fit", "lda-raw", "--data", train, "--threshold", "0.05", "--out", given)
	said := tooltest.Succeeds(t, "tune", "lda-raw", "--data", train, "--threshold-rule", "cost:20", "--out", kept)
	testkit.Contains(t, said, "chosen at a probability of")
	alarms := func(args ...string) int {
		t.Helper()
		tooltest.Succeeds(t, append([]string{"predict", "--data", train, "--out", out, "--model"}, args...)...)
		return strings.Count(testkit.Text(t, out), "\ngood,")
	}
	most := alarms(plain)
	if n := alarms(given); n <= most || n != alarms(plain, "--threshold", "0.05") ||
		alarms(given, "--threshold", "0") != most {
		t.Errorf("%d alarms at 0.05, %d without a threshold", n, most)
	}
	if n := alarms(kept); n <= most {
		t.Errorf("%d alarms where a miss costs 20, %d without a threshold", n, most)
	}
	status, shown, _ := tooltest.Run(t, "show", given)
	testkit.Equal(t, status, 0, shown)
	testkit.Contains(t, shown, "for good at a probability of 0.05 or above")
	scores := func(args ...string) string {
		t.Helper()
		return tooltest.Output(t,
			append([]string{"evaluate", "--data", train, "--bootstrap", "0", "--model"}, args...)...)
	}
	if a, b := scores(given), scores(plain, "--threshold", "0.05"); a != b || a == scores(plain) {
		t.Errorf("%s is not %s", a, b)
	}
	three := filepath.Join(dir, "three.csv")
	testkit.NoError(t, os.WriteFile(three, []byte("u,class\n1,a\n2,a\n1,b\n3,b\n5,c\n6,c\n"), 0o644))
	for _, args := range [][]string{{"fit", "lda-raw", "--threshold", "0.2"},
		{"tune", "lda-raw", "--threshold-rule", "f1"}, {"tune", "lda-raw", "--threshold-rule", "cost"}} {
		status, _, said := tooltest.Run(t, append(args, "--data", three, "--out", kept)...)
		want := 1 // the data have three classes
		if slices.Contains(args, "cost") {
			want = 2
		}
		if status != want || !strings.Contains(said, "--threshold") {
			t.Errorf("%q: exit status %d, %s", args, status, said)
		}
	}
}

// twoClasses writes a table of n rows and fits a model to it. It returns the paths of both and their folder.
func twoClasses(t *testing.T, n int, options ...string) (train, file, dir string) {
	t.Helper()
	dir = t.TempDir()
	train, file = filepath.Join(dir, "train.csv"), filepath.Join(dir, "m.rao")
	writeTwoClasses(t, train, n, 1)
	tooltest.Succeeds(t, append([]string{"fit", "lda-raw", "--data", train, "--out", file}, options...)...)
	return train, file, dir
}

// writeTwoClasses writes a table in which a fifth of the rows are good and the others bad.
func writeTwoClasses(t *testing.T, path string, n int, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("u,v,class\n")
	for i := range n {
		name, shift := "bad", 0.0
		if i%5 == 0 {
			name, shift = "good", 1
		}
		fmt.Fprintf(&b, "%.4f,%.4f,%s\n", rng.NormFloat64()+shift, rng.NormFloat64(), name)
	}
	testkit.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
}
