package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rao/internal/testkit"
)

// Chains of any length rotate pairs of rows from the last to the first, and do not change adjacent memory.
func TestRotateAgainstTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for n := range 20 {
		cs := make([]float64, 2*n)
		for k := 0; k < len(cs); k += 2 {
			sin, cos := math.Sincos(rng.Float64() * 7)
			cs[k], cs[k+1] = cos, sin
		}
		padded := slices.Repeat([]float64{math.NaN()}, (n+3)*RotationWidth)
		rows := padded[RotationWidth : (n+2)*RotationWidth]
		for i := range rows {
			rows[i] = rng.NormFloat64()
		}
		want := append([]float64(nil), rows...)
		for k := range n {
			c, s := cs[2*k], cs[2*k+1]
			for j := range RotationWidth {
				below, above := (n-k)*RotationWidth+j, (n-k-1)*RotationWidth+j
				x, y := want[below], want[above]
				want[below], want[above] = c*x+s*y, c*y-s*x
			}
		}
		Rotate(rows, cs)
		for i, v := range rows {
			testkit.Near(t, v, want[i], 1e-15*float64(n+1), n, "rotations: value", i)
		}
		for i := range RotationWidth {
			if !math.IsNaN(padded[i]) || !math.IsNaN(padded[(n+2)*RotationWidth+i]) {
				t.Fatalf("%d rotations wrote beside the rows", n)
			}
		}
	}
}
