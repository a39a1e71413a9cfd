package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// onBoth runs f with the AVX2 and with the AVX-512 kernels, and returns the n values that f writes with each. It skips
// the test if the processor does not have AVX-512.
func onBoth(t *testing.T, n int, f func(out []float64)) (narrow, wide []float64) {
	t.Helper()
	if !slices.Contains(cpu.Available(), cpu.AVX512) {
		t.Skip("this processor lacks AVX-512")
	}
	defer usePath(cpu.Use())
	narrow, wide = make([]float64, n), make([]float64, n)
	usePath(cpu.AVX2)
	f(narrow)
	usePath(cpu.AVX512)
	f(wide)
	return narrow, wide
}

// sameBits reports the first value that differs between AVX2 and AVX-512.
func sameBits(t *testing.T, what string, n, size int, f func(out []float64)) {
	t.Helper()
	narrow, wide := onBoth(t, size, f)
	testkit.EqualBits(t, narrow, wide, what, "of length", n, "with AVX2, as with AVX-512")
}

// spread returns n values of either sign, 40 powers of two apart at most, with zeros of both signs.
func spread(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Ldexp(r.NormFloat64(), r.IntN(40)-20)
		if r.IntN(20) == 0 {
			x[i] = math.Copysign(0, x[i])
		}
	}
	return x
}

// lengths returns the tested lengths: every remainder of the kernels' loops, and long ones.
func lengths() []int {
	var out []int
	for n := range 150 {
		out = append(out, n)
	}
	return append(out, 255, 256, 257, 784, 1000, 4099)
}

// A vector gives the same bits with AVX2 as with AVX-512.
func TestVectorsGiveTheSameBitsOnEveryPath(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for _, n := range lengths() {
		a, b, single := spread(r, n), spread(r, n), make([]float32, n)
		for i, v := range spread(r, n) {
			single[i] = float32(v)
		}
		changed := func(f func(y []float64)) func(out []float64) {
			return func(out []float64) { copy(out, b); f(out) }
		}
		for what, f := range map[string]func(out []float64){
			"Dot":             func(out []float64) { out[n] = Dot(a, b) },
			"SquaredDistance": func(out []float64) { out[n] = SquaredDistance(a, b) },
			"DotNarrow":       func(out []float64) { out[n] = DotNarrow(single, b) },
			"Axpy":            changed(func(y []float64) { Axpy(y[:n], 0.7, a) }),
			"AxpyNarrow":      changed(func(y []float64) { AxpyNarrow(y[:n], 0.7, single) }),
			"Times":           changed(func(y []float64) { Times(y[:n], a) }),
			"TimesNarrow":     changed(func(y []float64) { TimesNarrow(y[:n], single) }),
			"Larger":          changed(func(y []float64) { Larger(y[:n], a) }),
			"Exp":             changed(func(y []float64) { Exp(y[:n], -700) }),
			"Widen":           func(out []float64) { Widen(out[:n], single) },
			"Narrow": func(out []float64) {
				dst := make([]float32, n)
				Narrow(dst, a)
				for i, v := range dst {
					out[i] = float64(v)
				}
			},
		} {
			sameBits(t, what, n, n+1, f)
		}
	}
}

// A matrix gives the same bits with AVX2 as with AVX-512.
func TestRowsGiveTheSameBitsOnEveryPath(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 2))
	for _, rows := range []int{1, 2, 7, 8, 21, 64} {
		for n := range 100 {
			x, y, w, alpha := spread(r, rows*n), spread(r, rows*n), spread(r, rows), spread(r, n)
			sameBits(t, "ColumnDots", n, n, func(out []float64) { ColumnDots(out, x, y) })
			sameBits(t, "AxpyColumns", n, rows*n, func(out []float64) { copy(out, y); AxpyColumns(out, alpha, x) })
			sameBits(t, "AddRows", n, n, func(out []float64) { AddRows(out, w, x, n) })
			sameBits(t, "Standardize", n, rows*n+rows, func(out []float64) {
				copy(out, x)
				Standardize(out[rows*n:], out[:rows*n], alpha, 0.3)
			})
			factor := spread(r, (rows-1)*(rows+2)/2)
			sameBits(t, "HalfSquares", n, n, func(out []float64) { HalfSquares(out, rows-1, 1.5, factor, x, n) })
		}
		cs := spread(r, 2*rows)
		chain := spread(r, (rows+1)*RotationWidth)
		sameBits(t, "Rotate", rows, len(chain), func(out []float64) { copy(out, chain); Rotate(out, cs) })
	}
}
