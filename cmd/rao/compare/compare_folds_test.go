package compare_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/evaluate"
	"rao/internal/study"
	"rao/internal/testkit"
	"rao/internal/text"
	"rao/method"
)

// visits writes a table of persons and sessions. Column a separates two classes by gap; twenty more columns are noise.
func visits(t *testing.T, gap float64, seed uint64) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 9))
	var b strings.Builder
	b.WriteString("person,session,a")
	for j := range 20 {
		fmt.Fprintf(&b, ",n%d", j)
	}
	b.WriteString(",label\n")
	for i := range 240 {
		k := rng.IntN(2)
		fmt.Fprintf(&b, "p%d,%d,%g", i/40, i/20%2, gap*float64(k)+rng.NormFloat64())
		for range 20 {
			fmt.Fprintf(&b, ",%.4f", rng.NormFloat64())
		}
		fmt.Fprintf(&b, ",%c\n", 'u'+rune(k))
	}
	return testkit.TempFile(t, "v.csv", b.String())
}

func comparedGroups(t *testing.T, args ...string) *study.GroupResult {
	t.Helper()
	var r study.GroupResult
	tooltest.Decode(t, &r, append([]string{"compare", "--quiet"}, args...)...)
	return &r
}

// Combinations of persons and sessions are left out, folds contain complete groups, repeats draw other folds, the tests
// find the difference, and the accuracies can be recomputed from the predictions.
func TestCompareFoldsOfGroups(t *testing.T) {
	path := visits(t, 3, 1)
	r := comparedGroups(t, "--data", path, "--groups", "person,session", "--methods", "lda,knn-raw")
	if len(r.Rows[0].Groups) != 12 || r.Rows[0].Groups[1].Group != "person p0, session 1" ||
		r.Rows[0].Groups[1].N != 20 {
		t.Errorf("%+v", r.Rows[0].Groups)
	}
	if len(r.Pairs) != 1 || !(r.Pairs[0].Wilcoxon < 0.05) || !(r.Pairs[0].Corrected < 0.2) ||
		r.Pairs[0].Difference < 0.02 {
		t.Errorf("%+v", r.Pairs)
	}
	out := filepath.Join(t.TempDir(), "cv.csv")
	args := []string{"--data", path, "--groups", "person", "--cv", "3", "--repeats", "2", "--methods", "lda,pca",
		"--predictions", out}
	r = comparedGroups(t, args...)
	first, again := r.Rows[0].Groups, comparedGroups(t, append(args, "--force")...).Rows[0].Groups
	if len(first) != 12 || !slices.Equal(first, again) {
		t.Errorf("%+v, again %+v", first, again)
	}
	lines := strings.Split(strings.TrimSpace(testkit.Text(t, out)), "\n")
	right := 0
	for _, line := range lines[1:] {
		if f := strings.Split(line, ","); f[0] == "lda" && f[5] == f[6] {
			right++
		}
	}
	if len(lines) != 1+2*2*240 || lines[0] != "method,align,repeat,group,row,truth,label,p_u,p_v" ||
		text.Percent(float64(right)/480) != text.Percent(float64(r.Rows[0].Accuracy)) {
		t.Errorf("%d lines, %q, %d right, accuracy %v", len(lines), lines[0], right, r.Rows[0].Accuracy)
	}
	for want, flags := range map[string]string{
		"exceeds the number of groups, 6": "--groups person --cv 7",
		"would leave out the same":        "--groups person --repeats 2",
		"--cv needs --groups":             "--test " + path + " --cv 3",
		"--predictions needs --groups":    "--test " + path + " --predictions " + filepath.Join(t.TempDir(), "p.csv"),
		"unknown variable":                "--groups person,sesion",
	} {
		status, _, said := tooltest.Run(t, append([]string{"compare", "--data", path, "--methods", "lda"},
			strings.Fields(flags)...)...)
		if status == 0 || !strings.Contains(said, want) && !strings.Contains(said, `no column "sesion"`) {
			t.Errorf("%s: exit status %d, %q", flags, status, said)
		}
	}
	table := tooltest.Output(t, "compare", "--data", path, "--groups", "person", "--methods", "lda,pca", "--quiet")
	for _, part := range []string{"accuracy on the left-out rows", "left out  rows", "p5 ", "signed-rank p"} {
		testkit.Contains(t, table, part)
	}
}

// With random labels every method is at chance level on the left-out rows, so no left-out row influences scaling,
// filters, noise, prototypes or probabilities. RAO_SLOW=1 tests all methods of vectors.
func TestNothingLeaksIntoFolds(t *testing.T) {
	methods := []string{"lda", "qda-raw", "pca", "sqfa"}
	if os.Getenv("RAO_SLOW") != "" {
		methods = nil
		for _, m := range method.Methods() {
			if !m.Matrices {
				methods = append(methods, m.Name)
			}
		}
	}
	r := comparedGroups(t, "--data", visits(t, 0, 5), "--groups", "person", "--methods", strings.Join(methods, ","),
		"--options", "scale=column")
	chance := testkit.Must(evaluate.WilsonInterval(120, 240, 0.999))(t)
	for _, row := range r.Rows {
		if acc := float64(row.Accuracy); acc < chance.Low || acc > chance.High {
			t.Errorf("%s: %.3f of permuted labels, chance is %.3f to %.3f", row.Method, acc, chance.Low, chance.High)
		}
	}
}
