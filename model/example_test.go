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
	"rao/model"
)

// This example builds a model from a schema, stages and a classifier, saves and loads it, and predicts. Columns are
// matched by name.
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
	input := model.Schema{Kind: model.KindVectors, Dim: 2, Columns: []string{"length", "width"}}
	features, err := model.New(input, stats.Classes, nil, model.Wrap(filters))
	if err != nil {
		log.Fatal(err)
	}
	z, err := features.Transform(ctx, model.Vectors(x))
	if err != nil {
		log.Fatal(err)
	}
	inside, err := gaussian.Estimate(z.X, []int{0, 0, 0, 1, 1, 1}, stats.Classes)
	if err != nil {
		log.Fatal(err)
	}
	lda, err := classify.FitLDA(inside, classify.LDAOptions{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.New(input, stats.Classes, lda, features.Stages...)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		log.Fatal(err)
	}
	back, err := model.Read(bytes.NewReader(file.Bytes()), int64(file.Len()), "mine")
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
	// column length is missing and column height is not in the training data; name the columns as in the training data
}
