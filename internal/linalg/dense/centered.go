package dense

import (
	"sync/atomic"
	"unsafe"

	"rao/internal/linalg/cpu"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// Centered accumulates sums and products of rows minus a pivot. It reuses its scratch memory. The zero value is ready
// to use.
type Centered[T float32 | float64] struct {
	rows      rows[T]
	fractions bool // a row had values that are not bytes, so the kernels for bytes are not tried again
}

// rows are the rows that one call of Centered.Add adds. They need not be contiguous. Packing subtracts the pivot.
type rows[T float32 | float64] struct {
	x       [][]T
	pivot   []T
	depth   int           // rows per round
	sums    []float64     // n sums for each round
	largest []T           // n largest magnitudes for each round
	odd     []atomic.Bool // rounds that the kernels skip

	panel func(lo, round int, dst []T) // if not nil, packs panels instead of pack
}

// Add adds Σ y to sum and Σ yy' to the upper triangle of the n×n matrix C, where y = x - pivot for every row x. The
// contents of the lower triangle of C are then undefined. n is the length of the pivot. Every row has at least n
// values. Rows of float32 are centered and multiplied in float32; every 256 rows, the sums are added in float64. If the
// squares of a column could leave the range of float32, they are multiplied in float64. If the rows and the pivot
// contain integers from 0 to 255, they are multiplied as bytes where the processor supports it, with the same result.
//
// It returns -1, or the index of the first row with squares that are not finite. C and sum are then undefined.
func (s *Centered[T]) Add(x [][]T, pivot []T, sum, c []float64, ldc int) (bad int) {
	return s.addOn(cpu.Use(), x, pivot, sum, c, ldc)
}

func (s *Centered[T]) addOn(path cpu.Path, x [][]T, pivot []T, sum, c []float64, ldc int) (bad int) {
	n, k := len(pivot), len(x)
	checkCentered(x, n, sum, c, ldc)
	if n == 0 || k == 0 {
		return -1
	}
	single, ok := any(s).(*Centered[float32])
	if !ok {
		return s.addRows(path, x, pivot, sum, c, ldc)
	}
	rows, about := any(x).([][]float32), any(pivot).([]float32)
	g := wholeKernelsFor(path, single, about)
	if g == nil {
		return s.addRows(path, x, pivot, sum, c, ldc)
	}
	first := addWhole(single, g, rows, about, sum, c, ldc)
	if first == k {
		return -1
	}
	s.fractions = true
	if bad = s.addRows(path, x[first:], pivot, sum, c, ldc); bad >= 0 {
		bad += first
	}
	return bad
}

// checkCentered panics unless every row has at least n values, sum has length n and C is large enough.
func checkCentered[T byte | float32 | float64](x [][]T, n int, sum, c []float64, ldc int) {
	if len(sum) != n {
		panic("dense: sum and pivot of different lengths")
	}
	for _, row := range x {
		if len(row) < n {
			panic("dense: row is too short")
		}
	}
	check("C", len(c), n, n, ldc)
}

// addRows is Add with the kernels for type T.
func (s *Centered[T]) addRows(path cpu.Path, x [][]T, pivot []T, sum, c []float64, ldc int) (bad int) {
	n, k, g, r := len(pivot), len(x), kernelsOf[T](path), &s.rows
	r.reset(k, pivot, min(k, g.depth))
	r.x = x
	runPipeline(&pipeline[T]{kernels: g, target: target{alpha: 1, c: c, ldc: ldc, m: n, n: n, upper: true}, k: k, r1: n,
		c1: n, rows: r}, false)
	r.x = nil // release the caller's memory
	for round := range r.odd {
		r.addSums(round, sum)
		if r.odd[round].Load() {
			if bad := r.wide(path, x, round, c, ldc); bad >= 0 {
				return bad
			}
		}
	}
	return -1
}

func (r *rows[T]) addSums(round int, sum []float64) {
	for j, v := range r.sums[round*len(sum) : (round+1)*len(sum)] {
		sum[j] += v
	}
}

// reset prepares r for count rows.
func (r *rows[T]) reset(count int, pivot []T, depth int) {
	rounds, n := par.Chunks(count, depth), len(pivot)
	r.pivot, r.depth = pivot, depth
	vec.Room(&r.sums, rounds*n)
	vec.Room(&r.largest, rounds*n)
	if cap(r.odd) < rounds {
		r.odd = make([]atomic.Bool, rounds)
	}
	r.odd = r.odd[:rounds]
	for i := range r.odd {
		r.odd[i].Store(false)
	}
}

// leftOut reports whether the kernels skip a round. They skip an odd round and, for bytes, every round after the first
// odd one.
func (r *rows[T]) leftOut(round int) bool {
	first := round
	if r.panel != nil {
		first = 0
	}
	for i := first; i <= round; i++ {
		if r.odd[i].Load() {
			return true
		}
	}
	return false
}

// pack packs the panel of columns that starts at lo, for the k rows of a round.
func (r *rows[T]) pack(g *kernels[T], lo, round, k int, dst []T) {
	if r.panel != nil {
		r.panel(lo, round, dst)
		return
	}
	n := len(r.pivot)
	hi := min(lo+g.cols, n)
	x := r.x[round*r.depth : round*r.depth+k]
	sums, largest := r.sums[round*n+lo:round*n+hi], r.largest[round*n+lo:round*n+hi]
	whole := 0
	if g.gather != nil {
		if width := (hi - lo) / g.lane; width > 0 {
			g.gather[width-1](k, &x[0], lo*int(unsafe.Sizeof(r.pivot[0])), &r.pivot[lo], &dst[0], &sums[0], &largest[0])
			whole = width * g.lane
		}
	}
	if whole < g.cols {
		gatherColumns(x, r.pivot[lo:hi], lo, whole, g.cols, dst, sums, largest)
	}
	for j, v := range sums {
		if !vec.Finite(v) || !inRange(largest[j]) {
			r.odd[round].Store(true)
			return
		}
	}
}

// gatherColumns packs the columns of a panel from index from on. Columns beyond the pivot become zero.
func gatherColumns[T float32 | float64](x [][]T, pivot []T, lo, from, cols int, dst []T, sums []float64, largest []T) {
	for j := from; j < len(pivot); j++ {
		var sum float64
		var top T
		for p, row := range x {
			d := row[lo+j] - pivot[j]
			dst[p*cols+j] = d
			sum += float64(d)
			top = max(top, d, -d)
		}
		sums[j], largest[j] = sum, top
	}
	if from = max(from, len(pivot)); from < cols {
		for p := range x {
			clear(dst[p*cols+from : (p+1)*cols])
		}
	}
}

// wide adds a round that the kernels skipped, in float64.
func (r *rows[T]) wide(path cpu.Path, x [][]T, round int, c []float64, ldc int) (bad int) {
	n := len(r.pivot)
	x = x[round*r.depth : min((round+1)*r.depth, len(x))]
	y := make([]float64, len(x)*n)
	for i, row := range x {
		var squares float64
		for j, p := range r.pivot {
			d := float64(row[j] - p)
			y[i*n+j] = d
			squares += d * d
		}
		if !vec.Finite(squares) {
			return round*r.depth + i
		}
	}
	syrk(kernels64(path), n, len(x), 1, y, n, c, ldc)
	return -1
}

// inRange reports whether the kernels may square values of magnitude up to top. They may if top is zero or the square
// of top is well within the range of the type.
func inRange[T float32 | float64](top T) bool {
	low, high := 1e-14, 1e17
	if _, double := any(top).(float64); double {
		low, high = 0, 1e150
	}
	v := float64(top)
	return v == 0 || low <= v && v <= high
}

func kernelsOf[T float32 | float64](path cpu.Path) *kernels[T] {
	var g any = kernels32(path)
	if _, double := any(*new(T)).(float64); double {
		g = kernels64(path)
	}
	return g.(*kernels[T])
}
