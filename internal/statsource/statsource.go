// Package statsource opens statistics files of every kind as sources of methods.
package statsource

import (
	"fmt"

	"rao/gaussian"
	"rao/internal/privacy"
	"rao/internal/subclasses"
	"rao/method"
)

// Open opens a file with statistics of classes or sub-classes, or with private statistics, as the source
// for a method. It also returns the private statistics, or nil for a file of another kind.
func Open(m *method.Method, path string) (method.TrainingData, *privacy.Release, error) {
	switch {
	case privacy.IsFile(path):
		r, err := privacy.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		src, err := Private(m, r)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		return src, r, nil
	case subclasses.IsFile(path):
		s, err := subclasses.Read(path)
		return method.Subclasses{Subclasses: s, Spare: true}, nil, err
	}
	s, err := gaussian.OpenSource(path)
	return method.Stored{Source: s}, nil, err
}

// Private returns private statistics as the source for a method: statistics of sub-classes if the release has
// them and the method accepts them, otherwise of classes.
func Private(m *method.Method, r *privacy.Release) (method.TrainingData, error) {
	if r.Plan.Kind == privacy.Subspace && m.Mixtures {
		s, err := r.Subclasses()
		return method.Subclasses{Subclasses: s, Spare: true}, err
	}
	s, err := r.Source()
	return method.Stored{Source: s}, err
}
