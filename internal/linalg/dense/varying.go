package dense

import (
	"slices"
	"sync"

	"rao/internal/hugepages"
	"rao/internal/linalg/cpu"
	"rao/internal/par"
)

// varying are the columns in which rows of bytes differ from a pivot. Their products are all that
// are not zero: in a class of images of digits, whose borders are empty, half of all. Most rows do
// with fewer columns, the common ones, and are multiplied in these alone.
type varying struct {
	all, common columnSet
	rows        [][]byte // copies that hold the columns of a set alone, and of the rows that
	memory      []byte   // some lie in
	rare        []byte   // which rows differ in other columns than the common ones
	beside      [][]byte // these rows
	seen        []byte   // differences from the pivot, of every chunk of rows, and in the end of all
	chunks      []int    // by column, in which there are some
}

// columnSet is a set of columns, and sums of rows in them.
type columnSet struct {
	place    []int     // where they are among all columns; for common ones among those that vary
	end      []int     // the number after the last of a column's run of neighbors
	masks    []uint64  // a bit a column, for 64 columns each; the last for those that end the row
	others   []uint64  // of columns that make a row rare, likewise
	pivot    []float32 // of the columns
	sum      []float64 // less the pivot
	products []float64 // row-major, the upper triangle
}

// varyings keeps the memory of those that are not in use.
var varyings = sync.Pool{New: func() any { return new(varying) }}

const (
	varyingLane  = 64     // columns of a mask
	varyingRows  = 64     // rows of a chunk; so many are looked at first
	varyingMost  = 0.94   // share of the columns from which leaving the others out saves nothing
	commonChunks = 1. / 3 // share of the chunks that a common column varies in, at least
	fewestChunks = 16     // from which it is known what is common
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
	v.all.addTo(sum, c, ldc)
	return true
}

// CenterBytes computes the mean of rows of bytes about a pivot, sum being Σ (x - pivot), and
// their covariance with the divisor given: both triangles of C, n×n. sum must be zeros. It
// reports whether it did: not where the processor cannot, or columns that are constant are too
// few to save something; C is then as it was.
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

// find looks for the columns. It returns false where they are too many to save something.
func (v *varying) find(g *wholeKernels, x [][]byte, pivot []float32) bool {
	n := len(pivot)
	if n < varyingLane || len(x) < 2*varyingRows {
		return false
	}
	chunks := par.Chunks(len(x), varyingRows)
	v.seen = slices.Grow(v.seen[:0], (chunks+2)*n)[:(chunks+2)*n]
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
	v.chunks = slices.Grow(v.chunks[:0], n)[:n]
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

// about is where the pivot lies, as bytes.
func (v *varying) about(n int) []byte { return v.seen[:n] }

// tooMany reports whether nearly all columns differ.
func tooMany(seen []byte) bool {
	count := 0
	for _, d := range seen {
		if d != 0 {
			count++
		}
	}
	return float64(count) > varyingMost*float64(len(seen))
}

// multiply makes the sums of rows in all columns that vary: of most rows in the common columns, of
// the others in all of them.
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
	v.beside = v.beside[:0]
	usual := rows[:0]
	for i, row := range rows {
		if v.rare[i] != 0 {
			v.beside = append(v.beside, x[i])
		} else {
			usual = append(usual, row)
		}
	}
	v.common.add(s, g, usual)
	v.common.addTo(v.all.sum, v.all.products, m)
	v.all.add(s, g, v.narrow(g, v.beside, &v.all))
	clear(v.beside) // let go of the caller's memory
}

// choose takes the columns for which in is true.
func (c *columnSet) choose(pivot []float32, in func(j int) bool) {
	n := len(pivot)
	words := par.Chunks(n, varyingLane)
	c.place, c.pivot = c.place[:0], c.pivot[:0]
	c.masks, c.others = slices.Grow(c.masks[:0], words)[:words], slices.Grow(c.others[:0], words)[:words]
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

// findRuns sets end.
func (c *columnSet) findRuns() {
	m := len(c.place)
	c.end = slices.Grow(c.end[:0], m)[:m]
	for q := m - 1; q >= 0; q-- {
		c.end[q] = q + 1
		if q+1 < m && c.place[q+1] == c.place[q]+1 {
			c.end[q] = c.end[q+1]
		}
	}
}

// among numbers the columns by their places in a set that has them all.
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

// clear makes the sums zero, of products those in the upper triangle.
func (c *columnSet) clear() {
	m := len(c.place)
	c.sum, c.products = slices.Grow(c.sum[:0], m)[:m], room(c.products, m*m)
	clear(c.sum)
	par.For(m, varyingRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			clear(c.products[i*m+i : (i+1)*m])
		}
	})
}

// add adds rows that hold the columns of the set alone.
func (c *columnSet) add(s *Centered[float32], g *wholeKernels, rows [][]byte) {
	if len(rows) > 0 {
		addWhole(s, g, rows, c.pivot, c.sum, c.products, len(c.place))
	}
}

// narrow returns copies of the rows that hold the columns of a set alone, and notes which rows
// differ in its others. The copies lie in the memory of the last ones.
func (v *varying) narrow(g *wholeKernels, x [][]byte, c *columnSet) [][]byte {
	m, stride := len(c.place), len(c.place)+varyingLane // the kernel writes beyond
	v.memory = room(v.memory, len(x)*stride)
	v.rows = slices.Grow(v.rows[:0], len(x))[:len(x)]
	v.rare = slices.Grow(v.rare[:0], len(x))[:len(x)]
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

// room returns n values of memory, those given where they are enough and else a quarter more. They
// are any.
func room[T byte | float64](memory []T, n int) []T {
	if cap(memory) < n {
		memory = hugepages.Make[T](n + n/4)
	}
	return memory[:n]
}

// addTo adds the sums at the places of the columns, those of products in the upper triangle.
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

// center writes the sums at the places of the columns, and the covariances: both triangles of an
// n×n matrix, zero for the columns that are not in the set.
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

// spread writes values of the columns at their places, and zeros elsewhere.
func (c *columnSet) spread(row, values []float64) {
	at := 0
	for q := 0; q < len(c.place); q = c.end[q] {
		clear(row[at:c.place[q]])
		at = c.place[q] + copy(row[c.place[q]:], values[q:c.end[q]])
	}
	clear(row[at:])
}
