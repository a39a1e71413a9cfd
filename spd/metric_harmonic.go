package spd

import "rao/internal/linalg/vec"

var harmonic = newFlat(Harmonic, &FlatSpace{scaled: true, to: toInverse, from: fromInverse})

func toInverse(s *scratch, dst []float64, x *Stack, lo, hi int, role string) error {
	n, nn, c := x.Dim, x.Dim*x.Dim, hi-lo
	l, li := s.buf(0, c*nn), s.buf(2, c*nn)
	if err := s.factors(l, x, lo, hi, role); err != nil {
		return err
	}
	s.w.InvertLower(li, l, n, c)
	s.w.Mul(dst, li, li, true, false, n, c)
	return nil
}

func fromInverse(t []float64, n int) ([]float64, error) {
	vec.Symmetrize(t, n)
	s := singles.Get().(*scratch)
	defer singles.Put(s)
	out := make([]float64, n*n)
	if err := toInverse(s, out, StackOf(1, n, t), 0, 1, "mean of the inverses"); err != nil {
		return nil, single(err)
	}
	vec.Symmetrize(out, n)
	return out, nil
}
