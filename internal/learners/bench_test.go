package learners

import (
	"rao/feature"
	"rao/internal/testkit"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func BenchmarkTransform(b *testing.B) {
	x, y := sample(4000, 100, 4, 1)
	m := testkit.Must(feature.FitPCA(estimate(b, x, y), feature.PCAOptions{Filters: 9}))(b)
	dst := mat.NewDense(4000, 9, nil)
	b.SetBytes(4000 * 100 * 8)
	for b.Loop() {
		m.Transform(dst, x)
	}
}

// benchmarkCost times one evaluation of a cost with its derivative.
func benchmarkCost(b *testing.B, rows int, of func(t *training) cost) {
	x, y := sample(rows, 9, 10, 2)
	t := testkit.Must(newTraining(x, y, nil))(b)
	f, z := of(t), mat.DenseCopyOf(x).RawMatrix().Data
	dz := make([]float64, len(z))
	for b.Loop() {
		f(z, dz)
	}
}

func BenchmarkAMACost(b *testing.B) {
	benchmarkCost(b, 20000, func(t *training) cost { return newGaussianPosterior(t, 9, 1, make([]float64, 10)).cost })
}

func BenchmarkNCACost(b *testing.B) {
	benchmarkCost(b, 2000, func(t *training) cost { return newNCA(t, 9).cost })
}

func BenchmarkWDACost(b *testing.B) {
	benchmarkCost(b, 2000, func(t *training) cost { return newWDA(t, 9, 100).cost })
}

func BenchmarkLMNNCost(b *testing.B) {
	benchmarkCost(b, 20000, func(t *training) cost {
		l := &lmnn{t: t, opt: LMNNOptions{Filters: 9, Push: 0.5, Impostors: 100}, k: 3}
		z := t.in.All(nil)
		_ = l.targetsAmong(background, z)
		_ = l.findImpostors(background, z)
		return l.cost
	})
}
