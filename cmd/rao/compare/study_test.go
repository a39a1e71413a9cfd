package compare_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/study"
	"rao/internal/testkit"
)

// studied runs rao study and returns what it found.
func studied(t *testing.T, args ...string) (r study.Result) {
	t.Helper()
	tooltest.Decode(t, &r, append([]string{"study"}, args...)...)
	return r
}

// The scores equal those of MOABB 1.7.2 on the same trials: CrossSessionEvaluation and CrossSubjectEvaluation with
// pyRiemann 0.12's MDM, as accuracies, on the covariances of subjects A01 to A05, with testIdx as the session.
func TestStudyAgreesWithMOABB(t *testing.T) {
	testkit.SkipShort(t, "real data sets; TestStudyGoesOn is quick")
	dir := testkit.External(t, "data", "bci-iv-2a")
	var specs []string
	for k := range 5 {
		specs = append(specs, filepath.Join(dir, fmt.Sprintf("A0%d.mat", k+1)))
	}
	r := studied(t, "--set", "2a="+strings.Join(specs, ","), "--x", "P", "--y", "Label",
		"--session-variable", "testIdx",
		"--methods", "mdm", "--evaluations", "cross-session,cross-subject", "--out", filepath.Join(t.TempDir(), "s"))
	want := map[string][]float64{
		study.CrossSession: {0.7534722089767456, 0.8090277910232544, 0.5, 0.4861111044883728, 0.7708333134651184,
			0.71875, 0.5104166865348816, 0.6458333134651184, 0.4027777910232544, 0.5034722089767456},
		study.CrossSubject: {0.5659722089767456, 0.5798611044883728, 0.2986111044883728, 0.3506944477558136,
			0.4201388955116272, 0.34375, 0.3229166567325592, 0.3506944477558136, 0.28125, 0.2743055522441864},
	}
	for i, s := range r.Scores {
		testkit.Near(t, float64(s.Accuracy), want[s.Evaluation][i%10], 1e-7, s.Evaluation, "subject", s.Subject,
			"session", s.Session, s.Accuracy, "MOABB has")
	}
	testkit.Equal(t, len(r.Scores), 20, "scores")
}

// studyTable writes 40 rows for each of two sessions of three subjects.
func studyTable(t *testing.T, path string) {
	rng := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString("subject,session,x,y,label\n")
	for i := range 240 {
		label := i % 2
		fmt.Fprintf(&b, "%d,%d,%.4f,%.4f,c%d\n", i/80, i/40%2, rng.NormFloat64()+float64(label),
			rng.NormFloat64(), label)
	}
	testkit.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
}

// A study that fails before its first score leaves no folder.
func TestStudyWithoutScoresLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	data, out := filepath.Join(dir, "x.csv"), filepath.Join(dir, "study")
	studyTable(t, data)
	for _, args := range [][]string{
		{"--set", "toy=" + filepath.Join(dir, "absent.csv")},
		{"--set", "toy=" + data, "--subject-variable", "nobody"},
		{"--set", "toy=" + data, "--subject-variable", "subject", "--methods", "mdm"},
	} {
		if status, _, said := tooltest.Run(t, append([]string{"study", "--out", out}, args...)...); status == 0 {
			t.Errorf("%v: no error: %s", args, said)
		}
		testkit.Fails(t, testkit.ErrorOf(os.Stat(out)), args, "the folder is left")
	}
}

// A repeated study fits nothing again, and recomputes missing or damaged scores with the same result. Other data,
// options or versions give separate scores.
func TestStudyGoesOn(t *testing.T) {
	dir := t.TempDir()
	data, out := filepath.Join(dir, "x.csv"), filepath.Join(dir, "study")
	studyTable(t, data)
	line := []string{"--set", "toy=" + data, "--subject-variable", "subject", "--session-variable",
		"session", "--methods",
		"lda-raw,qda-raw", "--cv", "4", "--out", out}
	first := studied(t, line...)
	if len(first.Scores) != 2*3*6 || first.Reused != 0 || len(first.Pairs) != 3 {
		t.Fatalf("%d scores, %d reused, %d pairs", len(first.Scores), first.Reused, len(first.Pairs))
	}
	again := studied(t, line...)
	testkit.Equal(t, again.Reused, len(first.Scores), "reused")
	cells, err := filepath.Glob(filepath.Join(out, "scores", "*.json"))
	if err != nil || len(cells) != 2*(6+6+3) {
		t.Fatal(len(cells), err)
	}
	gone := 0
	for _, cell := range cells[:2] {
		gone += strings.Count(testkit.Text(t, cell), `"accuracy"`)
	}
	testkit.NoError(t, os.Remove(cells[0]))
	testkit.NoError(t, os.Truncate(cells[1], 20))
	mended := studied(t, line...)
	if gone < 2 || mended.Reused != len(first.Scores)-gone {
		t.Errorf("%d reused, with %d gone", mended.Reused, gone)
	}
	for i, s := range mended.Scores {
		if s.Accuracy != first.Scores[i].Accuracy || s.Kappa != first.Scores[i].Kappa {
			t.Errorf("score %d is %v, and was %v", i, s, first.Scores[i])
		}
	}
	testkit.Equal(t, studied(t, append(line, "--seed", "2")...).Reused, 0, "reused with another seed")
	for _, name := range []string{"index.html", "scores.csv"} {
		if b, err := os.ReadFile(filepath.Join(out, name)); err != nil ||
			!strings.Contains(string(b), study.CrossSubject) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A study reads the columns of a table as fits do, and a folder keeps the scores of each way to fill in values.
func TestStudyOfATable(t *testing.T) {
	dir := t.TempDir()
	lines := []string{"size,kind,subject,class"}
	for i := range 90 {
		line := fmt.Sprintf("%d,%c,%d,%d", i*i%17+i%2*9, "ab"[i%3%2], i%3, i%2)
		if i%9 == 0 {
			line = line[strings.Index(line, ","):]
		}
		lines = append(lines, line)
	}
	path := filepath.Join(dir, "t.csv")
	testkit.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	args := []string{"--set", "t=" + path, "--subject-variable", "subject", "--categories", "auto", "--methods",
		"lda-raw",
		"--evaluations", study.CrossSubject, "--out", filepath.Join(dir, "s")}
	for missing, rows := range map[string]int{"drop": 80, "mean": 90, "median": 90} {
		r := studied(t, append(args, "--missing", missing)...)
		n := 0
		for _, s := range r.Scores {
			n += s.N
		}
		if n != rows || len(r.Scores) != 3 || r.Reused != 0 {
			t.Errorf("%s: %d scores on %d rows, %d reused", missing, len(r.Scores), n, r.Reused)
		}
	}
	tooltest.Fails(t, `column "size" has no value`, append([]string{"study"}, args...)...)
}

func TestStudiesThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "x.csv")
	studyTable(t, data)
	for want, args := range map[string][]string{
		"give a name and data":            {"--set", data, "--methods", "lda-raw"},
		"--set NAME=DATA,... is required": {"--methods", "lda-raw"},
		"--evaluations": {"--set", "a=" + data, "--methods", "lda-raw",
			"--evaluations", "within"},
		"names within-session twice": {"--set", "a=" + data, "--methods", "lda-raw",
			"--evaluations", "within-session,within-session"},
		"--methods is required": {"--set", "a=" + data},
		"column subject would be used as a feature": {"--set", "a=" + data, "--methods", "lda-raw",
			"--drop", "session"},
		"two data sets have the name a": {"--set", "a=" + data, "--set", "a=" + data, "--methods", "lda-raw",
			"--subject-variable", "subject", "--session-variable", "session"},
	} {
		tooltest.Fails(t, want, append(append([]string{"study"}, args...), "--out", filepath.Join(dir, "s"))...)
	}
}
