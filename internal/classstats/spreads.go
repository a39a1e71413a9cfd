package classstats

import (
	"context"
	"fmt"
	"math"

	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/naming"
)

// unitsFactor is the ratio of two standard deviations of a column from which its units probably differ.
const unitsFactor = 1000

// Spreads compares the standard deviations of the columns in several statistics.
type Spreads struct {
	columns     []string
	parts       int
	least, most []spread // of each column
}

// spread is a standard deviation of a column within classes, and its part.
type spread struct {
	value float64
	part  int
}

// Add adds the next part. Its columns are matched with the columns of earlier parts by name, or by position if either
// has no names. Constant columns are ignored.
func (s *Spreads) Add(part *gaussian.Statistics) {
	n := part.Dim
	s.add(n, part.Columns, classcolumns.Shares(part.Counts, part.Weights),
		func(i, j int) float64 { return CovarianceOf(part, i)[j*n+j] })
}

// AddSource is like [Spreads.Add] for a source.
func (s *Spreads) AddSource(ctx context.Context, part *gaussian.Source) error {
	variances, err := part.Variances(ctx)
	if err == nil {
		s.add(part.Dim, part.Columns, classcolumns.Shares(part.Counts, part.Weights),
			func(i, j int) float64 { return variances[i*part.Dim+j] })
	}
	return err
}

// add adds a part with n columns. variance returns the variance of column j in class i, which has shares[i] of the
// weight.
func (s *Spreads) add(n int, columns []string, shares []float64, variance func(i, j int) float64) {
	at := s.parts
	s.parts++
	if s.most == nil {
		s.least, s.most = make([]spread, n), make([]spread, n)
	}
	if s.columns == nil {
		s.columns = columns
	}
	order, mismatch := naming.Order(s.columns, columns)
	if mismatch != nil || n != len(s.most) {
		return // merging will fail
	}
	for j := range s.most {
		k, v := j, 0.0
		if order != nil {
			k = order[j]
		}
		for i, share := range shares {
			v += share * variance(i, k)
		}
		if v = math.Sqrt(v); !(v > 0) {
			continue
		}
		if v > s.most[j].value {
			s.most[j] = spread{v, at}
		}
		if s.least[j].value == 0 || v < s.least[j].value {
			s.least[j] = spread{v, at}
		}
	}
}

// Differing describes the columns whose standard deviations differ so much that the parts probably use different
// units, with the parts of the column that differs most. It returns "" if there are none. name returns the name of a
// part.
func (s *Spreads) Differing(name func(part int) string) string {
	var names []string
	worst := -1
	for j, most := range s.most {
		if !(most.value > unitsFactor*s.least[j].value) {
			continue
		}
		names = append(names, s.name(j))
		if worst < 0 || most.value/s.least[j].value > s.most[worst].value/s.least[worst].value {
			worst = j
		}
	}
	if worst < 0 {
		return ""
	}
	which := "column " + names[0]
	if len(names) > 1 {
		which = fmt.Sprintf("%d columns (%s)", len(names), naming.List(names))
	}
	low, high := s.least[worst], s.most[worst]
	return fmt.Sprintf("the standard deviations of %s differ by more than a factor of %d: %s has %.3g in %s and %.3g "+
		"in %s; check whether the files use the same units", which, unitsFactor, s.name(worst), low.value,
		name(low.part), high.value, name(high.part))
}

func (s *Spreads) name(j int) string {
	if s.columns == nil {
		return fmt.Sprintf("%d (counted from 0)", j)
	}
	return s.columns[j]
}
