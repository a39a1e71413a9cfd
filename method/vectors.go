package method

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/learners"
	"rao/model"
)

// filters is the option of the number of filters.
type filters struct {
	Filters AutoCount `opt:"filters" default:"auto" min:"1" max:"100000" help:"number of filters; auto uses the number of classes minus one, but at least 2"`
}

// Seeded holds the seed of all random choices.
type Seeded struct {
	Seed seedOption `opt:"seed" default:"1" help:"seed of the random numbers"`
}

// vectors is a fit on vectors on its way. What a method does not need is not made: those
// of rows have no statistics.
type vectors struct {
	*job
	traits  Traits
	raw     *gaussian.Marginals // as the data are
	train   training            // preprocessed; of one class where that is enough; nil where it is the rows alone
	span    *learners.Span      // of the preprocessed rows: train and x are of coordinates in it; nil for none
	rows    *mat.Dense          // preprocessed; see x
	options any                 // of the method
	sub     *components         // preprocessed, where the method learns from sub-classes
}

// components are sub-classes and what was learned from them.
type components struct {
	*gaussian.Subclasses
	inner *feature.Model       // filters of their coordinates
	parts *gaussian.Statistics // of their features
	mixed *classify.Mixture    // learned with the filters; nil where it is made of parts
}

// onVectors returns a method of vectors: preprocessing by its Scaling before learn, a
// classifier by its Classifying after it, where the options O embed them.
func onVectors[O any](name, summary string, traits Traits,
	learn func(ctx context.Context, v *vectors, o *O) error) *Method {
	return newMethod(name, summary, traits, func(ctx context.Context, j *job, o *O) error {
		return learnVectors(ctx, &vectors{job: j, traits: traits, options: o}, o, learn)
	})
}

// learnVectors prepares the data, learns, and fits the classifier behind.
func learnVectors[O any](ctx context.Context, v *vectors, o *O,
	learn func(ctx context.Context, v *vectors, o *O) error) error {
	if err := v.src.prepare(ctx, v, scalingOf(o)); err != nil {
		return err
	}
	if err := v.fitsInSpan(filtersOf(o)); err != nil {
		return err
	}
	if err := v.note(learn(ctx, v, o)); err != nil {
		return err
	}
	if c := classifierOf(o); c != nil {
		return v.classifyFeatures(ctx, c)
	}
	return nil
}

// preprocess fits the preprocessing, keeps the statistics with it, and fills in what every model of vectors has.
func (v *vectors) preprocess(ctx context.Context, t training, scaling *scaling) error {
	v.train = t
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := v.raw.ValidateFor(2); err != nil {
		return err
	}
	v.model.Classes = v.raw.Classes
	v.noteWeights()
	v.model.Input.Kind, v.model.Input.Dim = model.KindVectors, v.raw.Dim
	p, err := v.fitScaling(v.raw, scaling)
	if err != nil {
		return err
	}
	scaled := v.raw
	if p != nil {
		v.model.Stages = append(v.model.Stages, p)
		scale := p.Scale
		if scale == nil {
			scale = []float64{1}
		}
		scaled = v.raw.Affine(p.Shift, scale)
		if v.train != nil {
			v.train = v.train.affine(p.Shift, scale)
		}
	}
	v.model.Training = model.TrainingOnVectors(v.raw, scaled)
	if v.traits.wide(v.Data()) {
		return v.intoSpan()
	}
	return nil
}

// stats returns the statistics that are in memory, nil where there are none.
func (v *vectors) stats() *gaussian.Statistics {
	if v.train == nil {
		return nil
	}
	return v.train.held()
}

// x returns the preprocessed rows, or their coordinates in the span, made once.
func (v *vectors) x() *mat.Dense {
	if v.rows == nil {
		if x := v.Data().X; x.Single() {
			v.rows = x.Dense()
		} else {
			v.rows = mat.DenseCopyOf(x.Matrix())
		}
		model.StageOf[*model.Scaling](v.model).InPlace(v.rows)
	}
	return v.rows
}

// dim returns the dimension that the method learns in.
func (v *vectors) dim() int {
	if v.span != nil {
		_, r := v.span.Dims()
		return r
	}
	return v.raw.Dim
}

func (v *vectors) labels() []int     { return v.Data().Labels }
func (v *vectors) classes() []string { return v.raw.Classes }

// filters returns how many filters to learn.
func (v *vectors) filters(o filters) int {
	if o.Filters > 0 {
		return int(o.Filters)
	}
	return min(max(2, v.raw.NumClasses()-1), v.dim())
}

// discriminants returns how many filters a method takes that has at most one less
// than classes: the number of the options, or as many as there are.
func (v *vectors) discriminants(o filters) int {
	if o.Filters > 0 {
		return int(o.Filters)
	}
	return min(v.filters(o), v.raw.NumClasses()-1)
}
