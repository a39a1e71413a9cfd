package dense

import (
	"math"
	"testing"
)

// Mirrored checks every entry off the diagonal.
func TestMirrored(t *testing.T) {
	const n = 37
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a[i*n+j] = float64(max(i, j) * min(i, j))
		}
	}
	a[5*n+5] = math.NaN()
	if !Mirrored(n, a) {
		t.Fatal("a symmetric matrix is not mirrored")
	}
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			was := a[i*n+j]
			a[i*n+j] = was + 2
			if Mirrored(n, a) {
				t.Fatalf("entry (%d, %d) was not compared", i, j)
			}
			a[i*n+j] = was
		}
	}
	a[n] = math.NaN()
	if Mirrored(n, a) {
		t.Error("NaN equals its mirror image")
	}
}
