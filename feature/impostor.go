package feature

import (
	"sort"

	"rao/internal/dense"
	"rao/internal/par"
	"rao/internal/vec"
)

const (
	impostorQueries = 256
	impostorBlock   = 2048
	// impostorSlack widens the margin when impostors are looked for, so that rows that
	// come nearer during a round are on the list.
	impostorSlack = 0.5
	// hingeWidth is the part of the margin over which the hinge is rounded off.
	hingeWidth = 0.1
	lmnnChunk  = 512
)

// near is a row at a squared distance.
type near struct {
	row int
	d   float64
}

// findImpostors lists for every row those of other classes within the margin of its
// farthest target, the nearest ones when there are too many.
func (l *lmnn) findImpostors(z []float64) {
	t, m, k := l.t, l.opt.Filters, l.k
	norms, limit := make([]float64, t.rows), make([]float64, t.rows)
	par.For(t.rows, lmnnChunk, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			norms[i] = vec.Dot(z[i*m:(i+1)*m], z[i*m:(i+1)*m])
			for _, j := range l.target[i*k : (i+1)*k] {
				limit[i] = max(limit[i], squaredDistance(z, i, j, m))
			}
			limit[i] += 1 + impostorSlack - norms[i]
		}
	})
	found := make([][]near, t.rows)
	products := make([]float64, impostorQueries*impostorBlock)
	for lo := 0; lo < t.rows; lo += impostorQueries {
		q := min(impostorQueries, t.rows-lo)
		for from := 0; from < t.rows; from += impostorBlock {
			r := min(impostorBlock, t.rows-from)
			dense.Gemm(false, true, q, r, m, -2, z[lo*m:], m, z[from*m:], m, 0, products, r)
			par.For(q, 16, func(_, a, b int) {
				for i := a; i < b; i++ {
					found[lo+i], limit[lo+i] = l.within(found[lo+i], products[i*r:(i+1)*r], norms[from:from+r], from, limit[lo+i], t.labels[lo+i])
				}
			})
		}
		par.For(q, 16, func(_, a, b int) {
			for i := lo + a; i < lo+b; i++ {
				found[i] = nearestFew(found[i], l.opt.Impostors)
			}
		})
	}
	l.impostor, l.first = l.impostor[:0], make([]int, t.rows+1)
	var owner []int
	for i, list := range found {
		for _, c := range list {
			l.impostor = append(l.impostor, c.row)
			owner = append(owner, i)
		}
		l.first[i+1] = len(l.impostor)
	}
	l.push = make([]float64, len(l.impostor))
	l.backPush = newReverse(t.rows, l.impostor, func(e int) int { return owner[e] })
}

// within appends the rows of other classes whose ‖z‖² - 2z'q is below the limit, and
// lowers the limit once there are too many.
func (l *lmnn) within(list []near, products, norms []float64, from int, limit float64, label int) ([]near, float64) {
	norms = norms[:len(products)]
	for j, p := range products {
		if d := p + norms[j]; d < limit && l.t.labels[from+j] != label {
			list = append(list, near{from + j, d})
			if len(list) >= 4*l.opt.Impostors {
				list = nearestFew(list, l.opt.Impostors)
				limit = list[len(list)-1].d
			}
		}
	}
	return list, limit
}

// nearestFew keeps the nearest of a list, in order of rows; ties go to the lower row.
func nearestFew(list []near, few int) []near {
	if len(list) <= few {
		return list
	}
	sort.Slice(list, func(a, b int) bool {
		return list[a].d < list[b].d || list[a].d == list[b].d && list[a].row < list[b].row
	})
	return list[:few:few]
}

// hinge returns the rounded hinge and its derivative.
func hinge(a float64) (value, slope float64) {
	switch {
	case a <= 0:
		return 0, 0
	case a < hingeWidth:
		return a * a / (2 * hingeWidth), a / hingeWidth
	}
	return a - hingeWidth/2, 1
}

// cost implements the cost of a projection: first every row computes its part and
// the derivative with respect to each of its distances, then every row gathers from
// its own distances and from those of which it is the other end.
func (l *lmnn) cost(z, dz []float64) float64 {
	t, m, k := l.t, l.opt.Filters, l.k
	share := 1 / float64(t.rows)
	if l.values == nil {
		l.values = make([]float64, par.Chunks(t.rows, lmnnChunk))
	}
	par.For(t.rows, lmnnChunk, func(_, lo, hi int) {
		value := 0.0
		near := make([]float64, k)
		for i := lo; i < hi; i++ {
			far := 0.0
			pull := l.pull[i*k : (i+1)*k]
			for j, row := range l.target[i*k : (i+1)*k] {
				near[j] = squaredDistance(z, i, row, m)
				far = max(far, near[j])
				value += (1 - l.opt.Push) * near[j]
				pull[j] = (1 - l.opt.Push) * share
			}
			for e := l.first[i]; e < l.first[i+1]; e++ {
				l.push[e] = 0
				d := squaredDistance(z, i, l.impostor[e], m)
				if d >= 1+far {
					continue
				}
				for j, target := range near {
					v, s := hinge(1 + target - d)
					value += l.opt.Push * v
					pull[j] += l.opt.Push * share * s
					l.push[e] -= l.opt.Push * share * s
				}
			}
		}
		l.values[lo/lmnnChunk] = value * share
	})
	par.For(t.rows, lmnnChunk, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			out := dz[i*m : (i+1)*m]
			clear(out)
			for j, row := range l.target[i*k : (i+1)*k] {
				addDifference(out, l.pull[i*k+j], z, i, row, m)
			}
			for e := l.first[i]; e < l.first[i+1]; e++ {
				if l.push[e] != 0 {
					addDifference(out, l.push[e], z, i, l.impostor[e], m)
				}
			}
			for e := l.back.first[i]; e < l.back.first[i+1]; e++ {
				addDifference(out, l.pull[l.back.entry[e]], z, i, l.back.owner[e], m)
			}
			for e := l.backPush.first[i]; e < l.backPush.first[i+1]; e++ {
				if w := l.push[l.backPush.entry[e]]; w != 0 {
					addDifference(out, w, z, i, l.backPush.owner[e], m)
				}
			}
		}
	})
	value := 0.0
	for _, v := range l.values {
		value += v
	}
	return value
}

// addDifference adds 2w(z_i - z_j) to out.
func addDifference(out []float64, w float64, z []float64, i, j, m int) {
	a, b := z[i*m:(i+1)*m], z[j*m:(j+1)*m]
	for h := range out {
		out[h] += 2 * w * (a[h] - b[h])
	}
}
