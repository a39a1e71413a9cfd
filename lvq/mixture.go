package lvq

import (
	"math"

	"rao/internal/linalg/vec"
)

// negligible is the difference in log weight from which a prototype counts as zero: e^−40 < 1e−17 of the largest is
// below the rounding error of the sum.
const negligible = 40

// mixture converts squared distances to probabilities,
//
//	P(l|X) ∝ π_l exp(−d_l/(2σ²))
//
// as in Tang et al. 2021 (before equation 19, from the density of equation 13). The sum over the prototypes of a class
// is their equation 16.
type mixture struct {
	classes  int
	rule     Rule
	label    []int     // class of each prototype
	logPrior []float64 // log π_l: the class prior shared by its prototypes
}

// newMixture divides class priors between prototypes. Without priors all prototypes are equally probable, as
// published.
func newMixture(rule Rule, label []int, classes int, priors []float64) *mixture {
	m := &mixture{classes: classes, rule: rule, label: label, logPrior: make([]float64, len(label))}
	if priors == nil {
		return m
	}
	count := make([]float64, classes)
	for _, c := range label {
		count[c]++
	}
	for l, c := range label {
		m.logPrior[l] = math.Log(priors[c] / count[c])
	}
	return m
}

// joint writes f_l = log π_l − beta·d_l, with beta = 1/(2σ²).
func (m *mixture) joint(f, d []float64, beta float64) {
	for l := range f {
		f[l] = m.logPrior[l] - beta*d[l]
	}
}

// scores writes the uncalibrated scores of the classes from e_l = d_l/(2σ²), divided by the temperature tau of each
// class. With the default rule, all prototypes of a class add up. With the rule nearest, only the nearest prototype of
// each class counts, and priors do not.
func (m *mixture) scores(dst, e []float64, tau func(class int) float64) {
	for c := range dst {
		dst[c] = math.Inf(-1)
	}
	for l, v := range e {
		c := m.label[l]
		if m.rule == ruleNearest {
			dst[c] = math.Max(dst[c], -v/tau(c))
		} else {
			dst[c] = vec.LogAdd(dst[c], m.logPrior[l]-v/tau(c))
		}
	}
}

// logSumExp returns log Σ exp f over the prototypes of class c, or over all prototypes if c is negative. Terms that are
// negligible compared with the largest count as zero. Unlike [vec.LogSumExp], it computes no exponentials of such terms
// or of other classes.
func (m *mixture) logSumExp(f []float64, c int) float64 {
	top := math.Inf(-1)
	for l, v := range f {
		if c < 0 || m.label[l] == c {
			top = math.Max(top, v)
		}
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for l, v := range f {
		if (c < 0 || m.label[l] == c) && v >= top-negligible {
			sum += math.Exp(v - top)
		}
	}
	return top + math.Log(sum)
}

// weight returns exp(f − lse), or exactly 0 if it is negligible.
func weight(f, lse float64) float64 {
	if !(f >= lse-negligible) {
		return 0
	}
	return math.Exp(f - lse)
}

// coefficients writes the pull of a sample on every prototype,
//
//	a_l = q_c P(l|X, c) − P(l|X),  c the class of l
//
// for target probabilities q (Tang et al. 2021, equation 22, which has two cases for one-hot q). It returns the cost −Σ
// q_c log P(c|X) and its derivative with respect to log σ², for f = −beta·d.
func (m *mixture) coefficients(a, f, d, q []float64, beta float64) (cost, slope float64) {
	all := m.logSumExp(f, -1)
	for l, v := range f {
		a[l] = -weight(v, all)
	}
	for c, qc := range q {
		if qc == 0 {
			continue
		}
		own := m.logSumExp(f, c)
		cost += qc * (all - own)
		for l, v := range f {
			if m.label[l] == c {
				a[l] += qc * weight(v, own)
			}
		}
	}
	for l, v := range a {
		if v != 0 {
			slope -= v * beta * d[l]
		}
	}
	return cost, slope
}
