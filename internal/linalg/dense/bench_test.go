package dense

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// flops reports GFLOP/s.
func flops(b *testing.B, perOp float64) {
	b.ReportMetric(perOp*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func BenchmarkSyrk(b *testing.B) {
	const n, k = 784, 8192
	r := rand.New(rand.NewPCG(1, 1))
	a, c := testkit.Normals(r, n*k), make([]float64, n*n)
	a32 := testkit.Singles(a)
	work := float64(n) * (n + 1) * k
	for _, path := range cpu.Available() {
		b.Run(fmt.Sprintf("double/%v", path), func(b *testing.B) {
			for b.Loop() {
				syrk(kernels64(path), n, k, 1, a, n, c, n)
			}
			flops(b, work)
		})
		b.Run(fmt.Sprintf("single/%v", path), func(b *testing.B) {
			for b.Loop() {
				syrk(kernels32(path), n, k, 1, a32, n, c, n)
			}
			flops(b, work)
		})
	}
}

func BenchmarkGemm(b *testing.B) {
	const n = 768
	r := rand.New(rand.NewPCG(1, 2))
	x, y, c := testkit.Normals(r, n*n), testkit.Normals(r, n*n), make([]float64, n*n)
	for _, path := range cpu.Available() {
		for _, trans := range []bool{false, true} {
			b.Run(fmt.Sprintf("%v/transposed=%v", path, trans), func(b *testing.B) {
				for b.Loop() {
					gemmOn(path, trans, false, n, n, n, 1, x, n, y, n, 0, c, n)
				}
				flops(b, 2*n*n*n)
			})
		}
	}
}

// BenchmarkProject projects so many matrices that they are read from memory, like the statistics of several classes. It
// also times a plain sum over the same matrices.
func BenchmarkProject(b *testing.B) {
	const n, m, count = 784, 10, 10
	r := rand.New(rand.NewPCG(1, 3))
	phi, f, dst := testkit.Normals(r, count*n*n), testkit.Normals(r, n*m), make([]float64, n*m)
	phi32 := testkit.Singles(phi)
	i := 0
	next := func() int { i = (i + 1) % count; return i * n * n }
	b.Run("sum", func(b *testing.B) {
		total := 0.0
		for b.Loop() {
			at := next()
			var s0, s1, s2, s3 float64
			for x := phi[at : at+n*n]; len(x) >= 4; x = x[4:] {
				s0 += x[0]
				s1 += x[1]
				s2 += x[2]
				s3 += x[3]
			}
			total += s0 + s1 + s2 + s3
		}
		b.ReportMetric(8*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
	})
	for _, path := range cpu.Available() {
		b.Run(fmt.Sprintf("double/%v", path), func(b *testing.B) {
			for b.Loop() {
				projectOn(path, n, m, phi[next():], n, f, m, dst, m)
			}
			b.ReportMetric(8*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
		})
		b.Run(fmt.Sprintf("single/%v", path), func(b *testing.B) {
			for b.Loop() {
				project32On(path, n, m, phi32[next():], n, f, m, dst, m)
			}
			b.ReportMetric(4*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
		})
	}
}

// BenchmarkProjectColumns projects one matrix that stays in the cache, with numbers of columns that fill vectors and
// with others.
func BenchmarkProjectColumns(b *testing.B) {
	const n = 784
	for _, m := range []int{1, 8, 9, 10, 16, 17, 24} {
		r := rand.New(rand.NewPCG(1, 4))
		phi, f, dst := testkit.Normals(r, n*n), testkit.Normals(r, n*m), make([]float64, n*m)
		for _, path := range cpu.Available() {
			b.Run(fmt.Sprintf("%d/%v", m, path), func(b *testing.B) {
				for b.Loop() {
					projectOn(path, n, m, phi, n, f, m, dst, m)
				}
				flops(b, 2*n*n*float64(m))
			})
		}
	}
}

// BenchmarkBytes adds up rows of bytes, as bytes if the processor can multiply bytes, and as float32.
func BenchmarkBytes(b *testing.B) {
	x, pivot := pixels(rand.New(rand.NewPCG(1, 5)), 1024, 784, 255)
	for name, fractions := range map[string]bool{"bytes": false, "single": true} {
		b.Run(name, func(b *testing.B) {
			s := Centered[float32]{fractions: fractions}
			sum, c := make([]float64, 784), make([]float64, 784*784)
			for b.Loop() {
				s.Add(x, pivot, sum, c, 784)
			}
			flops(b, 784*784*1024)
		})
	}
}
