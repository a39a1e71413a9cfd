package main

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"rao/dataset"
	"rao/spd"
)

// faulty writes ten matrices, of which matrix 1 is not symmetric, 2 not finite and 3
// not definite.
func faulty(t *testing.T) string {
	t.Helper()
	x := spd.NewStack(10, 3)
	for k := range x.Count {
		for i := range 3 {
			x.At(k)[4*i] = 1 + float64(i)
		}
	}
	x.At(1)[1] = 0.5
	x.At(2)[7] = math.NaN()
	x.At(3)[0] = -1
	path := filepath.Join(t.TempDir(), "x.npz")
	d := &dataset.Data{Stack: x,
		Vars: map[string]*dataset.Array{"channels": {Shape: []int{3}, Strings: []string{"C3", "Cz", "C4"}}}}
	if err := dataset.WriteFile(path, d); err != nil {
		t.Fatal(err)
	}
	return path
}

func runTool(t *testing.T, args ...string) (status int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(args, nil, &o, &e)
	return status, o.String(), e.String()
}

// One bad matrix must not keep the others from being examined.
func TestCheckReportsEveryMatrix(t *testing.T) {
	path := faulty(t)
	status, out, errOut := runTool(t, "check", "--data", path)
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, errOut)
	}
	for _, want := range []string{"10 matrices of order 3:", "channel Cz has values that are not finite, in 1 of 10",
		"1 of 10 matrices is not symmetric", "1 of 10 matrices has negative", "3 matrices with a fault, counted from 0",
		"not symmetric, by 0.17", "not finite in Cz", "negative eigenvalue", "repair: symmetrize+drop:1"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	mended := filepath.Join(t.TempDir(), "mended.npz")
	if status, _, errOut := runTool(t, "check", "--data", path, "--out", mended); status != 0 {
		t.Fatalf("exit status %d: %s", status, errOut)
	}
	if _, out, _ := runTool(t, "check", "--data", mended, "--json"); !strings.Contains(out, `"channels":["C3","C4"]`) {
		t.Errorf("channels after the repair: %s", out)
	}
	if _, out, _ := runTool(t, "check", "--data", mended); !strings.Contains(out, "10 matrices of order 2: symmetric "+
		"and positive definite") {
		t.Errorf("after the repair:\n%s", out)
	}
	if _, _, errOut := runTool(t, "mean", "--data", path, "--out", mended+".npy"); !strings.Contains(errOut,
		"matrix 1 is not symmetric") || !strings.Contains(errOut, "rao check") {
		t.Errorf("mean says %q", errOut)
	}
}
