package privacy

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/rows"
	"rao/internal/testkit"
)

// TestBytesAreMappedAsNumbers maps the same rows, stored as bytes and as float64, with one range for all columns and
// with one range per column.
func TestBytesAreMappedAsNumbers(t *testing.T) {
	const n, d = 70, 11
	rng := rand.New(rand.NewPCG(1, 2))
	x, pixels := mat.NewDense(n, d, nil), make([]byte, n*d)
	for i := range pixels {
		pixels[i] = byte(rng.IntN(256))
		x.RawMatrix().Data[i] = float64(pixels[i])
	}
	numbers := []int{3, 0, 69, 7}
	for _, high := range [][]float64{{200}, {200, 255, 10, 1, 2, 3, 4, 5, 6, 7, 8}} {
		low := make([]float64, len(high))
		low[0] = 5
		p := &Plan{Dim: d, Radius: 2, Center: make([]float64, d), Domain: Domain{Low: low, High: high}.of(d)}
		for j := range p.Center {
			p.Center[j] = 0.1 * rng.NormFloat64()
		}
		got, want := make([]float64, len(numbers)*d), make([]float64, len(numbers)*d)
		m := p.mapper()
		testkit.Equal(t, m.bytes != nil, len(high) == 1, len(high), "ranges: a table for bytes")
		m.rows(got, rows.New(testkit.StoredRows{Matrix: x, Bytes: pixels}), numbers)
		m.rows(want, rows.New(x), numbers)
		testkit.EqualSlices(t, got, want, len(high), "ranges: bytes are not mapped as numbers are")
	}
}
