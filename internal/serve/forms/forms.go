// Package forms contains forms of decision functions that several classifiers share. Explanations, exports and the
// ellipses of a model card use a form, so they support every classifier that has it.
package forms

import (
	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/indices"
	"rao/spd"
)

// Gaussians are weighted normal densities in the features. Component k belongs to class Of[k]. The score of a class is
// 1/T times the logarithm of the sum of the weighted densities of its components.
type Gaussians struct {
	Means       *mat.Dense // k×n
	Covariances *spd.Stack // k matrices n×n
	Weights     []float64  // one per component
	Of          []int      // the class of each component, ascending
	Temperature float64    // T, the divisor of the scores
}

// GaussiansOf returns the densities of the classes of a classifier, or of their components. It returns false if the
// classifier has no densities.
func GaussiansOf(cl any) (g Gaussians, ok bool) {
	switch m := cl.(type) {
	case *classify.QDA:
		return Gaussians{m.Means, m.Covariances, m.Priors, indices.Range(len(m.Classes)), 1}, true
	case *classify.Mixture:
		return Gaussians{m.Means, m.Covariances, m.Weights, m.Of, m.Temperature}, true
	}
	return g, false
}

// Single reports whether every class has exactly one component and the temperature is 1.
func (g Gaussians) Single() bool {
	for k, class := range g.Of {
		if class != k {
			return false
		}
	}
	return g.Temperature == 1
}

// Linear are class scores that are linear in the features x: Coefficients (x - Center) + Intercepts.
type Linear struct {
	Center       []float64  // n; nil means zero
	Coefficients *mat.Dense // c×n
	Intercepts   []float64  // c
}

// LinearOf returns the log-posteriors of a classifier, up to a constant per row, as linear functions. It returns false
// if they are not linear. A classifier of another module may have a method for this form.
func LinearOf(cl any) (l Linear, ok bool) {
	switch m := cl.(type) {
	case *classify.LDA:
		return Linear{m.Center, m.Coefficients, m.Intercepts}, true
	case *classify.Logistic:
		return Linear{nil, m.Coefficients, m.Intercepts}, true
	case interface {
		LinearScores() (center []float64, coefficients *mat.Dense, intercepts []float64)
	}:
		l.Center, l.Coefficients, l.Intercepts = m.LinearScores()
		return l, true
	}
	return l, false
}
