package learners

import "math"

// relaxation chooses by how much to overstep. Plain steps shrink the error by a rate λ
// each, and the factor ω = 2/(1+√(1-λ)) is best (Young 1954; for Sinkhorn's iteration
// Lehmann, von Renesse, Sambale and Uschmajew 2022). With ω below the best one
// the observed rate μ gives λ = (μ+ω-1)²/(μω²).
type relaxation struct {
	factor float64
	steps  int     // since the factor was set
	mark   float64 // error when it was set
}

// relaxationSpan is the number of steps over which a rate is measured.
const relaxationSpan = 6

// learn takes the error of a step.
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
	} else { // overstepping does not help
		r.factor = 1 + (r.factor-1)/2
	}
	r.steps, r.mark = 0, 0
}
