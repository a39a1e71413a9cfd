package classify

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/spd"
)

// The types below are forms of decision functions that several classifiers share. Explanations, plots and exports use a
// form, so they support every classifier that has a method for it.

// Gaussians are weighted normal densities in the features. Component k belongs to class Of[k]. The score of a class is
// 1/T times the logarithm of the sum of the weighted densities of its components.
type Gaussians struct {
	Means       *mat.Dense // k×n
	Covariances *spd.Stack // k matrices n×n
	Weights     []float64  // one per component
	Of          []int      // the class of each component, ascending
	Temperature float64    // T, the divisor of the scores
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

// Gaussians returns the density of each class, with its prior as the weight.
func (q *QDA) Gaussians() Gaussians {
	return Gaussians{q.Means, q.Covariances, q.Priors, indices.Range(len(q.Classes)), 1}
}

// Gaussians returns the densities of the components, with their weights.
func (m *Mixture) Gaussians() Gaussians {
	return Gaussians{m.Means, m.Covariances, m.Weights, m.Of, m.Temperature}
}

// LinearScores are class scores that are linear in the features x: Coefficients (x - Center) + Intercepts.
type LinearScores struct {
	Center       []float64  // n
	Coefficients *mat.Dense // c×n
	Intercepts   []float64  // c
}

// LinearScores returns the log-posteriors of the classes, up to a constant per row, as linear functions.
func (m *LDA) LinearScores() LinearScores {
	return LinearScores{m.Center, m.Coefficients, m.Intercepts}
}

// NearestTo returns the metric, the class means as points, and the class of each point.
func (m *MDM) NearestTo() (metric spd.Metric, points *spd.Stack, classes []int) {
	return m.Metric, m.Means, indices.Range(m.Means.Count)
}
