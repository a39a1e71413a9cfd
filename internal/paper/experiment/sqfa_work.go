package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/scoring"
	"rao/method"
	"rao/model"
	"rao/report"
)

// labeled contains a training set and a test set, with the statistics of the training set.
type labeled struct {
	train, test *dataset.Data
	stats       *gaussian.Statistics
	seconds     float64 // time to compute the statistics
}

func (l *labeled) estimate() error {
	start := time.Now()
	var err error
	l.stats, err = gaussian.Estimate(l.train.X, l.train.Labels, l.train.Classes)
	l.seconds = time.Since(start).Seconds()
	return err
}

// estimated computes the statistics of l, unless opening l failed.
func estimated(l *labeled, err error) (*labeled, error) {
	if err == nil {
		err = l.estimate()
	}
	return l, err
}

// parts reads NAME:train and NAME:test, without statistics. A short run keeps every k-th observation, where k is keep.
func (r *Run) parts(ctx context.Context, name string, keep int) (*labeled, error) {
	var l labeled
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
	return &l, nil
}

// open is parts with statistics.
func (r *Run) open(ctx context.Context, name string, keep int) (*labeled, error) {
	return estimated(r.parts(ctx, name, keep))
}

// both changes both parts. The result has no statistics.
func (l *labeled) both(change func(d *dataset.Data) (*dataset.Data, error)) (*labeled, error) {
	train, err := change(l.train)
	if err != nil {
		return nil, err
	}
	test, err := change(l.test)
	return &labeled{train: train, test: test}, err
}

// thin keeps the observations 0, k, 2k, ...
func thin(d *dataset.Data, k int) *dataset.Data {
	var index []int
	for i := 0; i < d.N(); i += k {
		index = append(index, i)
	}
	return d.Subset(index)
}

// setting is an [evaluate.Setting] of which a list needs no names of fields.
type setting evaluate.Setting

// learn fits a method and returns the model and the seconds of the fit.
func (r *Run) learn(ctx context.Context, l *labeled, name string, changes ...setting) (*model.Model, float64, error) {
	m, err := method.Lookup(name)
	if err != nil {
		return nil, 0, err
	}
	var set method.Settings
	if _, err := m.Option("seed"); err == nil {
		set = set.With("seed", strconv.FormatUint(r.Seed, 10))
	}
	for _, c := range changes {
		set = set.With(c.Name, c.Value)
	}
	return r.fitNamed(ctx, name, method.InMemory{Data: l.train, Stats: l.stats}, set)
}

// fitNamed fits the named method. It returns the model, which need not have converged, and the seconds of the fit.
func (r *Run) fitNamed(ctx context.Context, name string, src method.TrainingData, set method.Settings) (*model.Model,
	float64, error) {
	m, err := method.Lookup(name)
	if err != nil {
		return nil, 0, err
	}
	start := time.Now()
	mod, err := m.Fit(ctx, src, set, r.Progress)
	if err := canceledOr(ctx, converged(err)); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	return mod, time.Since(start).Seconds(), nil
}

// outcome contains the decisions of a method on test data, and the times of its fit and its decisions.
type outcome struct {
	label          string
	truth, decided []int
	right          int
	fit, decide    float64 // in seconds
	model          *model.Model
}

func (o *outcome) count() *outcome {
	o.right = 0
	for i, k := range o.truth {
		if o.decided[i] == k {
			o.right++
		}
	}
	return o
}

func (o *outcome) accuracy() float64 { return float64(o.right) / float64(len(o.truth)) }

// interval returns the 95 % interval of the accuracy (Wilson).
func (o *outcome) interval() evaluate.Interval {
	return scoring.Wilson(float64(o.right), float64(len(o.truth)), 0.95)
}

// mcnemar returns the p-value of McNemar's test of two outcomes on the same test set.
func (o *outcome) mcnemar(other *outcome) float64 {
	t, err := evaluate.McNemar(o.truth, o.decided, other.decided, false)
	if err != nil {
		panic("experiment: " + err.Error()) // impossible, because both decide for the same observations
	}
	return t.P
}

// barsOf returns the accuracies as bars. The first bar is highlighted.
func barsOf(outcomes []*outcome) []report.Bar {
	bars := make([]report.Bar, len(outcomes))
	for k, o := range outcomes {
		i := o.interval()
		bars[k] = report.Bar{Label: o.label, Value: o.accuracy(), Low: i.Low, High: i.High, Highlight: k == 0}
	}
	return bars
}

// fitted fits a method and classifies the test set with its quadratic classifier.
func (r *Run) fitted(ctx context.Context, l *labeled, label, name string, changes ...setting) (*outcome, error) {
	mod, seconds, err := r.learn(ctx, l, name, changes...)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	truth, p, err := method.PredictLabeled(ctx, mod, l.test)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	o := &outcome{label: label, truth: truth, decided: p.Label, fit: seconds, decide: time.Since(start).Seconds(),
		model: mod}
	return o.count(), ctx.Err()
}

// mcnemarAgainstFirst returns the p-values of McNemar's test of each outcome against the first one, adjusted by
// [holmAgainstFirst].
func mcnemarAgainstFirst(outcomes []*outcome) []float64 {
	var raw []float64
	for _, o := range outcomes[1:] {
		raw = append(raw, outcomes[0].mcnemar(o))
	}
	return holmAgainstFirst(raw)
}

// holmAgainstFirst applies Holm's correction to the p-values of tests against the first of several methods. It prepends
// NaN for the first method.
func holmAgainstFirst(raw []float64) []float64 {
	adjusted, err := evaluate.Holm(raw)
	if err != nil {
		panic("experiment: " + err.Error()) // impossible, because the values are from tests
	}
	return append([]float64{math.NaN()}, adjusted...)
}

// pValue formats a p-value. NaN becomes a dash.
func pValue(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < 1e-4:
		return "< 0.0001"
	}
	return fmt.Sprintf("%.2g", p)
}

// saysP formats a p-value for a sentence.
func saysP(p float64) string {
	if v := pValue(p); strings.HasPrefix(v, "<") {
		return "p " + v
	}
	return "p = " + pValue(p)
}

func percents(i evaluate.Interval) string { return fmt.Sprintf("%.2f to %.2f", 100*i.Low, 100*i.High) }

// comparison contains outcomes on one test set, which are shown as a table and as bars.
type comparison []*outcome

// compare writes outcomes as a table and draws them. The other outcomes are tested against the first one.
func (r *Run) compare(name, caption string, outcomes []*outcome, axis report.Axis) comparison {
	p := mcnemarAgainstFirst(outcomes)
	t := r.Table(name, caption, "method", "accuracy, %", "95 % interval",
		"p against "+outcomes[0].label, "fit, s")
	for i, o := range outcomes {
		t.Add(o.label, 100*o.accuracy(), percents(o.interval()), pValue(p[i]), Seconds(o.fit))
	}
	r.bars(name, caption, barsOf(outcomes), axis)
	return outcomes
}

// find returns the index of the outcome with this label, or -1 if there is none.
func (c comparison) find(label string) int {
	return slices.IndexFunc(c, func(o *outcome) bool { return o.label == label })
}

// percent returns the accuracy of the outcome with this label, in percent.
func (c comparison) percent(label string) float64 { return 100 * c[c.find(label)].accuracy() }

// above reports whether the accuracy of the first label is higher, with p < 0.05 in McNemar's test of the pair.
func (c comparison) above(first, second string) bool {
	a, b := c[c.find(first)], c[c.find(second)]
	return a.right > b.right && a.mcnemar(b) < 0.05
}

// ownAboveOthers reports whether the two methods of the paper are both above all others except AMA-Gauss.
func (c comparison) ownAboveOthers() bool {
	holds := true
	for _, first := range []string{"SQFA", "smSQFA"} {
		for _, second := range []string{"BDM", "LMNN", "LDA", "PCA", "ICA", "FA"} {
			holds = holds && c.above(first, second)
		}
	}
	return holds
}

// plane is a labeled set with the space in which filters are learned: the shift and scale of the values, and the
// training statistics after the shift and scaling. The rows of the set are unchanged.
type plane struct {
	*labeled
	stats *gaussian.Statistics
	shift []float64
	scale float64
}

// scaled centers the values and divides them by the standard deviation of all training values, as the methods do by
// default.
func (l *labeled) scaled() (*plane, error) {
	s := classstats.GlobalScale(l.stats)
	if !(s > 0) {
		return nil, errors.New("the training data do not vary")
	}
	mean, _, _, _ := l.stats.Pooled(nil)
	return &plane{labeled: l, stats: l.stats.Affine(mean, []float64{1 / s}), shift: mean, scale: 1 / s}, nil
}

// asIs returns a plane with the values of the data set, neither shifted nor scaled.
func (l *labeled) asIs() *plane {
	return &plane{labeled: l, stats: l.stats, shift: make([]float64, l.stats.Dim), scale: 1}
}

// features returns the outputs of filters for the rows of x.
func (p *plane) features(filters *mat.Dense, x mat.Matrix) *mat.Dense {
	var z mat.Dense
	z.Mul(x, filters)
	n, m := z.Dims()
	var at mat.VecDense
	at.MulVec(filters.T(), mat.NewVecDense(len(p.shift), p.shift))
	for i := range n {
		for j := range m {
			z.Set(i, j, p.scale*(z.At(i, j)-at.AtVec(j)))
		}
	}
	return &z
}

// decide classifies the test set with a quadratic classifier on the outputs of the filters. If a class has no variance
// in some direction, it adds the noise with which the filters were learned, as the methods do.
func (p *plane) decide(label string, filters *mat.Dense, noise, seconds float64) (*outcome, error) {
	s := p.stats.Project(filters)
	q, err := classify.FitQDA(s, classify.QDAOptions{})
	if err != nil {
		q, err = classify.FitQDA(noisy(s, noise), classify.QDAOptions{})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	return decideBy(q, label, p.features(filters, p.test.X), p.test.Labels, seconds), nil
}

// noisy returns the statistics with noise in every direction.
func noisy(s *gaussian.Statistics, noise float64) *gaussian.Statistics {
	out := s.Clone()
	out.AddNoise(noise)
	return out
}

func decideBy(q *classify.QDA, label string, z *mat.Dense, truth []int, seconds float64) *outcome {
	var post mat.Dense
	if err := q.LogPosterior(context.Background(), &post, z); err != nil {
		panic(err) // impossible, because the context is never canceled
	}
	o := &outcome{label: label, truth: truth, decided: evaluate.MostProbable(&post), fit: seconds}
	return o.count()
}

// filterFigure draws the filters of each model whose filters are images.
func (r *Run) filterFigure(title string, outcomes []*outcome) {
	var images []*report.Figure
	for _, o := range outcomes {
		f := report.Filters("Filters of "+o.label, o.model.Filters(), o.model.Input.Image)
		if f != nil {
			images = append(images, f)
		}
	}
	r.Figure("filters", report.Panels(title, 2, images...))
}
