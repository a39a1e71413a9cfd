package method

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/synth"
	"rao/internal/testkit"
	"rao/model"
	"rao/spd"
)

// A single decision of a model of matrices takes its memory from earlier decisions. What is left is small.
func TestSingleDecisionsAllocateLittle(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector makes pools forget")
	}
	d, err := synth.SynI(synth.SynOptions{PerClass: 20, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	most := map[string]float64{"fgmdm": 12_000, "rslvq": 12_000} // of each decision, in bytes; 4,000 for others
	for _, m := range Methods() {
		if !m.Matrices {
			continue
		}
		mod, err := m.Fit(background, InMemory{Data: d}, m.Only(quick()), nil)
		if err != nil && !rao.IsNotConverged(err) {
			t.Fatal(err)
		}
		dec, err := model.NewDecoder(mod, model.DecoderOptions{})
		if err != nil {
			continue // a model of features alone, or one that looks at the recording as a whole
		}
		x, logp := d.Stack.At(3), mat.NewDense(1, len(d.Classes), nil)
		b := model.Matrices(spd.StackOf(1, d.Stack.Dim, x))
		limit := max(4000, most[m.Name])
		if got := bytesOf(20, func() error { _, err := dec.Observe(x); return err }); got > limit {
			t.Errorf("%s: Observe allocates %.0f bytes", m.Name, got)
		}
		into := func() error { _, err := mod.PredictInto(background, logp, b); return err }
		if got := bytesOf(20, into); got > limit {
			t.Errorf("%s: PredictInto allocates %.0f bytes", m.Name, got)
		}
	}
}

// bytesOf returns how many bytes a call allocates: the average of n calls, the least of five such batches. Pools keep
// memory for each processor, so a call that changes processors finds none. The collector, which empties pools, rests.
func bytesOf(n int, call func() error) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := math.Inf(1)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range n {
			if err := call(); err != nil {
				panic(err)
			}
		}
		runtime.ReadMemStats(&after)
		least = min(least, float64(after.TotalAlloc-before.TotalAlloc)/float64(n))
	}
	return least
}
