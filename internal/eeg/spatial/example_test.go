package spatial_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/eeg"
	"rao/eeg/synth"
	"rao/evaluate"
	"rao/internal/eeg/spatial"
	"rao/recipe"
	"rao/spd"
)

// evokedTrials cuts half a second after each event out of simulated responses.
func evokedTrials(seed uint64) *eeg.Trials {
	recording, err := synth.Evoked(160, seed)
	if err != nil {
		log.Fatal(err)
	}
	trials, err := eeg.CutTrials(context.Background(), []*eeg.Recording{recording}, eeg.TrialOptions{
		Classes: synth.EvokedClasses, Stop: 0.5,
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 1, High: 20}}, Estimator: "none"}})
	if err != nil {
		log.Fatal(err)
	}
	return trials
}

// Covariances of trials stacked with the mean responses of the training data, after Xdawn filters, are matrices for any
// classifier of this module.
func ExampleFitXdawnCovariances() {
	ctx := context.Background()
	train, test := evokedTrials(1), evokedTrials(2)
	const samples = 125 // half a second at 250 Hz
	filters, err := spatial.FitXdawnCovariances(spatial.Trials{X: train.Signals, Samples: samples}, train.Labels,
		train.Classes, nil, 0, false, spd.CovarianceOptions{Estimator: "oas"})
	if err != nil {
		log.Fatal(err)
	}
	matrices := func(x mat.Matrix) *spd.Stack {
		stack, err := filters.Matrices(x)
		if err != nil {
			log.Fatal(err)
		}
		return stack
	}
	mdm, err := classify.FitMDM(ctx, matrices(train.Signals), train.Labels, train.Classes, classify.MDMOptions{})
	if err != nil {
		log.Fatal(err)
	}
	labels, err := mdm.Predict(ctx, matrices(test.Signals))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("better than chance:", evaluate.Accuracy(test.Labels, labels) > 0.7)
	// Output: better than chance: true
}
