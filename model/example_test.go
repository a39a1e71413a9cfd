package model_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/feature"
	"rao/gaussian"
	"rao/lvq"
	"rao/model"
	"rao/recipe"
	"rao/spd"
)

// A pipeline is made of values: a schema, stages and a classifier. It is saved, loaded
// and used as one; columns are matched by name.
func Example() {
	ctx := context.Background()
	x := mat.NewDense(6, 2, []float64{0, 1, 1, 0, 1, 2, 6, 5, 7, 6, 5, 7})
	stats, err := gaussian.Estimate(x, []int{0, 0, 0, 1, 1, 1}, []string{"small", "large"})
	if err != nil {
		log.Fatal(err)
	}
	filters, err := feature.FitPCA(stats, feature.PCAOptions{Filters: 1})
	if err != nil {
		log.Fatal(err)
	}
	m := &model.Model{Method: "mine", Classes: stats.Classes,
		Input:  model.Schema{Kind: model.KindVectors, Dim: 2, Columns: []string{"length", "width"}},
		Stages: []model.Stage{&model.Filters{Model: filters}}}
	z, err := m.Transform(ctx, model.Vectors(x))
	if err != nil {
		log.Fatal(err)
	}
	inside, err := gaussian.Estimate(z.X, []int{0, 0, 0, 1, 1, 1}, stats.Classes)
	if err != nil {
		log.Fatal(err)
	}
	if m.Classifier, err = classify.FitLDA(inside, classify.LDAOptions{}); err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		log.Fatal(err)
	}
	back, err := model.Decode(bytes.NewReader(file.Bytes()), int64(file.Len()), "mine")
	if err != nil {
		log.Fatal(err)
	}
	p, err := back.Predict(ctx,
		model.Batch{X: mat.NewDense(1, 2, []float64{9, 4}), Columns: []string{"width", "length"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.Classes[p.Label[0]])
	_, err = back.Predict(ctx, model.Batch{X: mat.NewDense(1, 2, nil), Columns: []string{"width", "height"}})
	fmt.Println(err)
	// Output:
	// large
	// column length is missing, column height is not in the training; name the columns as there
}

// A decoder carries the state of one stream: samples go in, decisions come out.
func ExampleDecoder() {
	ctx := context.Background()
	x := spd.NewStack(4, 2)
	for k, a := range [][]float64{{4, 0, 0, 1}, {1, 0, 0, 4}, {5, 0, 0, 1}, {1, 0, 0, 5}} {
		copy(x.At(k), a)
	}
	prototypes, err := lvq.FitPLRSQ(ctx, x, []int{0, 1, 0, 1}, nil,
		lvq.Options{Epochs: 1, CalibrationFolds: -1, Sigma2: 1})
	if err != nil {
		log.Fatal(err)
	}
	m := &model.Model{Method: "plrsq", Classes: []string{"left", "right"}, Classifier: prototypes,
		Input: model.Schema{Kind: model.KindMatrices, Dim: 2, Channels: []string{"C3", "C4"}, Recipe: &recipe.Recipe{
			Signal: &recipe.Signal{Rate: 4, Channels: []string{"C3", "C4"}, Window: 1, Estimator: "sample"}}}}
	// The amplifier has its channels in another order, and one more.
	d, err := model.NewDecoder(m, model.DecoderOptions{Channels: []string{"C4", "C3", "Pz"}, Rate: 4})
	if err != nil {
		log.Fatal(err)
	}
	samples := []float64{ // C4, C3, Pz
		1, 9, 0,
		-1, -9, 0,
		-1, 9, 0,
		1, -9, 0,
	}
	err = d.Push(samples, func(decision model.Decision) error {
		fmt.Println(decision.At, m.Classes[decision.Label])
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = model.NewDecoder(m, model.DecoderOptions{Channels: []string{"C3", "Cz"}, Rate: 4})
	fmt.Println(err)
	// Output:
	// 4 left
	// channel C4 is missing; the signal has C3, Cz
}
