package rao_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/gaussian"
	_ "rao/sets" // the embedded digits
	"rao/sqfa"
)

// From a table to filters, a classifier on them, and its accuracy on other data.
func Example() {
	ctx := context.Background()
	labeled := dataset.OpenOptions{RequireLabels: true}
	train, err := dataset.Open(ctx, "digits:train", labeled)
	if err != nil {
		log.Fatal(err)
	}
	test, err := dataset.Open(ctx, "digits:test", labeled)
	if err != nil {
		log.Fatal(err)
	}

	stats, err := gaussian.Estimate(train.X, train.Labels, train.Classes)
	if err != nil {
		log.Fatal(err)
	}
	filters, err := sqfa.Fit(ctx, stats, sqfa.Options{Filters: 9, Noise: 3})
	if err != nil {
		log.Fatal(err)
	}
	qda, err := classify.FitQDA(filters.Statistics(stats), classify.QDAOptions{})
	if err != nil {
		log.Fatal(err)
	}

	var z, logp mat.Dense
	filters.Transform(&z, test.X) // one row of nine features an image
	qda.LogPosterior(&logp, &z)
	scores, err := evaluate.Score(test.Labels, &logp)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("accuracy %.3f, kappa %.3f\n", scores.Accuracy, scores.Kappa)
	// Output: accuracy 0.965, kappa 0.961
}
