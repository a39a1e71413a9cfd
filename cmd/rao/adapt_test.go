package main

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/spd"
)

// people writes matrices of two classes, the channel with more power, of persons whose
// channels are mixed each in their own way; the variables person and session tell them
// apart.
func people(t *testing.T, path string, persons, trials int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, uint64(persons)))
	n := persons * trials
	d := &dataset.Data{Source: path, Stack: spd.NewStack(n, 2), Labels: make([]int, n),
		Classes: []string{"left", "right"}, Vars: map[string]*dataset.Array{
			"person":  {Shape: []int{n}, Int64: make([]int64, n)},
			"session": {Shape: []int{n}, Int64: make([]int64, n)}}}
	for k := range n {
		p, c := k/trials, k%2
		d.Labels[k] = c
		d.Vars["person"].Int64[k], d.Vars["session"].Int64[k] = int64(p), int64(2*k/trials%2)
		power := [2]float64{math.Exp(0.3 * rng.NormFloat64()), math.Exp(0.3 * rng.NormFloat64())}
		power[c] *= 4
		sin, cos := math.Sincos(float64(p))
		gain := float64(1 + 3*p)
		mix := [2][2]float64{{gain * cos, -sin}, {gain * sin, cos}}
		a := d.Stack.At(k)
		for i := range 2 {
			for j := range 2 {
				a[2*i+j] = mix[i][0]*mix[j][0]*power[0] + mix[i][1]*mix[j][1]*power[1]
			}
		}
	}
	if err := dataset.WriteFile(path, d); err != nil {
		t.Fatal(err)
	}
}

// An option that may stand alone has its value from the declaration, wherever it stands.
func TestOptionsThatStandAlone(t *testing.T) {
	for args, want := range map[string]string{
		"fit mdm --adapt --data x":       "fit mdm --adapt=balanced --data x",
		"fit mdm --data x --adapt":       "fit mdm --data x --adapt=balanced",
		"fit mdm --adapt causal --out y": "fit mdm --adapt causal --out y",
		"fit mdm --adapt=bias --out y":   "fit mdm --adapt=bias --out y",
		"fit mdm -- --adapt":             "fit mdm -- --adapt",
	} {
		if got := app.Completed(strings.Fields(args)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: got %v", args, got)
		}
	}
}

// --adapt alone is balanced, --recenter is center; both are in rao show.
func TestAdaptInTheTool(t *testing.T) {
	dir := t.TempDir()
	data, m := filepath.Join(dir, "x.npz"), filepath.Join(dir, "m.rao")
	people(t, data, 1, 60)
	for _, c := range []struct{ flags, how string }{{"--adapt", "balanced"}, {"--recenter", "center"},
		{"--adapt center", "center"}, {"--adapt causal", "causal"}} {
		args := append([]string{"fit", "mdm", "--data", data, "--out", m, "--force"}, strings.Fields(c.flags)...)
		if status, _, said := runTool(t, args...); status != 0 {
			t.Fatalf("%s: %s", c.flags, said)
		}
		if _, out, _ := runTool(t, "show", m); !strings.Contains(out, "adaptation ("+c.how+", ") {
			t.Errorf("%s: show says %s", c.flags, out)
		}
	}
}
