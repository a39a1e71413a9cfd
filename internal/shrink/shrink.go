// Package shrink computes how far to shrink a covariance towards a multiple of the identity.
package shrink

import (
	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
)

// Moments are the moments of N centered rows of P values with covariance S (divisor N), from which the coefficients are
// computed.
type Moments struct {
	N, P    int
	Trace   float64 // tr S
	Squares float64 // ‖S‖²
	Quartic float64 // Σ ‖row‖⁴, only for Ledoit-Wolf
}

// Of returns the moments, except Quartic, of a covariance s of n rows with the given divisor.
func Of(s []float64, n, p int, divisor float64) Moments {
	m := Moments{N: n, P: p}
	scale := divisor / float64(n)
	for j := range p {
		m.Trace += scale * s[j*p+j]
		row := 0.0
		for _, v := range s[j*p : (j+1)*p] {
			row += v * v
		}
		m.Squares += scale * scale * row
	}
	return m
}

// OAS returns the coefficient of oracle approximating shrinkage (Chen, Wiesel, Eldar and Hero 2010, equation 23) in
// scikit-learn's form:
//
//	ρ = min(1, (α + μ²) / ((N+1)(α - μ²/P))),  α = ‖S‖²/P², μ = tr S / P
func (m Moments) OAS() float64 {
	p := float64(m.P)
	mu2 := m.Trace / p * m.Trace / p
	alpha := m.Squares / p / p
	den := float64(m.N+1) * (alpha - mu2/p)
	if den <= 0 {
		return 1
	}
	return min(1, (alpha+mu2)/den)
}

// LedoitWolf returns the coefficient of Ledoit and Wolf (2004, lemma 3.1 to theorem 3.3):
//
//	ρ = min(β, δ)/δ,  β = (Σ‖row‖⁴/N - ‖S‖²) / (NP),  δ = ‖S - (tr S/P) I‖² / P
func (m Moments) LedoitWolf() float64 {
	p, n := float64(m.P), float64(m.N)
	beta := (m.Quartic/n - m.Squares) / (p * n)
	delta := (m.Squares - m.Trace*m.Trace/p) / p
	if beta = min(beta, delta); beta <= 0 {
		return 0
	}
	return beta / delta
}

// Apply replaces the p×p matrix s by (1−ρ) s + ρ (tr s/p) I.
func Apply(s []float64, p int, rho float64) {
	trace := vec.Trace(s, p)
	for i := range s {
		s[i] *= 1 - rho
	}
	for j := range p {
		s[j*p+j] += rho * trace / float64(p)
	}
}

// Check returns an error if the kind is unknown or the amount is out of range.
func Check(kind string, amount float64) error {
	switch kind {
	case optionvalues.ShrinkageAuto, optionvalues.ShrinkageNone, optionvalues.ShrinkageOAS,
		optionvalues.ShrinkageLedoitWolf:
		return nil
	case optionvalues.ShrinkageFixed:
		if !(amount >= 0 && amount <= 1) {
			return faults.Option("the shrinkage is %g; it must be between 0 and 1", amount)
		}
		return nil
	}
	return &rao.UnknownError{Kind: "shrinkage", Name: kind,
		Known: []string{"none", "oas", "ledoit_wolf", "fixed"}}
}
