package privacy

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/subclasses"
	"rao/internal/testkit"
)

// The warning names classes with too few rows for the noise, and no other classes.
func TestWeakClassesAreNamed(t *testing.T) {
	const d = 6
	x, labels := randomRows(21, 9000, d)
	var kept []int // 20 rows of the last class
	rare := 0
	for i, k := range labels {
		if k == 2 {
			if rare++; rare > 20 {
				continue
			}
		}
		kept = append(kept, i)
	}
	fewer, of := mat.NewDense(len(kept), d, nil), make([]int, len(kept))
	for to, i := range kept {
		fewer.SetRow(to, x.RawRowView(i))
		of[to] = labels[i]
	}
	for _, kind := range []Kind{Subspace, Pooled} {
		opt := testOptions(2)
		opt.Kind = kind
		all := testkit.Must(Estimate(context.Background(), subclasses.RowsOf(x, labels, threeClasses), opt))(t)
		if weak := all.Weak(); len(weak) > 0 || all.Advice() != "" {
			t.Errorf("%s: 3000 rows of each class: %q are weak", kind, weak)
		}
		r := testkit.Must(Estimate(context.Background(), subclasses.RowsOf(fewer, of, threeClasses), opt))(t)
		if weak := r.Weak(); !slices.Equal(weak, []string{"c"}) || !strings.Contains(r.Advice(), "class c has") {
			t.Errorf("%s: 20 rows of class c: %q are weak, %q, counts %d ± %.3g", kind, weak, r.Advice(), r.Counts,
				math.Sqrt(r.CountNoise))
		}
	}
}

// If no direction rises above the noise of the first rounds, the subspace is noise, and all classes are weak.
func TestSubspacesOfNoiseAreWeak(t *testing.T) {
	x, labels := randomRows(22, 60, 6)
	faint := 0
	for seed := range uint64(10) {
		r := testkit.Must(Estimate(context.Background(), subclasses.RowsOf(x, labels, threeClasses),
			testOptions(seed)))(t)
		if !r.Plan.faint {
			continue
		}
		faint++
		if weak := r.Weak(); !slices.Equal(weak, threeClasses) || !strings.Contains(r.Advice(), "all classes have") {
			t.Errorf("seed %d: %q are weak, %q", seed, weak, r.Advice())
		}
	}
	if faint < 5 {
		t.Errorf("60 rows: only %d of 10 subspaces are noise", faint)
	}
}
