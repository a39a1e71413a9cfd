package experiment

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/method"
	"rao/model"
	"rao/report"
)

// labelled is a training and a test set with the statistics of the first.
type labelled struct {
	train, test *dataset.Data
	stats       *gaussian.Statistics
	seconds     float64 // of the statistics
}

// open reads NAME:train and NAME:test. A short run keeps every k-th observation.
func (r *Run) open(ctx context.Context, name string, keep int) (*labelled, error) {
	var l labelled
	var err error
	if l.train, err = r.Data(ctx, name+":train"); err != nil {
		return nil, err
	}
	if l.test, err = r.Data(ctx, name+":test"); err != nil {
		return nil, err
	}
	if r.Short && keep > 1 {
		l.train, l.test = thin(l.train, keep), thin(l.test, keep)
	}
	return &l, l.estimate()
}

func (l *labelled) estimate() error {
	start := time.Now()
	var err error
	l.stats, err = gaussian.Estimate(l.train.X, l.train.Labels, l.train.Classes)
	l.seconds = time.Since(start).Seconds()
	return err
}

// thin keeps every k-th observation.
func thin(d *dataset.Data, k int) *dataset.Data {
	var index []int
	for i := 0; i < d.N(); i += k {
		index = append(index, i)
	}
	return d.Subset(index)
}

// setting changes one option.
type setting struct{ name, value string }

// settings returns the defaults with changes on top.
func (r *Run) settings(changes ...setting) method.Settings {
	s := method.Settings{{Name: "seed", Value: strconv.FormatUint(r.Seed, 10)}}
	for _, c := range changes {
		s.Set(c.name, c.value)
	}
	return s
}

// fitted is a model with what it cost and scored.
type fitted struct {
	model         *model.Model
	accuracy, knn float64
	seconds       float64
}

// learn fits a method with those of the changes that it has an option for; it returns the
// seconds too that it took.
func (r *Run) learn(ctx context.Context, l *labelled, name string, changes ...setting) (*model.Model, float64, error) {
	m, err := method.Lookup(name)
	if err != nil {
		return nil, 0, err
	}
	set := m.Only(r.settings(changes...))
	start := time.Now()
	mod, err := m.Fit(ctx, method.Source{Data: l.train, Stats: l.stats}, set, r.Progress)
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	if err != nil && !rao.IsNotConverged(err) {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	return mod, time.Since(start).Seconds(), nil
}

// fit fits a method and scores it with its classifier, and with nearest neighbours on
// the same features.
func (r *Run) fit(ctx context.Context, l *labelled, name string, changes ...setting) (*fitted, error) {
	mod, seconds, err := r.learn(ctx, l, name, changes...)
	if err != nil {
		return nil, err
	}
	f := &fitted{model: mod, seconds: seconds}
	s, err := method.Score(ctx, mod, l.test)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.accuracy = s.Accuracy
	if !mod.HasFeatures() || ctx.Err() != nil {
		return f, ctx.Err()
	}
	knn, err := method.OnFeatures(ctx, mod, l.train, 5)
	if err != nil {
		return nil, err
	}
	if s, err = method.Score(ctx, knn, l.test); err != nil {
		return nil, err
	}
	f.knn = s.Accuracy
	return f, nil
}

// contender is a method with its settings and, where the paper or the public Python
// package gives one, a number to set beside ours.
type contender struct {
	label, method, mark string
	changes             []setting
}

// imageContenders are the methods of figure 4; the marks are QDA accuracies on MNIST.
func imageContenders(mnist bool) []contender {
	mark := func(s string) string {
		if mnist {
			return s
		}
		return ""
	}
	noise, bound := setting{"noise", "10"}, setting{"noise", "1"}
	if !mnist { // a twelfth of the dimensions: as much noise would make filters coincide
		noise, bound = setting{"noise", "0.1"}, setting{"noise", "0.1"}
	}
	return []contender{
		{"SQFA", "sqfa", mark("91.3 (Python package)"), []setting{noise}},
		{"SQFA, noise chosen", "sqfa", "", []setting{{"noise", "auto"}}},
		{"SQFA, Bayes bound", "sqfa", "", []setting{bound, {"aggregate", "bayes"}}},
		{"SQFA, refined on rows", "sqfa", "", []setting{bound, {"aggregate", "bayes"}, {"refine", "true"}}},
		{"smSQFA", "smsqfa", mark("90.1 (Python package)"), []setting{noise}},
		{"BDM", "bdm", "", []setting{noise}},
		{"LDA", "lda", "", nil},
		{"PCA", "pca", mark("87.75 (Python package)"), nil},
		{"ICA", "ica", "", nil},
		{"Factor analysis", "fa", "", nil},
		{"LMNN", "lmnn", "", nil},
		{"WDA", "wda", "", nil},
		{"AMA-Gauss", "ama", "", nil},
		{"LFDA", "lfda", "", nil},
		{"Supervised PCA", "spca", "", nil},
		{"GEM", "gem", "", nil},
	}
}

// imageMethods compares all methods on an image set.
func imageMethods(name string, keep int) func(context.Context, *Run) error {
	return func(ctx context.Context, r *Run) error {
		l, err := r.open(ctx, name, keep)
		if err != nil {
			return err
		}
		t := r.Table("accuracy", "Test accuracy in per cent with nine filters: quadratic classifier, and nearest neighbours on the same features",
			"method", "QDA", "5-NN", "fit, s", "QDA elsewhere")
		var bars []report.Bar
		for _, c := range imageContenders(name == "mnist") {
			f, err := r.fit(ctx, l, c.method, append([]setting{{"filters", "9"}}, c.changes...)...)
			if err != nil {
				return err
			}
			t.Add(c.label, 100*f.accuracy, 100*f.knn, Seconds(f.seconds), Printed(c.mark))
			bars = append(bars, report.Bar{Label: c.label, Value: f.accuracy, Low: f.accuracy, High: f.accuracy, Highlight: c.method == "sqfa"})
			if fig := imageFilters(f, c.label); fig != nil && (c.method == "sqfa" || c.method == "smsqfa") {
				r.Figure(fmt.Sprintf("filters-%d", len(bars)), fig)
			}
		}
		r.Figure("accuracy", report.Bars("QDA accuracy on the test set", bars, report.BarsOptions{Axis: report.Axis{Label: "accuracy", Percent: true, Min: 0.5, Max: 1}}))
		r.Remark("Paper's ordering on MNIST: SQFA, BDM and LMNN alike, above smSQFA, above LDA. Factor analysis and ICA do not use the labels.")
		return nil
	}
}

func imageFilters(f *fitted, name string) *report.Figure {
	return report.FilterImages("Filters of "+name, f.model.Filters(), f.model.Input.Image)
}
