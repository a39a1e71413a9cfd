package worker

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/modelinfo"
)

// spatial returns the spatial filters of a model as "filters", channels × filters, and, if known, their patterns as
// "patterns", of the same shape. The reply has no arrays if the model has no filters.
func spatial(_ context.Context, s *server, q *Request) (*Reply, error) {
	m, err := s.model(q)
	if err != nil {
		return nil, err
	}
	f, err := modelinfo.Spatial(m)
	if err != nil || f == nil {
		return new(Reply), err
	}
	r := &Reply{Info: map[string]any{"of": f.Of, "weights": f.Weights}}
	r.Arrays = append(r.Arrays, denseArray("filters", f.Filters))
	if f.Patterns != nil {
		r.Arrays = append(r.Arrays, denseArray("patterns", f.Patterns))
	}
	return r, nil
}

// distances returns as "D" the distances of the matrices "X" from the class means of an MDM model, and as "M" these
// means. Without "X" it returns only the means.
func distances(ctx context.Context, s *server, q *Request) (*Reply, error) {
	m, err := s.model(q)
	if err != nil {
		return nil, err
	}
	mdm, ok := m.Classifier.(*classify.MDM) // the only classifier with means of matrices
	if !ok {
		return nil, errors.New("the model is not an MDM model, so it has no class means of matrices; use an MDM model")
	}
	means := float64Array("M", mdm.Means.Contiguous(), mdm.Means.Count, mdm.Means.Dim, mdm.Means.Dim)
	if q.optional("X") == nil {
		return &Reply{Arrays: []Array{means}}, nil
	}
	b, err := q.batch(ctx)
	if err != nil {
		return nil, err
	}
	if b, err = m.AtClassifier(ctx, b); err != nil {
		return nil, err
	}
	var d mat.Dense
	if err := mdm.Distances(ctx, &d, b.Stack); err != nil {
		return nil, err
	}
	return &Reply{Arrays: []Array{denseArray("D", &d), means}}, nil
}
