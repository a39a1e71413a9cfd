package classify

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/spd"
)

// Approach moves the class means along the geodesics towards the means of target by the fraction tradeoff of the way,
// from 0 to 1. For a person with few labeled trials, fit m to the trials of other people and target to the trials of
// this person: the minimum distance to the weighted mean, MDWM (Kalunga, Chevallier and Barthélemy 2018). It returns an
// error if tradeoff is out of range, if the models differ in the number of classes or the order of the matrices, or if
// the metric has no geodesics.
func (m *MDM) Approach(target *MDM, tradeoff float64) error {
	if !(tradeoff >= 0 && tradeoff <= 1) {
		return faults.Option("the tradeoff between source and target is %g; it must be between 0 and 1", tradeoff)
	}
	if target.Means.Dim != m.Means.Dim || len(target.Classes) != len(m.Classes) {
		return &rao.ShapeError{Got: target.Means.Dim, Want: m.Means.Dim, Message: fmt.Sprintf("the source has %d "+
			"class means of order %d, but the target has %d of order %d; fit both to the same classes and channels",
			len(m.Classes), m.Means.Dim, len(target.Classes), target.Means.Dim)}
	}
	for k, name := range m.Classes {
		var between mat.SymDense
		if err := spd.Geodesic(&between, m.Metric, m.Means.View(k), target.Means.View(k), tradeoff); err != nil {
			return fmt.Errorf("class %s: %w", name, err)
		}
		m.Means.Set(k, &between)
	}
	return nil
}
