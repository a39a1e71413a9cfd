package stream_test

import (
	"context"
	"fmt"
	"log"

	"rao/lvq"
	"rao/model"
	"rao/recipe"
	"rao/spd"
	"rao/stream"
)

// A decoder converts the samples of a stream to decisions.
func ExampleDecoder() {
	ctx := context.Background()
	x := spd.NewStack(4, 2)
	for k, a := range [][]float64{{4, 0, 0, 1}, {1, 0, 0, 4}, {5, 0, 0, 1}, {1, 0, 0, 5}} {
		copy(x.At(k), a)
	}
	prototypes, err := lvq.FitPLRSQ(ctx, x, []int{0, 1, 0, 1}, nil,
		lvq.PLRSQOptions{Epochs: 1, CalibrationFolds: -1, Sigma2: 1})
	if err != nil {
		log.Fatal(err)
	}
	m := &model.Model{Method: "plrsq", Classes: []string{"left", "right"}, Classifier: prototypes,
		Input: model.Schema{Kind: model.KindMatrices, Dim: 2, Channels: []string{"C3", "C4"}, Recipe: &recipe.Recipe{
			Signal: &recipe.Signal{Rate: 4, Channels: []string{"C3", "C4"}, Window: 1,
				SignalOptions: recipe.SignalOptions{Estimator: "sample"}}}}}
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
	// channel C4 is missing; the signal has C3, Cz
}
