package onnx

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// spare is the number of additional candidates whose distances are recomputed. They are needed because distances from a
// product may be wrong in the last digits.
const spare = 16

// voted returns the logarithms of the votes of the k rows of p nearest to each vector z. If a value of z is not finite,
// the result is NaN. This needs an explicit check, because the distances would not be NaN.
func (g *graph) voted(z string, p *mat.Dense, labels []int, classes, k int, beforehand float64) string {
	nothing := g.sum(g.op("Mul", z, g.scalar(0)), 1)
	votes := g.votes(g.neighbors(z, p, k), labels, classes, k, beforehand)
	return g.op("Add", votes, g.reshape(nothing, -1, 1))
}

// neighbors returns the positions of the k rows of p nearest to each vector z, nearest first. Equally near rows are
// returned in their order in p.
func (g *graph) neighbors(z string, p *mat.Dense, k int) string {
	count, n := p.Dims()
	center := dyadicCenter(p)
	near := mat.NewDense(count, n, nil)
	for i := range count {
		row := near.RawRowView(i)
		copy(row, p.RawRowView(i))
		vec.Axpy(row, -1, center)
	}
	z = g.op("Sub", z, g.numbers(center, n))
	if count <= k+spare {
		_, places := g.smallest(g.distancesTo(z, near), k)
		return places
	}
	// ‖z - p‖² minus ‖z‖², because ‖z‖² is equal for all p
	turned, norms := mat.NewDense(n, count, nil), make([]float64, count)
	for i := range count {
		row := near.RawRowView(i)
		norms[i] = vec.Dot(row, row)
		for j, v := range row {
			turned.Set(j, i, -2*v)
		}
	}
	_, places := g.smallest(g.op("Add", g.matmul(z, g.dense(turned)), g.numbers(norms, count)), k+spare)
	places, _ = g.smallest(places, k+spare) // sorts the candidates by position
	rows := g.op("Gather", g.dense(near), places)
	d := g.op("Sub", g.reshape(z, -1, 1, int64(n)), rows)
	_, best := g.smallest(g.sum(g.op("Mul", d, d), 2), k)
	return g.with("GatherElements", map[string]int64{"axis": 1}, nil, places, best)
}

// dyadicCenter returns a point near the mean of the rows of p. Its coordinates are multiples of powers of two near the
// spread of p. Differences between such a point and integers are exact, so equal distances remain equal.
func dyadicCenter(p *mat.Dense) []float64 {
	count, n := p.Dims()
	mean, square := make([]float64, n), make([]float64, n)
	for i := range count {
		for j, v := range p.RawRowView(i) {
			mean[j] += v / float64(count)
		}
	}
	for i := range count {
		for j, v := range p.RawRowView(i) {
			square[j] += (v - mean[j]) * (v - mean[j]) / float64(count)
		}
	}
	for j, v := range square {
		unit := 1.0
		if v > 0 {
			unit = math.Exp2(math.Floor(math.Log2(v) / 2))
		}
		mean[j] = math.Round(mean[j]/unit) * unit
	}
	return mean
}

// votes returns the logarithms of the votes of k neighbors, which are sorted by distance. Each class starts with
// beforehand votes. Between classes with equally many votes, the class of the nearest neighbor wins by a small
// additional vote, as in [classify.KNN].
func (g *graph) votes(neighbors string, labels []int, classes, k int, beforehand float64) string {
	trifle := 0x1p-40
	if g.float == float32Kind {
		trifle = 0x1p-12
	}
	member, pick := mat.NewDense(len(labels), classes, nil), mat.NewDense(k, k, nil)
	for i, l := range labels {
		member.Set(i, l, 1)
	}
	for i := range k {
		pick.Set(i, i, trifle)
	}
	of := g.op("Gather", g.dense(member), neighbors) // observations × neighbors × classes
	count := g.sum(of, 1)
	together := g.sum(g.op("Mul", of, g.reshape(count, -1, 1, int64(classes))), 2)
	first := g.with("ArgMax", map[string]int64{"axis": 1, "keepdims": 0}, nil, together)
	more := g.op("Mul", of, g.reshape(g.op("Gather", g.dense(pick), first), -1, int64(k), 1))
	count = g.op("Add", g.op("Add", count, g.sum(more, 1)), g.scalar(beforehand))
	return g.op("Log", count)
}
