package stream_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/lvq"
	"rao/model"
	"rao/recipe"
	"rao/spd"
	"rao/stream"
)

// fitted returns a model of the covariances of two channels.
func fitted() *model.Model {
	x := spd.NewStack(4, 2)
	for k, a := range [][]float64{{4, 0, 0, 1}, {1, 0, 0, 4}, {5, 0, 0, 1}, {1, 0, 0, 5}} {
		copy(x.At(k), a)
	}
	prototypes, err := lvq.FitPLRSQ(context.Background(), x, []int{0, 1, 0, 1}, nil,
		lvq.PLRSQOptions{Epochs: 1, CalibrationFolds: -1, Sigma2: 1})
	if err != nil {
		log.Fatal(err)
	}
	return &model.Model{Method: "plrsq", Classes: []string{"left", "right"}, Classifier: prototypes,
		Input: model.Schema{Kind: model.KindMatrices, Dim: 2, Channels: []string{"C3", "C4"}, Recipe: &recipe.Recipe{
			Signal: &recipe.Signal{Rate: 4, Channels: []string{"C3", "C4"}, Window: 1,
				SignalOptions: recipe.SignalOptions{Estimator: "sample"}}}}}
}

// A decoder converts the samples of a stream to decisions.
func ExampleDecoder() {
	m := fitted()
	// The amplifier has the channels in another order, and an additional channel.
	d, err := stream.NewDecoder(m, stream.DecoderOptions{Channels: []string{"C4", "C3", "Pz"}, Rate: 4})
	if err != nil {
		log.Fatal(err)
	}
	samples := []float64{ // C4, C3, Pz
		1, 9, 0,
		-1, -9, 0,
		-1, 9, 0,
		1, -9, 0,
	}
	err = d.Push(context.Background(), samples, func(decision model.Decision) error {
		fmt.Println(decision.At, m.Classes[decision.Label])
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = stream.NewDecoder(m, stream.DecoderOptions{Channels: []string{"C3", "Cz"}, Rate: 4})
	fmt.Println(err)
	// Output:
	// 4 left
	// channel C4 is missing; the signal has C3, Cz; give the channels of the training data
}

// A decoder of events decides on the second of signal after each event.
func ExampleEventDecoder() {
	m := fitted()
	d, err := stream.NewEventDecoder(m, 0, stream.DecoderOptions{Channels: []string{"C3", "C4"}, Rate: 4})
	if err != nil {
		log.Fatal(err)
	}
	const cue = 7                  // a number of your choice
	if ok := d.Mark(cue, 2); !ok { // at sample 2
		log.Fatal("the event is too late")
	}
	samples := []float64{ // C3, C4
		0, 0,
		0, 0,
		1, 9, // the event
		-1, -9,
		1, -9,
		-1, 9,
	}
	err = d.Push(context.Background(), samples, func(event int, decision model.Decision) error {
		fmt.Println(event, m.Classes[decision.Label])
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: 7 right
}

// Covariances are computed every half second from the last second of samples.
func ExampleCovariances() {
	c, err := stream.NewCovariances(2, 4, 0.5, &recipe.Signal{Window: 1})
	if err != nil {
		log.Fatal(err)
	}
	samples := []float64{1, 0, -1, 1, 1, 2, -1, 3, 1, 4, -1, 5}
	err = c.Push(samples, func(cov *mat.SymDense, end int64) error {
		fmt.Printf("after sample %d: variances %.2f and %.2f\n", end, cov.At(0, 0), cov.At(1, 1))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// after sample 4: variances 1.33 and 1.67
	// after sample 6: variances 1.33 and 1.67
}
