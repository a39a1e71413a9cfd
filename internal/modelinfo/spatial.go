package modelinfo

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/internal/classifiers"
	"rao/model"
)

// SpatialFilters contains the spatial filters of a model and the pattern of each: how its source appears at the
// channels, for scalp maps (Haufe and others 2014).
type SpatialFilters struct {
	Filters  *mat.Dense // channels × f, one per column
	Patterns *mat.Dense // channels × f; nil if unknown
	// Of contains the class or direction of each of the f filters. It is nil if the filters are not specific to a class
	// or direction.
	Of []string
	// Weights is the weight of each filter. A positive weight favors the class or direction of the filter, and a
	// negative weight counts against it. Nil means equal weights.
	Weights []float64
}

// spatial is a stage that may apply spatial filters to trials. Spatial returns nil if it has none.
type spatial interface {
	Spatial() (filters, patterns *mat.Dense)
}

// Spatial returns the spatial filters of a model: of common spatial patterns, Xdawn or TRCA, of the directions of
// FgMDM, or of the classes of enuc. It returns nil for a model without any of these, or if an earlier stage changes the
// channels. It returns an error if a stage does not accept its input or patterns cannot be computed.
func Spatial(m *model.Model) (*SpatialFilters, error) {
	in := m.Input
	for _, s := range m.Stages {
		switch v := model.Unwrap(s).(type) {
		case spatial:
			if filters, patterns := v.Spatial(); filters != nil {
				return &SpatialFilters{Filters: filters, Patterns: patterns}, nil
			}
			return nil, nil
		case *feature.CSP:
			return &SpatialFilters{Filters: v.Filters, Patterns: v.Patterns}, nil
		case *classifiers.GeodesicFilter:
			_, directions := v.Basis.Dims()
			return collect(directions, v.Patterns, func(k int) string { return fmt.Sprintf("direction %d", k+1) })
		}
		if out, err := s.Out(in); err != nil || out.Kind != model.KindMatrices || out.Dim != m.Input.Dim {
			return nil, err
		}
	}
	if c, ok := m.Classifier.(interface {
		Patterns(class int) (*classifiers.ClassPatterns, error)
	}); ok {
		return collect(len(m.Classes), c.Patterns, func(k int) string { return m.Classes[k] })
	}
	return nil, nil
}

// collect concatenates the patterns of n classes or directions.
func collect(n int, of func(int) (*classifiers.ClassPatterns, error), name func(int) string) (*SpatialFilters, error) {
	var f SpatialFilters
	var filters, patterns [][]float64
	for k := range n {
		p, err := of(k)
		if err != nil {
			return nil, err
		}
		for j, w := range p.Weights {
			f.Of, f.Weights = append(f.Of, name(k)), append(f.Weights, w)
			filters = append(filters, mat.Col(nil, j, p.Filters))
			patterns = append(patterns, mat.Col(nil, j, p.Patterns))
		}
	}
	if len(filters) == 0 {
		return nil, nil
	}
	f.Filters, f.Patterns = columns(filters), columns(patterns)
	return &f, nil
}

func columns(of [][]float64) *mat.Dense {
	m := mat.NewDense(len(of[0]), len(of), nil)
	for j, c := range of {
		m.SetCol(j, c)
	}
	return m
}
