package small

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/testkit"
)

func TestMul(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		for _, n := range orders {
			for _, count := range counts(n) {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(count)))
				a, b := copied(testkit.Normals(rng, n*n*count)), copied(testkit.Normals(rng, n*n*count))
				for op := range 4 {
					transA, transB := op&1 != 0, op&2 != 0
					c := guarded(n * n * count)
					w.Mul(c.data(), a.data(), b.data(), transA, transB, n, count)
					c.intact(t, "Mul")
					for k := range count {
						at := k * n * n
						want := times(a.data()[at:at+n*n], b.data()[at:at+n*n], transA, transB, n)
						if d := apart(c.data()[at:at+n*n], want); !(d <= 1e-15*float64(n+2)) {
							t.Fatalf("n=%d matrix %d of %d, transposed %v %v: off by %g",
								n, k, count, transA, transB, d)
						}
					}
				}
			}
		}
	})
}

func TestCongruence(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		for _, n := range orders {
			for _, count := range counts(n) {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(count)))
				a, names := mixed(n, count, false, rng)
				in := copied(a)
				for _, shared := range []bool{false, true} {
					for _, lower := range []bool{false, true} {
						factors := count
						if shared {
							factors = 1
						}
						l := copied(testkit.Normals(rng, n*n*factors))
						if lower {
							zeroUpper(l.data(), n, factors)
						}
						dst := guarded(len(a))
						w.Congruence(dst.data(), l.data(), in.data(), n, count, shared)
						dst.intact(t, "Congruence")
						for k := range count {
							at, lk := k*n*n, l.data()[(k%factors)*n*n:][:n*n]
							want := times(times(lk, a[at:at+n*n], false, false, n), lk, false, true, n)
							checkSymmetricResult(t, label(n, count, k, names[k]), dst.data()[at:at+n*n], want, n,
								1e-14*float64(n+2))
						}
					}
				}
			}
		}
	})
}

func zeroUpper(l []float64, n, count int) {
	for k := range count {
		for i := range n {
			clear(l[k*n*n+i*n+i+1 : k*n*n+i*n+n])
		}
	}
}

// checkSymmetricResult verifies that got is exactly symmetric and near want.
func checkSymmetricResult(t *testing.T, what string, got, want []float64, n int, tol float64) {
	t.Helper()
	for i := range n {
		for j := range i {
			if math.Float64bits(got[i*n+j]) != math.Float64bits(got[j*n+i]) {
				t.Fatalf("%s: entries (%d,%d) and its mirror differ", what, i, j)
			}
		}
	}
	if d := apart(got, want); !(d <= tol) {
		t.Fatalf("%s: off by %g, tolerance %g", what, d, tol)
	}
}

func TestRebuild(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		for _, n := range orders {
			for _, count := range counts(n) {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(count)))
				v, d := copied(testkit.Normals(rng, n*n*count)), copied(testkit.Normals(rng, n*count))
				dst := guarded(n * n * count)
				w.Rebuild(dst.data(), v.data(), d.data(), n, count)
				dst.intact(t, "Rebuild")
				for k := range count {
					at := k * n * n
					vd := append([]float64(nil), v.data()[at:at+n*n]...)
					for i := range vd {
						vd[i] *= d.data()[k*n+i%n]
					}
					want := times(vd, v.data()[at:at+n*n], false, true, n)
					checkSymmetricResult(t, fmt.Sprintf("n=%d matrix %d", n, k), dst.data()[at:at+n*n], want, n,
						1e-14*float64(n+2))
				}
			}
		}
	})
}

func TestResultsMayReplaceOperands(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		const n, count = 9, 13
		rng := rand.New(rand.NewPCG(1, 9))
		a, _ := mixed(n, count, true, rng)
		b := testkit.Normals(rng, len(a))
		fresh, values, other := make([]float64, len(a)), make([]float64, n*count), make([]float64, n*count)
		for _, c := range []struct {
			name string
			run  func(dst, a []float64)
		}{
			{"Mul", func(dst, a []float64) { w.Mul(dst, a, b, true, false, n, count) }},
			{"Mul by the right", func(dst, a []float64) { w.Mul(dst, b, a, true, false, n, count) }},
			{"Congruence", func(dst, a []float64) { w.Congruence(dst, b, a, n, count, false) }},
			{"Cholesky", func(dst, a []float64) { _ = w.Cholesky(dst, a, n, count) }},
			{"InvertLower", func(dst, a []float64) { w.InvertLower(dst, a, n, count) }},
			{"Eigen", func(dst, a []float64) { _ = w.Eigen(values, dst, a, n, count) }},
			{"Rebuild", func(dst, a []float64) { w.Rebuild(dst, a, other, n, count) }},
			{"Generalized", func(dst, a []float64) { _ = w.Generalized(values, dst, a, a, n, count) }},
			{"WhitenedEigen", func(dst, a []float64) { _ = w.WhitenedEigen(values, dst, b, a, n, count, false) }},
			{"Function", func(dst, a []float64) { _ = w.Function(dst, nil, a, n, count, each(math.Log)) }},
		} {
			c.run(fresh, a)
			in := append([]float64(nil), a...)
			c.run(in, in)
			testkit.EqualBits(t, in, fresh, c.name, "in place")
		}
	})
}
