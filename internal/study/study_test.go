package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao"
	"rao/dataset"
	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
	"rao/method"
	"rao/spd"
)

// visits returns rows of three subjects in two sessions each, with two classes that the first column separates.
func visits(gap float64) *dataset.Data {
	const n = 240
	rng := rand.New(rand.NewPCG(3, 4))
	x, labels := make([]float64, 0, 2*n), make([]int, n)
	subject, session := make([]int64, n), make([]int64, n)
	for i := range n {
		labels[i], subject[i], session[i] = i%2, int64(i/80), int64(i/40%2)
		x = append(x, gap*float64(labels[i])+rng.NormFloat64(), rng.NormFloat64())
	}
	return &dataset.Data{X: dataset.NewTable(n, 2, x), Labels: labels, Classes: []string{"a", "b"}, Source: "visits",
		Vars: map[string]*dataset.Array{"subject": {Shape: []int{n}, Int64: subject},
			"session": {Shape: []int{n}, Int64: session}}}
}

func methods(t *testing.T, names ...string) (list []method.Spec) {
	t.Helper()
	for _, name := range names {
		m := testkit.Must(method.Lookup(name))(t)
		list = append(list, method.Spec{Method: m})
	}
	return list
}

func groups(t *testing.T, d *dataset.Data, variables ...string) *Groups {
	t.Helper()
	g := testkit.Must(GroupsBy(d, variables...))(t)
	return g
}

func newStudy(t *testing.T, folder string, names ...string) *Study {
	t.Helper()
	d := visits(1)
	s := &Study{Folder: folder, Program: "test", Evaluations: Evaluations, Methods: methods(t, names...), Folds: 4}
	testkit.NoError(t, os.MkdirAll(filepath.Join(folder, "scores"), 0o755))
	testkit.NoError(t, errors.Join(s.Begin(), s.Add("toy", d, groups(t, d, "subject"), groups(t, d, "session"))))
	return s
}

func TestGroups(t *testing.T) {
	d := visits(1)
	g := groups(t, d, "subject", "session")
	if len(g.Names) != 6 || g.Names[1] != "subject 0, session 1" || g.Of[239] != 5 {
		t.Errorf("%q, %v", g.Names, g.Of[239])
	}
	testkit.ErrorContains(t, testkit.ErrorOf(GroupsBy(d, "subjekt")), `did you mean subject`)
	for _, c := range []struct {
		labels    []int
		variables []string
		k, want   int
	}{{nil, []string{"subject", "session"}, 0, 6}, {d.Labels, nil, 4, 4}, {nil, nil, 1000, 240}} {
		testkit.Equal(t, len(testkit.Must(Folds(d, c.labels, c.variables, c.k, 1))(t)), c.want, c.variables, c.k,
			"folds")
	}
	testkit.ErrorContains(t, testkit.ErrorOf(Folds(d, nil, []string{"subjekt"}, 5, 1)), "groups: ")
	d.Vars["subject"].Shape, d.Vars["subject"].Int64 = []int{2}, []int64{1, 2}
	testkit.ErrorContains(t, testkit.ErrorOf(GroupsBy(d, "subject")),
		"the number of values is 2, but the number of observations is 240")
}

// The means and tests of a study are computed from its scores, and cross-subject scores equal those of leaving out one
// subject at a time.
func TestStudyAgreesWithLeaveOut(t *testing.T) {
	s := newStudy(t, t.TempDir(), "lda-raw", "qda-raw")
	r := testkit.Must(s.Run(context.Background()))(t)
	if len(r.Scores) != 2*3*6 || len(r.Means) != 6 || len(r.Pairs) != 3 || r.Reused != 0 {
		t.Fatalf("%d scores, %d means, %d pairs", len(r.Scores), len(r.Means), len(r.Pairs))
	}
	d := visits(1)
	left := testkit.Must((&LeaveOut{Data: d, Groups: groups(t, d, "subject")}).Run(context.Background(), s.Methods))(t)
	for i, m := range s.Methods {
		var sessions []float64
		for _, sc := range r.Scores {
			if sc.Method == m.String() && sc.Evaluation == CrossSubject {
				sessions = append(sessions, float64(sc.Accuracy))
			}
		}
		for k, g := range left.Rows[i].Groups {
			testkit.Near(t, (sessions[2*k]+sessions[2*k+1])/2, float64(g.Accuracy), 1e-12, m.String(), "subject",
				g.Group, "mean over sessions in the study")
		}
		mean := r.Means[4+i]
		if mean.Evaluation != CrossSubject || math.Abs(float64(mean.Mean-left.Rows[i].Accuracy)) > 1e-12 ||
			math.Abs(float64(mean.SD-left.Rows[i].AccuracySD)) > 1e-12 {
			t.Errorf("%+v, left out: %+v", mean, left.Rows[i])
		}
	}
}

// An interrupted study returns what it scored; the next run fits only what is missing.
func TestStudyGoesOn(t *testing.T) {
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	s := newStudy(t, folder, "lda-raw", "qda-raw")
	s.Monitor.Note = func(string) {}
	first := newStudy(t, folder, "lda-raw")
	testkit.Must(first.Run(ctx))(t)
	cancel()
	r, err := s.Run(ctx)
	if err == nil || !strings.Contains(err.Error(), "interrupted") || r == nil || len(r.Scores) == 0 {
		t.Errorf("error %v, result %v", err, r)
	}
	s = newStudy(t, folder, "lda-raw", "qda-raw")
	if r, err = s.Run(context.Background()); err != nil || r.Reused != 6+6+6 || len(r.Scores) != 36 {
		t.Errorf("%d reused, %d scores, %v", r.Reused, len(r.Scores), err)
	}
	other := newStudy(t, folder, "lda-raw")
	other.Program = "another version"
	if r, err = other.Run(context.Background()); err != nil || r.Reused != 0 {
		t.Errorf("another version: %d reused, %v", r.Reused, err)
	}
	for _, name := range []string{"index.html", "scores.csv"} {
		testkit.Contains(t, testkit.Text(t, filepath.Join(folder, name)), CrossSubject, name)
	}
	testkit.Fails(t, s.Add("toy", visits(1), nil, nil), "two sets of one name")
}

// With one subject and one session, two of the evaluations are not possible.
func TestStudyOfOneSubject(t *testing.T) {
	var notes []string
	d := visits(1)
	folder := t.TempDir()
	s := &Study{Folder: folder, Evaluations: Evaluations, Methods: methods(t, "lda-raw"), Folds: 4,
		Monitor: Monitor{Note: func(m string) { notes = append(notes, m) }}}
	testkit.NoError(t, os.Mkdir(filepath.Join(folder, "scores"), 0o755))
	testkit.NoError(t, s.Add("one", d, OneGroup(d.N()), OneGroup(d.N())))
	r, err := s.Run(context.Background())
	if err != nil || len(r.Scores) != 1 {
		t.Fatal(err, r)
	}
	want := []string{"one: 240 observations of 1 subject in 1 session",
		"one: cross-session is left out, because no subject has two sessions",
		"one: cross-subject is left out, because there is only one subject"}
	testkit.EqualSlices(t, notes, want)
}

// Folds hold each group once, and repeats deal them in another way.
func TestLeaveOutFolds(t *testing.T) {
	d := visits(2)
	l := &LeaveOut{Data: d, Groups: groups(t, d, "subject", "session"), Folds: 3, Repeats: 2, Decisions: true}
	r, err := l.Run(context.Background(), methods(t, "lda-raw", "knn-raw"))
	if err != nil || r.Err(context.Background()) != nil {
		t.Fatal(err)
	}
	first, second := l.Groups.folds(3, 0), l.Groups.folds(3, 1)
	if len(first) != 3 || slices.EqualFunc(first, second, slices.Equal) {
		t.Errorf("folds %v and %v", first, second)
	}
	for _, folds := range [][][]int{first, second} {
		all := slices.Concat(folds...)
		if slices.Sort(all); !slices.Equal(all, []int{0, 1, 2, 3, 4, 5}) {
			t.Errorf("folds %v", folds)
		}
	}
	path := filepath.Join(t.TempDir(), "decisions.csv")
	testkit.NoError(t, r.WriteDecisions(path))
	b, err := os.ReadFile(path)
	if lines := strings.Count(string(b), "\n"); err != nil || lines != 1+2*2*240 {
		t.Errorf("%d lines, %v", lines, err)
	}
	if len(r.Rows[0].Groups) != 12 || len(r.Pairs) != 1 || !(r.Pairs[0].Wilcoxon <= 1) {
		t.Errorf("%+v, %+v", r.Rows[0].Groups, r.Pairs)
	}
	if header, rows := r.ScoreTable(); len(rows) != 12 || len(rows[11]) != len(header) ||
		!strings.Contains(fmt.Sprint(rows), "(repeat 2)") {
		t.Errorf("%v %v", header, rows)
	}
}

// A plan with contradictory fields is rejected, and the error names the field.
func TestLeaveOutPlans(t *testing.T) {
	d := visits(1)
	some := make([]bool, d.N())
	m := &dataset.Data{Stack: spd.NewStack(d.N(), 2), Labels: d.Labels, Classes: d.Classes, Vars: d.Vars}
	for want, l := range map[string]*LeaveOut{
		"option groups: all observations are in one group": {Data: d, Groups: OneGroup(d.N())},
		"cv=4 exceeds the number of groups, 3":             {Data: d, Folds: 4},
		"option groups: each group contains all observations": {Data: d,
			Groups: &Groups{Names: d.Classes, Of: d.Labels}},
		"option align needs matrices, but visits has vectors": {Data: d, Align: []string{"center"}},
		"option align moves one group at a time":              {Data: m, Align: []string{"center"}, Folds: 2},
		"repeats=3 would leave out the same groups 3 times":   {Data: d, Repeats: 3},
		"option align moves one group at a time and cannot be used with repeats of": {Data: m, Repeats: 2,
			Align: []string{"center"}, Others: []*Groups{OneGroup(d.N())}},
		"align=rotate needs labels":                 {Data: m, Align: []string{"rotate"}},
		"option tradeoff and option few use labels": {Data: m, Few: 2},
		"option tradeoff moves the class means to one " +
			"group": {Data: m, Tradeoff: 0.5, Calibration: some, Folds: 2},
		"option few limits the labels":                                     {Data: m, Few: 2, Calibration: some},
		"option tradeoff moves the class means of mdm, but tslda has none": {Data: m, Tradeoff: 0.5, Calibration: some},
	} {
		if l.Groups == nil {
			l.Groups = groups(t, d, "subject")
		}
		_, err := l.Run(context.Background(), methods(t, "tslda"))
		if e := (*rao.OptionError)(nil); !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Folds of groups are the folds that a LeaveOut with this number of folds leaves out.
func TestFoldsOfGroups(t *testing.T) {
	d := visits(1)
	by := groups(t, d, "subject")
	folds, err := Folds(d, d.Labels, []string{"subject"}, 2, 5)
	if err != nil || len(folds) != 2 {
		t.Fatal(len(folds), err)
	}
	for f, out := range by.folds(2, 5) {
		want := where(d.N(), func(i int) bool { return slices.Contains(out, by.Of[i]) })
		testkit.EqualSlices(t, folds[f].Test, want, "fold", f, "leaves out")
	}
	testkit.Equal(t, len(testkit.Must(Folds(d, d.Labels, []string{"subject"}, 0, 5))(t)), 3)
	testkit.Fails(t, testkit.ErrorOf(Folds(d, d.Labels, []string{"subject"}, 4, 5)), "4 folds of 3 groups")
}

// Scores computed with AVX2 are used again with AVX-512, which computes the same bits, but not with other kernels.
func TestScoresOfEqualKernelsAreUsedAgain(t *testing.T) {
	s, m := &Study{}, testkit.Must(method.ParseSpec("mdm"))(t)
	key := func(on cpu.Path) string { return s.key(on, &set{}, "within-session", part{}, m) }
	testkit.Equal(t, key(cpu.AVX512), key(cpu.AVX2))
	if key(cpu.AVX2) == key(cpu.Portable) || key(cpu.AVX2) == key(cpu.NEON) {
		t.Error("scores of kernels that add in another order are used again")
	}
}
