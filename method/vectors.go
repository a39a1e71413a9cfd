package method

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/model"
)

// Scaling are the options of what is done to vectors first.
type Scaling struct {
	Scale  string `opt:"scale" default:"std" choices:"std,column,none" help:"scaling of vectors, std one factor for all values and column each by its own"`
	Center bool   `opt:"center" default:"true" help:"subtract the mean of the training vectors"`
}

// Filters is the option of the number of filters.
type Filters struct {
	Filters AutoCount `opt:"filters" default:"auto" min:"1" max:"100000" help:"number of filters; auto takes one less than classes, at least 2"`
}

// Seeded is the option of everything random.
type Seeded struct {
	Seed Seed `opt:"seed" default:"1" help:"seed of everything random"`
}

// vectors is a fit on vectors on its way: the statistics after preprocessing, and
// the rows when a method asks for them.
type vectors struct {
	*job
	raw     *gaussian.Statistics // as the data are
	stats   *gaussian.Statistics // preprocessed
	rows    *mat.Dense           // preprocessed; see x
	options any                  // of the method
}

// onVectors returns a method of vectors: preprocessing by its Scaling before learn, a
// classifier by its Classifying after it, where the options O embed them.
func onVectors[O any](name, summary string, traits Traits, learn func(ctx context.Context, v *vectors, o *O) error) *Method {
	return newMethod(name, summary, traits, func(ctx context.Context, j *job, o *O) error {
		v := &vectors{job: j, raw: j.src.Stats, options: o}
		if err := v.prepare(ctx, group[Scaling](o)); err != nil {
			return err
		}
		if err := v.note(learn(ctx, v, o)); err != nil {
			return err
		}
		if c := group[Classifying](o); c != nil {
			return v.classifyFeatures(ctx, c)
		}
		return nil
	})
}

// prepare computes the statistics and the preprocessing, and fills in what every
// model of vectors has.
func (v *vectors) prepare(ctx context.Context, scaling *Scaling) error {
	if d := v.src.Data; d != nil {
		v.model.Input = model.SchemaOf(d)
		moments := wantsMoments(v.options)
		if v.raw == nil || moments && v.raw.Quartic == nil {
			start := time.Now()
			estimate := gaussian.Estimate
			if moments {
				estimate = gaussian.EstimateMoments
			}
			var err error
			if v.raw, err = estimate(d.X, d.Labels, d.Classes); err != nil {
				return fmt.Errorf("%s: %w", d.Source, err)
			}
			v.model.Seconds.Statistics = time.Since(start).Seconds()
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := v.raw.ValidateFor(2); err != nil {
		return err
	}
	v.model.Classes = v.raw.Classes
	v.model.Input.Kind, v.model.Input.Dim = model.KindVectors, v.raw.Dim
	p, err := preprocess(v.raw, scaling)
	if err != nil {
		return err
	}
	v.stats = v.raw
	if p != nil {
		v.model.Stages = append(v.model.Stages, p)
		scale := p.Scale
		if scale == nil {
			scale = []float64{1}
		}
		v.stats = v.raw.Affine(p.Shift, scale)
	}
	v.model.Training = model.TrainingOnVectors(v.raw, v.stats)
	return nil
}

// preprocess returns the affine map of the options, nil when it is the identity.
func preprocess(s *gaussian.Statistics, o *Scaling) (*model.Scaling, error) {
	var p model.Scaling
	if o.Center {
		p.Shift, _, _, _ = s.Pooled(nil)
	}
	switch o.Scale {
	case "std":
		g := s.GlobalScale()
		if !(g > 0) {
			return nil, fmt.Errorf("all values of the data are equal, so they cannot be scaled; check that the right variable was read")
		}
		p.Scale = []float64{1 / g}
	case "column":
		_, _, _, total := s.Pooled(nil)
		p.Scale = make([]float64, s.Dim)
		for j := range p.Scale {
			variance := total[j*s.Dim+j]
			if !(variance > 0) {
				return nil, fmt.Errorf("column %d is constant, so it has no scale of its own; remove it or use --scale std, one factor for all columns", j)
			}
			p.Scale[j] = 1 / math.Sqrt(variance)
		}
	}
	if p.Shift == nil && p.Scale == nil {
		return nil, nil
	}
	return &p, nil
}

// x returns the preprocessed rows, made once.
func (v *vectors) x() *mat.Dense {
	if v.rows == nil {
		v.rows = mat.DenseCopyOf(v.src.Data.X.Matrix())
		model.StageOf[*model.Scaling](v.model).InPlace(v.rows)
	}
	return v.rows
}

func (v *vectors) labels() []int     { return v.src.Data.Labels }
func (v *vectors) classes() []string { return v.raw.Classes }

// filters returns how many filters to learn.
func (v *vectors) filters(o Filters) int {
	if o.Filters > 0 {
		return int(o.Filters)
	}
	return min(max(2, v.stats.NumClasses()-1), v.stats.Dim)
}

// discriminants returns how many filters a method takes that has at most one less
// than classes: the number of the options, or as many as there are.
func (v *vectors) discriminants(o Filters) int {
	if o.Filters > 0 {
		return int(o.Filters)
	}
	return min(v.filters(o), v.stats.NumClasses()-1)
}
