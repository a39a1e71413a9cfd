package nearest

import (
	"cmp"
	"context"
	"math"
	"slices"

	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// Other is a row of another class, with its squared distance.
type Other struct {
	Row      int
	Distance float64
}

// Within lists, for every row of x (rows×dim, row-major), the rows of other classes at a squared distance below the
// row's limit, in order of rows. If a row has more than most, the list contains the nearest; for equal distances, the
// lower index comes first. Distances are computed from differences of coordinates. The bits are the same at any
// GOMAXPROCS.
//
// Pairs are screened by a lower bound of their distance. Each product serves both rows of a pair. The cost is one
// product of rows² × directions / 2 values, and dim operations for each pair that passes the screen.
//
// The only error is the error of ctx, which is checked between blocks of pairs.
func Within(ctx context.Context, x []float64, rows, dim int, class []int, limit []float64, most int) ([][]Other,
	error) {
	w := &within{x: x, dim: dim, class: class, most: most, found: make([][]Other, rows), limit: slices.Clone(limit)}
	w.order(rows)
	w.prepare(rows)
	if err := w.search(ctx); err != nil {
		return nil, err
	}
	par.For(rows, 64, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			w.found[i] = nearestFew(w.found[i], most)
			slices.SortFunc(w.found[i], func(a, b Other) int { return a.Row - b.Row })
		}
	})
	return w.found, nil
}

// within is the state of a search. A place is an index in the rows sorted by class.
type within struct {
	x     []float64
	dim   int
	class []int
	most  int
	limit []float64
	found [][]Other

	row    []int // by place
	bounds []int // places at which a class begins, and the end

	screen *screen
	seen   screened // the rows, by place
}

func (w *within) order(rows int) {
	w.row = indices.Range(rows)
	slices.SortStableFunc(w.row, func(a, b int) int { return w.class[a] - w.class[b] })
	for p := range rows {
		if p == 0 || w.class[w.row[p]] != w.class[w.row[p-1]] {
			w.bounds = append(w.bounds, p)
		}
	}
	w.bounds = append(w.bounds, rows)
}

// prepare prepares the rows, sorted by class, for the screen.
func (w *within) prepare(rows int) {
	n := w.dim
	z := make([]float64, rows*n)
	par.For(rows, 512, func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			copy(z[p*n:(p+1)*n], w.x[w.row[p]*n:])
		}
	})
	w.screen = newScreen(z, rows, n)
	w.seen = w.screen.rows(z)
}

// hit is a pair that passed the screen and is near enough for its second row.
type hit struct {
	from, to int
	d        float64
}

// search visits all pairs of places of different classes once.
func (w *within) search(ctx context.Context) error {
	products := make([]float64, queryBlock*referenceBlock)
	limits := make([]float64, referenceBlock)
	const grain = 16
	reverse := make([][]hit, par.Chunks(queryBlock, grain))
	for c := range len(w.bounds) - 1 {
		for lo := w.bounds[c]; lo < w.bounds[c+1]; lo += queryBlock {
			q := min(queryBlock, w.bounds[c+1]-lo)
			for from := w.bounds[c+1]; from < len(w.row); from += referenceBlock {
				if err := ctx.Err(); err != nil {
					return err
				}
				r := min(referenceBlock, len(w.row)-from)
				w.screen.products(products, w.seen, lo, q, w.seen, from, r)
				// For the second row of a pair: product + limit/2 > half of the first.
				least := limits[:r]
				for j := range least {
					least[j] = w.limit[w.row[from+j]] / 2
				}
				par.For(q, grain, func(_, a, b int) {
					chunk := a / grain
					reverse[chunk] = reverse[chunk][:0]
					for i := a; i < b; i++ {
						reverse[chunk] = w.scan(lo+i, from, products[i*r:(i+1)*r], least, reverse[chunk])
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
	return nil
}

// scan processes the products of one place with the places from `from` on. It adds rows to the list of the row at
// place, and appends the pairs for the lists of other rows to hits.
func (w *within) scan(place, from int, products, least []float64, hits []hit) []hit {
	i := w.row[place]
	half := w.seen.half[place]
	own := half - w.limit[i]/2
	least = least[:len(products)]
	for j, p := range products {
		if p <= own && p+least[j] <= half {
			continue
		}
		other := w.row[from+j]
		d := vec.SquaredDistance(w.x[i*w.dim:(i+1)*w.dim], w.x[other*w.dim:(other+1)*w.dim])
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

// add adds a row to the list of row i, and lowers the limit of row i if the list is too long.
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
		w.limit[i] = math.Nextafter(far, math.Inf(1)) // ties with lower rows may still come
	}
}

// nearestFew returns the nearest rows of a list. In a tie, the lower row is nearer.
func nearestFew(list []Other, few int) []Other {
	if len(list) <= few {
		return list
	}
	slices.SortFunc(list, func(a, b Other) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), a.Row-b.Row)
	})
	return list[:few]
}
