package vec

// This file works on matrices in single precision, which need half the memory. Use it for long matrices that are read
// repeatedly and need no more than seven digits. Sums are in double precision.

// Converted returns the values as numbers of another type.
func Converted[To, From float32 | float64 | int | int64 | int32 | int16 | int8 | uint16 | uint8](x []From) []To {
	out := make([]To, len(x))
	for i, v := range x {
		out[i] = To(v)
	}
	return out
}

// Narrow writes x in single precision to dst, which must be at least as long.
func Narrow(dst []float32, x []float64) {
	dst = dst[:len(x)]
	i := 0
	if len(x) >= shortest && haveKernels {
		i = len(x) &^ 7
		narrowEights(i, &x[0], &dst[0])
	}
	for ; i < len(x); i++ {
		dst[i] = float32(x[i])
	}
}

// Widen writes x in double precision to dst, which must be at least as long.
func Widen(dst []float64, x []float32) {
	dst = dst[:len(x)]
	i := 0
	if len(x) >= shortest && haveKernels {
		i = len(x) &^ 7
		widenEights(i, &x[0], &dst[0])
	}
	for ; i < len(x); i++ {
		dst[i] = float64(x[i])
	}
}

// WidenBytes writes the bytes of x as numbers to dst, which must be at least as long.
func WidenBytes[T float32 | float64](dst []T, x []byte) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = T(v)
	}
}

// DotNarrow is [Dot] with a in single precision.
func DotNarrow(a []float32, b []float64) float64 {
	b = b[:len(a)]
	var v [8]float64
	i := 0
	if len(a) >= shortest && haveKernels {
		i = len(a) &^ 7
		dotNarrowEights(i, &a[0], &b[0], &v)
	}
	for ; i < len(a); i++ {
		v[i&7] += float64(a[i]) * b[i]
	}
	return sumLanes(&v)
}

// AxpyNarrow is [Axpy] with x in single precision. It prefetches the values after x, which are the next row if x is a
// row of a matrix.
func AxpyNarrow(y []float64, alpha float64, x []float32) {
	x = x[:len(y)]
	i := 0
	if len(y) >= shortest && haveKernels {
		i = len(y) &^ 7
		axpyNarrowEights(i, alpha, &x[0], &y[0])
	}
	for ; i < len(y); i++ {
		y[i] += alpha * float64(x[i])
	}
}

// TimesNarrow is [Times] with x in single precision.
func TimesNarrow(y []float64, x []float32) {
	x = x[:len(y)]
	i := 0
	if len(y) >= shortest && haveKernels {
		i = len(y) &^ 7
		timesNarrowEights(i, &x[0], &y[0])
	}
	for ; i < len(y); i++ {
		y[i] *= float64(x[i])
	}
}
