package dense

import (
	"slices"
	"sync"

	"rao/internal/linalg/cpu"
	"rao/internal/pages"
	"rao/internal/par"
)

// varying are the columns in which rows of bytes differ from a pivot. Their products are all that
// are not zero: in a class of images of digits, whose borders are empty, half of all.
type varying struct {
	length   int       // of the rows
	masks    []uint64  // a bit a column, for 64 columns each; the last for those that end the row
	column   []int     // by number among the varying
	end      []int     // likewise: the number after the last of its run of neighbors
	pivot    []float32 // likewise
	sum      []float64 // likewise
	products []float64 // of them all, row-major, the upper triangle
	rows     [][]byte  // copies that hold these columns alone
	memory   []byte
	seen     []byte // differences from the pivot: of all rows, and of every chunk
}

// varyings keeps the memory of those that are not in use.
var varyings = sync.Pool{New: func() any { return new(varying) }}

const (
	varyingLane = 64   // columns of a mask
	varyingRows = 64   // rows of a chunk; so many are looked at first
	varyingMost = 0.94 // share of the columns from which leaving the others out saves nothing
)

// addVarying is addWhole without the columns that are constant. It reports whether it did: not
// where that saves nothing.
func addVarying(s *Centered[float32], g *wholeKernels, x [][]byte, pivot []float32, sum, c []float64, ldc int) bool {
	v := varyings.Get().(*varying)
	defer varyings.Put(v)
	if !v.find(g, x, pivot) {
		return false
	}
	v.multiply(s, g, x, pivot)
	v.addTo(sum, c, ldc)
	return true
}

// CenterBytes computes the mean of rows of bytes about a pivot, sum being Σ (x - pivot), and
// their covariance with the divisor given: both triangles of C, n×n, which must be zeros. It
// reports whether it did: not where the processor cannot, or columns that are constant are too
// few to save something.
func CenterBytes(s *Centered[float32], x [][]byte, pivot []float32, sum []float64, divisor float64, c []float64,
	ldc int) bool {
	g := kernels32(cpu.Use()).whole
	if g == nil || g.compress == nil || !areBytes(pivot) {
		return false
	}
	checkBytes(x, pivot, sum, c, ldc)
	v := varyings.Get().(*varying)
	defer varyings.Put(v)
	if !v.find(g, x, pivot) {
		return false
	}
	v.multiply(s, g, x, pivot)
	v.center(float64(len(x)), divisor, sum, c, ldc)
	return true
}

// find looks for the columns. It returns false where they are too many to save something.
func (v *varying) find(g *wholeKernels, x [][]byte, pivot []float32) bool {
	n := len(pivot)
	if n < varyingLane || len(x) < 2*varyingRows {
		return false
	}
	chunks := par.Chunks(len(x), varyingRows)
	v.seen = slices.Grow(v.seen[:0], (chunks+1)*n)[:(chunks+1)*n]
	clear(v.seen)
	about, all := v.seen[:n], v.seen[n:2*n]
	for j, p := range pivot {
		about[j] = byte(p)
	}
	look := func(chunk int) {
		seen := v.seen[(1+chunk)*n : (2+chunk)*n]
		rows := x[chunk*varyingRows : min((chunk+1)*varyingRows, len(x))]
		for at := 0; at < n; at += varyingLane {
			at := min(at, n-varyingLane)
			g.differ(len(rows), &rows[0], at, &about[at], &seen[at])
		}
	}
	if look(0); !v.collect(all) {
		return false
	}
	par.For(chunks-1, 1, func(_, lo, _ int) { look(1 + lo) })
	for chunk := 1; chunk < chunks; chunk++ {
		for j, d := range v.seen[(1+chunk)*n : (2+chunk)*n] {
			all[j] |= d
		}
	}
	return v.collect(all)
}

// collect lists the columns whose differences are not zero, and reports whether they are few.
func (v *varying) collect(seen []byte) bool {
	n := len(seen)
	v.length = n
	v.column = v.column[:0]
	v.masks = slices.Grow(v.masks[:0], par.Chunks(n, varyingLane))[:par.Chunks(n, varyingLane)]
	clear(v.masks)
	for j, d := range seen {
		if d == 0 {
			continue
		}
		v.column = append(v.column, j)
		w := j / varyingLane
		v.masks[w] |= 1 << (j - min(w*varyingLane, n-varyingLane))
	}
	return float64(len(v.column)) <= varyingMost*float64(n)
}

// multiply makes the sums of rows.
func (v *varying) multiply(s *Centered[float32], g *wholeKernels, x [][]byte, pivot []float32) {
	v.reset(pivot)
	if len(v.column) > 0 {
		addWhole(s, g, v.narrow(g, x), v.pivot, v.sum, v.products, len(v.column))
	}
}

// reset takes the pivots of the columns found, and clears their sums.
func (v *varying) reset(pivot []float32) {
	m := len(v.column)
	v.end, v.pivot = slices.Grow(v.end[:0], m)[:m], v.pivot[:0]
	for q := m - 1; q >= 0; q-- {
		v.end[q] = q + 1
		if q+1 < m && v.column[q+1] == v.column[q]+1 {
			v.end[q] = v.end[q+1]
		}
	}
	for _, j := range v.column {
		v.pivot = append(v.pivot, pivot[j])
	}
	v.sum, v.products = slices.Grow(v.sum[:0], m)[:m], room(v.products, m*m)
	clear(v.sum)
	par.For(m, varyingRows, func(_, lo, hi int) { clear(v.products[lo*m : hi*m]) })
}

// narrow returns copies of the rows that hold the varying columns alone. They lie in the memory
// of the last ones.
func (v *varying) narrow(g *wholeKernels, x [][]byte) [][]byte {
	m, stride := len(v.column), len(v.column)+varyingLane // the kernel writes beyond
	v.memory = room(v.memory, len(x)*stride)
	v.rows = slices.Grow(v.rows[:0], len(x))[:len(x)]
	par.For(len(x), varyingRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			v.rows[i] = v.memory[i*stride : i*stride+m : i*stride+m]
		}
		g.compress(hi-lo, &x[lo], v.length, &v.masks[0], &v.memory[lo*stride], stride)
	})
	return v.rows
}

// room returns n values of memory, those given where they are enough and else a quarter more.
func room[T byte | float64](memory []T, n int) []T {
	if cap(memory) < n {
		memory = pages.Make[T](n + n/4)
	}
	return memory[:n]
}

// addTo adds the sums where their columns belong, those of products in the upper triangle.
func (v *varying) addTo(sum, c []float64, ldc int) {
	m := len(v.column)
	for q, j := range v.column {
		sum[j] += v.sum[q]
	}
	par.For(m, varyingRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, from := c[v.column[i]*ldc:], v.products[i*m:(i+1)*m]
			for q := i; q < m; q = v.end[q] {
				src := from[q:v.end[q]]
				dst := row[v.column[q]:][:len(src)]
				for k, x := range src {
					dst[k] += x
				}
			}
		}
	})
}

// center writes the sums, and the covariances in both triangles, where their columns belong.
func (v *varying) center(count, divisor float64, sum, c []float64, ldc int) {
	m := len(v.column)
	mean := make([]float64, m)
	for q, j := range v.column {
		sum[j] = v.sum[q]
		mean[q] = v.sum[q] / count
	}
	par.For(m, mirrorBlock, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, from, total := c[v.column[i]*ldc:], v.products[i*m:(i+1)*m], v.sum[i]
			for q := i; q < m; q = v.end[q] {
				src := from[q:v.end[q]]
				dst, about := row[v.column[q]:][:len(src)], mean[q:][:len(src)]
				for k, x := range src {
					dst[k] = (x - total*about[k]) / divisor
				}
			}
			row[v.column[i]] = max(0, row[v.column[i]])
		}
		for q := lo; q < m; q++ {
			row, column := c[v.column[q]*ldc:], c[v.column[q]:]
			for _, j := range v.column[lo:min(hi, q)] {
				row[j] = column[j*ldc]
			}
		}
	})
}
