package subclasses

import (
	"cmp"
	"slices"

	"rao/internal/linalg/vec"
	"rao/internal/moments"
)

// ward merges the components of one class, two at a time, until no more than most remain and none has fewer than
// smallest observations. It merges the two for which the scatter within components increases least:
//
//	n_a n_b/(n_a + n_b) ‖μ_a - μ_b‖²
//
// (Ward 1963). The order of the list does not matter, because it is first sorted by count and mean. The result is
// sorted in the same way.
func ward(list []*moments.Class, most int) []*moments.Class {
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

// byCountAndMean sorts components with more observations first, equal counts by their means, and equal means by their
// scatters.
func byCountAndMean(a, b *moments.Class) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), slices.Compare(a.Mean, b.Mean), slices.Compare(a.Scatter, b.Scatter))
}

// merging stores for every component the later one that is cheapest to merge with.
type merging struct {
	list    []*moments.Class
	partner []int // index of the cheapest later partner of each component; -1 for the last component
	cost    []float64
}

func (w *merging) between(a, b int) float64 {
	x, y := w.list[a], w.list[b]
	nx, ny := x.Count, y.Count
	return nx * ny / (nx + ny) * vec.SquaredDistance(x.Mean, y.Mean)
}

// seek finds the cheapest partner of component a among the later components, and the cost of merging them.
func (w *merging) seek(a int) {
	w.partner[a] = -1
	for b := a + 1; b < len(w.list); b++ {
		if d := w.between(a, b); w.partner[a] < 0 || d < w.cost[a] {
			w.partner[a], w.cost[a] = b, d
		}
	}
}

// least returns the smallest number of rows of a component.
func (w *merging) least() int {
	return slices.MinFunc(w.list, func(a, b *moments.Class) int { return cmp.Compare(a.Rows, b.Rows) }).Rows
}

// mergeNearest merges the two components with the least cost. The result replaces the first.
func (w *merging) mergeNearest() {
	a := -1
	for i, p := range w.partner {
		if p >= 0 && (a < 0 || w.cost[i] < w.cost[a]) {
			a = i
		}
	}
	b := w.partner[a]
	w.list[a].Add(w.list[b])
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
