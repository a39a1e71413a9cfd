package method_test

import (
	"context"
	"fmt"
	"log"

	"rao/evaluate"
	"rao/method"
	"rao/synth"
)

// This example fits a method by name, with options named like the flags of the tool.
func ExampleMethod_Fit() {
	data, err := synth.Generate("toy1-shifted", synth.GenerateOptions{PerClass: 200, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	m, err := method.Lookup("sqfa")
	if err != nil {
		log.Fatal(err)
	}
	set := method.Settings{{Name: "filters", Value: "2"}, {Name: "noise", Value: "0.01"}}
	fitted, err := m.Fit(context.Background(), method.InMemory{Data: data}, set, nil)
	if err != nil {
		log.Fatal(err)
	}
	scores, err := method.Score(context.Background(), fitted, data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: better than chance: %v\n", fitted.Method, scores.Accuracy > 1.0/float64(len(data.Classes)))
	// Output: sqfa: better than chance: true
}

// This example cross-validates two methods on the same folds and tests whether their accuracies differ.
func ExampleMethod_Tune() {
	ctx := context.Background()
	data, err := synth.Generate("toy1-shifted", synth.GenerateOptions{PerClass: 60, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	folds, err := evaluate.StratifiedKFold(data.Labels, 5, 1)
	if err != nil {
		log.Fatal(err)
	}
	var folded [][]*evaluate.Scores // the scores of each method in each fold
	for _, name := range []string{"lda", "pca"} {
		m, err := method.Lookup(name)
		if err != nil {
			log.Fatal(err)
		}
		result, err := m.Tune(ctx, data, nil, nil, folds, evaluate.SearchOptions{})
		if err != nil {
			log.Fatal(err)
		}
		folded = append(folded, result.Trials[0].Result.Folds)
	}
	var differences []float64
	for i, s := range folded[0] {
		differences = append(differences, s.Accuracy-folded[1][i].Accuracy)
	}
	test, err := evaluate.CorrectedResampledT(differences, len(folds[0].Train), len(folds[0].Test))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d folds, significant at 5 %%: %v\n", test.N, test.P < 0.05)
	// Output: 5 folds, significant at 5 %: true
}

// This example lists options of a method with their defaults.
func ExampleLookup() {
	m, err := method.Lookup("pca")
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range m.Options[:3] {
		fmt.Printf("--%s (%s, default %s)\n", o.Name, o.Type, o.Default)
	}
	// Output:
	// --filters (count|auto, default auto)
	// --scale (choice, default auto)
	// --center (switch, default true)
}

// A method with its options is one text, in programs as on the command line.
func ExampleParseSpec() {
	data, err := synth.Generate("toy1-shifted", synth.GenerateOptions{PerClass: 50, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	spec, err := method.ParseSpec("pca:filters=2:classifier=lda")
	if err != nil {
		log.Fatal(err)
	}
	m, err := spec.Fit(context.Background(), method.InMemory{Data: data}, nil)
	if err != nil {
		log.Fatal(err)
	}
	rows, filters := m.Filters().Dims()
	fmt.Println(spec, "learned", filters, "filters of", rows, "values")
	_, err = method.ParseSpec("pca:filter=2")
	fmt.Println(err)
	// Output:
	// pca:filters=2:classifier=lda learned 2 filters of 6 values
	// pca: unknown pca option "filter"; did you mean filters or center?
}
