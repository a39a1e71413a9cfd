package nearest

import (
	"math"
	"slices"

	"rao/internal/dense"
	"rao/internal/eig"
	"rao/internal/par"
	"rao/internal/vec"
)

// Other is a row of another class at a squared distance.
type Other struct {
	Row      int
	Distance float64
}

const (
	// fewDimensions is the number up to which the screening looks at all of them.
	fewDimensions = 32
	// leadingShare is the part of the rows' scatter that the directions of the
	// screening hold, where there are more.
	leadingShare = 0.85
	// beyond is a squared norm that single precision has no room for.
	beyond = 0x1p120
)

// Within lists for every row of x (rows×dim, row-major) the rows of other classes at
// a squared distance below the row's limit, in order of rows; where there are more
// than most, the nearest ones, of equal distances those of lower rows. Distances come from
// the differences of the coordinates. The bits are the same at any GOMAXPROCS.
//
// Pairs are screened by a lower bound of their distance: the distance along the
// leading principal directions and the difference of what the others leave,
//
//	‖a - b‖² ≥ ‖P'(a-b)‖² + (‖a - PP'a‖ - ‖b - PP'b‖)²
//
// in single precision with an allowance for rounding; each product serves both rows of a pair. The
// cost is one product of rows² × directions / 2 values, and dim operations for each
// pair that passes.
func Within(x []float64, rows, dim int, class []int, limit []float64, most int) [][]Other {
	w := &within{x: x, dim: dim, class: class, most: most, found: make([][]Other, rows), limit: slices.Clone(limit)}
	w.order(rows)
	w.prepare(rows)
	w.search()
	par.For(rows, 64, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			w.found[i] = nearestFew(w.found[i], most)
			slices.SortFunc(w.found[i], func(a, b Other) int { return a.Row - b.Row })
		}
	})
	return w.found
}

// within is a search under way. Places are rows in the order of their class.
type within struct {
	x     []float64
	dim   int
	class []int
	most  int
	limit []float64
	found [][]Other

	row    []int // at a place
	bounds []int // places where a class begins, and the end

	width       int       // of left and right
	left, right []float32 // a product of rows is z_i'z_j - ‖z_j‖²/2, or a little more
	half        []float64 // ‖z‖²/2, -Inf where all pairs pass
	// rounding bounds the error of a product: it is below this part of
	// ‖z_i‖²/2 + ‖z_j‖². The second part is added to the products.
	rounding float64
}

// order sorts the rows by class.
func (w *within) order(rows int) {
	w.row = make([]int, rows)
	for i := range w.row {
		w.row[i] = i
	}
	slices.SortStableFunc(w.row, func(a, b int) int { return w.class[a] - w.class[b] })
	for p := range rows {
		if p == 0 || w.class[w.row[p]] != w.class[w.row[p-1]] {
			w.bounds = append(w.bounds, p)
		}
	}
	w.bounds = append(w.bounds, rows)
}

// prepare writes the coordinates of the screening: the leading directions, the norm
// of the rest, and a column for the norms.
func (w *within) prepare(rows int) {
	n := w.dim
	z := make([]float64, rows*n)
	mean := make([]float64, n)
	for i := range rows {
		vec.Axpy(mean, 1/float64(rows), w.x[i*n:(i+1)*n])
	}
	par.For(rows, 512, func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			for j, v := range w.x[w.row[p]*n : (w.row[p]+1)*n] {
				z[p*n+j] = v - mean[j]
			}
		}
	})
	lead, h := z, n
	if n > fewDimensions {
		if p, k := principal(z, rows, n); k < n {
			lead, h = make([]float64, rows*k), k
			dense.Gemm(false, false, rows, k, n, 1, z, n, p, n, 0, lead, k)
		}
	}
	w.fill(lead, z, rows, h)
}

// principal returns the directions of a scatter, n×n with the leading ones first, and
// how many hold the leading share.
func principal(z []float64, rows, n int) (p []float64, k int) {
	scatter, values := make([]float64, n*n), make([]float64, n)
	dense.Syrk(n, rows, 1, z, n, 0, scatter, n)
	if eig.Sym(values, scatter, n, true, make([]float64, eig.WorkLen(n))) != nil {
		return nil, n
	}
	total, sum := 0.0, 0.0
	for _, v := range values {
		total += v
	}
	for k = 0; k < n && sum < leadingShare*total; k++ {
		sum += values[n-1-k]
	}
	k = max(k, fewDimensions)
	p = make([]float64, n*n)
	for i := range n {
		for j := range n {
			p[i*n+j] = scatter[i*n+n-1-j]
		}
	}
	return p, k
}

// fill writes left and right for rows with h leading coordinates lead and all of them z.
func (w *within) fill(lead, z []float64, rows, h int) {
	n := w.dim
	w.width = h + 2
	w.rounding = 4 * float64(w.width+4) * 0x1p-24
	w.left, w.right = make([]float32, rows*w.width), make([]float32, rows*w.width)
	w.half = make([]float64, rows)
	par.For(rows, 512, func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			l, r := w.left[p*w.width:(p+1)*w.width], w.right[p*w.width:(p+1)*w.width]
			v := lead[p*h : (p+1)*h]
			for j, x := range v {
				l[j] = float32(x)
			}
			all, part := vec.Dot(z[p*n:(p+1)*n], z[p*n:(p+1)*n]), vec.Dot(v, v)
			l[h] = float32(math.Sqrt(max(all-part, 0)))
			copy(r, l[:h+1])
			w.half[p] = all / 2
			l[h+1], r[h+1] = 1, float32((2*w.rounding-1)*all/2)
			if all > beyond {
				clear(l[:h+1])
				clear(r[:h+1])
				w.half[p], r[h+1] = math.Inf(-1), beyond
			}
		}
	})
}

// hit is a pair that passed the screening and is near enough for its second row.
type hit struct {
	from, to int
	d        float64
}

// search goes through all pairs of places of different classes once.
func (w *within) search() {
	products := make([]float64, queryBlock*referenceBlock)
	const grain = 16
	reverse := make([][]hit, par.Chunks(queryBlock, grain))
	for c := range len(w.bounds) - 1 {
		for lo := w.bounds[c]; lo < w.bounds[c+1]; lo += queryBlock {
			q := min(queryBlock, w.bounds[c+1]-lo)
			for from := w.bounds[c+1]; from < len(w.row); from += referenceBlock {
				r := min(referenceBlock, len(w.row)-from)
				part := products[:q*r]
				clear(part)
				dense.Gemm32(false, true, q, r, w.width, w.left[lo*w.width:], w.width, w.right[from*w.width:], w.width, part, r)
				// Seen from the second row: d < limit when product + limit/2 > ‖z_i‖²/2.
				least := make([]float64, r)
				for j := range least {
					least[j] = w.limit[w.row[from+j]] / 2
				}
				par.For(q, grain, func(_, a, b int) {
					chunk := a / grain
					reverse[chunk] = reverse[chunk][:0]
					for i := a; i < b; i++ {
						reverse[chunk] = w.scan(lo+i, from, part[i*r:(i+1)*r], least, reverse[chunk])
					}
				})
				for chunk := range par.Chunks(q, grain) {
					for _, h := range reverse[chunk] {
						w.add(h.to, h.from, h.d)
					}
				}
			}
		}
	}
}

// scan goes through the products of one place with those from a place on. It adds to
// the list of its own row, and appends what concerns the other rows to hits.
func (w *within) scan(place, from int, products, least []float64, hits []hit) []hit {
	i := w.row[place]
	half := (1 - w.rounding) * w.half[place]
	own := half - w.limit[i]/2
	least = least[:len(products)]
	for j, p := range products {
		if p <= own && p+least[j] <= half {
			continue
		}
		other := w.row[from+j]
		d := SquaredDistance(w.x[i*w.dim:(i+1)*w.dim], w.x[other*w.dim:(other+1)*w.dim])
		if d < w.limit[i] {
			w.add(i, other, d)
			own = half - w.limit[i]/2
		}
		if d < w.limit[other] {
			hits = append(hits, hit{i, other, d})
		}
	}
	return hits
}

// add puts a row on the list of another, and lowers its limit once there are too many.
func (w *within) add(i, row int, d float64) {
	if !(d < w.limit[i]) {
		return
	}
	w.found[i] = append(w.found[i], Other{row, d})
	if len(w.found[i]) >= 2*w.most+16 {
		w.found[i] = nearestFew(w.found[i], w.most)
		far := 0.0
		for _, o := range w.found[i] {
			far = max(far, o.Distance)
		}
		w.limit[i] = math.Nextafter(far, math.Inf(1)) // a tie with a lower row is still to be seen
	}
}

// nearestFew keeps the nearest of a list; ties go to the lower row.
func nearestFew(list []Other, few int) []Other {
	if len(list) <= few {
		return list
	}
	slices.SortFunc(list, func(a, b Other) int {
		switch {
		case a.Distance < b.Distance:
			return -1
		case a.Distance > b.Distance:
			return 1
		}
		return a.Row - b.Row
	})
	return list[:few]
}

// SquaredDistance returns ‖a - b‖² summed from the differences of the coordinates, in
// four strands that the processor can overlap. b must be at least as long as a.
func SquaredDistance(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		d0, d1, d2, d3 := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
	}
	for ; i < len(a); i++ {
		d := a[i] - b[i]
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}
