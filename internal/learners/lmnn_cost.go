package learners

import (
	"math"

	"rao/internal/linalg/vec"
	"rao/internal/par"
)

const (
	// hingeWidth is the fraction of the margin over which the hinge is smoothed.
	hingeWidth = 0.1
	lmnnChunk  = 512
	// boundSlack allows for rounding errors when a bound excludes an impostor.
	boundSlack = 1e-9
)

// hinge returns the smoothed hinge function and its derivative.
func hinge(a float64) (value, slope float64) {
	switch {
	case a <= 0:
		return 0, 0
	case a < hingeWidth:
		return a * a / (2 * hingeWidth), a / hingeWidth
	}
	return a - hingeWidth/2, 1
}

// cost implements [cost] for a projection. The first pass computes, for each row, its terms of the cost, their
// derivatives with respect to the distances from the row, and the resulting derivative with respect to the row's
// features. The second pass adds the derivatives of the distances from other rows to the row.
func (l *lmnn) cost(z, dz []float64) float64 {
	m, rows := l.opt.Filters, l.t.rows
	par.For(rows, lmnnChunk, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			l.moved[i] = math.Sqrt(vec.SquaredDistance(z[i*m:(i+1)*m], l.found[i*m:(i+1)*m]))
		}
	})
	values := make([]float64, par.Chunks(rows, lmnnChunk))
	par.For(rows, lmnnChunk, func(_, lo, hi int) {
		near, value := make([]float64, l.k), 0.0
		for i := lo; i < hi; i++ {
			value += l.hinges(z, dz[i*m:(i+1)*m], i, near)
		}
		values[lo/lmnnChunk] = value / float64(rows)
	})
	par.For(rows, lmnnChunk, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			l.gather(z, dz[i*m:(i+1)*m], i)
		}
	})
	value := vec.Total(values)
	return value
}

// hinges returns N times the terms of row i in the cost. It stores the derivatives with respect to the row's
// distances, and sets out to the derivative with respect to the row's features. It skips impostors that cannot be
// within the margin, by the triangle inequality from the positions at which they were found. near is scratch memory
// for k values.
func (l *lmnn) hinges(z, out []float64, i int, near []float64) float64 {
	m, k, push := l.opt.Filters, l.k, l.opt.Push
	share := 1 / float64(l.t.rows)
	far, value, sum := 0.0, 0.0, 0.0
	pull := l.pull[i*k : (i+1)*k]
	for j, row := range l.target[i*k : (i+1)*k] {
		near[j] = squaredDistance(z, i, row, m)
		far = max(far, near[j])
		value += (1 - push) * near[j]
		pull[j] = (1 - push) * share
	}
	clear(out)
	im := &l.impostors
	reach := math.Sqrt(1+far)*(1+boundSlack) + l.moved[i]
	for e := im.first[i]; e < im.first[i+1]; e++ {
		row := im.row[e]
		l.push[e] = 0
		if im.distance[e]-l.moved[row] > reach {
			continue
		}
		d := squaredDistance(z, i, row, m)
		if d >= 1+far {
			continue
		}
		w := 0.0
		for j, target := range near {
			v, s := hinge(1 + target - d)
			value += push * v
			pull[j] += push * share * s
			w -= push * share * s
		}
		l.push[e] = w
		sum += w
		vec.Axpy(out, -2*w, z[row*m:(row+1)*m])
	}
	for j, row := range l.target[i*k : (i+1)*k] {
		sum += pull[j]
		vec.Axpy(out, -2*pull[j], z[row*m:(row+1)*m])
	}
	vec.Axpy(out, 2*sum, z[i*m:(i+1)*m])
	return value
}

// gather adds the derivative of the distances from other rows to row i, with respect to row i.
func (l *lmnn) gather(z, out []float64, i int) {
	m, sum := l.opt.Filters, 0.0
	add := func(w float64, j int) {
		sum += w
		vec.Axpy(out, -2*w, z[j*m:(j+1)*m])
	}
	for e := l.back.first[i]; e < l.back.first[i+1]; e++ {
		add(l.pull[l.back.entry[e]], l.back.owner[e])
	}
	for e := l.backPush.first[i]; e < l.backPush.first[i+1]; e++ {
		if w := l.push[l.backPush.entry[e]]; w != 0 {
			add(w, l.backPush.owner[e])
		}
	}
	vec.Axpy(out, 2*sum, z[i*m:(i+1)*m])
}

func squaredDistance(z []float64, i, j, m int) float64 {
	return vec.SquaredDistance(z[i*m:(i+1)*m], z[j*m:(j+1)*m])
}
