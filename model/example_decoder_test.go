package model_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/gaussian"
	"rao/model"
)

// sizes returns a small model, which scales vectors of two columns and classifies them with LDA.
func sizes() (*model.Model, error) {
	x := mat.NewDense(6, 2, []float64{0, 1, 1, 0, 1, 2, 6, 5, 7, 6, 5, 7})
	labels, classes := []int{0, 0, 0, 1, 1, 1}, []string{"small", "large"}
	scaling, err := model.FitScaling(x)
	if err != nil {
		return nil, err
	}
	input := model.Schema{Kind: model.KindVectors, Dim: 2}
	z, err := scaling.Apply(context.Background(), model.Vectors(x))
	if err != nil {
		return nil, err
	}
	stats, err := gaussian.Estimate(z.X, labels, classes)
	if err != nil {
		return nil, err
	}
	lda, err := classify.FitLDA(stats, classify.LDAOptions{})
	if err != nil {
		return nil, err
	}
	return model.New(input, classes, lda, scaling)
}

// A decoder classifies observations one at a time.
func ExampleDecoder() {
	m, err := sizes()
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := model.NewDecoder(m, model.DecoderOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range [][]float64{{1, 1}, {6, 7}} {
		decision, err := d.Observe(x)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(decision.At, m.Classes[decision.Label], decision.Probability > 0.9)
	}
	// Output:
	// 0 small true
	// 1 large true
}

// A service that answers many requests can reuse the memory of a prediction.
func ExampleModel_PredictInto() {
	m, err := sizes()
	if err != nil {
		fmt.Println(err)
		return
	}
	var p model.Prediction
	for _, row := range [][]float64{{0, 0}, {7, 7}} {
		if err := m.PredictInto(context.Background(), &p, model.Vectors(mat.NewDense(1, 2, row))); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(m.Classes[p.Label[0]])
	}
	// Output:
	// small
	// large
}
