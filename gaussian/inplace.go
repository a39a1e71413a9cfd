package gaussian

import (
	"fmt"
	"slices"

	"rao/internal/moments"
	"rao/internal/par"
)

// AddInPlace adds the observations of the parts to s like [Merge], but in the memory of s. The parts must have the
// classes of s in the same order. Higher moments are dropped. After an error s is unchanged. The cost is one pass over
// the covariances of each part.
func (s *Statistics) AddInPlace(parts ...*Statistics) error {
	for k, p := range parts {
		if err := s.sameShape(p); err != nil {
			return fmt.Errorf("part %d: %w", k+1, err)
		}
	}
	for i := range s.Counts {
		for _, p := range parts {
			s.addClass(i, p)
		}
	}
	s.Single = s.Single || anySingle(parts)
	s.Cubic, s.Quartic, s.Parts, s.own = nil, nil, nil, false
	return nil
}

// ComplementInPlace replaces s, the statistics of some observations of whole, with the statistics of the other
// observations of whole. It gives the same bits as [Subtract], for the same classes in the same order, in the memory of
// s. Higher moments are dropped. After an error s is unchanged.
func (s *Statistics) ComplementInPlace(whole *Statistics) error {
	if err := s.sameShape(whole); err != nil {
		return err
	}
	for i, n := range s.Counts {
		if n > whole.Counts[i] {
			return fmt.Errorf("%d observations of class %s cannot be subtracted, because there are only %d; "+
				"subtract only statistics of rows in the full statistics",
				n, s.Name(i),
				whole.Counts[i])
		}
	}
	for i := range s.Counts {
		s.complementClass(i, whole)
	}
	s.Single = s.Single || whole.Single
	s.Cubic, s.Quartic, s.Parts, s.own = nil, nil, nil, false
	return nil
}

// sameShape returns an error unless t has the classes and the dimension of s.
func (s *Statistics) sameShape(t *Statistics) error {
	if err := sameWeighting(s, t); err != nil {
		return err
	}
	if s.Dim != t.Dim || !slices.Equal(s.Classes, t.Classes) || len(s.Counts) != len(t.Counts) {
		return fmt.Errorf("statistics of %d classes in %d columns cannot be combined with statistics of %d classes in "+
			"%d columns; both need the same columns, and the same classes in the same order", s.NumClasses(), s.Dim,
			t.NumClasses(), t.Dim)
	}
	return nil
}

// addClass adds class i of t like moments.add, without a copy of either scatter.
func (s *Statistics) addClass(i int, t *Statistics) {
	na, nb := s.Weight(i), t.Weight(i)
	if nb == 0 {
		return
	}
	n, total := s.Dim, na+nb
	mean, delta := s.Mean(i), make([]float64, n)
	for j, x := range t.Mean(i) {
		delta[j] = x - mean[j]
		mean[j] += nb / total * delta[j]
	}
	w, fa, fb, f := na*nb/total, max(0, na-1), nb-1, max(1, total-1)
	a, b := s.cov(i), t.cov(i)
	par.For(n, moments.RowGrain(n), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			row, other, x := a[r*n:(r+1)*n], b[r*n:(r+1)*n], delta[r]
			for j, y := range delta {
				row[j] = (row[j]*fa + (other[j]*fb + w*(x*y))) / f
			}
		}
	})
	s.setWeight(i, s.Counts[i]+t.Counts[i], total)
}

// complementClass replaces class i of s by the observations of class i of whole that s does not have. It computes the
// result of moments.sub without copying either scatter.
func (s *Statistics) complementClass(i int, whole *Statistics) {
	n, total, nb := s.Dim, whole.Weight(i), s.Weight(i)
	mean, all, cov := s.Mean(i), whole.Mean(i), s.cov(i)
	na := total - nb
	switch {
	case na == 0:
		s.setWeight(i, 0, 0)
		clear(mean)
		clear(cov)
		return
	case nb == 0:
		s.setWeight(i, whole.Counts[i], total)
		copy(mean, all)
		copy(cov, whole.cov(i))
		return
	}
	delta := make([]float64, n)
	for j, x := range mean {
		db := x - all[j]
		rest := -nb / na * db
		delta[j] = db - rest
		mean[j] = all[j] + rest
	}
	w, fw, fp, f := na*nb/total, total-1, max(0, nb-1), max(1, na-1)
	from := whole.cov(i)
	par.For(n, moments.RowGrain(n), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			row, other, x := cov[r*n:(r+1)*n], from[r*n:(r+1)*n], delta[r]
			for j, y := range delta {
				v := other[j]*fw - (row[j]*fp + w*(x*y))
				if j == r {
					v = max(0, v)
				}
				row[j] = v / f
			}
		}
	})
	s.setWeight(i, whole.Counts[i]-s.Counts[i], na)
}
