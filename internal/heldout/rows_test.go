package heldout

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// The features of rows in every storage equal the features of their values, even after two maps.
func TestHeldRowsAreProjected(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const rows, n, m = 20, 19, 3
	x, f := mat.NewDense(rows, n, nil), mat.NewDense(n, m, nil)
	for i := range rows {
		for j := range n {
			x.Set(i, j, float64(rng.IntN(256)))
		}
	}
	pixels := make([]byte, 0, rows*n)
	for _, v := range x.RawMatrix().Data {
		pixels = append(pixels, byte(v))
	}
	shift, scale := make([]float64, n), make([]float64, n)
	for j := range n {
		shift[j], scale[j] = 100*rng.Float64(), 0.5+rng.Float64()
		for k := range m {
			f.Set(j, k, rng.NormFloat64())
		}
	}
	for name, in := range map[string]mat.Matrix{"double": x, "transposed": mat.DenseCopyOf(x.T()).T(),
		"bytes":  testkit.StoredRows{Matrix: x, Bytes: pixels},
		"single": testkit.StoredRows{Matrix: x, Narrow: testkit.Singles(x.RawMatrix().Data)}} {
		h := NewRows(in)
		h.affine(shift, scale)
		h.affine(nil, []float64{0.25})
		p := h.On(f)
		buf, got := p.Buffer(), make([]float64, m)
		for r := range rows {
			p.Row(got, buf, r)
			for k, v := range got {
				want := 0.0
				for j := range n {
					want += (x.At(r, j) - shift[j]) * scale[j] * 0.25 * f.At(j, k)
				}
				testkit.Near(t, v, want, 1e-10, name, "feature", k, "of row", r)
			}
		}
	}
}
