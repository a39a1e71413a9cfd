package learn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// weightedTables writes a table with a column of integer weights, and a table with repeated rows instead.
func weightedTables(t *testing.T, dir string) (weighted, repeated string) {
	t.Helper()
	var a, b strings.Builder
	a.WriteString("color,size,depth,times,species\n")
	b.WriteString("color,size,depth,species\n")
	for i := range 160 {
		k := i % 2
		row := fmt.Sprintf("%s,%g,%g", []string{"red", "blue", ""}[i%3], float64(k)+0.1*float64(i*7%11),
			float64(i*13%17)-0.3*float64(k))
		if i%9 == 4 {
			row = fmt.Sprintf("red,,%g", float64(i*13%17))
		}
		fmt.Fprintf(&a, "%s,%d,%c\n", row, i*5%4, 'a'+k)
		for range i * 5 % 4 {
			fmt.Fprintf(&b, "%s,%c\n", row, 'a'+k)
		}
	}
	weighted, repeated = filepath.Join(dir, "w.csv"), filepath.Join(dir, "r.csv")
	for path, text := range map[string]string{weighted: a.String(), repeated: b.String()} {
		testkit.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return weighted, repeated
}

// A row of weight 2 counts as two rows, by every route and in the scores.
func TestWeightsOfRows(t *testing.T) {
	dir := t.TempDir()
	weighted, repeated := weightedTables(t, dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	how := []string{"--y", "species", "--categories", "color", "--missing", "mean"}
	weights := append([]string{"--data", weighted, "--weight-column", "times"}, how...)
	for _, method := range []string{"lda-raw", "qda-raw", "lda"} {
		fit := func(out string, args ...string) string {
			tooltest.Succeeds(t, append([]string{"fit", method, "--out", at("m.rao")}, args...)...)
			tooltest.Succeeds(t, "predict", "--model", at("m.rao"), "--data", repeated, "--out", at(out))
			return testkit.Text(t, at(out))
		}
		want := fit("want.csv", append([]string{"--data", repeated}, how...)...)
		tooltest.Succeeds(t, append([]string{"stats", "--out", at("s.npz")}, weights...)...)
		for name, got := range map[string]string{"memory": fit("a.csv", weights...),
			"disk":       fit("b.csv", append(weights, "--out-of-core")...),
			"statistics": fit("c.csv", "--stats", at("s.npz"))} {
			testkit.Equal(t, got, want, method, "from", name, "weights and repeated rows give different decisions")
		}
	}
	compare := append([]string{"compare", "--methods", "lda-raw", "--measures", "auc,f1", "--allow-overlap", "--json"},
		how...)
	plain := tooltest.Output(t, append(compare, "--data", weighted, "--test", weighted, "--weight-column", "times")...)
	scored := tooltest.Output(t, append(compare, "--data", repeated, "--test", repeated)...)
	values := regexp.MustCompile(`"(accuracy|kappa|value)": *([0-9.]{8})`)
	if a, b := fmt.Sprint(values.FindAllString(plain, -1)), fmt.Sprint(values.FindAllString(scored, -1)); a != b ||
		strings.Count(a, "value") != 2 {
		t.Errorf("compare with weights %s, of repeated rows %s", a, b)
	}
	plain = tooltest.Output(t, "evaluate", "--model", at("m.rao"), "--data", repeated, "--bootstrap", "0")
	scored = tooltest.Output(t, "evaluate", "--model", at("m.rao"), "--data", weighted, "--weight-column", "times",
		"--bootstrap", "0")
	of := func(s string) string { // the measures
		s, _, _ = strings.Cut(s[strings.Index(s, "accuracy"):], "\n\n")
		return strings.Join(strings.Fields(s), " ")
	}
	if of(plain) != of(scored) || !strings.Contains(scored, "confusion of the weights") {
		t.Errorf("of repeated rows\n%sof weights\n%s", plain, scored)
	}
	tooltest.Succeeds(t, append([]string{"tune", "lda-raw", "--threshold-rule", "f1", "--score", "auc",
		"--class-weight",
		"balanced", "--out", at("t.rao")}, weights...)...)
}

// Methods and files that do not support weights reject them, and the error names them.
func TestWeightsAreRefusedByName(t *testing.T) {
	dir := t.TempDir()
	weighted, _ := weightedTables(t, dir)
	out := filepath.Join(dir, "out")
	tooltest.Succeeds(t, "stats", "--data", weighted, "--drop", "color,size", "--weight-column", "times", "--out",
		out+".npz")
	tooltest.Succeeds(t, "fit", "lda-raw", "--stats", out+".npz", "--out", out+".rao")
	for _, c := range []struct{ want, args string }{
		{"knn-raw learns from the observations themselves and does not support", "fit knn-raw --data " + weighted},
		{"svm-raw learns from the observations themselves", "tune svm-raw --data " + weighted},
		{"mdm learns from the observations themselves", "fit mdm --data " + weighted},
		{"--weight-column is for --data", "fit lda-raw --stats " + out + ".npz"},
		{"a median cannot be weighted", "fit lda-raw --missing median --categories color --data " + weighted},
		{"fourth moments, which statistics with weights do not contain",
			"fit lda-raw --shrinkage ledoit_wolf --drop color,size --data " + weighted},
		{"third and fourth moments do not support weights", "stats --moments --drop color,size --data " + weighted},
		{`unknown class "c"`, "fit lda-raw --class-weight c=2 --drop color,size --data " + weighted},
		{"is not a positive number", "fit lda-raw --class-weight b=-2 --drop color,size --data " + weighted},
		{"pooled statistics do not support weights", "stats --kind pooled --drop color,size --data " + weighted},
		{"--weight-column: statistics with --subclasses or --subspace count every row once",
			"stats --subclasses 2 --data " + weighted},
		{"statistics with --private count every row once", "stats --private 1,1e-6 --data " + weighted},
		{"knn-raw learns from the observations themselves",
			"compare --methods knn-raw --categories color --missing mean --test " + weighted + " --data " +
				weighted},
		{"--neighbors ignores row weights", "compare --methods lda --neighbors 1 --test " + weighted + " --data " +
			weighted},
		{"--html ignores row weights",
			"evaluate --model " + out + ".rao --html x.html --data " + weighted},
	} {
		args := append(strings.Fields(c.args), "--weight-column", "times")
		if verb, _, _ := strings.Cut(c.args, " "); verb == "fit" || verb == "stats" {
			args = append(args, "--out", filepath.Join(dir, "none"))
		}
		tooltest.Fails(t, c.want, args...)
	}
	testkit.Fails(t, testkit.ErrorOf(os.Stat(filepath.Join(dir, "none"))), "a refused command wrote a file")
	for want, text := range map[string]string{`row 1, column "w": "heavy" is not a weight`: "x,w,y\n1,1,a\n2,heavy,b\n",
		`row 0, column "w": "-1" is not a weight`: "x,w,y\n1,-1,a\n2,1,b\n", `no column "w"`: "x,y\n1,a\n2,b\n"} {
		path := filepath.Join(dir, "bad.csv")
		testkit.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		for _, verb := range []string{"fit lda-raw", "stats"} {
			args := append(strings.Fields(verb), "--data", path, "--weight-column", "w", "--out",
				filepath.Join(dir, "none"))
			tooltest.Fails(t, want, args...)
		}
	}
}

// Weighted statistics of two sites merge to the statistics of all rows, but cannot be merged with unweighted
// statistics.
func TestWeightedStatisticsMerge(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	weighted, repeated := weightedTables(t, dir)
	how := []string{"--y", "species", "--drop", "color,size"}
	all := strings.SplitAfter(testkit.Text(t, weighted), "\n")
	for i, part := range [][]string{all[1:81], all[81:]} {
		name := at(fmt.Sprintf("site%d", i))
		testkit.NoError(t, os.WriteFile(name+".csv", []byte(all[0]+strings.Join(part, "")), 0o644))
		tooltest.Succeeds(t, append([]string{"stats", "--data", name + ".csv", "--weight-column", "times", "--out",
			name + ".npz"}, how...)...)
	}
	tooltest.Succeeds(t, "stats", "merge", at("site0.npz"), at("site1.npz"), "--allow-overlap", // rows are alike
		"--out", at("merged.npz"))
	tooltest.Succeeds(t, append([]string{"stats", "--data", repeated, "--out", at("repeated.npz")}, how...)...)
	var decided []string
	for _, name := range []string{"merged", "repeated"} {
		tooltest.Succeeds(t, "fit", "qda-raw", "--stats", at(name+".npz"), "--out", at(name+".rao"))
		tooltest.Succeeds(t, "predict", "--model", at(name+".rao"), "--data", at("site1.csv"), "--where", "color=red",
			"--drop", "times", "--out", at(name+".csv"))
		decided = append(decided, testkit.Text(t, at(name+".csv")))
	}
	if decided[0] != decided[1] || strings.Count(decided[0], "\n") < 10 {
		t.Error("merged statistics with weights and those of repeated rows give different decisions")
	}
	tooltest.Fails(t, "compute both with weights, or both without", "stats", "merge", at("site0.npz"),
		at("repeated.npz"), "--allow-overlap", "--out", at("none.npz"))
}
