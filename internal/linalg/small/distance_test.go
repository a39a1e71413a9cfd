package small

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rao/internal/testkit"
)

func TestLogSquaredDistances(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		for _, n := range orders {
			for _, count := range counts(n) {
				rng := rand.New(rand.NewPCG(uint64(n), uint64(count)))
				b := testkit.WithSpectrum(rng, n, func(int) float64 { return 0.1 + rng.Float64() })
				l, li := make([]float64, n*n), make([]float64, n*n)
				testkit.NoError(t, w.Cholesky(l, b, n, 1))
				w.InvertLower(li, l, n, 1)
				// A = L Q diag(exp s) Q' L' is at distance |s| from B = L L'.
				var a, want []float64
				for range count {
					sum := 0.0
					q := testkit.WithSpectrum(rng, n, func(int) float64 {
						s := 3 * rng.NormFloat64()
						sum += s * s
						return math.Exp(s)
					})
					a = append(a, q...)
					want = append(want, sum)
				}
				for k := range count {
					w.Congruence(a[k*n*n:(k+1)*n*n], l, a[k*n*n:(k+1)*n*n], n, 1, true)
				}
				in, dst := copied(a), guarded(count)
				testkit.NoError(t, w.LogSquaredDistances(dst.data(), li, in.data(), n, count),
					fmt.Sprintf("n=%d count=%d", n, count))
				dst.intact(t, "LogSquaredDistances")
				for k, d := range dst.data() {
					testkit.Near(t, d, want[k], 1e-9*want[k], fmt.Sprintf("n=%d matrix %d: squared distance", n, k))
				}
			}
		}
	})
}

func TestLogSquaredDistancesAreExactForPowersOfTwo(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		const n, count = 5, 9
		identity := diagonal(n, func(int) float64 { return 1 })
		var a []float64
		for k := range count {
			a = append(a, diagonal(n, func(int) float64 { return math.Ldexp(1, 200*(k-4)) })...)
		}
		dst := make([]float64, count)
		testkit.NoError(t, w.LogSquaredDistances(dst, identity, a, n, count))
		for k, d := range dst {
			s := 200 * float64(k-4) * math.Ln2
			testkit.Near(t, d, n*s*s, 4e-16*n*s*s, "2^", 200*(k-4), "I")
		}
	})
}

func TestLogSquaredDistancesNameTheBadMatrix(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		const n, count = 5, 12
		rng := rand.New(rand.NewPCG(2, 1))
		good, _ := mixed(n, count, true, rng)
		identity := diagonal(n, func(int) float64 { return 1 })
		want := make([]float64, count)
		testkit.NoError(t, w.LogSquaredDistances(want, identity, good, n, count))
		for _, c := range []struct {
			value  float64
			reason Reason
		}{{-2, NotPositiveDefinite}, {math.NaN(), NotFinite}, {math.Inf(1), NotFinite}} {
			a := append([]float64(nil), good...)
			a[9*n*n] = c.value
			dst := make([]float64, count)
			err := w.LogSquaredDistances(dst, identity, a, n, count)
			e := failed(t, err, 9, c.reason, fmt.Sprint("entry ", c.value))
			if c.reason == NotPositiveDefinite && !(e.Value < 0) {
				t.Errorf("least eigenvalue reported as %g", e.Value)
			}
			checkLanes(t, "distances", dst, want, 1, 9)
		}
	})
}

func TestFunction(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		for _, n := range orders {
			const count = 11
			rng := rand.New(rand.NewPCG(uint64(n), 4))
			var a []float64
			for range count {
				a = append(a, testkit.WithSpectrum(rng, n, func(int) float64 { return 0.1 + rng.Float64() })...)
			}
			in, root := copied(a), guarded(len(a))
			testkit.NoError(t, w.Function(root.data(), nil, in.data(), n, count, each(math.Sqrt)),
				fmt.Sprintf("n=%d", n))
			root.intact(t, "Function")
			for k := range count {
				r := root.data()[k*n*n : (k+1)*n*n]
				checkSymmetricResult(t, label(n, count, k, "square of the root"), r, r, n, 0)
				if d := apart(times(r, r, false, false, n), a[k*n*n:(k+1)*n*n]); !(d <= 1e-13) {
					t.Fatalf("n=%d matrix %d: the square of the root is off by %g", n, k, d)
				}
			}
		}
	})
}

// each applies a function to all eigenvalues.
func each(f func(float64) float64) func(int, []float64) {
	return func(_ int, values []float64) {
		for i, v := range values {
			values[i] = f(v)
		}
	}
}

// A function of a congruence equals the results of Congruence, Eigen and Rebuild, one after the other.
func TestFunctionOfACongruence(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		for _, n := range orders {
			const count = 11
			rng := rand.New(rand.NewPCG(uint64(n), 5))
			var a []float64
			for range count {
				a = append(a, testkit.WithSpectrum(rng, n, func(int) float64 { return rng.NormFloat64() })...)
			}
			lower := diagonal(n, func(i int) float64 { return 1 + 1/float64(1+i) })
			for _, l := range [][]float64{testkit.Normals(rng, n*n), lower} {
				white, values := make([]float64, len(a)), make([]float64, n*count)
				w.Congruence(white, l, a, n, count, true)
				testkit.NoError(t, w.Eigen(values, white, white, n, count))
				for i, v := range values {
					values[i] = math.Atan(v)
				}
				w.Rebuild(white, white, values, n, count)
				got, seen := guarded(len(a)), 0
				testkit.NoError(t, w.Function(got.data(), l, a, n, count, func(k int, values []float64) {
					testkit.Equal(t, k, seen, "eigenvalues of matrix")
					seen++
					each(math.Atan)(k, values)
				}))
				got.intact(t, "Function")
				for k := range count {
					at := k * n * n
					if d := apart(got.data()[at:at+n*n], white[at:at+n*n]); !(d <= 1e-13) {
						t.Fatalf("n=%d matrix %d is off by %g", n, k, d)
					}
				}
			}
		}
	})
}

// AddLogarithms is the weighted sum of what Function computes with the logarithm.
func TestAddLogarithms(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		for _, n := range orders {
			for _, count := range []int{0, 1, 8, 11} {
				rng := rand.New(rand.NewPCG(uint64(n), 6))
				var a []float64
				for range count {
					a = append(a, testkit.WithSpectrum(rng, n, func(int) float64 { return 0.1 + rng.Float64() })...)
				}
				l, start := diagonal(n, func(i int) float64 { return 1 + 1/float64(1+i) }), testkit.Normals(rng, n*n)
				want, weights := make([]float64, n*n*count), testkit.Normals(rng, count)
				double := each(func(v float64) float64 { return 2 * math.Log(v) })
				testkit.NoError(t, w.Function(want, l, a, n, count, double))
				twice := func(k int, logs []float64, squares float64) {
					for i, v := range logs {
						squares -= v * v
						logs[i] = 2 * v
					}
					if !(math.Abs(squares) <= 1e-12*float64(1+n)) {
						t.Errorf("n=%d matrix %d: the squares of the logarithms are off by %g", n, k, squares)
					}
				}
				for _, given := range [][]float64{nil, weights} {
					sum := slices.Clone(start)
					for k := range count {
						for i, v := range want[k*n*n : (k+1)*n*n] {
							if given != nil {
								v *= given[k]
							}
							sum[i] += v
						}
					}
					for _, dst := range [][]float64{nil, make([]float64, len(want))} {
						got := slices.Clone(start)
						testkit.NoError(t, w.AddLogarithms(got, given, dst, l, a, n, count, twice))
						if d := apart(got, sum); !(d <= 1e-13) {
							t.Errorf("n=%d, %d matrices: the sum is off by %g", n, count, d)
						}
						if dst != nil && !(apart(dst, want) <= 1e-13) {
							t.Errorf("n=%d, %d matrices: the summands are others than Function's", n, count)
						}
					}
				}
			}
		}
	})
}

// Values without a logarithm, and the smallest values, are reported; their neighbors have the same results as in a
// separate call.
func TestLogarithmsOfOddValues(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		a := []float64{2, 0, 0, 3, 1, 0, 0, -4, 1, 0, 0, 0, 5e-320, 0, 0, 1}
		want := []float64{math.Log(2) * math.Log(2), math.NaN(), math.Inf(1), math.Log(5e-320) * math.Log(5e-320)}
		want[0] += math.Log(3) * math.Log(3)
		sum, dst := make([]float64, 4), make([]float64, len(a))
		err := w.AddLogarithms(sum, nil, dst, nil, a, 2, 4, func(k int, logs []float64, squares float64) {
			if v := want[k]; math.IsNaN(v) != math.IsNaN(squares) || math.Abs(v-squares) > 1e-12*v {
				t.Errorf("matrix %d: squares %g, want %g", k, squares, v)
			}
		})
		if err != nil || math.Abs(dst[0]-math.Log(2)) > 1e-15 || math.Abs(dst[3]-math.Log(3)) > 1e-15 {
			t.Errorf("error %v, logarithms %g", err, dst[:4])
		}
	})
}

func TestFunctionFailsAlone(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		a := []float64{2, 0, 0, 3, 1, math.NaN(), math.NaN(), -4, 1, 0, 0, -4}
		dst := make([]float64, len(a))
		err := w.Function(dst, nil, a, 2, 3, each(func(x float64) float64 { return x * x }))
		failed(t, err, 1, NotFinite, "a function")
		if dst[0] != 4 || !math.IsNaN(dst[4]) || dst[11] != 16 {
			t.Errorf("results %g", dst)
		}
	})
}

// TestLogarithms checks the logarithm itself: of matrices of order one.
func TestLogarithms(t *testing.T) {
	onEveryPath(t, func(t *testing.T, w *Workspace) {
		rng := rand.New(rand.NewPCG(8, 8))
		a := []float64{1, 2, 0.5, math.Sqrt2, math.Nextafter(math.Sqrt2, 2), math.Sqrt2 / 2, math.MaxFloat64,
			0x1p-1022, math.SmallestNonzeroFloat64, math.E, math.Nextafter(1, 0), math.Nextafter(1, 2)}
		for range 4000 {
			a = append(a, math.Ldexp(1+rng.Float64(), rng.IntN(2000)-1000), 1+
				rng.NormFloat64()*math.Ldexp(1, -4-rng.IntN(49)))
		}
		dst := make([]float64, len(a))
		testkit.NoError(t, w.LogSquaredDistances(dst, []float64{1}, a, 1, len(a)))
		for k, v := range a {
			l := math.Log(v)
			if want := l * l; !(math.Abs(dst[k]-want) <= 1.2e-15*want) {
				t.Fatalf("log² %.17g is %.17g, want %.17g", v, dst[k], want)
			}
		}
	})
}
