package spd_test

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"

	"rao/cmd/rao/cli"
	spdverbs "rao/cmd/rao/spd"
	"rao/dataset"
	"rao/spd"
)

type fullDisk struct{}

func (fullDisk) Write(p []byte) (int, error) { return 0, errors.New("no space left on device") }

// A command fails if its results, or a table, cannot be written to standard output.
func TestUnwrittenResultsFail(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"data", "list"}, {"data", "list", "--json"}} {
		var e bytes.Buffer
		if status := cli.Run(args, nil, fullDisk{}, &e); status != 1 || !strings.Contains(e.String(), "no space left") {
			t.Errorf("%q: exit status %d, %q", args, status, e.String())
		}
	}
}

// Flag values out of range are rejected, and so are sizes that do not fit in memory.
func TestSenselessFlags(t *testing.T) {
	path := faulty(t)
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "--rank-tol", []string{"spd", "check", "--data", path, "--rank-tol", "1.5"}},
		{2, "--rank-tol", []string{"spd", "check", "--data", path, "--rank-tol", "nan"}},
		{2, "--max-condition", []string{"spd", "check", "--data", path, "--max-condition", "-1"}},
		{2, `unknown repair "mend"`, []string{"spd", "check", "--data", path, "--repair", "mend"}},
		{2, "--reject-below", []string{"predict", "--model", "m.rao", "--data", path, "--out", "y.csv",
			"--reject-below", "nan"}},
		{2, "--reject-below", []string{"predict", "--model", "m.rao", "--data", path, "--out", "y.csv",
			"--reject-below", "-1"}},
		{2, "--random", []string{"tune", "pca", "--data", "digits", "--random", "-1"}},
		{1, "generate at most", []string{"data", "make", "toy1", "--per-class", "99999999", "--out", path + "x.npz"}},
	} {
		tooltest.Exits(t, c.status, c.want, c.args...)
	}
	if _, _, e := tooltest.Run(t, "spd", "mean", "--data", "a\nb", "--out", path+"x.npy"); strings.Count(e, "\n") != 1 {
		t.Errorf("not one line: %q", e)
	}
}

// A distance that is NaN is an error and is not written.
func TestDistancesAreFinite(t *testing.T) {
	x := spd.NewStack(3, 2)
	for k, scale := range []float64{1, 1e-300, 1e300} {
		x.At(k)[0], x.At(k)[3] = scale, scale
	}
	path := filepath.Join(t.TempDir(), "x.npz")
	testkit.NoError(t, dataset.WriteFile(path, &dataset.Data{Stack: x}))
	for _, metric := range []string{"euclid", "riemann", "harmonic"} {
		status, out, said := tooltest.Run(t, "spd", "distance", "--data", path, "--metric", metric, "--json")
		if status == 0 && strings.Contains(out, "null") {
			t.Errorf("%s: %s", metric, out)
		}
		if status != 0 && strings.Count(said, "\n") != 1 {
			t.Errorf("%s: said %q", metric, said)
		}
	}
	testkit.ErrorContains(t, spdverbs.WriteNpy(path+".npy", []float64{1, 2, math.NaN(), 4}, 2, 2),
		"value 0 of row 1 (counted from 0) would be NaN")
}
