package optim

import "math"

// Adam holds the moments of the gradients of some parameters (Kingma and Ba 2015). The zero
// value is ready.
type Adam struct {
	first, second []float64
	decay         [2]float64 // products of the moments' factors so far
}

// secondMoment is the factor of the mean of squares.
const secondMoment = 0.99

// Step moves x against the gradient g.
func (a *Adam) Step(x, g []float64, rate, momentum float64) {
	if a.first == nil {
		a.first, a.second, a.decay = make([]float64, len(x)), make([]float64, len(x)), [2]float64{1, 1}
	}
	a.decay[0] *= momentum
	a.decay[1] *= secondMoment
	length, scale := rate/(1-a.decay[0]), 1/(1-a.decay[1])
	first, second := a.first[:len(g)], a.second[:len(g)]
	for i, v := range g {
		f, s := momentum*first[i]+(1-momentum)*v, secondMoment*second[i]+(1-secondMoment)*v*v
		first[i], second[i] = f, s
		x[i] -= length * f / (math.Sqrt(s*scale) + 1e-8)
	}
}

// Cycle returns the rate, as a part of its height, and the momentum of one of total steps:
// the rate rises from 1/25 along a cosine in 15 % of the steps and falls to nothing along
// another, the momentum falls from 0.95 to 0.85 and rises again (Smith and Topin 2019).
func Cycle(step, total int) (rate, momentum float64) {
	const low, high, rise = 1.0 / 25, 1.0, 0.15
	along := func(from, to, part float64) float64 { return to + (from-to)/2*(1+math.Cos(math.Pi*part)) }
	top, end := math.Max(rise*float64(total)-1, 1e-9), float64(total-1)
	if s := float64(step); s <= top {
		return along(low, high, s/top), along(0.95, 0.85, s/top)
	} else {
		part := (s - top) / (end - top)
		return along(high, low*1e-4, part), along(0.85, 0.95, part)
	}
}
