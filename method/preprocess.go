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

// vectors is a fit on vectors on its way: the statistics after preprocessing, and
// the rows when a method asks for them.
type vectors struct {
	*job
	raw   *gaussian.Statistics // as the data are
	stats *gaussian.Statistics // preprocessed
	rows  *mat.Dense           // preprocessed; see x
}

// prepare computes the statistics and the preprocessing, and fills in what every
// model of vectors has.
func (j *job) prepare(ctx context.Context) (*vectors, error) {
	v := &vectors{job: j, raw: j.src.Stats}
	if d := j.src.Data; d != nil {
		j.model.Input = model.SchemaOf(d)
		if v.raw == nil {
			start := time.Now()
			var err error
			if v.raw, err = gaussian.Estimate(d.X, d.Labels, d.Classes); err != nil {
				return nil, fmt.Errorf("%s: %w", d.Source, err)
			}
			j.model.Seconds.Statistics = time.Since(start).Seconds()
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := v.raw.ValidateFor(2); err != nil {
		return nil, err
	}
	j.model.Classes = v.raw.Names
	j.model.Input.Kind, j.model.Input.Dim = model.KindVectors, v.raw.Dim
	p, err := preprocess(v.raw, j.set.Scale, j.set.Center)
	if err != nil {
		return nil, err
	}
	v.stats = v.raw
	if p != nil {
		j.model.Stages = append(j.model.Stages, p)
		scale := p.Scale
		if scale == nil {
			scale = []float64{1}
		}
		v.stats = v.raw.Affine(p.Shift, scale)
	}
	return v, nil
}

// preprocess returns the affine map of the settings, nil when it is the identity.
func preprocess(s *gaussian.Statistics, scale string, center bool) (*model.Scaling, error) {
	var p model.Scaling
	if center {
		p.Shift, _, _, _ = s.Pooled(nil)
	}
	switch scale {
	case "none", "":
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
	default:
		return nil, fmt.Errorf("unknown scale %q; want std, column or none", scale)
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

// filters returns how many filters to learn.
func (v *vectors) filters() int {
	if v.set.Filters > 0 {
		return v.set.Filters
	}
	return min(max(2, v.stats.NumClasses()-1), v.stats.Dim)
}
