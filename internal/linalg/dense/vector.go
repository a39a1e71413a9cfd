package dense

import (
	"unsafe"

	"rao/internal/linalg/cpu"
	"rao/internal/linalg/vec"
)

// vectors are the inner loops over single rows. n must be a multiple of 8.
type vectors[T float32 | float64] struct {
	// center writes y = x - pivot, and adds y to sum and y² to the lanes of squares. For float32 it also updates
	// largest with |y|.
	center func(n int, x, pivot, y *T, sum *float64, largest *T, squares *[8]float64)
	// add adds alpha y to dst. It is nil for float64, which uses [vec.Axpy].
	add func(n int, alpha float64, y *T, dst *float64)
}

var (
	portableVectors64 = &vectors[float64]{center: centerPortable[float64]}
	portableVectors32 = &vectors[float32]{centerPortable[float32], addPortable}
)

func vectorsOf[T float32 | float64](path cpu.Path) *vectors[T] {
	var v any = vectors32(path)
	if _, double := any(*new(T)).(float64); double {
		v = vectors64(path)
	}
	return v.(*vectors[T])
}

// CenterRow writes y = x - pivot, adds y to sum, updates largest with |y| and returns Σy², which is not finite if a
// value of x is not. All slices have the length of x. For float64, largest is not used and may be nil.
func CenterRow[T float32 | float64](x, pivot, y []T, sum []float64, largest []T) (squares float64) {
	return centerRow(vectorsOf[T](cpu.Use()), x, pivot, y, sum, largest)
}

func centerRow[T float32 | float64](v *vectors[T], x, pivot, y []T, sum []float64, largest []T) float64 {
	n := len(x)
	if len(pivot) != n || len(y) != n || len(sum) != n || largest != nil && len(largest) != n {
		panic("dense: rows of different lengths")
	}
	var lanes [8]float64
	whole := n &^ 7
	if whole > 0 {
		top := (*T)(nil)
		if largest != nil {
			top = &largest[0]
		}
		v.center(whole, &x[0], &pivot[0], &y[0], &sum[0], top, &lanes)
	}
	for j := whole; j < n; j++ {
		d := x[j] - pivot[j]
		y[j] = d
		sum[j] += float64(d)
		lanes[j&7] += float64(d) * float64(d)
		if largest != nil {
			largest[j] = max(largest[j], d, -d)
		}
	}
	return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
}

// AddScaled adds alpha y to dst. It panics if the lengths differ.
func AddScaled[T float32 | float64](dst []float64, alpha float64, y []T) {
	addScaled(vectorsOf[T](cpu.Use()), dst, alpha, y)
}

func addScaled[T float32 | float64](v *vectors[T], dst []float64, alpha float64, y []T) {
	if len(dst) != len(y) {
		panic("dense: rows of different lengths")
	}
	if double, ok := any(y).([]float64); ok {
		vec.Axpy(dst, alpha, double)
		return
	}
	whole := len(y) &^ 7
	if whole > 0 {
		v.add(whole, alpha, &y[0], &dst[0])
	}
	for j := whole; j < len(y); j++ {
		dst[j] += alpha * float64(y[j])
	}
}

func centerPortable[T float32 | float64](n int, x, pivot, y *T, sum *float64, largest *T, squares *[8]float64) {
	from, less, to, total := unsafe.Slice(x, n), unsafe.Slice(pivot, n), unsafe.Slice(y, n), unsafe.Slice(sum, n)
	for j, v := range from {
		d := v - less[j]
		to[j] = d
		total[j] += float64(d)
		squares[j&7] += float64(d) * float64(d)
	}
	if largest != nil {
		top := unsafe.Slice(largest, n)
		for j, d := range to {
			top[j] = max(top[j], d, -d)
		}
	}
}

func addPortable(n int, alpha float64, y *float32, dst *float64) {
	to := unsafe.Slice(dst, n)
	for j, v := range unsafe.Slice(y, n) {
		to[j] += alpha * float64(v)
	}
}
