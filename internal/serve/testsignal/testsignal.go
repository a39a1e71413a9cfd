// Package testsignal provides a live signal and a model for its decisions, for measurements and tests.
package testsignal

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/optionvalues"
	"rao/method"
	"rao/model"
	"rao/recipe"
	"rao/spd"
)

// The live signal is noise in 16 channels. The even or the odd channels are stronger.
const (
	Channels = 16
	Rate     = 250 // samples per second
	Window   = 2   // seconds per decision
)

// Samples draws a signal in which the channels of one group are stronger: the even channels for group 0, the odd ones
// for group 1. The channels of a sample are adjacent.
func Samples(r *rand.Rand, samples, group int) []float64 {
	x := make([]float64, samples*Channels)
	for i := range x {
		x[i] = 5 * r.NormFloat64()
		if i%2 == group {
			x[i] *= 1.5
		}
	}
	return x
}

// Model returns a model that decides which group of channels is stronger, from the covariances of windows of the signal
// between 8 and 30 Hz.
func Model(ctx context.Context) (*model.Model, error) {
	const windows = 80
	r := rand.New(rand.NewPCG(1, 1))
	d := &dataset.Data{Source: "noise", Stack: spd.NewStack(windows, Channels), Classes: []string{"even", "odd"}}
	var c mat.SymDense
	for i := range windows {
		x := mat.NewDense(Window*Rate, Channels, Samples(r, Window*Rate, i%2))
		if _, err := spd.Covariance(&c, x, spd.CovarianceOptions{Estimator: optionvalues.EstimatorOAS}); err != nil {
			return nil, err
		}
		d.Stack.Set(i, &c)
		d.Labels = append(d.Labels, i%2)
	}
	s := &recipe.Signal{Rate: Rate, Causal: true, Window: Window, SignalOptions: recipe.SignalOptions{
		Bands: []recipe.Band{{Low: 8, High: 30}}, Order: 5, Estimator: recipe.Estimator(optionvalues.EstimatorOAS)}}
	for i := range Channels {
		s.Channels = append(s.Channels, fmt.Sprintf("channel %d", i+1))
	}
	d.Recipe = &recipe.Recipe{Signal: s}
	m, err := method.Lookup("mdm")
	if err != nil {
		return nil, err
	}
	return m.Fit(ctx, method.InMemory{Data: d}, nil, nil)
}
