package gaussian

import (
	"fmt"
	"slices"
)

// AddInPlace adds the observations of the parts to s, as [Merge] does for statistics of the same
// classes in the same order, in the memory of s. Higher moments are forgotten. An error leaves s
// as it was.
func (s *Statistics) AddInPlace(parts ...*Statistics) error {
	for k, p := range parts {
		if err := s.sameShape(p); err != nil {
			return fmt.Errorf("part %d: %w", k+1, err)
		}
	}
	s.Cubic, s.Quartic, s.Parts, s.own = nil, nil, nil, false
	memory := make([]float64, s.Dim*s.Dim)
	for i := range s.Counts {
		sum := s.classIn(i, s.cov(i))
		for _, p := range parts {
			sum.add(p.classIn(i, memory))
		}
		s.setClass(i, sum)
	}
	return nil
}

// ComplementInPlace replaces s, the statistics of some of whole's observations, by the statistics
// of all others: the bits of [Subtract], for the same classes in the same order, in the memory of s.
// Higher moments are dropped. After an error s is unchanged.
func (s *Statistics) ComplementInPlace(whole *Statistics) error {
	if err := s.sameShape(whole); err != nil {
		return err
	}
	for i, n := range s.Counts {
		if n > whole.Counts[i] {
			return fmt.Errorf("cannot subtract %d observations of class %s: the whole has %d", n, s.Name(i),
				whole.Counts[i])
		}
	}
	s.Cubic, s.Quartic, s.Parts, s.own = nil, nil, nil, false
	memory := make([]float64, s.Dim*s.Dim)
	for i := range s.Counts {
		rest := whole.classIn(i, memory)
		rest.sub(s.classIn(i, s.cov(i)))
		s.setClass(i, rest)
	}
	return nil
}

// sameShape returns an error unless t has the classes and the dimension of s.
func (s *Statistics) sameShape(t *Statistics) error {
	if err := sameWeighting(s, t); err != nil {
		return err
	}
	if s.Dim != t.Dim || !slices.Equal(s.Classes, t.Classes) || len(s.Counts) != len(t.Counts) {
		return fmt.Errorf("statistics of %d classes in %d columns and of %d classes in %d: want the same classes in "+
			"the same columns", s.NumClasses(), s.Dim, t.NumClasses(), t.Dim)
	}
	return nil
}
