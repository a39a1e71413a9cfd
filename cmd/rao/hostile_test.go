package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rao/cmd/rao/internal/app"
	"rao/cmd/rao/matrices"
	"rao/dataset"
	"rao/spd"
)

type fullDisk struct{}

func (fullDisk) Write(p []byte) (int, error) { return 0, errors.New("no space left on device") }

// Results that did not reach standard output are a failure, also of a table.
func TestUnwrittenResultsFail(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"data", "list"}, {"data", "list", "--json"}} {
		var e bytes.Buffer
		if status := app.Run(args, nil, fullDisk{}, &e); status != 1 || !strings.Contains(e.String(), "no space left") {
			t.Errorf("%q: exit status %d, %q", args, status, e.String())
		}
	}
}

// Flags that would be taken for something else, or end the program, are refused.
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
		{1, `unknown repair "mend"`, []string{"spd", "check", "--data", path, "--repair", "mend"}},
		{2, "--reject-below", []string{"predict", "--model", "m.rao", "--data", path, "--out", "y.csv",
			"--reject-below", "nan"}},
		{2, "--reject-below", []string{"predict", "--model", "m.rao", "--data", path, "--out", "y.csv",
			"--reject-below", "-1"}},
		{2, "--random", []string{"tune", "pca", "--data", "digits", "--random", "-1"}},
		{1, "ask for at most", []string{"data", "make", "toy1", "--per-class", "99999999", "--out", path + "x"}},
	} {
		status, _, e := runTool(t, c.args...)
		if status != c.status || !strings.Contains(e, c.want) {
			t.Errorf("%q: exit status %d, want %d; %q, want %q", c.args, status, c.status, e, c.want)
		}
	}
	if _, _, e := runTool(t, "spd", "mean", "--data", "a\nb", "--out", path+"x"); strings.Count(e, "\n") != 1 {
		t.Errorf("not one line: %q", e)
	}
}

// Input that never comes must not keep the program from ending.
func TestReadEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, feed := io.Pipe()
	r := app.Interruptible(ctx, in)
	go feed.Write([]byte("1,2\n"))
	b := make([]byte, 10)
	if n, err := r.Read(b); err != nil || string(b[:n]) != "1,2\n" {
		t.Fatalf("read %q, %v", b[:n], err)
	}
	time.AfterFunc(10*time.Millisecond, cancel)
	records := 0
	lines, err := newRecords(r, "csv", 2)
	if err != nil {
		t.Fatal(err)
	}
	err = lines.each(ctx, func(int, []float64) error { records++; return nil })
	if !errors.Is(err, context.Canceled) || records != 0 {
		t.Errorf("%d records, error %v", records, err)
	}
	if _, err := r.Read(b); !errors.Is(err, context.Canceled) {
		t.Errorf("a later read: %v", err)
	}
}

// A distance that is not a number is an error, not a value of a file.
func TestDistancesAreFinite(t *testing.T) {
	x := spd.NewStack(3, 2)
	for k, scale := range []float64{1, 1e-300, 1e300} {
		x.At(k)[0], x.At(k)[3] = scale, scale
	}
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := dataset.WriteFile(path, &dataset.Data{Stack: x}); err != nil {
		t.Fatal(err)
	}
	for _, metric := range []string{"euclid", "riemann", "harmonic"} {
		status, out, said := runTool(t, "spd", "distance", "--data", path, "--metric", metric, "--json")
		if status == 0 && strings.Contains(out, "null") {
			t.Errorf("%s: %s", metric, out)
		}
		if status != 0 && strings.Count(said, "\n") != 1 {
			t.Errorf("%s: said %q", metric, said)
		}
	}
	if err := matrices.WriteNpy(path+".npy", []float64{1, 2, math.NaN(), 4}, 2, 2); err == nil ||
		!strings.Contains(err.Error(), "value 0 of row 1 would be NaN") {
		t.Errorf("error %v", err)
	}
}
