package spd

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// Channels in units that differ by twelve powers of ten give matrices with condition number 1e24, and do not change
// congruence-invariant metrics.
func TestUnitsOfChannelsDoNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	n := 10
	x := randomSPD(rng, 12, n)
	y := x.Select(indices.Range(12))
	unit := make([]float64, n)
	for i := range unit {
		unit[i] = math.Pow(10, -6+12*float64(i)/float64(n-1))
	}
	for k := range y.Count {
		for i := range n {
			for j := range n {
				y.At(k)[i*n+j] *= unit[i] * unit[j]
			}
		}
	}
	for _, m := range []Metric{Riemann, KullbackSym, LogDet} {
		testkit.Close(t, string(m)+" distance", distances(t, m, y, nil), distances(t, m, x, nil), 1e-9)
	}
	got, rep := testkit.Must2(weightedMean(context.Background(), y, nil, Riemann, MeanOptions{}))(t)
	want := meanOf(t, Riemann, x, nil)
	for i := range n {
		for j := range n {
			got[i*n+j] /= unit[i] * unit[j]
		}
	}
	testkit.Close(t, "mean", got, want, 1e-7)
	if rep.Iterations > 15 {
		t.Errorf("%d iterations", rep.Iterations)
	}
}

// The distance of A = Q diag(λ) Q' from I is known: d² = Σ log²λ. As the condition number grows, the error grows no
// faster than the condition number times the rounding unit.
func TestDistanceErrorGrowsWithTheCondition(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	n := 22
	q := testkit.Rotation(rng, n).RawMatrix().Data
	one := vec.Identity(n)
	for _, decades := range []float64{1, 2, 4, 8, 12} {
		want := 0.0
		d := make([]float64, n*n)
		for i := range n {
			l := math.Pow(10, decades*float64(i)/float64(n-1))
			want += math.Log(l) * math.Log(l)
			d[i*n+i] = l
		}
		a := congruent(StackOf(1, n, d), q).Data
		got := testkit.Must(pairDistance(Riemann, a, one, n))(t)
		relative := math.Abs(got-math.Sqrt(want)) / math.Sqrt(want)
		t.Logf("condition 1e%.0f: relative error %.1e", decades, relative)
		if relative > 1e-14+math.Pow(10, decades)*1e-16 {
			t.Errorf("condition 1e%.0f: relative error %.2g", decades, relative)
		}
	}
}

// The allocations of a call do not grow with the number of matrices, except slices with one value or factor per matrix.
func TestAllocationsDoNotGrowWithTheStack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	small, large := randomSPD(rng, 64, 8), randomSPD(rng, 1024, 8)
	one := large.Select([]int{0, 1, 2})
	for name, f := range map[string]func(x *Stack) func(){
		"distances": func(x *Stack) func() {
			dst := mat.NewDense(x.Count, 3, nil)
			return func() {
				testkit.NoError(t, Distances(t.Context(), dst, Riemann, x, one))
			}
		},
		"tangent vectors": func(x *Stack) func() {
			dst := mat.NewDense(x.Count, vec.PackedLen(8), nil)
			return func() {
				testkit.NoError(t, tangentVectors(context.Background(), dst, x, one.At(0)))
			}
		},
		"logarithms": func(x *Stack) func() {
			dst := NewStack(x.Count, 8)
			return func() {
				testkit.NoError(t, Log(dst, x))
			}
		},
		"mean": func(x *Stack) func() {
			return func() {
				if _, _, err := weightedMean(context.Background(), x, nil, Riemann,
					MeanOptions{MaxIter: 3}); !rao.IsNotConverged(err) {
					t.Fatal(err)
				}
			}
		},
	} {
		few, many := testing.AllocsPerRun(3, f(small)), testing.AllocsPerRun(3, f(large))
		if many > few+60 {
			t.Errorf("%s: %.0f allocations for 64 matrices, %.0f for 1024", name, few, many)
		}
	}
}
