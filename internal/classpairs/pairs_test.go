package classpairs

import (
	"context"
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/internal/testkit"
)

// The test of two classes among three equals the test of these two classes.
func TestPairs(t *testing.T) {
	d, y := testkit.PointsOnALine(18, 2, 5)
	alone := testkit.Must(evaluate.Manova(context.Background(), d, y, evaluate.ManovaOptions{Permutations: 200}))(t)
	const n = 24
	all, labels, groups := mat.NewSymDense(n, nil), make([]int, n), make([]int, n)
	for i := range n {
		labels[i] = 2 // between two of the others
		if i >= 6 {
			labels[i] = 3 * y[i-6]
		}
		for j := range i {
			all.SetSym(i, j, 1)
			if j >= 6 {
				all.SetSym(i, j, d.At(i-6, j-6))
			}
		}
	}
	pairs, err := Pairs(context.Background(), all, labels,
		evaluate.ManovaOptions{Permutations: 200, Groups: groups, Keep: true})
	if err != nil || len(pairs) != 3 {
		t.Fatal(len(pairs), err)
	}
	if p := pairs[1]; p.A != 0 || p.B != 3 || p.F != alone.F || p.P != alone.P || p.Holm < p.P {
		t.Errorf("%+v, alone %+v", p, alone)
	}
	var pair *PairError
	alike := evaluate.ManovaOptions{Groups: make([]int, 18)}
	for i := range alike.Groups {
		alike.Groups[i] = i
	}
	if _, err := Pairs(context.Background(), d, append(y[:17:17], 7), alike); !errors.As(err, &pair) {
		t.Errorf("nothing to exchange: %v", err)
	}
}
