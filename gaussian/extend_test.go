package gaussian

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// meanShift is the squared distance of the means alone: a measure as docs/extending.md adds
// one, in one file.
type meanShift struct {
	pairs *pairList // those that are evaluated; all of them are one such list
	m     int
	means []float64
}

func (k *meanShift) values(dst, means, _ []float64) error {
	k.means = slices.Clone(means)
	for p, i := range k.pairs.i {
		j := k.pairs.j[p]
		d := floats.Distance(means[i*k.m:(i+1)*k.m], means[j*k.m:(j+1)*k.m], 2)
		dst[p] = d * d
	}
	return nil
}

func (k *meanShift) gradient(gradMeans, _, weights []float64) {
	for p, i := range k.pairs.i {
		j := k.pairs.j[p]
		for r := range k.m {
			g := 2 * weights[p] * (k.means[i*k.m+r] - k.means[j*k.m+r])
			gradMeans[i*k.m+r] += g
			gradMeans[j*k.m+r] -= g
		}
	}
}

func TestADissimilarityIsOneEntryAndOneFile(t *testing.T) {
	before := families
	families = append(slices.Clone(before), family{name: "mean_shift", distance: true, // the entry
		kernel: func(l *pairList, m int, _ float64) kernel { return &meanShift{pairs: l, m: m} }})
	defer func() { families = before }()

	d, err := ParseDissimilarity("mean_shift_squared")
	if err != nil || !slices.Contains(Dissimilarities(), "mean_shift") {
		t.Fatal(d, err)
	}
	s := &Statistics{Dim: 1, Classes: []string{"a", "b"}, Counts: []int{9, 9}, Means: []float64{1, 4},
		Covariances: []float64{1, 2}}
	var v mat.Dense
	if err := s.DissimilarityMatrix(&v, d); err != nil || v.At(0, 1) != 9 {
		t.Errorf("%v, %v", v.At(0, 1), err)
	}
	p := Dissimilarity{Name: "mean_shift"}.Pairs(2, 1, 0)
	dst, gm, gc := make([]float64, 1), make([]float64, 2), make([]float64, 2)
	if err := p.Values(dst, s.Means, s.Covariances); err != nil {
		t.Fatal(err)
	}
	p.Gradient(gm, gc, []float64{1})
	if dst[0] != 3 || math.Abs(gm[0]+1) > 1e-15 || math.Abs(gm[1]-1) > 1e-15 {
		t.Errorf("value %v, gradient %v", dst, gm)
	}
	means, covs := randomGaussians(7, 5, 3, false)
	for _, d := range []Dissimilarity{{Name: "mean_shift"}, {Name: "mean_shift", Squared: true}} {
		checkGradient(t, d, 5, 3, means, covs)
		checkPairLists(t, d)
	}
}
