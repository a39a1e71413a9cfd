package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rao/internal/testkit"
)

func TestIDsAreDistinctAndDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range List() {
		if seen[e.ID] {
			t.Errorf("%s is used twice", e.ID)
		}
		seen[e.ID] = true
		if e.Title == "" || (e.Protocol == "") != (e.NotRun != "") || e.Item == "" ||
			(e.run == nil) == (e.NotRun == "") {
			t.Errorf("%s is not described in full", e.ID)
		}
	}
	testkit.ErrorContains(t, testkit.ErrorOf(Lookup("sqfa-fig22")), "did you mean")
}

// A canceled experiment ends soon, with the context's error and no result: interrupted fits are not counted. Each
// experiment runs in its full form, which takes minutes.
func TestCanceledExperimentsEndSoon(t *testing.T) {
	for _, e := range List() {
		afters := []time.Duration{0, 30 * time.Millisecond}
		if e.Paper == "PLRSQ" {
			afters = []time.Duration{300 * time.Millisecond}
		} else if !strings.HasPrefix(e.ID, "sqfa") && e.ID != "fisher-rao" && e.ID != "lmnn-mnist" {
			continue
		}
		if len(e.Missing()) > 0 || e.NotRun != "" {
			continue
		}
		for _, after := range afters {
			ctx, cancel := context.WithTimeout(context.Background(), after)
			began := testkit.Busy()
			res, err := e.Run(ctx, Run{Seed: 1})
			cancel()
			quicker := err == nil && after > 0
			if !quicker && (res != nil || !errors.Is(err, context.DeadlineExceeded)) {
				t.Errorf("%s, canceled after %v: result %v, error %v", e.ID, after, res != nil, err)
			}
			took := testkit.Busy() - began
			if took > testkit.Soon {
				t.Errorf("%s, canceled after %v, worked for %v", e.ID, after, took)
			}
			t.Logf("%s, canceled after %v, worked for %v", e.ID, after, took)
		}
	}
}

func TestSpeedTaskSaysWherePhotographsGo(t *testing.T) {
	e := testkit.Must(Lookup("sqfa-fig5"))(t)
	cache := t.TempDir()
	t.Setenv("RAO_CACHE", cache)
	t.Setenv("RAO_PHOTOGRAPHS", "")
	if s := e.State(); !strings.Contains(s, "generated images") ||
		!strings.Contains(s, filepath.Join(cache, "photographs")) {
		t.Errorf("without photographs: %q", s)
	}
	testkit.NoError(t, os.Mkdir(filepath.Join(cache, "photographs"), 0o755))
	testkit.Equal(t, e.State(), "runs on the photographs in "+filepath.Join(cache, "photographs"),
		"with photographs in the cache folder")
	t.Setenv("RAO_PHOTOGRAPHS", filepath.Join(cache, "none"))
	testkit.Contains(t, e.State(), "which is not a folder", "with a folder that is not there")
}

func TestSameSeedGivesSameNumbers(t *testing.T) {
	e := testkit.Must(Lookup("sqfa-fig11"))(t)
	var got [2]*Result
	for i := range got {
		got[i] = testkit.Must(e.Run(context.Background(), Run{Short: true, Seed: 5}))(t)
	}
	for i, row := range got[0].Tables[0].Rows {
		testkit.Equal(t, strings.Join(row, " "), strings.Join(got[1].Tables[0].Rows[i], " "), "row", i, row, "and",
			got[1].Tables[0].Rows[i])
	}
}

// The orderings in the toy problem are exactly those of the paper.
func TestToySubspacesAreThePapers(t *testing.T) {
	e := testkit.Must(Lookup("sqfa-fig2"))(t)
	res := testkit.Must(e.Run(context.Background(), Run{Seed: 1}))(t)
	want := map[string]map[string]int{
		"toy1":         {"sqfa": 1, "lda": 2, "pca": 3},
		"toy1-shifted": {"sqfa": 2, "lda": 2},
		"toy2":         {"sqfa": 1, "smsqfa": 2},
	}
	for _, table := range res.Tables {
		for name, pair := range want[table.Name] {
			testkit.Equal(t, table.dominantPair(name), pair, table.Name, name, "takes pair")
		}
	}
}

func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{10, 20, 30, 100}, 1},
		{[]float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1},
		{[]float64{1, 2, 2, 4}, []float64{1, 3, 2, 4}, 0.9486832980505138}, // scipy.stats.spearmanr
	} {
		if got := spearman(c.a, c.b); got < c.want-1e-12 || got > c.want+1e-12 {
			t.Errorf("spearman(%v, %v) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
