package eeg

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
)

// interpolation replaces channels by weighted sums of others.
type interpolation struct {
	bad, good []int
	weights   *mat.Dense // len(bad)×len(good)
}

// Constants of the spherical splines of Perrin et al. (1989), as MNE takes them: the order
// of smoothness, the terms of the Legendre series, what is added to the diagonal.
const (
	splineOrder = 4
	splineTerms = 50
	splineRidge = 1e-5
)

// interpolation finds the weights by which the channels that are marked as bad are sums of
// the others, by spherical splines on the sphere that fits the electrodes best. Places come
// from the file, or from the names of the 10-10 system where the file tells none. Channels
// of another kind than eeg take no part.
func (r *Recording) interpolation() (*interpolation, error) {
	places, err := r.electrodes()
	if err != nil {
		return nil, err
	}
	t := new(interpolation)
	var from, to [][3]float64
	for c, name := range r.Channels {
		switch bad := slices.Contains(r.Bad, name); {
		case !places[c].known && bad:
			return nil, rao.Optionf("bad",
				"the place of the bad channel %s is not known; leave it out ({bad=drop})", name)
		case bad:
			t.bad, to = append(t.bad, c), append(to, places[c].at)
		case places[c].known:
			t.good, from = append(t.good, c), append(from, places[c].at)
		}
	}
	if len(from) < 4 {
		return nil, rao.Optionf("bad", "%d good channels whose place is known; splines need four or more ({bad=drop} "+
			"leaves the bad ones out)", len(from))
	}
	if err := toSphere(from, to); err != nil {
		return nil, err
	}
	t.weights, err = splineWeights(from, to)
	return t, err
}

// electrode is the place of a channel, where it is known.
type electrode struct {
	at    [3]float64
	known bool
}

// electrodes returns the places of the channels.
func (r *Recording) electrodes() ([]electrode, error) {
	out := make([]electrode, len(r.Channels))
	told := slices.ContainsFunc(r.Positions, func(p [3]float64) bool { return p != [3]float64{} })
	for c, name := range r.Channels {
		if r.Types != nil && r.Types[c] != "" && r.Types[c] != "eeg" {
			continue
		}
		if told {
			out[c] = electrode{r.Positions[c], r.Positions[c] != [3]float64{}}
		} else {
			out[c].at, out[c].known = ElectrodePosition(name)
		}
	}
	if !slices.ContainsFunc(out, func(e electrode) bool { return e.known }) {
		return nil, fmt.Errorf("the places of the electrodes are not known, and their names are not of the 10-10 "+
			"system: %s", strings.Join(r.Channels, ", "))
	}
	return out, nil
}

// toSphere moves the places so that the sphere that fits them best, in the least squares
// of |p|² - 2 p·center, has its center at the origin, and scales them to length 1.
func toSphere(from, to [][3]float64) error {
	all := append(slices.Clone(from), to...)
	a, b := mat.NewDense(len(all), 4, nil), mat.NewDense(len(all), 1, nil)
	for i, p := range all {
		a.SetRow(i, []float64{2 * p[0], 2 * p[1], 2 * p[2], 1})
		b.Set(i, 0, p[0]*p[0]+p[1]*p[1]+p[2]*p[2])
	}
	var x mat.Dense
	if err := x.Solve(a, b); err != nil {
		return rao.Optionf("bad", "the electrodes lie on no sphere; leave bad channels out ({bad=drop})")
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
					"an electrode lies in the center of the others; leave bad channels out ({bad=drop})")
			}
			for k := range 3 {
				list[i][k] /= math.Sqrt(length)
			}
		}
	}
	return nil
}

// splineWeights solves the system of the splines through the places from, with a constant.
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
		return nil, rao.Optionf("bad", "two electrodes lie at one place; leave bad channels out ({bad=drop})")
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

// spline is g of Perrin et al. between two points of the unit sphere.
func spline(p, q [3]float64) float64 {
	x := p[0]*q[0] + p[1]*q[1] + p[2]*q[2]
	before, now, sum := 1.0, x, 0.0
	for n := 1.0; n <= splineTerms; n++ {
		sum += (2*n + 1) / (math.Pow(n, splineOrder) * math.Pow(n+1, splineOrder) * 4 * math.Pi) * now
		before, now = now, ((2*n+1)*x*now-n*before)/(n+1)
	}
	return sum
}

// apply replaces the bad channels of samples×channels; a nil interpolation does nothing.
func (t *interpolation) apply(x []float64, channels int) {
	if t == nil {
		return
	}
	for k := 0; k < len(x); k += channels {
		row := x[k : k+channels]
		for i, b := range t.bad {
			var v float64
			for j, g := range t.good {
				v += t.weights.At(i, j) * row[g]
			}
			row[b] = v
		}
	}
}
