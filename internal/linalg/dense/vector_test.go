package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/linalg/cpu"
)

func TestCenterRow(t *testing.T) {
	eachPath(t, func(t *testing.T, path cpu.Path) {
		testCenter[float64](t, path, 1e-15)
		testCenter[float32](t, path, 1e-15)
	})
}

func testCenter[T float32 | float64](t *testing.T, path cpu.Path, tol float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 1))
	v := vectorsOf[T](path)
	for _, n := range []int{1, 7, 8, 9, 16, 31, 100} {
		x, pivot, y, largest := make([]T, n+1), make([]T, n+1), make([]T, n+1), make([]T, n+1)
		sum, dst := make([]float64, n+1), make([]float64, n+1)
		for j := range n + 1 {
			x[j], pivot[j], largest[j] = T(r.NormFloat64()), T(r.NormFloat64()), 0.5
			sum[j], dst[j] = float64(j), 1
		}
		y[n], sum[n], dst[n] = 42, 42, 42 // beyond the row
		got := centerRow(v, x[:n], pivot[:n], y[:n], sum[:n], largest[:n])
		addScaled(v, dst[:n], 3, y[:n])
		want := 0.0
		for j := range n {
			d := x[j] - pivot[j]
			want += float64(d) * float64(d)
			top := max(0.5, T(math.Abs(float64(d))))
			if _, double := any(d).(float64); double && path != cpu.Portable && j < n&^7 {
				top = largest[j] // not kept
			}
			if y[j] != d || sum[j] != float64(j)+float64(d) || largest[j] != top {
				t.Fatalf("n=%d, %d: y %v, sum %v, largest %v; want %v, %v, %v",
					n, j, y[j], sum[j], largest[j], d, float64(j)+float64(d), top)
			}
			if math.Abs(dst[j]-(1+3*float64(d))) > tol*10 {
				t.Fatalf("n=%d, %d: scaled sum %v, want %v", n, j, dst[j], 1+3*float64(d))
			}
		}
		if math.Abs(got-want) > 10*tol*want || y[n] != 42 || sum[n] != 42 || dst[n] != 42 {
			t.Fatalf("n=%d: squares %v, want %v; beyond %v %v %v", n, got, want, y[n], sum[n], dst[n])
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			spoilt := append([]T(nil), x[:n]...)
			spoilt[n/2] = T(bad)
			if q := centerRow(v, spoilt, pivot[:n], y[:n], sum[:n], largest[:n]); q-q == 0 {
				t.Errorf("n=%d: %v went unnoticed", n, bad)
			}
		}
	}
}
