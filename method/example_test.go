package method_test

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
	"rao/method"
	"rao/model"
	"rao/spd"
	"rao/synth"
)

// A method has a name, options with tags, and a function that fits a model. Programs register it in an init function
// with method.Register.
func ExampleNew() {
	type options struct {
		Reg float64 `opt:"reg" default:"0.1" min:"0" max:"1" help:"share of the identity in the covariances"`
	}
	fit := func(_ context.Context, j *method.Job, o *options) error {
		stats, err := gaussian.Estimate(j.Data.X, j.Data.Labels, j.Data.Classes)
		if err != nil {
			return err
		}
		j.Model.Report.Status = rao.StatusClosed
		j.Model.Classifier, err = classify.FitQDA(stats, classify.QDAOptions{RegParam: o.Reg})
		return err
	}
	m := method.New("regularized", "QDA with regularized covariances", method.Traits{Rows: true}, fit)

	data := &dataset.Data{X: dataset.NewTable(4, 1, []float64{0, 1, 5, 6}), Labels: []int{0, 0, 1, 1},
		Classes: []string{"low", "high"}}
	ctx := context.Background()
	fitted, err := m.Fit(ctx, method.InMemory{Data: data}, method.Settings{{Name: "reg", Value: "0.2"}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	p, err := fitted.Predict(ctx, model.Vectors(mat.NewDense(2, 1, []float64{7, -1})))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fitted.Method, fitted.Classes[p.Label[0]], fitted.Classes[p.Label[1]])
	_, err = m.Fit(ctx, method.InMemory{Data: data}, method.Settings{{Name: "reg", Value: "2"}}, nil)
	fmt.Println(err)
	// Output:
	// regularized high low
	// reg 2: the value must be a number from 0 to 1
}

// A method of matrices that embeds OnManifold has the preprocessing options of all methods of matrices.
func ExampleOnMatrices() {
	type options struct{ method.OnManifold }
	learn := func(ctx context.Context, j *method.Job, x *spd.Stack, _ *options) (err error) {
		j.Model.Classifier, err = classify.FitMDM(ctx, x, j.Data.Labels, j.Data.Classes,
			classify.MDMOptions{Metric: spd.LogEuclid})
		return err
	}
	m := method.OnMatrices("nearest-mean", "nearest log-Euclidean mean", method.Copies{}, learn)

	x := spd.StackFrom(mat.NewDiagDense(2, []float64{1, 4}), mat.NewDiagDense(2, []float64{4, 1}))
	data := &dataset.Data{Stack: x, Labels: []int{0, 1}, Classes: []string{"left", "right"}}
	ctx := context.Background()
	fitted, err := m.Fit(ctx, method.InMemory{Data: data}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	p, err := fitted.Predict(ctx, model.Matrices(spd.StackFrom(mat.NewDiagDense(2, []float64{3, 1}))))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fitted.Classes[p.Label[0]])
	// Output: right
}

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
		folded = append(folded, result.Trials[0].Folds)
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
	// unknown pca option "filter"; did you mean filters or center?
}
