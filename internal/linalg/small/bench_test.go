package small

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// benchCount is the size of the batches.
const benchCount = 1024

// benchBatch returns a batch of well-conditioned random matrices.
func benchBatch(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var a []float64
	for range 64 {
		a = append(a, testkit.WithSpectrum(rng, n, func(int) float64 { return math.Exp(rng.NormFloat64()) })...)
	}
	for len(a) < n*n*benchCount {
		a = append(a, a[:64*n*n]...)
	}
	return a
}

// eachPath runs a benchmark over orders and implementations and reports the time
// of one matrix.
func eachPath(b *testing.B, orders []int, run func(w *Workspace, a, dst, values []float64, n int) error) {
	for _, n := range orders {
		a := benchBatch(n)
		dst, values := make([]float64, len(a)), make([]float64, n*benchCount)
		for _, p := range cpu.Available() {
			b.Run(fmt.Sprintf("n=%d/%v", n, p), func(b *testing.B) {
				w := workspaceFor(p)
				for b.Loop() {
					testkit.NoError(b, run(w, a, dst, values, n))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchCount, "ns/matrix")
			})
		}
	}
}

var benchOrders = []int{2, 5, 9, 10, 22, 33}

func BenchmarkEigen(b *testing.B) {
	eachPath(b, append(benchOrders, 48, 64, 96), func(w *Workspace, a, dst, values []float64, n int) error {
		return w.Eigen(values, dst, a, n, benchCount)
	})
}

func BenchmarkEigenValues(b *testing.B) {
	eachPath(b, benchOrders, func(w *Workspace, a, _, values []float64, n int) error {
		return w.EigenValues(values, a, n, benchCount)
	})
}

func BenchmarkLogSquaredDistances(b *testing.B) {
	eachPath(b, benchOrders, func(w *Workspace, a, _, values []float64, n int) error {
		return w.LogSquaredDistances(values[:benchCount], identityFor(n), a, n, benchCount)
	})
}

func identityFor(n int) []float64 { return diagonal(n, func(int) float64 { return 1 }) }

func BenchmarkGeneralized(b *testing.B) {
	eachPath(b, benchOrders, func(w *Workspace, a, dst, values []float64, n int) error {
		// Each matrix with its neighbor.
		return w.Generalized(values, dst, a[:n*n*(benchCount-1)], a[n*n:], n, benchCount-1)
	})
}

func BenchmarkCholesky(b *testing.B) {
	eachPath(b, benchOrders, func(w *Workspace, a, dst, _ []float64, n int) error {
		return w.Cholesky(dst, a, n, benchCount)
	})
}

func BenchmarkMul(b *testing.B) {
	eachPath(b, benchOrders, func(w *Workspace, a, dst, _ []float64, n int) error {
		w.Mul(dst, a, a, false, false, n, benchCount)
		return nil
	})
}

// BenchmarkGonum measures gonum, for comparison with the kernels.
func BenchmarkGonum(b *testing.B) {
	const n = 10
	a := benchBatch(n)
	sym, dense := mat.NewSymDense(n, a[:n*n]), mat.NewDense(n, n, a[:n*n])
	b.Run("Cholesky", func(b *testing.B) {
		var c mat.Cholesky
		for b.Loop() {
			c.Factorize(sym)
		}
	})
	b.Run("Mul", func(b *testing.B) {
		var c mat.Dense
		for b.Loop() {
			c.Mul(dense, dense)
		}
	})
	b.Run("Eigen", func(b *testing.B) {
		var e mat.EigenSym
		for b.Loop() {
			e.Factorize(sym, true)
		}
	})
}
