package gaussian

import (
	"cmp"
	"slices"

	"rao/internal/linalg/vec"
)

// ward merges the components of one class until at most most remain and none has fewer
// than smallest observations, two at a time. It picks the two whose union adds least to the scatter within
// components,
//
//	n_a n_b/(n_a + n_b) ‖μ_a - μ_b‖²
//
// (Ward 1963). The order of the list does not matter: it is sorted first, by count and
// mean, and so is the result.
func ward(list []*moments, most int) []*moments {
	slices.SortFunc(list, byCountAndMean)
	w := &merging{list: list, partner: make([]int, len(list)), cost: make([]float64, len(list))}
	for a := range list {
		w.seek(a)
	}
	for len(w.list) > 1 && (len(w.list) > most || w.least() < smallest) {
		w.mergeNearest()
	}
	slices.SortFunc(w.list, byCountAndMean)
	return w.list
}

// byCountAndMean puts components with more observations first, and equal ones in the
// order of their means.
func byCountAndMean(a, b *moments) int {
	return cmp.Or(cmp.Compare(b.count, a.count), slices.Compare(a.mean, b.mean), slices.Compare(a.scatter, b.scatter))
}

// merging remembers for every component the later one that is cheapest to merge with.
type merging struct {
	list    []*moments
	partner []int // of a, above a; -1 for the last
	cost    []float64
}

func (w *merging) between(a, b int) float64 {
	x, y := w.list[a], w.list[b]
	nx, ny := x.count, y.count
	return nx * ny / (nx + ny) * vec.SquaredDistance(x.mean, y.mean)
}

// seek finds the partner of a.
func (w *merging) seek(a int) {
	w.partner[a] = -1
	for b := a + 1; b < len(w.list); b++ {
		if d := w.between(a, b); w.partner[a] < 0 || d < w.cost[a] {
			w.partner[a], w.cost[a] = b, d
		}
	}
}

// least returns the smallest count.
func (w *merging) least() int {
	return slices.MinFunc(w.list, func(a, b *moments) int { return cmp.Compare(a.rows, b.rows) }).rows
}

// mergeNearest merges the two that cost least; the result takes the place of the first.
func (w *merging) mergeNearest() {
	a := -1
	for i, p := range w.partner {
		if p >= 0 && (a < 0 || w.cost[i] < w.cost[a]) {
			a = i
		}
	}
	b := w.partner[a]
	w.list[a].add(w.list[b])
	w.list = slices.Delete(w.list, b, b+1)
	w.partner, w.cost = slices.Delete(w.partner, b, b+1), slices.Delete(w.cost, b, b+1)
	for i, p := range w.partner {
		switch {
		case i == a || p == a || p == b:
			w.seek(i)
			continue
		case p > b:
			w.partner[i]--
		}
		if i < a {
			if d := w.between(i, a); d < w.cost[i] {
				w.partner[i], w.cost[i] = a, d
			}
		}
	}
}
