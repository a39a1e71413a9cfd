package nearest

import (
	"context"
	"math"

	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// manyQueries is the number of queries, and of references, for which the preparation of a screen is worthwhile.
const manyQueries = 256

// searchScreened is Search with a screen: it skips pairs whose lower bound is larger than the distances found so far.
func (r *References) searchScreened(ctx context.Context, queries []float64, count, k int, self bool, index []int,
	distance []float64) error {
	n := r.dim
	r.once.Do(func() {
		r.screen = newScreen(r.x, r.rows, n)
		r.seen = r.screen.rows(append([]float64(nil), r.x...))
	})
	products := make([]float64, queryBlock*referenceBlock)
	for i := range count * k {
		index[i], distance[i] = -1, math.Inf(1)
	}
	for lo := 0; lo < count; lo += queryBlock {
		q := min(queryBlock, count-lo)
		asked := r.screen.rows(append([]float64(nil), queries[lo*n:(lo+q)*n]...))
		for from := 0; from < r.rows; from += referenceBlock {
			if err := ctx.Err(); err != nil {
				return err
			}
			m := min(referenceBlock, r.rows-from)
			r.screen.products(products, asked, 0, q, r.seen, from, m)
			par.For(q, 16, func(_, a, b int) {
				for i := a; i < b; i++ {
					at, skip := lo+i, -1
					if self {
						skip = at
					}
					r.scan(queries[at*n:(at+1)*n], products[i*m:(i+1)*m], asked.half[i], from, skip,
						index[at*k:(at+1)*k], distance[at*k:(at+1)*k])
				}
			})
		}
	}
	return nil
}

// searchAll is Search by all distances.
func (r *References) searchAll(ctx context.Context, s *search, queries []float64, count, k int, self bool, index []int,
	distance []float64) error {
	every := vec.Room(&s.products, r.rows)
	for j := range every {
		every[j] = math.Inf(1)
	}
	for i := range count {
		if err := ctx.Err(); err != nil {
			return err
		}
		found, d, skip := index[i*k:(i+1)*k], distance[i*k:(i+1)*k], -1
		for j := range found {
			found[j], d[j] = -1, math.Inf(1)
		}
		if self {
			skip = i
		}
		r.scan(queries[i*r.dim:(i+1)*r.dim], every, 0, 0, skip, found, d)
	}
	return nil
}

// scan processes the products of a query with the references from index from on, except skip, and stores the nearest.
func (r *References) scan(query, products []float64, half float64, from, skip int, index []int, distance []float64) {
	k := len(index)
	bound := half - distance[k-1]/2
	for j, p := range products {
		if p <= bound || from+j == skip {
			continue
		}
		d := vec.SquaredDistance(query, r.x[(from+j)*r.dim:(from+j+1)*r.dim])
		if index[k-1] >= 0 && !(d < distance[k-1]) {
			continue
		}
		i := k - 1
		for ; i > 0 && (index[i-1] < 0 || distance[i-1] > d); i-- {
			index[i], distance[i] = index[i-1], distance[i-1]
		}
		index[i], distance[i] = from+j, d
		bound = half - distance[k-1]/2
	}
}
