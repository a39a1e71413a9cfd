package small

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/testkit"
)

// checkEigen verifies A V = V diag(values) and V'V = I to 1e-13 of the norm of A.
func checkEigen(t *testing.T, what string, a, v, values []float64, n int) {
	t.Helper()
	const tol = 1e-13
	vd := append([]float64(nil), v...)
	norm, scale := frobenius(a)
	for i := range vd {
		vd[i] *= values[i%n] * scale
	}
	scaled := append([]float64(nil), a...)
	for i := range scaled {
		scaled[i] *= scale
	}
	av := times(scaled, v, false, false, n)
	// A subnormal eigenvalue is rounded to a multiple of the least number.
	limit := tol*math.Max(norm*scale, 1e-300) + math.SmallestNonzeroFloat64*scale
	for i := range av {
		testkit.Near(t, av[i], vd[i], limit, what, "residual", av[i]-vd[i], "of norm", norm*scale)
	}
	if d := apart(times(v, v, true, false, n), diagonal(n, func(int) float64 { return 1 })); !(d <= tol) {
		t.Fatalf("%s: V'V is off by %g", what, d)
	}
	checkAscending(t, what, values)
}

func checkAscending(t *testing.T, what string, values []float64) {
	t.Helper()
	for j := 1; j < len(values); j++ {
		if !(values[j] >= values[j-1]) {
			t.Fatalf("%s: eigenvalues %d and %d are %g and %g", what, j-1, j, values[j-1], values[j])
		}
	}
}

func TestEigen(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		for _, n := range orders {
			for _, count := range counts(n) {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(count)))
				a, names := mixed(n, count, false, rng)
				in, v := copied(a), guarded(len(a))
				values, only := guarded(n*count), guarded(n*count)
				spoilUpper(in.data(), n, count) // must not be read
				testkit.NoError(t, w.Eigen(values.data(), v.data(), in.data(), n, count),
					fmt.Sprintf("n=%d count=%d", n, count))
				testkit.NoError(t, w.EigenValues(only.data(), in.data(), n, count),
					fmt.Sprintf("n=%d count=%d, values only", n, count))
				values.intact(t, "values")
				only.intact(t, "values only")
				v.intact(t, "vectors")
				for k := range count {
					what := label(n, count, k, names[k])
					d := values.data()[k*n : (k+1)*n]
					checkEigen(t, what, a[k*n*n:][:n*n], v.data()[k*n*n:][:n*n], d, n)
					checkAscending(t, what, only.data()[k*n:(k+1)*n])
					norm, scale := frobenius(a[k*n*n:][:n*n])
					for j, x := range only.data()[k*n : (k+1)*n] {
						if !(math.Abs(x-d[j])*scale <= 1e-14*norm*scale+2*math.SmallestNonzeroFloat64*scale) {
							t.Fatalf("%s: eigenvalue %d is %g alone, %g with vectors", what, j, x, d[j])
						}
					}
				}
			}
		}
	})
}

func TestEigenFailsAloneAndByName(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		const n, count = 7, 18
		rng := rand.New(rand.NewPCG(3, 3))
		good, _ := mixed(n, count, false, rng)
		values, vectors := make([]float64, n*count), make([]float64, n*n*count)
		testkit.NoError(t, w.Eigen(values, vectors, good, n, count))
		for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for _, bad := range []int{0, 6, 8, 17} {
				a := append([]float64(nil), good...)
				a[bad*n*n+3*n+1] = value
				d, v := make([]float64, n*count), make([]float64, n*n*count)
				err := w.Eigen(d, v, a, n, count)
				failed(t, err, bad, NotFinite, fmt.Sprint(value))
				checkLanes(t, "values", d, values, n, bad)
				checkLanes(t, "vectors", v, vectors, n*n, bad)
			}
		}
	})
}

func TestEigenvalueBeyondRangeIsAnError(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		m := math.MaxFloat64
		a := []float64{1, 0, 0, 1, m, m, m, m}
		failed(t, w.EigenValues(make([]float64, 4), a, 2, 2), 1, NotFinite, "eigenvalues")
	})
}

func TestGeneralized(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		for _, n := range orders {
			for _, count := range counts(n) {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(count)))
				var a, b []float64
				for range count {
					a = append(a, testkit.WithSpectrum(rng, n, func(int) float64 { return rng.NormFloat64() })...)
					b = append(b, testkit.WithSpectrum(rng, n, func(int) float64 { return 0.1 + rng.Float64() })...)
				}
				inA, inB := copied(a), copied(b)
				spoilUpper(inB.data(), n, count)
				v, values := guarded(len(a)), guarded(n*count)
				testkit.NoError(t, w.Generalized(values.data(), v.data(), inA.data(), inB.data(), n, count),
					fmt.Sprintf("n=%d count=%d", n, count))
				v.intact(t, "vectors")
				values.intact(t, "values")
				for k := range count {
					at, what := k*n*n, label(n, count, k, "random pair")
					vk, d := v.data()[at:at+n*n], values.data()[k*n:(k+1)*n]
					bv := times(b[at:at+n*n], vk, false, false, n)
					if x := apart(times(vk, bv, true, false, n),
						diagonal(n, func(int) float64 { return 1 })); !(x <= 1e-13) {
						t.Fatalf("%s: V'BV is off by %g", what, x)
					}
					for i := range bv {
						bv[i] *= d[i%n]
					}
					if x := apart(times(a[at:at+n*n], vk, false, false, n), bv); !(x <= 1e-12) {
						t.Fatalf("%s: A V is off B V D by %g", what, x)
					}
					checkAscending(t, what, d)
				}
			}
		}
	})
}

func TestGeneralizedNamesTheBadPair(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		const n, count = 5, 11
		rng := rand.New(rand.NewPCG(5, 5))
		good, _ := mixed(n, count, true, rng)
		run := func(a, b []float64) *Error {
			err := w.Generalized(make([]float64, n*count), make([]float64, n*n*count), a, b, n, count)
			var e *Error
			errors.As(err, &e)
			return e
		}
		broken := func(k, entry int, value float64) []float64 {
			a := append([]float64(nil), good...)
			a[k*n*n+entry] = value
			return a
		}
		if e := run(good, broken(9, 0, -1)); e == nil || e.Index != 9 || e.Reason != NotPositiveDefinite ||
			e.Value != -1 {
			t.Errorf("negative pivot in B: %v", e)
		}
		if e := run(good, broken(2, n+1, math.Inf(1))); e == nil || e.Index != 2 || e.Reason != NotFinite {
			t.Errorf("infinity in B: %v", e)
		}
		if e := run(broken(10, n, math.NaN()), good); e == nil || e.Index != 10 || e.Reason != NotFinite {
			t.Errorf("NaN in A: %v", e)
		}
	})
}

func TestWhitenedEigenIsTheEigenproblemOfTheCongruence(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		for _, n := range orders {
			const count = 11
			rng := rand.New(rand.NewPCG(uint64(n), 1))
			a, names := mixed(n, count, false, rng)
			for _, shared := range []bool{true, false} {
				l := testkit.Normals(rng, n*n*count)
				if shared {
					l = l[:n*n]
				}
				zeroUpper(l, n, len(l)/(n*n))
				m, v, values := make([]float64, len(a)), guarded(len(a)), guarded(n*count)
				w.Congruence(m, l, a, n, count, shared)
				testkit.NoError(t, w.WhitenedEigen(values.data(), v.data(), l, a, n, count, shared),
					fmt.Sprintf("n=%d shared=%v", n, shared))
				v.intact(t, "vectors")
				values.intact(t, "values")
				for k := range count {
					checkEigen(t, label(n, count, k, names[k]), m[k*n*n:][:n*n], v.data()[k*n*n:][:n*n],
						values.data()[k*n:][:n], n)
				}
			}
		}
	})
}

// TestEigenOfWideRanges decomposes matrices whose entries span hundreds of orders of magnitude, where an iteration on
// squares could underflow.
func TestEigenOfWideRanges(t *testing.T) {
	entries := []func(rng *rand.Rand) float64{
		func(rng *rand.Rand) float64 { return rng.NormFloat64() * math.Pow(10, 300*(rng.Float64()-1)) },
		func(rng *rand.Rand) float64 { return math.Ldexp(float64(rng.IntN(2)), rng.IntN(2000)-1000) },
		func(rng *rand.Rand) float64 { return 1e-10 * rng.NormFloat64() * math.Pow(10, 200*(rng.Float64()-1)) },
		func(rng *rand.Rand) float64 { return float64(rng.IntN(3) - 1) },
	}
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		rng := rand.New(rand.NewPCG(12, 34))
		for range 150 {
			n, count := 2+rng.IntN(23), 8
			a := make([]float64, n*n*count)
			for k := range count {
				entry := entries[k%len(entries)]
				for i := range n {
					for j := range i + 1 {
						v := entry(rng)
						a[k*n*n+i*n+j], a[k*n*n+j*n+i] = v, v
					}
				}
			}
			values, only, v := make([]float64, n*count), make([]float64, n*count), make([]float64, n*n*count)
			testkit.NoError(t, w.Eigen(values, v, a, n, count))
			testkit.NoError(t, w.EigenValues(only, a, n, count))
			for k := range count {
				what := label(n, count, k, "wide range")
				checkEigen(t, what, a[k*n*n:][:n*n], v[k*n*n:][:n*n], values[k*n:][:n], n)
				if d := apart(only[k*n:][:n], values[k*n:][:n]); !(d <= 1e-14) {
					t.Fatalf("%s: eigenvalues alone are off by %g", what, d)
				}
			}
		}
	})
}
