// Package nearest finds the rows of one matrix that are nearest to each row of another, exactly, by brute force with
// matrix products. In many dimensions this is faster than a tree, because a search would visit nearly all branches of
// the tree.
package nearest

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

const (
	queryBlock     = 256
	referenceBlock = 2048
	// fewQueries is the number of queries from which products of matrices are faster than distances. For one query and
	// 990 references in 253 dimensions, distances take a third of the time.
	fewQueries = 4
)

// References are preprocessed rows for searches. They are safe for concurrent use.
type References struct {
	rows, dim int
	x         []float64 // rows×dim
	shift     []float64 // mean of the rows
	centered  []float64 // rows minus shift, to avoid cancellation
	norms     []float64 // squared norms of the centered rows
	largest   float64   // the largest of norms

	once   sync.Once // guards the following fields
	screen *screen
	seen   screened // the rows, prepared for the screen
}

// New preprocesses references, rows×dim and row-major. It retains x.
func New(x []float64, rows, dim int) *References {
	r := &References{rows: rows, dim: dim, x: x, shift: make([]float64, dim)}
	for i := range rows {
		for j, v := range x[i*dim : (i+1)*dim] {
			r.shift[j] += v / float64(rows)
		}
	}
	r.centered, r.norms = r.center(x, rows)
	for _, v := range r.norms {
		r.largest = max(r.largest, v)
	}
	return r
}

// Len returns the number of references.
func (r *References) Len() int { return r.rows }

// center returns the rows of x minus the shift, and their squared norms.
func (r *References) center(x []float64, rows int) (centered, norms []float64) {
	n := r.dim
	c := centering{r.shift, x, make([]float64, rows*n), make([]float64, rows)}
	par.ForWith(rows, 512, c, centering.rows)
	return c.centered, c.norms
}

// centering has the variables of [References.center].
type centering struct{ shift, x, centered, norms []float64 }

func (c centering) rows(_, lo, hi int) {
	n := len(c.shift)
	for i := lo; i < hi; i++ {
		s := 0.0
		row := c.centered[i*n : (i+1)*n]
		for j, v := range c.x[i*n : (i+1)*n] {
			row[j] = v - c.shift[j]
			s += row[j] * row[j]
		}
		c.norms[i] = s
	}
}

// candidate is a reference that may be among the nearest.
type candidate struct {
	index int
	d     float64
}

// Search finds the k references nearest to each query in Euclidean distance. queries is row-major, count×dim. Row i of
// index and of distance, k values each, lists the references nearest to query i, nearest first; for equal distances,
// the lower index comes first. Distances are squared, and computed from differences of coordinates. If self is set,
// query i is reference i, which is then excluded from the results of query i. Search checks ctx between blocks of
// pairs. The only error is the error of ctx; the results are then invalid. Search panics if k is below 1 or larger than
// the number of references to choose from. The cost is one matrix product of count × rows × dim. For many queries in
// many dimensions, a screen reduces the product to fewer dimensions in single precision. The additional memory does not
// grow with count or rows, except that the first screen stores two single-precision copies of the references.
func (r *References) Search(ctx context.Context, queries []float64, count, k int, self bool, index []int,
	distance []float64) error {
	available := r.rows
	if self {
		available--
	}
	if k < 1 || k > available {
		panic("nearest: more neighbors asked for than there are")
	}
	n := r.dim
	if n > fewDimensions && count >= manyQueries && r.rows >= manyQueries {
		return r.searchScreened(ctx, queries, count, k, self, index, distance)
	}
	s := searches.Get().(*search)
	defer searches.Put(s)
	if count < fewQueries {
		return r.searchAll(ctx, s, queries, count, k, self, index, distance)
	}
	block := min(queryBlock, count)
	vec.Room(&s.products, block*min(referenceBlock, r.rows))
	vec.Room(&s.centered, block*n)
	vec.Room(&s.norms, block)
	vec.Room(&s.found, block)
	p := pass{r: r, search: s, k: k, index: index, distance: distance}
	for lo := 0; lo < count; lo += queryBlock {
		q := min(queryBlock, count-lo)
		p.queries, p.lo, p.skip = queries[lo*n:(lo+q)*n], lo, self
		par.ForWith(q, 512, centering{r.shift, p.queries, s.centered, s.norms}, centering.rows)
		for i := range q {
			s.found[i].reset(k, r.slack(s.norms[i]))
		}
		for from := 0; from < r.rows; from += referenceBlock {
			if err := ctx.Err(); err != nil {
				return err
			}
			p.from, p.to = from, min(from+referenceBlock, r.rows)
			m := p.to - from
			dense.Gemm(false, true, q, m, n, -2, s.centered, n, r.centered[from*n:], n, 0, s.products, m)
			par.ForWith(q, 16, p, pass.offer)
		}
		par.ForWith(q, 16, p, pass.settle)
	}
	return nil
}

// search is the memory of a search.
type search struct {
	products, centered, norms []float64
	found                     []selection
}

var searches = sync.Pool{New: func() any { return new(search) }}

// pass has the variables of the loops over a block of queries, the first with index lo.
type pass struct {
	r *References
	*search
	queries  []float64
	k        int
	index    []int
	distance []float64
	lo       int
	skip     bool // query i is reference i
	from, to int  // references
}

// offer offers the references of the pass to its queries a to b-1.
func (p pass) offer(_, a, b int) {
	m := p.to - p.from
	for i := a; i < b; i++ {
		skip := -1
		if p.skip {
			skip = p.lo + i
		}
		p.found[i].offer(p.products[i*m:(i+1)*m], p.r.norms[p.from:p.to], p.from, skip)
	}
}

// settle writes the results of the queries a to b-1.
func (p pass) settle(_, a, b int) {
	n, k := p.r.dim, p.k
	for i := a; i < b; i++ {
		at := p.lo + i
		p.r.settle(&p.found[i], p.queries[i*n:(i+1)*n], p.index[at*k:(at+1)*k], p.distance[at*k:(at+1)*k])
	}
}

// slack returns an upper bound of twice the rounding error of ‖y‖² - 2x'y for a query x with the given squared norm.
func (r *References) slack(norm float64) float64 {
	return 0x1p-51 * float64(r.dim+4) * (norm + r.largest)
}

// settle computes the exact distances of the candidates and writes the nearest k.
func (r *References) settle(s *selection, query []float64, index []int, distance []float64) {
	s.prune()
	for i := range s.list {
		c := &s.list[i]
		c.d = vec.SquaredDistance(query, r.x[c.index*r.dim:(c.index+1)*r.dim])
	}
	slices.SortFunc(s.list, func(x, y candidate) int {
		switch {
		case x.d < y.d || x.d == x.d && y.d != y.d:
			return -1
		case y.d < x.d || y.d == y.d && x.d != x.d:
			return 1
		}
		return cmp.Compare(x.index, y.index)
	})
	for i := range index {
		index[i], distance[i] = s.list[i].index, s.list[i].d
	}
}

// selection collects the references with an approximate distance within the slack of the k-th smallest.
type selection struct {
	k     int
	slack float64
	best  []float64 // the k smallest approximate distances, ascending
	limit float64   // k-th smallest plus slack; +Inf if there are fewer than k
	list  []candidate
}

func (s *selection) reset(k int, slack float64) {
	s.k, s.slack = k, slack
	s.best, s.list = s.best[:0], s.list[:0]
}

// offer adds the next references, numbered from first, except skip.
func (s *selection) offer(products, norms []float64, first, skip int) {
	norms = norms[:len(products)]
	for j, p := range products {
		d := p + norms[j]
		if len(s.best) == s.k && d > s.limit || first+j == skip {
			continue
		}
		s.list = append(s.list, candidate{first + j, d})
		if len(s.best) < s.k || d < s.best[s.k-1] {
			s.insert(d)
		}
		if len(s.list) >= 8*s.k+256 && len(s.list)&(len(s.list)-1) == 0 {
			s.prune()
		}
	}
}

// insert inserts d into the smallest distances.
func (s *selection) insert(d float64) {
	if len(s.best) < s.k {
		s.best = append(s.best, d)
	}
	i := len(s.best) - 1
	for ; i > 0 && s.best[i-1] > d; i-- {
		s.best[i] = s.best[i-1]
	}
	s.best[i] = d
	s.limit = s.best[len(s.best)-1] + s.slack
}

// prune drops candidates that cannot be among the nearest.
func (s *selection) prune() {
	if len(s.best) < s.k {
		return
	}
	s.list = slices.DeleteFunc(s.list, func(c candidate) bool { return c.d > s.limit })
}
