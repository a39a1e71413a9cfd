package peers

import (
	"context"
	"math/rand/v2"
	"testing"

	"rao/internal/testkit"
)

// stripes returns two classes of images of 16 × 16 pixels: bright on the left or on the right.
func stripes(seed uint64, n int) Part {
	rng := rand.New(rand.NewPCG(seed, 2))
	p := Part{Shape: []int{16, 16}}
	for i := range n {
		for pixel := range 256 {
			v := 0.4 * rng.Float32()
			if pixel%16/8 == i%2 {
				v += 0.4
			}
			p.Data = append(p.Data, v)
		}
		p.Labels = append(p.Labels, i%2)
	}
	return p
}

// Every private classifier learns an easy task.
func TestPrivateClassifiersLearnStripes(t *testing.T) {
	testkit.SkipShort(t, "trains classifiers")
	python, err := PrivatePython()
	if err != nil {
		t.Skip(err)
	}
	for _, kind := range []string{"linear", "scattering", "logistic"} {
		finished := 0
		r := testkit.Must(TrainPrivate(context.Background(), python, PrivateTask{Kind: kind, Delta: 1e-5, Threads: 1,
			Runs: []PrivateRun{{Epsilon: 8, Seed: 1, Epochs: 5, Batch: 100, Rate: 0.2, Clip: 1},
				{Epsilon: 2, Seed: 2, Epochs: 5, Batch: 100, Rate: 0.2, Clip: 1}},
			Train: stripes(1, 600), Test: stripes(2, 200)}, func(int) { finished++ }))(t)
		t.Logf("%s: %.3f", kind, r.Accuracies)
		if r.Accuracies[0] < 0.95 || r.Accuracies[1] < 0.5 || finished != 2 || r.Seconds[0] <= 0 {
			t.Errorf("%s: %+v after %d runs", kind, r, finished)
		}
	}
	if _, err := TrainPrivate(context.Background(), python, PrivateTask{Kind: "unknown",
		Runs: []PrivateRun{{Epsilon: 1, Seed: 1}}, Train: stripes(1, 4), Test: stripes(2, 4)}, nil); err == nil {
		t.Error("a run without a batch passes")
	}
}
