package classify

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/spd"
)

// FitMDWM fits a variant of [FitMDM] for a person with few labeled trials: the minimum distance to the weighted mean
// (Kalunga, Chevallier and Barthélemy 2018). The mean of a class is a point on the geodesic from the source mean
// (trials of other people) to the target mean (trials of this person). tradeoff is the position of the point: 0 is MDM
// of the source, and 1 is MDM of the target. Both data sets must have all classes, and the metric must have geodesics.
// It returns the errors of [FitMDM] and [MDM.Approach], and an error if the orders of the matrices differ.
func FitMDWM(ctx context.Context, source *spd.Stack, sourceLabels []int, target *spd.Stack, targetLabels []int,
	classes []string, tradeoff float64, opt MDMOptions) (*MDM, error) {
	if source.Dim != target.Dim {
		return nil, &rao.ShapeError{Got: target.Dim, Want: source.Dim, Message: fmt.Sprintf("the matrices of the "+
			"source have order %d, but the matrices of the target have order %d; give the same channels", source.Dim,
			target.Dim)}
	}
	m, late := FitMDM(ctx, source, sourceLabels, classes, opt)
	if m == nil || late != nil && !rao.HasModel(late) {
		return nil, fmt.Errorf("source: %w", late)
	}
	t, err := FitMDM(ctx, target, targetLabels, classes, opt)
	if t == nil || err != nil && !rao.HasModel(err) {
		return nil, fmt.Errorf("target: %w", err)
	}
	if err := m.Approach(t, tradeoff); err != nil {
		return nil, err
	}
	return m, errors.Join(late, err)
}

// Approach moves the class means along the geodesics towards the means of target by the fraction tradeoff of the way,
// from 0 to 1. It returns an error if tradeoff is out of range, if the models differ in the number of classes or the
// order of the matrices, or if the metric has no geodesics.
func (m *MDM) Approach(target *MDM, tradeoff float64) error {
	if !(tradeoff >= 0 && tradeoff <= 1) {
		return faults.Option("the tradeoff between source and target is %g; it must be between 0 and 1", tradeoff)
	}
	if target.Dim() != m.Dim() || target.NumClasses() != m.NumClasses() {
		return fmt.Errorf("the source has %d class means of order %d, but the target has %d of order %d; fit both to "+
			"the same classes and channels",
			m.NumClasses(),
			m.Dim(), target.NumClasses(), target.Dim())
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
