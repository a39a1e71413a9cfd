package method

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rao"
	"rao/gaussian"
	"rao/internal/linalg/vec"
	"rao/internal/statsarrays"
	"rao/model"
)

// classWeighting is the class weight option of methods that learn from statistics.
type classWeighting struct {
	ClassWeight classWeights `opt:"class-weight" default:"none" help:"weight of each class; balanced gives all classes the same weight"`
}

func (o *classWeighting) classWeights() classWeights { return o.ClassWeight }

type classWeights struct {
	balanced bool
	of       map[string]float64 // positive weights by class name; other classes have 1. nil: all have 1
}

// Syntax returns the placeholder for a value in help texts.
func (classWeights) Syntax() string { return "none|balanced|CLASS=NUMBER,..." }

// UnmarshalText implements encoding.TextUnmarshaler.
func (w *classWeights) UnmarshalText(text []byte) error {
	*w = classWeights{balanced: string(text) == "balanced"}
	if w.balanced || string(text) == "none" {
		return nil
	}
	w.of = map[string]float64{}
	for _, item := range strings.Split(string(text), ",") {
		i := strings.LastIndex(item, "=")
		if i < 0 {
			return fmt.Errorf("%q is not a class weight; give none, balanced, or CLASS=NUMBER", item)
		}
		v, err := strconv.ParseFloat(item[i+1:], 64)
		if err != nil || !vec.Positive(v) {
			return fmt.Errorf("the class weight %q is not a positive number; give CLASS=NUMBER with a number above 0",
				item[i+1:])
		}
		w.of[item[:i]] = v
	}
	return nil
}

func (w classWeights) none() bool { return !w.balanced && w.of == nil }

// weighable returns an error if the rows have weights and the method cannot use them.
func (s InMemory) weighable(m *Method) error {
	if s.Data.Weights == nil {
		return nil
	}
	if len(s.Data.Weights) != s.Data.N() {
		return fmt.Errorf("%s: the number of weights is %d, but the number of observations is %d; every observation "+
			"needs one weight",
			s.Data.Source, len(s.Data.Weights), s.Data.N())
	}
	return m.Weighs()
}

// Weighs returns an error unless the method supports row weights. Methods that learn from means and covariances do.
func (m *Method) Weighs() error {
	if m.Matrices || m.Rows {
		return rao.Optionf("weight-column", "%s learns from the observations themselves and does not support weights; "+
			"leave out {weight-column}, or choose a method that learns from means and covariances, such as lda-raw",
			m.Name)
	}
	return nil
}

// withWeights returns the source with missing values filled in and with the weights of rows and classes applied. It
// also returns the values that were filled in.
func (s Spec) withWeights(ctx context.Context, src TrainingData, options any) (TrainingData, []float64, error) {
	var classes classWeights
	if o, ok := options.(interface{ classWeights() classWeights }); ok {
		classes = o.classWeights()
	}
	src, fill, err := src.ready(ctx, s.Method)
	if in, held := src.(InMemory); err == nil && (held && in.Data.Weights != nil || !classes.none()) {
		src, err = src.weigh(classes, wantsMoments(options))
	}
	return src, fill, err
}

func (s InMemory) weigh(classes classWeights, moments bool) (TrainingData, error) {
	stats, err := s.weightedStatistics(moments)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Data.Source, err)
	}
	stats.Weights, err = classes.apply(stats.Classes, stats.Counts, stats.Weights)
	return Statistics{Stats: stats, Spare: true, of: s.Data}, err
}

// weightedStatistics returns the statistics of the rows, weighted if rows have weights.
func (s InMemory) weightedStatistics(moments bool) (*gaussian.Statistics, error) {
	d := s.Data
	switch {
	case d.Weights == nil && moments:
		return gaussian.EstimateMoments(d.X, d.Labels, d.Classes)
	case d.Weights == nil:
		return gaussian.Estimate(d.X, d.Labels, d.Classes)
	case moments:
		return nil, rao.Optionf("shrinkage", "{shrinkage=ledoit_wolf} needs fourth moments, which statistics with "+
			"weights do not contain; use {shrinkage=oas}")
	}
	_, cols := d.X.Dims()
	if err := statsarrays.CheckSize(cols, len(d.Classes)); err != nil {
		return nil, err
	}
	a := gaussian.NewAccumulator(cols, len(d.Classes))
	if err := a.AddWeighted(d.X, d.Labels, d.Weights); err != nil {
		return nil, err
	}
	stats, err := a.Finish(d.Classes)
	if err != nil {
		return nil, err
	}
	return stats, stats.Validate()
}

func (s Statistics) weigh(classes classWeights, _ bool) (_ TrainingData, err error) {
	stats := *s.Stats
	stats.Weights, err = classes.apply(stats.Classes, stats.Counts, stats.Weights)
	return Statistics{Stats: &stats, Spare: s.Spare}, err
}

func (s Stored) weigh(classes classWeights, _ bool) (_ TrainingData, err error) {
	stored := *s.Source
	stored.Weights, err = classes.apply(stored.Classes, stored.Counts, stored.Weights)
	return Stored{&stored}, err
}

func (s OnDisk) weigh(classes classWeights, moments bool) (_ TrainingData, err error) {
	s.summary, err = s.summary.weigh(classes, moments)
	return s, err
}

func (s Subclasses) weigh(classWeights, bool) (TrainingData, error) {
	return nil, rao.Optionf("class-weight", "{class-weight} works only with statistics of classes, not of "+
		"sub-classes; leave it out")
}

// apply returns the weights of the classes, given their counts or their weights so far. The sum of the weights does
// not change.
func (w classWeights) apply(classes []string, counts []int, weights []float64) ([]float64, error) {
	if w.none() {
		return weights, nil
	}
	for _, name := range slices.Sorted(maps.Keys(w.of)) {
		if !slices.Contains(classes, name) {
			return nil, rao.Optionf("class-weight", "{class-weight}: %w", &rao.UnknownError{Kind: "class", Name: name,
				Known: classes})
		}
	}
	out := make([]float64, len(counts))
	before, after := 0.0, 0.0
	for i, n := range counts {
		own := float64(n)
		if weights != nil {
			own = weights[i]
		}
		before += own
		switch v, ok := w.of[classes[i]]; {
		case w.balanced:
			out[i] = 1
		case ok:
			out[i] = v * own
		default:
			out[i] = own
		}
		after += out[i]
	}
	for i := range out {
		out[i] *= before / after
	}
	return out, nil
}

// typical returns the value that replaces a missing value, for each column.
func (s InMemory) typical(ctx context.Context) ([]float64, error) {
	return s.Data.X.Typical(ctx, s.Data.Missing, s.Data.Weights, model.BatchOf(s.Data).Columns)
}

// noteWeights adds a note on the class weights, if there are weights and at most ten classes.
func (v *vectors) noteWeights() {
	if v.raw.Weights == nil || len(v.raw.Weights) > 10 {
		return
	}
	weights := make([]string, len(v.raw.Weights))
	for i, w := range v.raw.Weights {
		weights[i] = fmt.Sprintf("%s %.6g", v.raw.Classes[i], w)
	}
	v.Model.Notes = append(v.Model.Notes, "the fit used weights: "+strings.Join(weights, ", "))
}
