package model

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/vec"
	"rao/internal/rows"
	"rao/lvq"
)

// stripValues is the number of values that are read, checked and scaled at a time, so they stay in the L1 cache.
const stripValues = 1 << 10

// scratch is the memory of a block of rows, or of a single observation, which is reused.
type scratch struct {
	in     []float64
	memory memory // outputs of the stages

	// These are for a single observation.
	row     mat.Dense // in the memory of in
	far     *far
	outlier [1]bool
	own     [1]lvq.Decision
}

// single maps the only observation of b through the stages. The result and its distance from the training data are in
// the memory of s.
func (s *scratch) single(ctx context.Context, m *Model, b Batch) (Batch, *far, error) {
	if err := ctx.Err(); err != nil {
		return b, nil, err
	}
	if s.far == nil {
		s.far = newFar(1)
	}
	s.memory.reset()
	if b.Kind() == KindMatrices {
		b.memory = &s.memory
		s.far.measure(m, &b, false)
		z, err := m.stagesFrom(ctx, 0, b)
		return z, s.far, err
	}
	reader := rows.New(b.X)
	vec.Room(&s.in, reader.Cols)
	reader.Read(s.in, reader.Cols, 0, 1, nil)
	s.row.SetRawMatrix(blas64.General{Rows: 1, Cols: reader.Cols, Stride: reader.Cols, Data: s.in})
	reorderRows(&s.row, b.order)
	z, err := m.applyToRow(ctx, &s.row, b.First, &s.memory, s.far)
	return z, s.far, err
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// keptValues is the largest number of values in memory that is kept for reuse.
const keptValues = 1 << 22

func (s *scratch) giveBack() {
	if cap(s.in)+s.memory.size() <= keptValues {
		scratches.Put(s)
	}
}

// standardizeRows reads the rows of x from index lo on into in, checks that every value is finite, scales them, and
// records their distances from the training data. It processes one strip of rows at a time.
func (m *Model) standardizeRows(in *mat.Dense, reader *rows.Reader, x Batch, lo int, far *far) error {
	n, dim := in.Dims()
	raw := in.RawMatrix()
	var part mat.Dense
	read := func(from, to int) {
		part.SetRawMatrix(blas64.General{Rows: to - from, Cols: dim, Stride: raw.Stride,
			Data: raw.Data[from*raw.Stride : (to-1)*raw.Stride+dim]})
		reader.Read(raw.Data[from*raw.Stride:], raw.Stride, lo+from, lo+to, nil)
		reorderRows(&part, x.order)
		m.Input.fillIn(&part)
	}
	strip := max(1, stripValues/dim)
	for from := 0; from < n; from += strip {
		to := min(from+strip, n)
		read(from, to)
		if m.standardize(&part, lo+from, far) {
			continue
		}
		read(from, to) // a value is not finite, or its square overflows
		if err := checkRows(&part, x.First+lo+from); err != nil {
			return err
		}
		m.standardize(&part, lo+from, far)
	}
	return nil
}

// standardize scales the rows of x, the first with index lo, in place, and records their distances from the training
// data. It reports whether all values are known to be finite.
func (m *Model) standardize(x *mat.Dense, lo int, far *far) (finite bool) {
	n, _ := x.Dims()
	factor := far.factor[lo : lo+n]
	clear(far.flat[lo : lo+n])
	if m.Training.Range.Varied {
		reader := rows.New(x)
		for i := range n {
			far.flat[lo+i] = reader.Flat(i)
		}
	}
	m.scaling().measured(factor, x)
	finite = true
	for _, v := range factor {
		finite = finite && v <= math.MaxFloat64
	}
	m.Training.Range.distances(factor, x)
	for i, v := range factor {
		far.is[lo+i], far.column[lo+i] = !(v <= farDistance), 0
		if v > columnDistance && v <= farDistance {
			if j, deviation := m.farColumn(x.RawRowView(i), v); j >= 0 {
				far.is[lo+i], far.column[lo+i], factor[i] = true, int32(j)+1, deviation
			}
		}
		far.is[lo+i] = far.is[lo+i] || far.flat[lo+i]
	}
	return finite
}

// farColumn returns the column of a scaled row that is farthest outside the training data, and its distance from the
// mean in standard deviations. It returns -1 unless columns outside account for at least half of the squared distance
// of the row. distance is the distance of the row as a multiple of the usual distance.
func (m *Model) farColumn(row []float64, distance float64) (column int, deviation float64) {
	r, scale := &m.Training.Range, m.scaling()
	if len(r.Deviations) != len(row) {
		return -1, 0
	}
	limit := min(max(fewDeviations, math.Sqrt(float64(r.Count))), farDeviations)
	column, outside := -1, 0.0
	for j, v := range row {
		if len(r.Center) > 0 {
			v -= r.Center[j]
		}
		z := math.Abs(v) / (r.Deviations[j] * scale.factor(j))
		if !(z > limit) {
			continue
		}
		outside += v * v
		if z > deviation {
			column, deviation = j, z
		}
	}
	if distance *= r.Spread; outside < distance*distance/2 {
		return -1, 0
	}
	return column, deviation
}

// reorderRows reorders the columns of x; a nil order changes nothing.
func reorderRows(x *mat.Dense, order []int) {
	if order == nil {
		return
	}
	was := make([]float64, len(order))
	rows, _ := x.Dims()
	for i := range rows {
		row := x.RawRowView(i)
		copy(was, row)
		for j, k := range order {
			row[j] = was[k]
		}
	}
}

// checkRows returns a *[rao.ValueError] for the first value that is not finite; lo is the index of the first row.
func checkRows(x *mat.Dense, lo int) error {
	rows, cols := x.Dims()
	if raw := x.RawMatrix(); raw.Stride == cols && vec.Dot(raw.Data, raw.Data) <= math.MaxFloat64 {
		return nil
	}
	for i := range rows {
		row := x.RawRowView(i)
		if vec.Dot(row, row) <= math.MaxFloat64 {
			continue // every value is finite
		}
		if j := vec.NotFinite(row); j >= 0 {
			return &rao.ValueError{Row: lo + i, Col: j, Value: row[j]}
		}
	}
	return nil
}
