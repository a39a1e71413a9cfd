package spd

var kullbackSym = &geometry{
	name: KullbackSym, divergence: true, prepare: kullbackPrepare, row: kullbackRow,
	term: func(v float64) float64 { return (v+1/v)/2 - 1 },
	mean: closed(func(x *Stack, w []float64) ([]float64, error) { return kullbackMean(new(team), x, w) }),
}

func kullbackPrepare(p *pairs) error {
	return p.both(p.crew.inverses, &p.leftData, &p.rightData)
}

// inverses returns A⁻¹ for every matrix of x, contiguous.
func (t *team) inverses(x *Stack, role string) ([]float64, error) {
	nn := x.Dim * x.Dim
	out := make([]float64, x.Count*nn)
	err := t.batches(x.Count, x.Dim, func(s *scratch, lo, hi int) error {
		return toInverse(s, out[lo*nn:hi*nn], x, lo, hi, role)
	})
	return out, err
}

// kullbackRow computes tr(A⁻¹B + B⁻¹A)/2 − n as tr((A−B)(B⁻¹−A⁻¹))/2, which avoids cancellation for close matrices.
func kullbackRow(p *pairs, _ *scratch, d []float64, i, lo int) error {
	nn := p.n * p.n
	a, ai := p.left.At(i), p.leftData[i*nn:(i+1)*nn]
	for k := range d {
		b, bi := p.right.At(lo+k), p.rightData[(lo+k)*nn:(lo+k+1)*nn]
		var sum float64
		for t, v := range a {
			sum += (v - b[t]) * (bi[t] - ai[t])
		}
		d[k] = max(0, sum/2)
	}
	return nil
}

// kullbackMean returns the geometric mean of the arithmetic and the harmonic mean.
func kullbackMean(crew *team, x *Stack, w []float64) ([]float64, error) {
	a, err := euclid.flat.mean(crew, x, w)
	if err != nil {
		return nil, err
	}
	h, err := harmonic.flat.mean(crew, x, w)
	if err != nil {
		return nil, err
	}
	return riemannGeodesic(a, h, 0.5, x.Dim)
}
