package bench

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/small"
	"rao/internal/text"
)

// specs returns the cases of kernels, in the order of the table in docs/measurements/bench.md.
func specs() []*spec {
	var all []*spec
	for _, n := range []int{784, 1024} {
		for _, threads := range []int{1, 2} {
			all = append(all, syrk(n, 8192, threads)...)
		}
	}
	all = append(all, project(784, 10)...)
	for _, n := range []int{5, 9, 10, 22, 33} {
		all = append(all, eigen(n, 1000))
	}
	return append(all, cholesky(10, 1000), gemm(10, 1000))
}

func normal(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// syrk measures products of doubles and of singles.
func syrk(n, k, threads int) []*spec {
	of := func(name, peer string, prepare func() (ours, gonum func(), err error)) *spec {
		return &spec{name: fmt.Sprintf("%s %d×%d, %s", name, n, k, text.Plural(threads, "thread", "threads")),
			unit: "GFLOP/s", work: float64(n) * float64(n) * float64(k) / 1e9, threads: threads, peer: []string{peer},
			reference: n < 1000 && threads == 1, params: params{"n": n, "k": k}, prepare: prepare}
	}
	return []*spec{
		of("DSYRK", "syrk64", func() (ours, gonum func(), err error) {
			a, c := normal(n*k), make([]float64, n*n)
			ours = func() { dense.Syrk(n, k, 1, a, n, 0, c, n) }
			gonum = func() {
				blas64.Syrk(blas.Trans, 1, blas64.General{Rows: k, Cols: n, Stride: n, Data: a}, 0,
					blas64.Symmetric{N: n, Stride: n, Data: c, Uplo: blas.Upper})
			}
			return ours, gonum, nil
		}),
		of("SSYRK", "syrk32", func() (ours, gonum func(), err error) {
			a, c := make([]float32, n*k), make([]float64, n*n)
			for i, v := range normal(n * k) {
				a[i] = float32(v)
			}
			return func() { dense.Syrk32(n, k, a, n, c, n) }, nil, nil
		})}
}

// project measures the projection of eight matrices, which do not fit in the caches, and, as a lower bound, a plain sum
// over these matrices.
func project(n, m int) []*spec {
	const copies = 8
	work := float64(copies*n*n*8) / 1e9
	return []*spec{
		{name: fmt.Sprintf("projection %d×%d on %d filters", n, n, m), unit: "GB/s", work: work, threads: 1,
			peer: []string{"project"}, params: params{"n": n, "m": m},
			prepare: func() (ours, gonum func(), err error) {
				phi, f, dst := normal(copies*n*n), normal(n*m), make([]float64, n*m)
				ours = func() {
					for i := range copies {
						dense.Project(n, m, phi[i*n*n:], n, f, m, dst, m)
					}
				}
				g := mat.NewDense(n, m, f)
				gonum = func() {
					var out mat.Dense
					for i := range copies {
						out.Mul(mat.NewDense(n, n, phi[i*n*n:(i+1)*n*n]), g)
					}
				}
				return ours, gonum, nil
			}},
		{name: fmt.Sprintf("plain sum over the %d×%d matrices", n, n), unit: "GB/s", work: work, threads: 1,
			prepare: func() (ours, gonum func(), err error) {
				phi, sum := normal(copies*n*n), 0.0
				return func() { sum += plainSum(phi) }, nil, nil
			}},
	}
}

// plainSum reads v once, with eight sums at a time.
func plainSum(v []float64) float64 {
	var s [8]float64
	for len(v) >= 8 {
		for j := range s {
			s[j] += v[j]
		}
		v = v[8:]
	}
	return s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7]
}

// spdStack returns count random n×n SPD matrices, one after the other.
func spdStack(n, count int) []float64 {
	a := normal(n * n * count)
	out := make([]float64, len(a))
	var w small.Workspace
	w.Mul(out, a, a, false, true, n, count)
	for k := range count {
		for i := range n {
			out[k*n*n+i*n+i] += float64(n)
		}
	}
	return out
}

// onStack measures a function of count SPD matrices of order n. prepare gets the matrices, one after the other, and
// returns ours on all of them and gonum's on one.
func onStack(what string, n, count int, peer []string,
	prepare func(w *small.Workspace, a []float64) (ours func(), gonum func(one []float64))) *spec {
	return &spec{name: fmt.Sprintf("%s, %d of %d×%d", what, count, n, n), unit: "matrices/s", work: float64(count),
		threads: 1, peer: peer, params: params{"n": n, "count": count},
		prepare: func() (func(), func(), error) {
			a := spdStack(n, count)
			ours, one := prepare(new(small.Workspace), a)
			return ours, func() {
				for k := range count {
					one(a[k*n*n : (k+1)*n*n])
				}
			}, nil
		}}
}

func eigen(n, count int) *spec {
	return onStack("eigendecomposition with vectors", n, count, []string{"eigh", "eigh-torch"},
		func(w *small.Workspace, a []float64) (ours func(), gonum func([]float64)) {
			values, vectors := make([]float64, n*count), make([]float64, len(a))
			var e mat.EigenSym
			return func() { must(w.Eigen(values, vectors, a, n, count)) },
				func(one []float64) { e.Factorize(mat.NewSymDense(n, one), true) }
		})
}

func cholesky(n, count int) *spec {
	return onStack("Cholesky", n, count, []string{"cholesky"},
		func(w *small.Workspace, a []float64) (ours func(), gonum func([]float64)) {
			l := make([]float64, len(a))
			var c mat.Cholesky
			return func() { must(w.Cholesky(l, a, n, count)) },
				func(one []float64) { c.Factorize(mat.NewSymDense(n, one)) }
		})
}

func gemm(n, count int) *spec {
	return onStack("GEMM", n, count, []string{"gemm"},
		func(w *small.Workspace, a []float64) (ours func(), gonum func([]float64)) {
			c, out := make([]float64, len(a)), mat.NewDense(n, n, nil)
			return func() { w.Mul(c, a, a, false, false, n, count) }, func(one []float64) {
				x := mat.NewDense(n, n, one)
				out.Mul(x, x)
			}
		})
}

func must(err error) {
	if err != nil {
		panic("bench: " + err.Error())
	}
}
