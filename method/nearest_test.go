package method

import (
	"testing"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/testkit"
	"rao/synth"
)

// GMLVQ learns from the nearest prototypes and must decide by them. On these draws of SynII with three prototypes per
// class, a sum over the prototypes classifies 59 and 54 % correctly, and the nearest prototype 78 and 75 %.
func TestSynIIByTheNearestPrototype(t *testing.T) {
	m := testkit.Must(Lookup("gmlvq-spd"))(t)
	set := Settings{{Name: "prototypes", Value: "3"}, {Name: "epochs", Value: "30"}, {Name: "calibration", Value: "0"}}
	for seed := range uint64(2) {
		train, test := halvesOf(t, "syn2", 500, seed+2)
		mod := testkit.Must(m.Fit(background, InMemory{Data: train}, set, nil))(t)
		p := testkit.Must(Predict(background, mod, test))(t)
		s := testkit.Must(evaluate.Score(test.Labels, p.LogPosterior))(t)
		if s.Accuracy < 0.74 {
			t.Errorf("draw %d: accuracy %.3f, by the nearest prototype it is above 0.75", seed, s.Accuracy)
		}
	}
}

// halvesOf draws a set and returns two halves: every second observation, and the others.
func halvesOf(t *testing.T, name string, perClass int, seed uint64) (a, b *dataset.Data) {
	d := testkit.Must(synth.Generate(name, synth.GenerateOptions{PerClass: perClass, Seed: seed}))(t)
	var index [2][]int
	for i := range d.N() {
		index[i%2] = append(index[i%2], i)
	}
	return d.Subset(index[0]), d.Subset(index[1])
}
