package method

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/learners"
	"rao/internal/rows"
	"rao/internal/subclasses"
	"rao/internal/trainingdata"
	"rao/model"
)

type filters struct {
	Filters autoCount `opt:"filters" default:"auto" min:"1" max:"100000" help:"number of filters; auto uses the number of classes minus one, but at least 2"`
}

// seedOption is the seed option. Embed it in the options of a method that makes random choices.
type seedOption struct {
	Seed uint64 `opt:"seed" default:"1" help:"seed of the random numbers"`
}

// vectors is a fit to vectors in progress. Only what the method needs is computed: methods that learn from rows have
// no statistics.
type vectors struct {
	*Job
	traits  Traits
	raw     *classcolumns.Marginals // statistics of the columns before preprocessing
	train   classStatistics         // statistics after preprocessing; nil if the method learns from rows only
	span    *learners.Span          // span of the preprocessed rows; if not nil, train and x are in its coordinates
	rows    *mat.Dense              // preprocessed rows; see x
	scale   string                  // the value of the option scale that was chosen
	options any                     // the options of the method
	noise   float64                 // noise with which the filters were learned; 0: none, or not known
	sub     *components             // statistics of sub-classes after preprocessing, if the method learns from them
}

// components are sub-classes and what was learned from them.
type components struct {
	*subclasses.Statistics
	inner *feature.Model       // filters in the coordinates of the sub-classes
	parts *gaussian.Statistics // statistics of the features of the sub-classes
	mixed *classify.Mixture    // refined together with the filters; nil if it is to be fitted to parts
}

// onVectors returns a method of vectors. If O embeds scaling, vectors are preprocessed before learn is called; if it
// embeds classifying, a classifier is fitted afterwards.
func onVectors[O any](name, summary string, traits Traits,
	learn func(ctx context.Context, v *vectors, o *O) error) *Method {
	return newMethod(name, summary, traits, func(ctx context.Context, j *Job, o *O) error {
		return learnVectors(ctx, &vectors{Job: j, traits: traits, options: o}, o, learn)
	})
}

// learnVectors prepares the data, calls learn, and fits the classifier, if any.
func learnVectors[O any](ctx context.Context, v *vectors, o *O,
	learn func(ctx context.Context, v *vectors, o *O) error) error {
	if err := v.Source.prepare(ctx, v, scalingOf(o)); err != nil {
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

// preprocess fits the preprocessing and applies it to the statistics t. It sets the model's classes, input and
// training.
func (v *vectors) preprocess(ctx context.Context, t classStatistics, scaling *scaling) error {
	v.train = t
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := v.raw.ValidateFor(2); err != nil {
		return err
	}
	v.Model.Classes = v.raw.Classes
	v.noteWeights()
	v.Model.Input.Kind, v.Model.Input.Dim = model.KindVectors, v.raw.Dim
	p, err := v.fitScaling(v.raw, scaling)
	if err != nil {
		return err
	}
	scaled := v.raw
	if p != nil {
		v.Model.Stages = append(v.Model.Stages, p)
		scale := p.Scale
		if scale == nil {
			scale = []float64{1}
		}
		scaled = v.raw.Affine(p.Shift, scale)
		if v.train != nil {
			v.train = v.train.scaled(p.Shift, scale)
		}
	}
	v.Model.Training = trainingdata.OfVectors(v.raw, scaled)
	if d := v.Data; d != nil {
		v.Model.Training.Range.SetVaried(d.X.Matrix())
	}
	if v.traits.wide(v.Data) {
		return v.intoSpan()
	}
	return nil
}

// x returns the preprocessed rows, or their coordinates in the span. They are computed once.
func (v *vectors) x() *mat.Dense {
	if v.rows == nil {
		if x := v.Data.X; rows.New(x).Single() {
			v.rows = x.Dense()
		} else {
			v.rows = mat.DenseCopyOf(x.Matrix())
		}
		model.StageOf[*model.Scaling](v.Model).InPlace(v.rows)
	}
	return v.rows
}

// dim returns the dimension in which the method learns.
func (v *vectors) dim() int {
	if v.span != nil {
		_, r := v.span.Dims()
		return r
	}
	return v.raw.Dim
}

func (v *vectors) labels() []int     { return v.Data.Labels }
func (v *vectors) classes() []string { return v.raw.Classes }

// filters returns how many filters to learn.
func (v *vectors) filters(o filters) int {
	if o.Filters > 0 {
		return int(o.Filters)
	}
	return min(max(2, v.raw.NumClasses()-1), v.dim())
}

// discriminants returns how many filters to learn with a method that finds at most one fewer than there are classes.
func (v *vectors) discriminants(o filters) int {
	if o.Filters > 0 {
		return int(o.Filters)
	}
	return min(v.filters(o), v.raw.NumClasses()-1)
}
