package vec

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"rao/internal/testkit"
)

// The operations agree with their definitions at every length, and change nothing beyond it.
func TestAgainstTheDefinitions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 90 {
		a, b := make([]float64, n), make([]float64, n+3)
		for i := range b {
			b[i] = r.NormFloat64()
		}
		sum, squares, apart := 0.0, 0.0, 0.0
		want := make([]float64, n)
		for i := range a {
			a[i] = r.NormFloat64()
			sum += a[i] * b[i]
			squares += a[i] * a[i]
			apart += (a[i] - b[i]) * (a[i] - b[i])
			want[i] = a[i] + 0.7*b[i]
		}
		testkit.Near(t, Dot(a, b), sum, 1e-13, "length", n, "Dot")
		testkit.Near(t, SquaredDistance(a, b), apart, 1e-13*(1+apart), "length", n, "SquaredDistance")
		testkit.Near(t, Norm(a), math.Sqrt(squares), 1e-13, "length", n, "Norm")
		longer := append(a, 42)
		Axpy(longer[:n], 0.7, b)
		for i, w := range want {
			testkit.Near(t, longer[i], w, 1e-15, "length", n, "Axpy at", i)
		}
		testkit.Equal(t, longer[n], 42, "length", n, "Axpy wrote beyond the end")
	}
}

// ColumnDots and AxpyColumns agree with their definitions, and write nothing beyond the end of their results.
func TestColumnsAgreeWithVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, rows := range []int{0, 1, 7, 8, 21, 64} {
		for k := range 36 {
			x, y := make([]float64, rows*k), make([]float64, rows*k+1)
			alpha, dots := make([]float64, k), make([]float64, k+1)
			for i := range x {
				x[i], y[i] = r.NormFloat64(), r.NormFloat64()
			}
			y[rows*k], dots[k] = 42, 42
			before := append([]float64(nil), y...)
			ColumnDots(dots[:k], x, y)
			for j := range alpha {
				alpha[j] = r.NormFloat64()
			}
			AxpyColumns(y[:rows*k], alpha, x)
			for j := range k {
				want := 0.0
				for i := range rows {
					at := i*k + j
					want += x[at] * before[at]
					if sum := before[at] + alpha[j]*x[at]; math.Abs(y[at]-sum) > 1e-15*(1+math.Abs(sum)) {
						t.Errorf("%d×%d: AxpyColumns gives %g at %d,%d, want %g", rows, k, y[at], i, j, sum)
					}
				}
				testkit.Near(t, dots[j], want, 1e-13, rows, "×", k, "ColumnDots for column", j)
			}
			if y[rows*k] != 42 || dots[k] != 42 {
				t.Errorf("%d×%d: wrote beyond the end", rows, k)
			}
		}
	}
}

func BenchmarkDot(b *testing.B) {
	for _, n := range []int{8, 16, 64, 784} {
		x, y := make([]float64, n), make([]float64, n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				Dot(x, y)
			}
		})
	}
}

func BenchmarkColumns(b *testing.B) {
	const rows, k = 63, 9
	x, y, d := make([]float64, rows*k), make([]float64, rows*k), make([]float64, k)
	for b.Loop() {
		ColumnDots(d, x, y)
		AxpyColumns(y, d, x)
	}
}

func TestShorterSecondVectorsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"Dot":             func() { Dot(make([]float64, 5), make([]float64, 4)) },
		"SquaredDistance": func() { SquaredDistance(make([]float64, 5), make([]float64, 4)) },
		"Axpy":            func() { Axpy(make([]float64, 5), 1, make([]float64, 4)) },
	} {
		testkit.Panics(t, f, name, "with a shorter second vector")
	}
}

func TestSymmetrizeIsTheMeanWithTheTranspose(t *testing.T) {
	const large = math.MaxFloat64
	a := []float64{1, 2, 3, 4, 5, large, 7, large, 9}
	Symmetrize(a, 3)
	want := []float64{1, 3, 5, 3, 5, large, 5, large, 9}
	for i, v := range want {
		testkit.Equal(t, a[i], v, "value", i)
	}
}

func TestAsymmetryFindsTheLargestDifference(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	const least = math.SmallestNonzeroFloat64
	for _, c := range []struct {
		name     string
		a        []float64
		diff     float64
		row, col int
		largest  float64
	}{
		{"symmetric", []float64{1, 2, 3, 2, 4, 5, 3, 5, -9}, 0, 0, 0, 9},
		{"two entries", []float64{1, 2, 3, 2, 4, 5, 1, 6, -9}, 2, 2, 0, 9},
		{"NaN in both", []float64{1, nan, 3, nan, 4, 5, 3, 6, -9}, 1, 2, 1, 9},
		{"NaN in one", []float64{1, 2, 3, nan, 4, 5, 3, 6, -9}, inf, 1, 0, 9},
		{"NaN and zeros", []float64{0, 0, 0, nan, 0, 0, 0, 0, 0}, inf, 1, 0, least},
		{"infinite in both", []float64{0, inf, 0, inf, 0, 0, 0, 0, 0}, 0, 0, 0, least},
		{"infinite and its negative", []float64{1, inf, 3, -inf, 4, 5, 3, 5, -9}, inf, 1, 0, 9},
		{"zeros", make([]float64, 9), 0, 0, 0, 0},
	} {
		diff, row, col, largest := Asymmetry(c.a, 3)
		testkit.Equal(t, [2]float64{diff, largest}, [2]float64{c.diff, c.largest}, c.name, "difference and magnitude")
		testkit.Equal(t, [2]int{row, col}, [2]int{c.row, c.col}, c.name, "entry")
	}
}
