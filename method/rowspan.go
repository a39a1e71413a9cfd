package method

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/faults"
	"rao/internal/learners"
	"rao/internal/text"
)

// Covariances reports whether a fit to the data computes class covariances, so that precomputed statistics would save
// time.
func (t Traits) Covariances(d *dataset.Data) bool {
	return !t.Matrices && !t.Rows && !t.Pooled && !t.wide(d)
}

// wide reports whether filters are learned in the span of the observations, because there are fewer than half as many
// observations as columns. With more observations, the eigendecomposition of their inner products costs more than the
// covariance of the columns.
func (t Traits) wide(d *dataset.Data) bool {
	if !t.Span || d == nil || d.X == nil {
		return false
	}
	rows, cols := d.X.Dims()
	return 2*rows < cols
}

// intoSpan replaces the rows by their coordinates in their span.
func (v *vectors) intoSpan() error {
	span, err := learners.SpanOf(v.x())
	if err != nil {
		return err
	}
	v.span, v.rows = span, span.Coordinates
	switch {
	case v.traits.Rows:
	case v.traits.Pooled:
		return v.learnsFrom(gaussian.Estimate(v.rows, make([]int, len(v.labels())), []string{"all"}))
	default:
		return v.learnsFrom(gaussian.Estimate(v.rows, v.labels(), v.classes()))
	}
	return nil
}

// learnsFrom sets the statistics that the method learns from.
func (v *vectors) learnsFrom(s *gaussian.Statistics, err error) error {
	v.train = inMemory{s, false}
	return err
}

// fitsInSpan returns an error if the number of filters exceeds the dimension of the span of the observations.
func (v *vectors) fitsInSpan(o *filters) error {
	if v.span == nil || o == nil || int(o.Filters) <= v.dim() {
		return nil
	}
	return faults.Option("%d filters were requested, but the %d observations span only %s; use fewer filters",
		o.Filters, len(v.labels()), text.Plural(v.dim(), "dimension", "dimensions"))
}

// start returns the initial filters in the dimension that the method learns in, or nil to let the method choose.
func (v *vectors) start(s startOption, filters int, seed uint64) (*mat.Dense, error) {
	f, err := s.filters(v.dim(), filters, seed)
	if err != nil || f == nil || v.span == nil || s == "random" {
		return f, err
	}
	if n, _ := f.Dims(); n != v.raw.Dim {
		return nil, fmt.Errorf("%s contains filters of %d dimensions, but the data have %d; give filters with one "+
			"value per column of the data", s, n, v.raw.Dim)
	}
	return v.span.Inside(f), nil
}

// explicitStart is start for a method that by default does not start from principal components.
func (v *vectors) explicitStart(s startOption, filters int, seed uint64) (*mat.Dense, error) {
	if s == "pca" {
		return learners.PrincipalComponents(v.x(), filters)
	}
	return v.start(s, filters, seed)
}
