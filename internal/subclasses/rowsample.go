package subclasses

import (
	"cmp"
	"rao"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/rowhash"
	"rao/internal/rows"
)

// The sample has at most sampleRows rows of each class and sampleValues values in total.
const (
	sampleRows   = 4096
	sampleValues = 1 << 24
)

// MaxValues estimates the largest number of values that [Estimate] has in memory at a time, for the
// given number of rows of n columns and at most most components per class. It counts the sample and 3+more copies of
// the covariances of the components, where more is the number of copies that the caller needs. It does not count the
// memory of the first pass over the rows, which is needed if there is no basis.
func MaxValues(rows, n, classes, most, more int) float64 {
	classes, n = max(classes, 1), max(n, 1)
	room := roomOf(n, classes)
	sample := min(float64(rows), 2*float64(room)*float64(classes)) + float64(room) // includes one class as a matrix
	d, k := float64(min(n, DefaultComponents)), float64(componentsFor(rows/classes, most))
	return sample*float64(n) + float64(3+more)*float64(classes)*k*d*d
}

// roomOf returns the number of rows of each class in the sample.
func roomOf(n, classes int) int { return min(sampleRows, max(2, sampleValues/n/classes)) }

// rowSample is a random subset of the rows of each class. The choice depends only on the row number and the seed, so it
// does not depend on how rows are split into blocks.
type rowSample struct {
	n, room int
	seed    uint64
	rows    int   // number of rows seen
	counts  []int // number of rows of each class seen
	kept    [][]drawn
	limit   []uint64 // by class: rows with larger random numbers are not kept
}

// drawn is a row with its random number. The rows with the smallest numbers are kept.
type drawn struct {
	order uint64
	index int
	row   []float64
}

func newRowSample(n, classes int, seed uint64) *rowSample {
	s := &rowSample{n: n, room: roomOf(n, classes), seed: seed,
		counts: make([]int, classes), kept: make([][]drawn, classes), limit: make([]uint64, classes)}
	for i := range s.limit {
		s.limit[i] = 1<<64 - 1
	}
	return s
}

// add samples the rows of a block at random, from each class. An invalid label is an error, and so is a sampled value
// that is not finite.
func (s *rowSample) add(x mat.Matrix, labels []int) error {
	in := rows.New(x)
	if err := indices.CheckOnePer("label", len(labels), "row", in.Rows); err != nil {
		return err
	}
	if err := indices.CheckColumns(in.Cols, s.n, "earlier rows have"); err != nil {
		return err
	}
	for i, l := range labels {
		index := s.rows
		s.rows++
		if err := indices.CheckLabel("row", index, l, len(s.counts)); err != nil {
			return err
		}
		s.counts[l]++
		order := rowhash.Mix(rowhash.Mix(s.seed^0xa0761d6478bd642f, uint64(index)), 0xe7037ed1a0b428db)
		if order > s.limit[l] {
			continue
		}
		row := make([]float64, s.n)
		in.Read(row, s.n, i, i+1, nil)
		if j := vec.NotFinite(row); j >= 0 {
			return &rao.ValueError{Row: index, Col: j, Value: row[j]}
		}
		s.kept[l] = append(s.kept[l], drawn{order, index, row})
		if len(s.kept[l]) >= 2*s.room {
			s.thin(l)
		}
	}
	return nil
}

// thin drops the excess rows of a class.
func (s *rowSample) thin(l int) {
	slices.SortFunc(s.kept[l], func(a, b drawn) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.index, b.index))
	})
	if len(s.kept[l]) > s.room {
		clear(s.kept[l][s.room:])
		s.kept[l] = s.kept[l][:s.room]
		s.limit[l] = s.kept[l][s.room-1].order
	}
}

func (s *rowSample) class(l int) *mat.Dense {
	s.thin(l)
	out := mat.NewDense(len(s.kept[l]), s.n, nil)
	for i, d := range s.kept[l] {
		out.SetRow(i, d.row)
	}
	return out
}
