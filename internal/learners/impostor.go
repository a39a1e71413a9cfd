package learners

import (
	"context"
	"math"

	"rao/internal/nearest"
	"rao/internal/par"
)

// impostorSlack widens the margin in the search for impostors, so the list includes rows that come nearer during the
// round.
const impostorSlack = 0.5

// impostors lists, for each row, the rows of other classes that are compared with it.
type impostors struct {
	first []int // entries first[i] to first[i+1]-1 belong to row i
	row   []int // impostor of each entry
	owner []int // row that each entry belongs to
	// distance is the distance between row and impostor at the time of the search.
	distance []float64
}

// findImpostors lists, for every row, the rows of other classes within the margin of its farthest target. If a row has
// too many, the list contains the nearest ones. It returns an error only if ctx ends.
func (l *lmnn) findImpostors(ctx context.Context, z []float64) error {
	t, m, k := l.t, l.opt.Filters, l.k
	limit := make([]float64, t.rows)
	par.For(t.rows, lmnnChunk, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for _, j := range l.target[i*k : (i+1)*k] {
				limit[i] = max(limit[i], squaredDistance(z, i, j, m))
			}
			limit[i] += 1 + impostorSlack
		}
	})
	found, err := nearest.Within(ctx, z, t.rows, m, t.labels, limit, l.opt.Impostors)
	if err != nil {
		return err
	}
	count := 0
	for _, list := range found {
		count += len(list)
	}
	im := impostors{first: make([]int, t.rows+1), row: make([]int, 0, count), owner: make([]int, 0, count),
		distance: make([]float64, 0, count)}
	for i, list := range found {
		for _, o := range list {
			im.row, im.owner, im.distance = append(im.row, o.Row), append(im.owner, i), append(im.distance,
				math.Sqrt(o.Distance))
		}
		im.first[i+1] = len(im.row)
	}
	l.impostors = im
	l.push = make([]float64, count)
	l.backPush = newReverse(t.rows, im.row, func(e int) int { return im.owner[e] })
	l.found = append(l.found[:0], z...)
	if l.moved == nil {
		l.moved = make([]float64, t.rows)
	}
	return nil
}

// reverse lists, for every row, the entries that refer to the row and the owners of these entries.
type reverse struct {
	first        []int
	entry, owner []int
}

// newReverse inverts a list of rows. owner returns the row that an entry belongs to.
func newReverse(rows int, to []int, owner func(entry int) int) reverse {
	r := reverse{first: make([]int, rows+1), entry: make([]int, len(to)), owner: make([]int, len(to))}
	for _, v := range to {
		r.first[v+1]++
	}
	for i := range rows {
		r.first[i+1] += r.first[i]
	}
	next := append([]int(nil), r.first...)
	for e, v := range to {
		r.entry[next[v]], r.owner[next[v]] = e, owner(e)
		next[v]++
	}
	return r
}
