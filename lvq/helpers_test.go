package lvq

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
	"rao/spd"
)

// randomSPD returns U diag(d) U' with log d uniform over log cond.
func randomSPD(rng *rand.Rand, n int, cond float64) *mat.Dense {
	u := testkit.Rotation(rng, n)
	d := mat.NewDiagDense(n, nil)
	for i := range n {
		f := rng.Float64()
		if i == 0 {
			f = 0
		} else if i == n-1 {
			f = 1
		}
		d.SetDiag(i, math.Pow(cond, f-0.5))
	}
	return congruence(u, d)
}

// congruence returns g a g', exactly symmetric.
func congruence(g, a mat.Matrix) *mat.Dense {
	var out mat.Dense
	out.Product(g, a, g.T())
	n, _ := out.Dims()
	vec.Symmetrize(out.RawMatrix().Data, n)
	return &out
}

// function returns V f(λ) V' of a symmetric matrix: the textbook way.
func function(a mat.Matrix, f func(float64) float64) *mat.Dense {
	n, _ := a.Dims()
	var e mat.EigenSym
	if !e.Factorize(testkit.Symmetric(a), true) {
		panic("eigen-decomposition failed")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	d := mat.NewDiagDense(n, nil)
	for i, x := range e.Values(nil) {
		d.SetDiag(i, f(x))
	}
	var out mat.Dense
	out.Product(&v, d, v.T())
	return &out
}

// stackOf puts dense matrices in a stack.
func stackOf(a ...*mat.Dense) *spd.Stack {
	n, _ := a[0].Dims()
	s := spd.NewStack(len(a), n)
	for k, m := range a {
		copy(s.At(k), m.RawMatrix().Data)
		vec.Symmetrize(s.At(k), n)
	}
	return s
}

// clouds draws count matrices for each class around random centers: the exponential of symmetric Gaussian noise of the
// given spread, in the coordinates of the center.
func clouds(seed uint64, n, classes, count int, apart, spread float64) (*spd.Stack, []int) {
	return cloudsFrom(seed, seed, n, classes, count, apart, spread)
}

// cloudsFrom draws the centers from one seed and the noise from another.
func cloudsFrom(centers, seed uint64, n, classes, count int, apart, spread float64) (*spd.Stack, []int) {
	where, rng := rand.New(rand.NewPCG(centers, 1)), rand.New(rand.NewPCG(seed, 2))
	noise := func(r *rand.Rand, width float64) *mat.Dense {
		s := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				v := width * r.NormFloat64()
				s.Set(i, j, v)
				s.Set(j, i, v)
			}
		}
		return s
	}
	var all []*mat.Dense
	var labels []int
	for c := range classes {
		root := function(noise(where, apart), math.Exp)
		for range count {
			all = append(all, congruence(root, function(noise(rng, spread), math.Exp)))
			labels = append(labels, c)
		}
	}
	return stackOf(all...), labels
}

// canceledWhen returns a model of PLRSQ whose fit is canceled by the first progress for which when holds.
func canceledWhen(t *testing.T, x *spd.Stack, y []int, opt PLRSQOptions, when func(e rao.Event) bool) *PLRSQ {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opt.Progress = func(e rao.Event) {
		if when(e) {
			cancel()
		}
	}
	m, err := FitPLRSQ(ctx, x, y, nil, opt)
	if m == nil || !rao.HasModel(err) {
		t.Fatal(err)
	}
	testkit.Equal(t, m.Report.Status, rao.StatusCanceled, "status")
	return m
}

// relative returns the largest difference relative to the largest magnitude.
func relative(got, want []float64) float64 {
	scale, worst := 0.0, 0.0
	for i, w := range want {
		scale = math.Max(scale, math.Abs(w))
		worst = math.Max(worst, math.Abs(got[i]-w))
	}
	return worst / scale
}

func accuracy(got, want []int) float64 {
	right := 0
	for i, y := range want {
		if got[i] == y {
			right++
		}
	}
	return float64(right) / float64(len(want))
}
