package spd

import (
	"fmt"
	"math"
	"testing"

	"rao/internal/testkit"
)

// If the size of a stack overflows or is negative, the panic states the number and the order of the matrices.
func TestStacksBeyondMemoryAreRefused(t *testing.T) {
	for _, c := range [][2]int{{math.MaxInt / 2, 4}, {math.MaxInt/2 + 1, 2}, {1, math.MaxInt}, {-1, 3}, {3, -1}} {
		for name, build := range map[string]func(){
			"NewStack": func() { NewStack(c[0], c[1]) },
			"StackOf":  func() { StackOf(c[0], c[1], make([]float64, 9)) },
		} {
			want := fmt.Sprintf("spd: a stack of %d matrices of order %d", c[0], c[1])
			testkit.Contains(t, fmt.Sprint(testkit.Panic(build)), want, name)
		}
	}
}
