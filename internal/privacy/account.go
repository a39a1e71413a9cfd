package privacy

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"unicode"
)

// Guarantee is (ε, δ)-differential privacy for rows, or for units such as persons. Adding or removing one row, or all
// rows of one unit, changes the probability of any result by a factor of at most exp(ε), except with probability δ.
// This holds whatever else an attacker knows.
type Guarantee struct {
	Epsilon float64 `json:"epsilon"`        // ε
	Delta   float64 `json:"delta"`          // δ
	Unit    string  `json:"unit,omitempty"` // the protected unit: the name of a column, such as subject; "" for rows
}

// Protects returns the name of the protected unit, for example row.
func (g Guarantee) Protects() string { return cmp.Or(g.Unit, "row") }

// And returns the joint guarantee of two releases that may contain the same rows: their values of ρ are added. It
// returns an error if they protect different units.
func (g Guarantee) And(o Guarantee) (Guarantee, error) {
	if g.Unit != o.Unit {
		return g, fmt.Errorf("one release protects each %s and another each %s, so their guarantees cannot be "+
			"added; use releases with the same protected unit",
			g.Protects(), o.Protects())
	}
	delta := max(g.Delta, o.Delta)
	return Guarantee{Epsilon: EpsilonOf(g.Rho()+o.Rho(), delta), Delta: delta, Unit: g.Unit}, nil
}

// These are the limits of the parameters. A larger epsilon or delta gives no meaningful protection.
const (
	MaxEpsilon = 16
	MaxDelta   = 1e-3
)

// Validate returns an error unless 0 < Epsilon <= [MaxEpsilon], 0 < Delta <= [MaxDelta], and the name of the unit is
// printable and not longer than 200 bytes.
func (g Guarantee) Validate() error {
	switch {
	case !(g.Epsilon > 0 && g.Epsilon <= MaxEpsilon):
		return fmt.Errorf("epsilon is %g; it must be above 0 and at most %d", g.Epsilon, MaxEpsilon)
	case !(g.Delta > 0 && g.Delta <= MaxDelta):
		return fmt.Errorf("delta is %g; it must be above 0 and at most %g", g.Delta, MaxDelta)
	case len(g.Unit) > 200 || strings.ContainsFunc(g.Unit, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("the name %q of the protected unit is longer than 200 bytes or has characters that cannot "+
			"be printed; rename the unit", g.Unit)
	}
	return nil
}

// lastRho caches the most recent result of [Guarantee.Rho]. The search needs 2 ms, which is too slow for a study with a
// hundred thousand small releases.
var lastRho atomic.Pointer[rhoOf]

type rhoOf struct {
	guarantee Guarantee
	rho       float64
}

// Rho returns the largest ρ such that ρ-zCDP implies the guarantee, rounded down. Privacy is accounted for in ρ,
// because the ρ of releases of the same rows add up (Bun and Steinke 2016).
func (g Guarantee) Rho() float64 {
	g.Unit = ""
	if last := lastRho.Load(); last != nil && last.guarantee == g {
		return last.rho
	}
	within, _ := boundary(func(rho float64) bool { return logDelta(rho, g.Epsilon) <= math.Log(g.Delta) })
	lastRho.Store(&rhoOf{g, within})
	return within
}

// EpsilonOf returns the least ε, rounded up, for which ρ-zCDP implies (ε, δ)-differential privacy: the conversion of
// Canonne, Kamath and Steinke 2020, proposition 7.
func EpsilonOf(rho, delta float64) float64 {
	switch {
	case rho <= 0:
		return 0
	case !(rho <= mostRho):
		return math.Inf(1)
	}
	_, within := boundary(func(eps float64) bool { return logDelta(rho, eps) > math.Log(delta) })
	return within
}

// boundary returns two neighboring numbers: the largest number for which holds is true and the smallest for which it is
// false. holds must be true from 0 up to some number and false for all larger numbers.
func boundary(holds func(float64) bool) (below, above float64) {
	below, above = 0, 1
	for holds(above) {
		below, above = above, 2*above
	}
	for {
		switch mid := below + (above-below)/2; {
		case mid <= below || mid >= above:
			return below, above
		case holds(mid):
			below = mid
		default:
			above = mid
		}
	}
}

// mostRho is the largest ρ that is searched. Much smaller values already give no privacy.
const mostRho = 1e6

// AttackAUC returns the largest possible area under the ROC curve, Φ(√ρ), for an attacker who knows all other rows and
// decides whether one row was part of data released with ρ-zCDP by Gaussian noise.
func AttackAUC(rho float64) float64 { return 0.5 * math.Erfc(-math.Sqrt(rho/2)) }

// logDelta returns the logarithm of a δ for which ρ-zCDP implies (ε, δ)-differential privacy: the minimum over α > 1 of
//
//	(α-1)(αρ-ε) - log(α-1) + α log(1-1/α),
//
// which is an upper bound for every α. The function has one minimum. A grid search over log(α-1) finds an interval that
// contains the minimum, and a ternary search narrows it down.
func logDelta(rho, eps float64) float64 {
	at := func(t float64) float64 {
		a := math.Exp(t) // α - 1
		return a*((a+1)*rho-eps) - t + (a+1)*math.Log(a/(a+1))
	}
	const lo, hi, cells = -14, 26, 400
	const width = float64(hi-lo) / cells
	best := float64(lo)
	for i := range cells + 1 {
		if t := lo + float64(i)*width; at(t) < at(best) {
			best = t
		}
	}
	left, right := best-width, best+width
	for range 60 {
		a, b := left+(right-left)/3, right-(right-left)/3
		if at(a) < at(b) {
			right = b
		} else {
			left = a
		}
	}
	return min(at(best), at((left+right)/2))
}
