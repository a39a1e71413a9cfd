package learners

import "math"

// relaxation chooses the factor by which steps are lengthened. If plain steps shrink the error by a rate λ each, the
// best factor is ω = 2/(1+√(1-λ)) (Young 1954; for Sinkhorn's iteration Lehmann, von Renesse, Sambale and Uschmajew
// 2022). With a smaller factor ω, the observed rate μ gives λ = (μ+ω-1)²/(μω²).
type relaxation struct {
	factor float64
	steps  int     // steps since the factor was set
	mark   float64 // error when the factor was set
}

// relaxationSpan is the number of steps over which the rate is measured.
const relaxationSpan = 6

// learn records the error of a step and adjusts the factor.
func (r *relaxation) learn(miss float64) {
	r.steps++
	if r.steps == 1 || r.mark == 0 {
		r.mark = miss
		return
	}
	if r.steps <= relaxationSpan {
		return
	}
	mu := math.Pow(miss/r.mark, 1./relaxationSpan)
	if mu < 1 {
		w := mu + r.factor - 1
		rate := math.Min(w*w/(mu*r.factor*r.factor), 0.9995)
		r.factor = math.Max(r.factor, 2/(1+math.Sqrt(1-rate)))
	} else { // longer steps do not help
		r.factor = 1 + (r.factor-1)/2
	}
	r.steps, r.mark = 0, 0
}
