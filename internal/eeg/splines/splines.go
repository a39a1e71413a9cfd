// Package splines interpolates potentials on the head with spherical splines.
package splines

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
)

// These are the constants of the spherical splines of Perrin et al. (1989), with the same values as in MNE.
const (
	splineOrder = 4    // order of smoothness
	splineTerms = 50   // number of terms of the Legendre series
	splineRidge = 1e-5 // value added to the diagonal
)

// Weights returns a matrix of len(to)×len(from) weights. Its product with the potentials at the positions in from
// interpolates the potentials at the positions in to, on the sphere that fits all positions best. It returns an error
// for fewer than four positions in from, and for positions that do not define a sphere. Equal positions in from share
// their weight.
func Weights(from, to [][3]float64) (*mat.Dense, error) {
	if len(from) < 4 {
		return nil, rao.Optionf("bad", "the number of good channels with a known position is %d, but splines need at "+
			"least four; leave bad channels out ({bad=drop})", len(from))
	}
	from, to = slices.Clone(from), slices.Clone(to)
	if err := toSphere(from, to); err != nil {
		return nil, err
	}
	return splineWeights(from, to)
}

// toSphere moves the origin to the center of the sphere that fits the positions best, and scales the positions to
// length 1. The center comes from a linear least-squares fit of |p|² = 2 p·center + constant.
func toSphere(from, to [][3]float64) error {
	all := append(slices.Clone(from), to...)
	a, b := mat.NewDense(len(all), 4, nil), mat.NewDense(len(all), 1, nil)
	for i, p := range all {
		a.SetRow(i, []float64{2 * p[0], 2 * p[1], 2 * p[2], 1})
		b.Set(i, 0, p[0]*p[0]+p[1]*p[1]+p[2]*p[2])
	}
	var x mat.Dense
	if err := x.Solve(a, b); err != nil {
		return rao.Optionf("bad", "the electrodes are not on a sphere; leave bad channels out ({bad=drop})")
	}
	for _, list := range [][][3]float64{from, to} {
		for i := range list {
			var length float64
			for k := range 3 {
				list[i][k] -= x.At(k, 0)
				length += list[i][k] * list[i][k]
			}
			if !(length > 0) {
				return rao.Optionf("bad",
					"an electrode is in the center of the others; leave bad channels out ({bad=drop})")
			}
			for k := range 3 {
				list[i][k] /= math.Sqrt(length)
			}
		}
	}
	return nil
}

// splineWeights solves the linear system of the splines through the positions from, with a constant term.
func splineWeights(from, to [][3]float64) (*mat.Dense, error) {
	n := len(from)
	c, rhs := mat.NewDense(n+1, n+1, nil), mat.NewDense(n+1, n, nil)
	for i := range n {
		for j := range n {
			c.Set(i, j, spline(from[i], from[j]))
		}
		c.Set(i, i, c.At(i, i)+splineRidge)
		c.Set(i, n, 1)
		c.Set(n, i, 1)
		rhs.Set(i, i, 1)
	}
	var inverse mat.Dense
	if err := inverse.Solve(c, rhs); err != nil {
		return nil, rao.Optionf("bad", "the weights cannot be computed from the positions of the electrodes; "+
			"correct the positions, or leave bad channels out ({bad=drop})")
	}
	g := mat.NewDense(max(1, len(to)), n+1, nil)
	for i, p := range to {
		for j, q := range from {
			g.Set(i, j, spline(p, q))
		}
		g.Set(i, n, 1)
	}
	w := new(mat.Dense)
	w.Mul(g, &inverse)
	return w, nil
}

// spline returns g of Perrin et al. for two points on the unit sphere.
func spline(p, q [3]float64) float64 {
	x := p[0]*q[0] + p[1]*q[1] + p[2]*q[2]
	before, now, sum := 1.0, x, 0.0
	for n := 1.0; n <= splineTerms; n++ {
		sum += (2*n + 1) / (math.Pow(n, splineOrder) * math.Pow(n+1, splineOrder) * 4 * math.Pi) * now
		before, now = now, ((2*n+1)*x*now-n*before)/(n+1)
	}
	return sum
}
