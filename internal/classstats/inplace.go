package classstats

import (
	"fmt"
	"slices"

	"rao/gaussian"
	"rao/internal/faults"
	"rao/internal/moments"
	"rao/internal/naming"
	"rao/internal/par"
)

// Add adds the observations of the parts to s like [gaussian.Merge], but in the memory of s. The parts must have the
// classes of s in the same order. Higher moments are dropped. After an error s is unchanged. The cost is one pass over
// the covariances of each part.
func Add(s *gaussian.Statistics, parts ...*gaussian.Statistics) error {
	for k, p := range parts {
		if err := sameShape(s, p); err != nil {
			return fmt.Errorf("part %d: %w", k+1, err)
		}
	}
	for i := range s.Counts {
		for _, p := range parts {
			addClass(s, i, p)
		}
	}
	s.Single = s.Single || slices.ContainsFunc(parts, func(p *gaussian.Statistics) bool { return p.Single })
	s.Cubic, s.Quartic, s.Parts = nil, nil, nil
	return nil
}

// Complement replaces s, the statistics of some of the observations of all, with the statistics of the remaining
// observations. It gives the same bits as [gaussian.Subtract], for the same classes in the same order, in the memory of
// s. Higher moments are dropped. After an error s is unchanged.
func Complement(s, all *gaussian.Statistics) error {
	if err := sameShape(s, all); err != nil {
		return err
	}
	for i, n := range s.Counts {
		if n > all.Counts[i] {
			return fmt.Errorf("%d observations of class %s cannot be subtracted, because there are only %d; "+
				"subtract only statistics of rows in the full statistics",
				n, naming.Class(s.Classes, i),
				all.Counts[i])
		}
	}
	for i := range s.Counts {
		complementClass(s, i, all)
	}
	s.Single = s.Single || all.Single
	s.Cubic, s.Quartic, s.Parts = nil, nil, nil
	return nil
}

// sameShape returns an error unless t has the classes and the dimension of s.
func sameShape(s, t *gaussian.Statistics) error {
	if (s.Weights == nil) != (t.Weights == nil) {
		return faults.Data("only one of the two has rows with weights; compute both with weights, or both without")
	}
	if s.Dim != t.Dim || !slices.Equal(s.Classes, t.Classes) || len(s.Counts) != len(t.Counts) {
		return fmt.Errorf("statistics of %d classes in %d columns cannot be combined with statistics of %d classes in "+
			"%d columns; both need the same columns, and the same classes in the same order", s.NumClasses(), s.Dim,
			t.NumClasses(), t.Dim)
	}
	return nil
}

// addClass adds class i of t like [moments.Class.Add], without a copy of either scatter.
func addClass(s *gaussian.Statistics, i int, t *gaussian.Statistics) {
	na, nb := Weight(s, i), Weight(t, i)
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
	a, b := CovarianceOf(s, i), CovarianceOf(t, i)
	par.For(n, moments.RowGrain(n), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			row, other, x := a[r*n:(r+1)*n], b[r*n:(r+1)*n], delta[r]
			for j, y := range delta {
				row[j] = (row[j]*fa + (other[j]*fb + w*(x*y))) / f
			}
		}
	})
	setWeight(s, i, s.Counts[i]+t.Counts[i], total)
}

// complementClass replaces class i of s by the observations of class i of all that s does not have. It computes the
// result of [moments.Class.Sub] without copying either scatter.
func complementClass(s *gaussian.Statistics, i int, all *gaussian.Statistics) {
	n, total, nb := s.Dim, Weight(all, i), Weight(s, i)
	mean, center, c := s.Mean(i), all.Mean(i), CovarianceOf(s, i)
	na := total - nb
	switch {
	case na == 0:
		setWeight(s, i, 0, 0)
		clear(mean)
		clear(c)
		return
	case nb == 0:
		setWeight(s, i, all.Counts[i], total)
		copy(mean, center)
		copy(c, CovarianceOf(all, i))
		return
	}
	delta := make([]float64, n)
	for j, x := range mean {
		db := x - center[j]
		rest := -nb / na * db
		delta[j] = db - rest
		mean[j] = center[j] + rest
	}
	w, fw, fp, f := na*nb/total, total-1, max(0, nb-1), max(1, na-1)
	from := CovarianceOf(all, i)
	par.For(n, moments.RowGrain(n), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			row, other, x := c[r*n:(r+1)*n], from[r*n:(r+1)*n], delta[r]
			for j, y := range delta {
				v := other[j]*fw - (row[j]*fp + w*(x*y))
				if j == r {
					v = max(0, v)
				}
				row[j] = v / f
			}
		}
	})
	setWeight(s, i, all.Counts[i]-s.Counts[i], na)
}

// setWeight sets the number of observations of a class, and their weight if they are weighted.
func setWeight(s *gaussian.Statistics, i, rows int, weight float64) {
	if s.Counts[i] = rows; s.Weights != nil {
		s.Weights[i] = weight
	}
}

// Affine replaces s by the statistics of (x-shift)·scale, like [gaussian.Statistics.Affine], but in the memory of s.
func Affine(s *gaussian.Statistics, shift, scale []float64) {
	moments.Affine(s.NumClasses(), s.Dim, s.Means, s.Covariances, s.Means, s.Covariances, shift, scale)
	if len(scale) != 1 {
		s.Cubic, s.Quartic = nil, nil
	}
	moments.ScaleHigher(s.Cubic, s.Quartic, scale[0])
}
