package classifiers

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/spd"
)

// With fewer rows than coordinates the discriminant is computed from matrices of the order of the rows, with the same
// result.
func TestDiscriminantOnTheSideOfTheRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	const n, p = 18, 45
	v, labels := mat.NewDense(n, p, nil), make([]int, n)
	for k := range n {
		labels[k] = k % 3
		for j := range p {
			v.Set(k, j, (1+float64(j)/10)*rng.NormFloat64()+float64(labels[k]*(j%3)))
		}
		v.Set(k, 7, 2) // a constant column
	}
	priors := []float64{0.5, 0.3, 0.2}
	for _, c := range []struct {
		rule      gaussian.ShrinkRule
		isotropic bool
	}{{}, {isotropic: true}, {rule: gaussian.ShrinkRule{Kind: "oas"}},
		{rule: gaussian.ShrinkRule{Kind: "fixed", Amount: 0.3}},
		{gaussian.ShrinkRule{Kind: "fixed", Amount: 0.01}, true}} {
		rows := testkit.Must(fitShrunkLDA(t.Context(), mat.DenseCopyOf(v), labels, threeClasses, priors, c.rule,
			c.isotropic))(t)
		pooled, means := mat.DenseCopyOf(v), mat.NewDense(3, p, classMeans(v, labels, 3))
		direct := &shrunkLDA{kind: rows.kind, coef: mat.NewDense(3, p, nil)}
		floor := testkit.Must(direct.pool(t.Context(), pooled, labels, means, priors, c.rule, c.isotropic))(t)
		testkit.NoError(t, direct.solveByCoordinates(t.Context(), pooled, floor, means))
		testkit.Close(t, string(c.rule.Kind), rows.coef.RawMatrix().Data, direct.coef.RawMatrix().Data, 1e-10)
	}
	if _, err := fitShrunkLDA(t.Context(), mat.DenseCopyOf(v), labels, threeClasses, priors,
		gaussian.ShrinkRule{Kind: "fixed", Amount: 1e-17}, false); err == nil {
		t.Error("a shrinkage of 1e-17 makes the covariance regular")
	}
}

// wide draws per matrices of order n for each class. A matrix has many more entries than there are matrices.
func wide(per, n int) (*spd.Stack, []int) {
	rng := rand.New(rand.NewPCG(42, 1))
	x, labels := spd.NewStack(2*per, n), make([]int, 2*per)
	g := mat.NewDense(n, n+20, nil)
	var a mat.Dense
	for k := range labels {
		labels[k] = k % 2
		for i := range n {
			for j := range n + 20 {
				g.Set(i, j, rng.NormFloat64()*(1+0.3*float64(labels[k]*(i%2))))
			}
		}
		a.Mul(g, g.T())
		copy(x.At(k), a.RawMatrix().Data)
		for i := range n {
			for j := range i {
				x.At(k)[j*n+i] = x.At(k)[i*n+j]
			}
		}
	}
	return x, labels
}

// The memory for matrices of a high order is proportional to their number of entries, because the covariance of their
// tangent vectors is never computed.
func TestMemoryOfTangentClassifiersOfLargeMatrices(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector makes pools forget, and the memory is taken again")
	}
	const per, n = 5, 80 // vectors of 3240 values
	const square = 8 * 3240 * 3240
	x, y := wide(per, n)
	two := []string{"even", "odd"}
	for name, fit := range map[string]func() (matrixClassifier, error){
		"tslda": func() (matrixClassifier, error) {
			return FitTangentLDA(context.Background(), x, y, two, TangentLDAOptions{})
		},
		"fgmdm": func() (matrixClassifier, error) {
			return fitFgMDM(context.Background(), x, y, two)
		},
		"tssvm": func() (matrixClassifier, error) {
			return FitTangentSVM(context.Background(), x, y, two, TangentSVMOptions{})
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := fit()
		runtime.ReadMemStats(&after)
		testkit.NoError(t, err, name)
		if got := after.TotalAlloc - before.TotalAlloc; got > square/2 {
			t.Errorf("%s allocates %d MB in all; a covariance of the vectors takes %d", name, got>>20, square>>20)
		}
		if a := evaluate.Accuracy(y, decide(t, m, x)); a < 1 {
			t.Errorf("%s: accuracy %.2f on its own training matrices", name, a)
		}
	}
}

// The solver checks for cancellation between the blocks of its products and its factorization, in both formulations.
func TestDiscriminantHearsCancellation(t *testing.T) {
	for _, size := range [][2]int{{700, 3000}, {3000, 700}} {
		rng := rand.New(rand.NewPCG(9, 9))
		v, labels := mat.NewDense(size[0], size[1], nil), make([]int, size[0])
		for k := range labels {
			labels[k] = k % 2
			for j := range size[1] {
				v.Set(k, j, rng.NormFloat64())
			}
		}
		heard, late := 0, time.Hour
		for at := int64(1); ; at += 2 {
			ctx := testkit.CancelAt(at)
			_, err := fitShrunkLDA(ctx, mat.DenseCopyOf(v), labels, threeClasses[:2], []float64{0.5, 0.5},
				gaussian.ShrinkRule{}, false)
			if err == nil {
				break
			}
			if heard++; !errors.Is(err, context.Canceled) {
				t.Fatalf("%v, told to end at question %d: %v", size, at, err)
			}
			late = min(late, ctx.Late())
		}
		if late > testkit.Soon {
			t.Errorf("%v: ended %v after it was told to", size, late)
		}
		if heard < 8 {
			t.Errorf("%v: heard at %d questions", size, heard)
		}
	}
}
