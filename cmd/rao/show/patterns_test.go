package show_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/testkit"
	"rao/spd"
)

// A page and rao show state how many patterns enuc uses, and a page draws the patterns on the head.
func TestPatternsOfENuc(t *testing.T) {
	dir := t.TempDir()
	channels := []string{"Fz", "C3", "Cz", "C4", "Pz"}
	rng := rand.New(rand.NewPCG(3, 3))
	const n = 60
	d := &dataset.Data{Stack: spd.NewStack(n, len(channels)), Labels: make([]int, n),
		Classes: []string{"left", "right"},
		Vars:    map[string]*dataset.Array{"channels": {Shape: []int{len(channels)}, Strings: channels}}}
	for k := range n {
		d.Labels[k] = k % 2
		for i := range channels {
			power := 0.2 * rng.NormFloat64()
			if i == 1+2*d.Labels[k] {
				power += 1.5
			}
			d.Stack.At(k)[i*(len(channels)+1)] = math.Exp(power)
		}
	}
	data, page, m := filepath.Join(dir, "x.npz"), filepath.Join(dir, "p.html"), filepath.Join(dir, "m.rao")
	testkit.NoError(t, dataset.WriteFile(data, d))
	tooltest.Succeeds(t, "compare", "--data", data, "--test", data, "--allow-overlap", "--methods", "enuc", "--html",
		page)
	html := testkit.Must(os.ReadFile(page))(t)
	for _, want := range []string{"weights of the leading ones", "Spatial patterns and their weights", "maps of the " +
		"scalp over 5 electrodes"} {
		testkit.Contains(t, string(html), want, "the page does not say")
	}
	tooltest.Succeeds(t, "fit", "enuc", "--data", data, "--out", m)
	testkit.Contains(t, tooltest.Output(t, "show", m), "enuc (spatial patterns per class: ")
}
