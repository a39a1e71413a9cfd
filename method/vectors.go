package method

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/feature"
	"rao/gaussian"
	"rao/model"
)

// Filters is the option of the number of filters.
type Filters struct {
	Filters AutoCount `opt:"filters" default:"auto" min:"1" max:"100000" help:"number of filters; auto takes one less than classes, at least 2"`
}

// Seeded is the option of everything random.
type Seeded struct {
	Seed seedOption `opt:"seed" default:"1" help:"seed of everything random"`
}

// vectors is a fit on vectors on its way. What a method does not need is not made: those
// of rows have no statistics.
type vectors struct {
	*job
	traits  Traits
	raw     *gaussian.Marginals // as the data are
	train   training            // preprocessed; of one class where that is enough; nil where it is the rows alone
	span    *feature.Span       // of the preprocessed rows: train and x are of coordinates in it; nil for none
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
	if err := v.prepare(ctx, group[Scaling](o)); err != nil {
		return err
	}
	if err := v.fitsInSpan(group[Filters](o)); err != nil {
		return err
	}
	if err := v.note(learn(ctx, v, o)); err != nil {
		return err
	}
	if c := group[Classifying](o); c != nil {
		return v.classifyFeatures(ctx, c)
	}
	return nil
}

// prepare computes what the method needs of the data, and the preprocessing, and fills
// in what every model of vectors has.
func (v *vectors) prepare(ctx context.Context, scaling *Scaling) error {
	if v.src.Data == nil && v.src.Subclasses != nil {
		return v.prepareSubclasses(scaling)
	}
	start := time.Now()
	var err error
	if v.train, err = v.summarize(ctx); err != nil {
		return err
	}
	if v.src.Data != nil && v.src.Stats == nil {
		v.model.Seconds.Statistics = time.Since(start).Seconds()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := v.raw.ValidateFor(2); err != nil {
		return err
	}
	v.model.Classes = v.raw.Classes
	v.model.Input.Kind, v.model.Input.Dim = model.KindVectors, v.raw.Dim
	p, notes, err := preprocess(v.raw, scaling, v.model.Input.Columns)
	if err != nil {
		return err
	}
	v.model.Notes = append(v.model.Notes, notes...)
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
	if v.traits.wide(v.src.Data) {
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

// summarize sets the marginals of the data as they are, and returns their statistics
// where the method learns from such.
func (v *vectors) summarize(ctx context.Context) (training, error) {
	d := v.src.Data
	if s := v.src.Stored; s != nil && v.src.Stats == nil {
		var err error
		if v.mayStream(s) {
			v.raw, err = s.Marginals(ctx)
			return storedTraining{s}, err
		}
		if v.src, err = v.src.loaded(ctx); err != nil {
			return nil, err
		}
	}
	switch {
	case d != nil:
		v.model.Input = model.SchemaOf(d)
	case v.src.OnDisk != nil:
		v.model.Input = model.SchemaOf(v.src.OnDisk.Data)
	}
	if s := v.src.Stats; s != nil && (d == nil || !wantsMoments(v.options) || s.Quartic != nil) {
		if err := s.ValidateFor(2); err != nil {
			return nil, err
		}
		v.raw = s.Marginals()
		if v.src.Spare {
			v.raw.Means = slices.Clone(v.raw.Means) // s is scaled in place
		}
		if v.traits.Rows && v.src.OnDisk == nil || v.traits.wide(d) {
			return nil, nil
		}
		return heldTraining{s, !v.src.Spare}, nil
	}
	if v.traits.Covariances(d) {
		t, err := v.collect()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Source, err)
		}
		v.raw = t.held().Marginals()
		v.raw.Means = slices.Clone(v.raw.Means) // they are scaled in place
		return t, nil
	}
	var err error
	if v.raw, err = gaussian.EstimateMarginals(d.X.Matrix(), d.Labels, d.Classes); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	if v.traits.Pooled && !v.traits.wide(d) {
		s, err := gaussian.Estimate(d.X, make([]int, d.N()), []string{"all"})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Source, err)
		}
		return heldTraining{Statistics: s}, nil
	}
	return nil, nil
}

// collect returns the statistics of the classes, which may have been collected already.
func (v *vectors) collect() (training, error) {
	c := v.src.Collected
	if c == nil {
		var err error
		if c, err = newCollector(v.src.Data, v.options); err != nil {
			return nil, err
		}
		if err := c.Add(0, v.src.Data.N()); err != nil {
			return nil, err
		}
	}
	return c.take()
}

// x returns the preprocessed rows, or their coordinates in the span, made once.
func (v *vectors) x() *mat.Dense {
	if v.rows == nil {
		if x := v.src.Data.X; x.Single() {
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

func (v *vectors) labels() []int     { return v.src.Data.Labels }
func (v *vectors) classes() []string { return v.raw.Classes }

// filters returns how many filters to learn.
func (v *vectors) filters(o Filters) int {
	if o.Filters > 0 {
		return int(o.Filters)
	}
	return min(max(2, v.raw.NumClasses()-1), v.dim())
}

// discriminants returns how many filters a method takes that has at most one less
// than classes: the number of the options, or as many as there are.
func (v *vectors) discriminants(o Filters) int {
	if o.Filters > 0 {
		return int(o.Filters)
	}
	return min(v.filters(o), v.raw.NumClasses()-1)
}
