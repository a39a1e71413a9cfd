package method

import (
	"fmt"

	"rao/gaussian"
	"rao/internal/privacy"
	"rao/internal/subclasses"
)

// OpenStatistics opens a file with statistics of classes or sub-classes, or with private statistics, as the source
// for a method. It also returns the private statistics, or nil for a file of another kind.
func (m *Method) OpenStatistics(path string) (Source, *privacy.Release, error) {
	switch {
	case privacy.IsFile(path):
		r, err := privacy.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		src, err := m.PrivateSource(r)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		return src, r, nil
	case subclasses.IsFile(path):
		s, err := subclasses.Read(path)
		return Subclasses{Subclasses: s, Spare: true}, nil, err
	}
	s, err := gaussian.OpenSource(path)
	return Stored{Source: s}, nil, err
}

// PrivateSource returns private statistics as the source for a method: statistics of sub-classes if the release has
// them and the method accepts them, otherwise of classes.
func (m *Method) PrivateSource(r *privacy.Release) (Source, error) {
	if r.Plan.Kind == privacy.Subspace && m.Mixtures {
		s, err := r.Subclasses()
		return Subclasses{Subclasses: s, Spare: true}, err
	}
	s, err := r.Source()
	return Stored{Source: s}, err
}
