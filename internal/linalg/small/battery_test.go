package small

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// orders are the tested orders: every remainder of the blocks and of the lanes, the orders that the library uses most,
// and one above MaxLanes with its blocks.
var orders = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16, 17, 22, 33, 64, 110}

// counts returns the tested batch sizes: partial, full and several groups.
func counts(n int) []int {
	if n > MaxLanes {
		return []int{2}
	}
	if n > 33 {
		return []int{9}
	}
	return []int{1, 5, 8, 19}
}

// onEveryPath runs a test over the implementations this processor offers.
func onEveryPath(t *testing.T, test func(t *testing.T, w *Workspace)) {
	for _, p := range cpu.Available() {
		t.Run(p.String(), func(t *testing.T) { test(t, workspaceFor(p)) })
	}
	t.Run("blocked", func(t *testing.T) { test(t, &Workspace{engine: blocked{}, forced: true}) })
}

// workspaceFor returns a workspace that uses path p whatever the order.
func workspaceFor(p cpu.Path) *Workspace {
	return &Workspace{engine: engineFor(p), forced: true}
}

// field is memory full of NaN around a slice under test.
type field struct {
	all  []float64
	size int
}

const margin = 70

// guarded returns size values with NaN before and after them.
func guarded(size int) *field {
	f := &field{make([]float64, size+2*margin), size}
	for i := range f.all {
		f.all[i] = math.NaN()
	}
	return f
}

// copied returns a guarded copy of x.
func copied(x []float64) *field {
	f := guarded(len(x))
	copy(f.data(), x)
	return f
}

func (f *field) data() []float64 { return f.all[margin : margin+f.size : margin+f.size] }

// intact fails the test when a value outside the slice has changed.
func (f *field) intact(t *testing.T, what string) {
	t.Helper()
	for i, v := range f.all {
		if (i < margin || i >= margin+f.size) && !math.IsNaN(v) {
			t.Fatalf("%s: wrote %g at %d, outside its %d values", what, v, i-margin, f.size)
		}
	}
}

// family is a kind of symmetric matrix.
type family struct {
	name     string
	definite bool // positive definite in floating point
	make     func(n int, rng *rand.Rand) []float64
}

var families = []family{
	{"random", true, func(n int, rng *rand.Rand) []float64 {
		return testkit.WithSpectrum(rng, n, func(int) float64 { return 0.1 + rng.Float64() })
	}},
	{"graded", true, func(n int, rng *rand.Rand) []float64 {
		return testkit.WithSpectrum(rng, n, func(i int) float64 { return math.Pow(10, -12*float64(i)/float64(n)) })
	}},
	{"clustered", true, func(n int, rng *rand.Rand) []float64 {
		return testkit.WithSpectrum(rng, n, func(i int) float64 { return 1 + 1e-13*float64(i%3) })
	}},
	{"repeated", true, func(n int, rng *rand.Rand) []float64 {
		return testkit.WithSpectrum(rng, n, func(i int) float64 { return float64(1 + i%2) })
	}},
	{"identity", true, func(n int, _ *rand.Rand) []float64 {
		return diagonal(n, func(int) float64 { return 1 })
	}},
	{"diagonal", true, func(n int, _ *rand.Rand) []float64 {
		return diagonal(n, func(i int) float64 { return float64(1 + i*7%n) })
	}},
	{"huge", true, func(n int, rng *rand.Rand) []float64 {
		return testkit.WithSpectrum(rng, n, func(int) float64 { return (0.1 + rng.Float64()) * 1e305 })
	}},
	{"tiny", true, func(n int, rng *rand.Rand) []float64 {
		return testkit.WithSpectrum(rng, n, func(int) float64 { return (0.1 + rng.Float64()) * 1e-290 })
	}},
	{"subnormal", false, func(n int, rng *rand.Rand) []float64 {
		return testkit.WithSpectrum(rng, n, func(int) float64 { return rng.NormFloat64() * 1e-318 })
	}},
	{"zero", false, func(n int, _ *rand.Rand) []float64 { return make([]float64, n*n) }},
	{"rank one", false, func(n int, _ *rand.Rand) []float64 {
		a := make([]float64, n*n)
		for i := range n {
			for j := range n {
				a[i*n+j] = -float64(i+1) * float64(j+1)
			}
		}
		return a
	}},
	{"indefinite", false, func(n int, rng *rand.Rand) []float64 {
		return testkit.WithSpectrum(rng, n, func(i int) float64 { return float64(i%3) - 1.5 })
	}},
	{"zero diagonal", false, func(n int, _ *rand.Rand) []float64 {
		a := make([]float64, n*n)
		for i := range n {
			for j := range n {
				if i != j {
					a[i*n+j] = 1
				}
			}
		}
		return a
	}},
	{"with subnormals", true, func(n int, rng *rand.Rand) []float64 {
		a := diagonal(n, func(i int) float64 { return 1 + float64(i) })
		for i := range n {
			for j := range i {
				a[i*n+j] = 1e-310 * rng.Float64()
				a[j*n+i] = a[i*n+j]
			}
		}
		return a
	}},
}

func diagonal(n int, f func(i int) float64) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = f(i)
	}
	return a
}

// mixed returns a batch that cycles through the families, optionally only the definite ones, so every group contains
// different kinds of matrices.
func mixed(n, count int, definite bool, rng *rand.Rand) (a []float64, names []string) {
	for k := 0; len(names) < count; k++ {
		f := families[k%len(families)]
		if definite && !f.definite {
			continue
		}
		a = append(a, f.make(n, rng)...)
		names = append(names, f.name)
	}
	return a, names
}

// failed returns the error of a matrix, and ends the test unless err is one of this matrix for this reason.
func failed(t *testing.T, err error, index int, reason Reason, what string) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Index != index || e.Reason != reason {
		t.Fatalf("%s: error %v, want one of matrix %d", what, err, index)
	}
	return e
}

// frobenius returns the norm of x and a power of two that brings it near one.
func frobenius(x []float64) (norm, scale float64) {
	for _, v := range x {
		norm = math.Hypot(norm, v)
	}
	_, e := math.Frexp(norm)
	return norm, math.Ldexp(1, -max(e, -1000))
}

// apart returns the largest difference between x and y relative to the norm of y. A subnormal result may be off by a
// few spacings of the subnormal numbers.
func apart(x, y []float64) float64 {
	norm, scale := frobenius(y)
	worst, slack := 0.0, 4*float64(len(x))*math.SmallestNonzeroFloat64*scale
	for i := range x {
		d := math.Abs(x[i]*scale - y[i]*scale)
		if math.IsNaN(d) {
			return d
		}
		worst = math.Max(worst, d-slack)
	}
	if norm == 0 {
		return worst
	}
	return worst / (norm * scale)
}

// times returns op(A) op(B) for one pair, by gonum.
func times(a, b []float64, transA, transB bool, n int) []float64 {
	var x, y mat.Matrix = mat.NewDense(n, n, a), mat.NewDense(n, n, b)
	if transA {
		x = x.T()
	}
	if transB {
		y = y.T()
	}
	var c mat.Dense
	c.Mul(x, y)
	return c.RawMatrix().Data
}

func label(n, count, k int, name string) string {
	return fmt.Sprintf("n=%d, matrix %d of %d (%s)", n, k, count, name)
}
