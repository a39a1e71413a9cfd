package bench

import (
	"context"

	"rao/dataset"
	"rao/internal/subclasses"
	"rao/method"
)

// ofSubclasses returns the cases on MNIST with classes that are mixtures, if the set is available: a fit from
// statistics alone, and a fit that continues on the rows. The cases take minutes.
func ofSubclasses(ctx context.Context) []*spec {
	of := func(name string, prepare func(d *dataset.Data) (ours, gonum func(), err error)) *spec {
		return &spec{name: name, threads: 2, long: true, prepare: func() (ours, gonum func(), err error) {
			d, err := digits(ctx)
			if err != nil {
				return nil, nil, err
			}
			return prepare(d)
		}}
	}
	return []*spec{
		of("SQFA from sub-class statistics of MNIST, 9 filters, 16 sub-classes, 2 threads",
			func(d *dataset.Data) (ours, gonum func(), err error) {
				s, err := subclasses.Estimate(ctx, subclasses.RowsOf(d.X.Matrix(), d.Labels, d.Classes),
					subclasses.Options{Most: 16})
				if err != nil {
					return nil, nil, err
				}
				return sqfaOn(ctx, method.Subclasses{Subclasses: s}, "filters", "9", "classifier", "mixture")
			}),
		of("refinement with its first fit on MNIST, 9 filters, 4 sub-classes, 2 threads",
			func(d *dataset.Data) (ours, gonum func(), err error) {
				return sqfaOn(ctx, method.InMemory{Data: d}, "filters", "9", "classifier", "mixture", "subclasses", "4",
					"refine", "true")
			}),
	}
}

func digits(ctx context.Context) (*dataset.Data, error) {
	return dataset.Open(ctx, "mnist:train", dataset.OpenOptions{RequireLabels: true})
}

// sqfaOn returns a fit with the given settings, names and values in turn.
func sqfaOn(ctx context.Context, src method.TrainingData, settings ...string) (ours, gonum func(), err error) {
	sqfa, err := method.Lookup("sqfa")
	if err != nil {
		return nil, nil, err
	}
	var set method.Settings
	for i := 0; i < len(settings); i += 2 {
		set = set.With(settings[i], settings[i+1])
	}
	return func() {
		_, err := sqfa.Fit(ctx, src, set, nil)
		must(err)
	}, nil, nil
}
