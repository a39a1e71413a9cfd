package rao_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/gaussian"
	_ "rao/sets" // the embedded digits
	"rao/sqfa"
)

// This example learns filters from a table, fits a classifier to the features, and scores it on other data.
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
	if err := qda.LogPosterior(ctx, &logp, &z); err != nil {
		log.Fatal(err)
	}
	scores, err := evaluate.Score(test.Labels, &logp)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("accuracy %.3f, kappa %.3f\n", scores.Accuracy, scores.Kappa)
	// Output: accuracy 0.965, kappa 0.961
}

// A program can write the options in an error in its own syntax. The tool writes them as flags, and this example as
// fields of a form.
func ExampleSpell() {
	err := rao.Optionf("missing", "row 7 has no value; fill it in with {missing=median}")
	fmt.Println(err)
	fmt.Println(rao.Spell(err, func(option, value string) string {
		return fmt.Sprintf("the field %q set to %q", option, value)
	}))
	// Output:
	// row 7 has no value; fill it in with missing=median
	// row 7 has no value; fill it in with the field "missing" set to "median"
}

// A service that answers many small requests at once runs each request on one goroutine.
func ExampleSetParallelism() {
	before := rao.SetParallelism(1)
	defer rao.SetParallelism(before)
	fmt.Println(rao.Parallelism())
	// Output: 1
}

// Calls within the function run on one goroutine. Calls on other goroutines may still use several.
func ExampleWithParallelism() {
	rao.WithParallelism(1, func() {
		fmt.Println(rao.Parallelism())
	})
	// Output: 1
}
