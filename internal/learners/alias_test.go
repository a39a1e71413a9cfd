package learners

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/internal/testkit"
)

// Features may overwrite the vectors: in the same matrix, in a shifted part of it, and in the matrix whose transpose
// contains the vectors.
func TestTransformInPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, testkit.Normals(rng, r*c))
		return m
	}
	for _, center := range [][]float64{nil, {1, 2, 3}} {
		m := &feature.Model{Method: "pca", Filters: random(3, 3), Center: center}
		want := func(x mat.Matrix) *mat.Dense {
			var out mat.Dense
			m.Transform(&out, mat.DenseCopyOf(x))
			return &out
		}
		same := random(900, 3)
		expect := want(same)
		m.Transform(same, same)
		if !mat.Equal(same, expect) {
			t.Errorf("center %v: in place differs", center)
		}
		all := random(901, 3)
		from, to := all.Slice(0, 900, 0, 3), all.Slice(1, 901, 0, 3).(*mat.Dense)
		expect = want(from)
		m.Transform(to, from)
		if !mat.Equal(to, expect) {
			t.Errorf("center %v: a shifted part differs", center)
		}
		square := random(3, 3)
		expect = want(square.T())
		m.Transform(square, square.T())
		if !mat.Equal(square, expect) {
			t.Errorf("center %v: the transpose in place differs", center)
		}
	}
}
