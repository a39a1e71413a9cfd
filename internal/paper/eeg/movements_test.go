package eeg

import (
	"os"
	"path/filepath"
	"testing"

	"rao/internal/paper/experiment"
	"rao/internal/testkit"
)

// movementsHere puts a small file in the format of the set into a cache folder, as both sessions of subject 3.
func movementsHere(t *testing.T) {
	t.Helper()
	b := testkit.Must(os.ReadFile("../../eeg/sets/testdata/bnci.mat"))(t)
	cache := t.TempDir()
	t.Setenv("RAO_CACHE", cache)
	testkit.NoError(t, os.Mkdir(filepath.Join(cache, movementSet), 0o700))
	for _, name := range []string{"A03T.mat", "A03E.mat"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(cache, movementSet, name), b, 0o600))
	}
}

// Session T is for training and session E for testing, and both forms have the same trials.
func TestMovementsAreCutForNetworks(t *testing.T) {
	movementsHere(t)
	task := testkit.Must(movementTask(t.Context(), nil))(t)
	if f := task.folds[0]; len(f.Train) != 8 || len(f.Test) != 8 || f.Test[0] != 8 {
		t.Errorf("folds %+v", f)
	}
	if p := task.part(task.folds[0].Train); p.Shape[0] != 22 || p.Shape[1] != 875 || len(p.Data) != 8*22*875 {
		t.Errorf("shape %v of %d values", p.Shape, len(p.Data))
	}
	if c := task.covariance; c.Stack.Dim != 22 || c.N() != 16 || len(c.Classes) != 4 || task.rate != 250 {
		t.Errorf("%d covariances of order %d, %d classes, %g Hz", c.N(), c.Stack.Dim, len(c.Classes), task.rate)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(movementTask(t.Context(), []int{4})), "A04T.mat",
		"a subject that is not here")
}

// The study runs where the recordings and torch are, and names what is missing elsewhere.
func TestMovementsRun(t *testing.T) {
	e := testkit.Must(experiment.Lookup("plrsq-table6-networks"))(t)
	t.Setenv("RAO_CACHE", t.TempDir())
	testkit.Contains(t, e.State(), "rao data get "+movementSet, "without recordings")
	movementsHere(t)
	if missing := e.Missing(); testing.Short() || len(missing) > 0 {
		t.Skip("long, or without ", missing)
	}
	r := testkit.Must(e.Run(t.Context(), experiment.Run{Short: true, Seed: 1}))(t)
	rows, verdict := r.Tables[0].Rows, r.Reproduction()
	if len(rows) != 6 || rows[5][2] != "0.58" || verdict != "2 claims not tested" {
		t.Errorf("%v, %s", rows, verdict)
	}
}
