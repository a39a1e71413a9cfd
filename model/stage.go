package model

import (
	"context"
	"fmt"
	"math"
	"rao"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/gaussian"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// Stage is a step of the pipeline, such as scaling, repair, filters or dimension reduction. A stage of vectors maps
// rows independently and receives blocks of rows; a stage of matrices receives all matrices of a call. Stages must be
// safe for concurrent use. A method Validate() error, which checks the fields, is called before Out.
type Stage interface {
	// Out returns the schema of the output, or an error if the stage does not accept the input.
	Out(in Schema) (Schema, error)
	// Apply returns the mapped observations; it does not change b.
	Apply(ctx context.Context, b Batch) (Batch, error)
}

// Stages may implement these interfaces.
type (
	// preparing marks a stage that prepares observations without computing features.
	preparing interface{ prepares() }
	// passesStatistics is a stage that can map class statistics in the same way as the vectors.
	passesStatistics interface {
		statistics(s *gaussian.Statistics) *gaussian.Statistics
	}
)

func (*Scaling) prepares()    {}
func (*repair) prepares()     {}
func (*Adaptation) prepares() {}

// Scaling is the affine map (x - Shift) * Scale of every vector. An empty Shift means zero. Scale has length 1 (one
// factor for all columns) or one factor per column; an empty Scale means one.
type Scaling struct {
	Shift []float64 `json:"shift"` // subtracted first; absent means zero
	Scale []float64 `json:"scale"` // multiplied afterwards: one number, or one per column; absent means one
}

// FitScaling returns the scaling for which every column of x has mean zero and standard deviation one, with divisor
// N−1. Constant columns are only centered. It returns an error if x has fewer than two rows or a value that is not
// finite.
func FitScaling(x mat.Matrix) (*Scaling, error) {
	n, dim := x.Dims()
	if n < 2 {
		return nil, fmt.Errorf("a standard deviation needs at least 2 rows, not %d", n)
	}
	p := &Scaling{Shift: make([]float64, dim), Scale: make([]float64, dim)}
	col := make([]float64, n)
	for j := range dim {
		mat.Col(col, j, x)
		if i := vec.NotFinite(col); i >= 0 {
			return nil, &rao.ValueError{Row: i, Col: j, Value: col[i]}
		}
		mean, squares, constant := 0.0, 0.0, true
		for _, v := range col {
			mean += v / float64(n)
			constant = constant && v == col[0]
		}
		for _, v := range col {
			squares += (v - mean) * (v - mean)
		}
		p.Shift[j], p.Scale[j] = mean, 1
		if constant {
			p.Shift[j] = col[0]
		} else if deviation := math.Sqrt(squares / float64(n-1)); deviation > 0 {
			p.Scale[j] = 1 / deviation
		}
	}
	return p, p.validate()
}

// Out implements Stage.
func (p *Scaling) Out(in Schema) (Schema, error) {
	if err := p.validate(); err != nil {
		return in, err
	}
	if err := in.Wants(KindVectors, in.Dim); err != nil {
		return in, err
	}
	if len(p.Shift) != 0 && len(p.Shift) != in.Dim {
		return in, fmt.Errorf("it shifts %d columns, but its input has %d", len(p.Shift), in.Dim)
	}
	if n := len(p.Scale); n > 1 && n != in.Dim {
		return in, fmt.Errorf("it scales %d columns, but its input has %d", n, in.Dim)
	}
	return in, nil
}

// Apply implements Stage.
func (p *Scaling) Apply(_ context.Context, b Batch) (Batch, error) {
	rows, cols := b.X.Dims()
	x := b.memory.dense(rows, cols)
	x.Copy(b.X)
	p.measured(b.memory.dense(rows, 1).RawMatrix().Data, x)
	b.X = x
	return b, nil
}

// InPlace scales the rows of x in place. A nil Scaling does nothing.
func (p *Scaling) InPlace(x *mat.Dense) {
	rows, _ := x.Dims()
	p.measured(make([]float64, rows), x)
}

// measured is like [Scaling.InPlace], and also writes the squared lengths of the scaled rows to squares.
func (p *Scaling) measured(squares []float64, x *mat.Dense) {
	rows, cols := x.Dims()
	raw := x.RawMatrix()
	if p != nil && raw.Stride == cols && len(p.Shift) == cols && len(p.Scale) == 1 {
		vec.Standardize(squares[:rows], raw.Data, p.Shift, p.Scale[0])
		return
	}
	for i := range rows {
		row := x.RawRowView(i)
		p.scaleRow(row)
		squares[i] = vec.Dot(row, row)
	}
}

// factor returns the factor of column j. A nil p does not scale.
func (p *Scaling) factor(j int) float64 {
	switch {
	case p == nil || len(p.Scale) == 0:
		return 1
	case len(p.Scale) == 1:
		return p.Scale[0]
	}
	return p.Scale[j]
}

// scaleRow shifts and scales a row in place. A nil p does nothing.
func (p *Scaling) scaleRow(row []float64) {
	if p == nil {
		return
	}
	if len(p.Shift) > 0 {
		vec.Axpy(row, -1, p.Shift)
	}
	switch len(p.Scale) {
	case 0:
	case 1:
		for j := range row {
			row[j] *= p.Scale[0]
		}
	default:
		vec.Times(row, p.Scale)
	}
}

func (p *Scaling) validate() error {
	for _, part := range [][]float64{p.Shift, p.Scale} {
		if j := vec.NotFinite(part); j >= 0 {
			return fmt.Errorf("the shift or scale of column %d is %v; it must be a finite number", j, part[j])
		}
	}
	return nil
}

func (p *Scaling) statistics(s *gaussian.Statistics) *gaussian.Statistics {
	scale := p.Scale
	if scale == nil {
		scale = []float64{1}
	}
	return s.Affine(p.Shift, scale)
}

// linear is the stage that computes features of vectors with linear filters.
type linear struct{ *feature.Model }

func (f *linear) inner() any { return f.Model }

// Out implements Stage.
func (f *linear) Out(in Schema) (Schema, error) {
	n, m := f.Dims()
	return Schema{Kind: KindVectors, Dim: m}, in.Wants(KindVectors, n)
}

// Apply implements Stage.
func (f *linear) Apply(_ context.Context, b Batch) (Batch, error) {
	rows, _ := b.X.Dims()
	_, m := f.Dims()
	z := b.memory.dense(rows, m)
	f.Transform(z, b.X)
	return Vectors(z), nil
}

func (f *linear) statistics(s *gaussian.Statistics) *gaussian.Statistics { return f.Statistics(s) }

// repair is the stage that makes matrices positive definite in the same way as the training matrices.
type repair struct{ *spd.Repair }

func (r *repair) inner() any { return r.Repair }

// Out implements Stage.
func (r *repair) Out(in Schema) (Schema, error) {
	if err := in.Wants(KindMatrices, r.Dim); err != nil {
		return in, err
	}
	out := Schema{Kind: KindMatrices, Dim: r.OutDim()}
	if in.Channels != nil && r.Basis == nil {
		out.Channels = in.Channels
		if r.Keep != nil {
			out.Channels = indices.Pick(in.Channels, r.Keep)
		}
	}
	return out, nil
}

// Apply implements Stage.
func (r *repair) Apply(_ context.Context, b Batch) (Batch, error) {
	x, err := r.Repair.Apply(b.Stack)
	return Matrices(x), err
}
