package spd_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/testkit"
	"rao/spd"
)

// faulty writes ten matrices: matrix 1 is not symmetric, 2 not finite and 3 not positive definite.
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
	testkit.NoError(t, dataset.WriteFile(path, d))
	return path
}

// One bad matrix must not prevent the check of the others.
func TestCheckReportsEveryMatrix(t *testing.T) {
	path := faulty(t)
	out := tooltest.Output(t, "spd", "check", "--data", path)
	for _, want := range []string{"10 matrices of order 3:", "channel Cz has values that are not finite, in 1 of 10",
		"1 of 10 matrices is not symmetric", "1 of 10 matrices has negative", "3 matrices with a fault, counted from 0",
		"not symmetric (the difference is 0.17", "not finite in Cz", "negative eigenvalue", "leave out 1 matrix",
		"dropping the channels: 2\n", "repair: symmetrize+floor:1e-06"} {
		testkit.Contains(t, out, want)
	}
	mended := filepath.Join(t.TempDir(), "mended.npz")
	tooltest.Succeeds(t, "spd", "check", "--data", path, "--out", mended)
	testkit.Contains(t, tooltest.Output(t, "spd", "check", "--data", mended, "--json"), `"channels":["C3","Cz","C4"]`)
	testkit.Contains(t, tooltest.Output(t, "spd", "check", "--data", mended),
		"9 matrices of order 3: symmetric and positive definite")
	if _, out, _ := tooltest.Run(t, "spd", "check", "--data", path, "--repair", "drop:Cz",
		"--json"); strings.Contains(out,
		"left_out") || !strings.Contains(out, "drop:1") {
		t.Errorf("with a repair that is given: %s", out)
	}
	if _, _, errOut := tooltest.Run(t, "spd", "mean", "--data", path, "--out", mended+".npy"); !strings.Contains(errOut,
		"matrix 1 is not symmetric") || !strings.Contains(errOut, "rao spd check") {
		t.Errorf("mean says %q", errOut)
	}
}

// A fit reports what its automatic repair did, and which repair would have lost less.
func TestFitSaysWhatRepairDid(t *testing.T) {
	d := tooltest.Matrices(rand.New(rand.NewPCG(1, 6)), 40)
	d.Vars["channels"] = &dataset.Array{Shape: []int{4}, Strings: []string{"C3", "Cz", "C4", "Pz"}}
	for j := range 4 {
		d.Stack.At(7)[4+j], d.Stack.At(7)[4*j+1] = math.NaN(), math.NaN()
	}
	path := filepath.Join(t.TempDir(), "x.npz")
	tooltest.Write(t, path, d)
	said := tooltest.Succeeds(t, "fit", "mdm", "--data", path, "--repair", "auto", "--out", path+".rao")
	for _, want := range []string{"drop:1, which leaves Cz out", "1 of the 40 matrices instead loses less"} {
		testkit.Contains(t, said, want)
	}
}
