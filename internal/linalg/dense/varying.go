package dense

import (
	"slices"
	"sync"

	"rao/internal/hugepages"
	"rao/internal/linalg/cpu"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// varying describes the columns in which rows of bytes differ from a pivot. Products of the other columns are zero. In
// images of digits, which have empty borders, these are half of all products. Most rows differ from the pivot only in a
// smaller set of columns, the common ones, and are multiplied only in that set.
type varying struct {
	all, common columnSet
	rows        [][]byte // copies of the rows with only the columns of a set
	memory      []byte   // the memory of rows
	rare        []byte   // for each row, not zero if it differs outside the common columns
	outside     [][]byte // the rows that differ outside the common columns
	seen        []byte   // the pivot, the bits that differ from it in any row, and these bits for each chunk of rows
	chunks      []int    // by column: the number of chunks in which it varies
}

// columnSet is a set of columns, and sums of rows in these columns.
type columnSet struct {
	place    []int     // indices among all columns; for the common set, among the columns that vary
	end      []int     // for each column, the number after the last in its run of adjacent columns
	masks    []uint64  // one bit per column, 64 columns per mask; the last mask covers the last 64 columns
	others   []uint64  // columns that make a row rare, in the same form
	pivot    []float32 // the pivot in these columns
	sum      []float64 // sums of the rows minus the pivot
	products []float64 // row-major, upper triangle
}

var varyings = sync.Pool{New: func() any { return new(varying) }}

const (
	varyingLane  = 64     // columns per mask
	varyingRows  = 64     // rows per chunk; the first chunk decides whether to look at the others
	varyingMost  = 0.94   // above this share of columns that vary, skipping the others saves nothing
	commonChunks = 1. / 3 // smallest share of the chunks in which a common column varies
	fewestChunks = 16     // fewer chunks than this do not show which columns are common
)

// addVarying is addWhole without the columns that are constant. If leaving them out would save no work, it adds nothing
// and returns false.
func addVarying(s *Centered[float32], g *wholeKernels, x [][]byte, pivot []float32, sum, c []float64, ldc int) bool {
	v := varyings.Get().(*varying)
	defer varyings.Put(v)
	if !v.find(g, x, pivot) {
		return false
	}
	v.multiply(s, g, x, pivot)
	v.all.addTo(sum, c, ldc)
	return true
}

// CenterBytes computes the sum of rows of bytes minus a pivot, Σ (x - pivot), and the covariance of the rows with the
// given divisor; it writes both triangles of C, n×n. sum must be zero on entry. It returns false and leaves C unchanged
// if the processor does not support byte products or if too few columns are constant to save work.
func CenterBytes(s *Centered[float32], x [][]byte, pivot []float32, sum []float64, divisor float64, c []float64,
	ldc int) bool {
	g := kernels32(cpu.Use()).whole
	if g == nil || g.compress == nil || !areBytes(pivot) {
		return false
	}
	checkCentered(x, len(pivot), sum, c, ldc)
	v := varyings.Get().(*varying)
	defer varyings.Put(v)
	if !v.find(g, x, pivot) {
		return false
	}
	v.multiply(s, g, x, pivot)
	v.all.center(float64(len(x)), divisor, sum, c, ldc)
	return true
}

// find finds the columns that vary. It returns false if there are too many to save work.
func (v *varying) find(g *wholeKernels, x [][]byte, pivot []float32) bool {
	n := len(pivot)
	if n < varyingLane || len(x) < 2*varyingRows {
		return false
	}
	chunks := par.Chunks(len(x), varyingRows)
	vec.Room(&v.seen, (chunks+2)*n)
	clear(v.seen)
	about, all := v.about(n), v.seen[n:2*n]
	for j, p := range pivot {
		about[j] = byte(p)
	}
	look := func(chunk int) {
		seen := v.seen[(2+chunk)*n : (3+chunk)*n]
		rows := x[chunk*varyingRows : min((chunk+1)*varyingRows, len(x))]
		for at := 0; at < n; at += varyingLane {
			at := min(at, n-varyingLane)
			g.differ(len(rows), &rows[0], at, &about[at], &seen[at])
		}
	}
	vec.Room(&v.chunks, n)
	clear(v.chunks)
	collect := func(from, to int) {
		for chunk := from; chunk < to; chunk++ {
			for j, d := range v.seen[(2+chunk)*n : (3+chunk)*n] {
				if d != 0 {
					all[j] |= d
					v.chunks[j]++
				}
			}
		}
	}
	look(0)
	if collect(0, 1); tooMany(all) {
		return false
	}
	par.For(chunks-1, 1, func(_, lo, _ int) { look(1 + lo) })
	collect(1, chunks)
	return !tooMany(all)
}

func (v *varying) about(n int) []byte { return v.seen[:n] }

func tooMany(seen []byte) bool {
	count := 0
	for _, d := range seen {
		if d != 0 {
			count++
		}
	}
	return float64(count) > varyingMost*float64(len(seen))
}

// multiply computes the sums of the rows: for most rows only in the common columns, for the others in all columns that
// vary.
func (v *varying) multiply(s *Centered[float32], g *wholeKernels, x [][]byte, pivot []float32) {
	n := len(pivot)
	seen := v.seen[n : 2*n]
	v.all.choose(pivot, func(j int) bool { return seen[j] != 0 })
	v.all.clear()
	m := len(v.all.place)
	if m == 0 {
		return
	}
	least := int(commonChunks * float64(par.Chunks(len(x), varyingRows)))
	v.common.choose(pivot, func(j int) bool { return v.chunks[j] >= max(1, least) })
	k := len(v.common.place)
	if len(x) < fewestChunks*varyingRows || float64(k) > varyingMost*float64(m) || k == 0 {
		v.all.add(s, g, v.narrow(g, x, &v.all))
		return
	}
	for w, mask := range v.all.masks {
		v.common.others[w] = mask &^ v.common.masks[w]
	}
	v.common.among(&v.all)
	v.common.clear()
	rows := v.narrow(g, x, &v.common)
	v.outside = v.outside[:0]
	usual := rows[:0]
	for i, row := range rows {
		if v.rare[i] != 0 {
			v.outside = append(v.outside, x[i])
		} else {
			usual = append(usual, row)
		}
	}
	v.common.add(s, g, usual)
	v.common.addTo(v.all.sum, v.all.products, m)
	v.all.add(s, g, v.narrow(g, v.outside, &v.all))
	clear(v.outside) // release the caller's memory
}

// choose makes c the set of the columns for which in returns true.
func (c *columnSet) choose(pivot []float32, in func(j int) bool) {
	n := len(pivot)
	words := par.Chunks(n, varyingLane)
	c.place, c.pivot = c.place[:0], c.pivot[:0]
	vec.Room(&c.masks, words)
	vec.Room(&c.others, words)
	clear(c.masks)
	clear(c.others)
	for j, p := range pivot {
		if !in(j) {
			continue
		}
		c.place, c.pivot = append(c.place, j), append(c.pivot, p)
		w := j / varyingLane
		c.masks[w] |= 1 << (j - min(w*varyingLane, n-varyingLane))
	}
	c.findRuns()
}

// findRuns sets end to the end of each run of consecutive columns.
func (c *columnSet) findRuns() {
	m := len(c.place)
	vec.Room(&c.end, m)
	for q := m - 1; q >= 0; q-- {
		c.end[q] = q + 1
		if q+1 < m && c.place[q+1] == c.place[q]+1 {
			c.end[q] = c.end[q+1]
		}
	}
}

// among replaces the indices of the columns by their positions in all, which must contain every one of the columns.
func (c *columnSet) among(all *columnSet) {
	at := 0
	for q, j := range c.place {
		for all.place[at] != j {
			at++
		}
		c.place[q] = at
	}
	c.findRuns()
}

// clear sets the sums and the upper triangle of the products to zero.
func (c *columnSet) clear() {
	m := len(c.place)
	vec.Room(&c.sum, m)
	c.products = room(c.products, m*m)
	clear(c.sum)
	par.For(m, varyingRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			clear(c.products[i*m+i : (i+1)*m])
		}
	})
}

// add adds rows that contain only the columns of the set.
func (c *columnSet) add(s *Centered[float32], g *wholeKernels, rows [][]byte) {
	if len(rows) > 0 {
		addWhole(s, g, rows, c.pivot, c.sum, c.products, len(c.place))
	}
}

// narrow returns copies of the rows restricted to the columns of a set, and records in the flags which rows differ in
// c.others. The copies overwrite the copies of the previous call.
func (v *varying) narrow(g *wholeKernels, x [][]byte, c *columnSet) [][]byte {
	m, stride := len(c.place), len(c.place)+varyingLane // the kernel writes beyond the last value
	v.memory = room(v.memory, len(x)*stride)
	vec.Room(&v.rows, len(x))
	vec.Room(&v.rare, len(x))
	n := len(v.chunks)
	par.For(len(x), varyingRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			v.rows[i] = v.memory[i*stride : i*stride+m : i*stride+m]
		}
		g.compress(hi-lo, &x[lo], n, &c.masks[0], &c.others[0], &v.about(n)[0], &v.memory[lo*stride], stride,
			&v.rare[lo])
	})
	return v.rows
}

// room returns n values of memory with arbitrary contents: the given memory if it is long enough, otherwise new memory
// with a quarter to spare.
func room[T byte | float64](memory []T, n int) []T {
	if cap(memory) < n {
		memory = hugepages.Make[T](n + n/4)
	}
	return memory[:n]
}

// addTo adds the sums at the indices of the columns, and the upper triangle of the products.
func (c *columnSet) addTo(sum, products []float64, ld int) {
	m := len(c.place)
	for q, j := range c.place {
		sum[j] += c.sum[q]
	}
	par.For(m, varyingRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, from := products[c.place[i]*ld:], c.products[i*m:(i+1)*m]
			for q := i; q < m; q = c.end[q] {
				src := from[q:c.end[q]]
				dst := row[c.place[q]:][:len(src)]
				for k, x := range src {
					dst[k] += x
				}
			}
		}
	})
}

// center writes the sums at the indices of the columns, and the covariances to both triangles of an n×n matrix, with
// zeros for columns outside the set.
func (c *columnSet) center(count, divisor float64, sum, covariance []float64, ld int) {
	m, n := len(c.place), len(sum)
	mean := make([]float64, m)
	for q, j := range c.place {
		sum[j] = c.sum[q]
		mean[q] = c.sum[q] / count
	}
	par.For(m, mirrorBlock, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, total := c.products[i*m+i:(i+1)*m], c.sum[i]
			for k, about := range mean[i:] {
				row[k] = (row[k] - total*about) / divisor
			}
			row[0] = max(0, row[0])
		}
	})
	Mirror(m, c.products, m)
	par.For(n, mirrorBlock, func(_, lo, hi int) {
		q, _ := slices.BinarySearch(c.place, lo)
		for j := lo; j < hi; j++ {
			row := covariance[j*ld : j*ld+n]
			if q == m || c.place[q] != j {
				clear(row)
				continue
			}
			c.spread(row, c.products[q*m:(q+1)*m])
			q++
		}
	})
}

// spread writes values to the indices of the columns, and zeros elsewhere.
func (c *columnSet) spread(row, values []float64) {
	at := 0
	for q := 0; q < len(c.place); q = c.end[q] {
		clear(row[at:c.place[q]])
		at = c.place[q] + copy(row[c.place[q]:], values[q:c.end[q]])
	}
	clear(row[at:])
}
