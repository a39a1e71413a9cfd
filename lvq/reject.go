package lvq

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"rao/internal/faults"
	"rao/internal/indices"
)

// Rejection contains the thresholds for rejecting decisions. The zero value rejects no decision.
type Rejection struct {
	MinProbability float64 `json:"min_probability"` // reject if the largest probability is below this, in [0, 1]
	MaxDistance    float64 `json:"max_distance"`    // reject if the nearest prototype is farther than this; 0: never
}

func (r *Rejection) check() error {
	if !(r.MinProbability >= 0 && r.MinProbability <= 1) {
		return faults.Option("the rejection threshold is the probability %g; it must be between 0 and 1",
			r.MinProbability)
	}
	if !(r.MaxDistance >= 0) {
		return faults.Option("the rejection threshold is the distance %g; it must be 0 or more", r.MaxDistance)
	}
	return nil
}

// errNoHeldOut is the error if there are no held-out predictions for choosing a threshold.
var errNoHeldOut = faults.Option("the model has no held-out predictions for choosing a threshold; fit with " +
	"calibration folds, or calibrate on labeled data")

// ranked returns the held-out predictions in order of descending probability: the probability and whether the
// prediction is correct.
func (m *PLRSQ) ranked() (probability []float64, right []bool, err error) {
	n, c := len(m.HeldLabels), len(m.Classes)
	if n == 0 {
		return nil, nil, errNoHeldOut
	}
	p, r := make([]float64, n), make([]bool, n)
	for i := range n {
		row := m.HeldLogPosterior[i*c : (i+1)*c]
		best := floats.MaxIdx(row)
		p[i], r[i] = math.Exp(row[best]), best == m.HeldLabels[i]
	}
	order := indices.Sorted(n, func(i, j int) int { return cmp.Compare(p[j], p[i]) })
	return indices.Pick(p, order), indices.Pick(r, order), nil
}

// RejectForError sets MinProbability to the smallest threshold at which at most the fraction wanted of the accepted
// held-out decisions is wrong. It returns the fraction of accepted decisions. It returns an error if wanted is not in
// [0, 1), no threshold is sufficient, or the model has no held-out predictions.
func (m *PLRSQ) RejectForError(wanted float64) (coverage float64, err error) {
	if !(wanted >= 0 && wanted < 1) {
		return 0, faults.Option("the target error is %g; it must be a share from 0 to below 1", wanted)
	}
	p, right, err := m.ranked()
	if err != nil {
		return 0, err
	}
	wrong, accepted := 0, 0
	for k := range p {
		if !right[k] {
			wrong++
		}
		tied := k+1 < len(p) && p[k+1] == p[k] // a threshold cannot separate equal probabilities
		if !tied && float64(wrong) <= wanted*float64(k+1) {
			accepted = k + 1
		}
	}
	if accepted == 0 {
		return 0, faults.Option("no threshold reduces the held-out error to %g, because even the most certain "+
			"decisions are wrong more often; choose a larger error", wanted)
	}
	m.MinProbability = p[accepted-1]
	return float64(accepted) / float64(len(p)), nil
}

// RejectForCoverage sets MinProbability to accept the fraction share of the held-out decisions (slightly more if
// probabilities are tied), and returns the error rate of the accepted decisions. It returns an error if share is not in
// (0, 1] or the model has no held-out predictions.
func (m *PLRSQ) RejectForCoverage(share float64) (wrong float64, err error) {
	if !(share > 0 && share <= 1) {
		return 0, faults.Option("the target coverage is %g; it must be a share above 0 and at most 1", share)
	}
	p, right, err := m.ranked()
	if err != nil {
		return 0, err
	}
	accepted := max(1, int(math.Ceil(share*float64(len(p))-1e-9)))
	for accepted < len(p) && p[accepted] == p[accepted-1] {
		accepted++
	}
	m.MinProbability = p[accepted-1]
	count := indices.Count(right[:accepted], func(ok bool) bool { return !ok })
	return float64(count) / float64(accepted), nil
}

// RejectOutliers sets MaxDistance to the given quantile, such as 0.99, of the held-out distances to the nearest
// prototype. A sample beyond this distance is unlike the training data. It returns an error if the quantile is out of
// range, or if the model has no held-out predictions.
func (m *PLRSQ) RejectOutliers(quantile float64) error {
	if !(quantile > 0 && quantile <= 1) {
		return faults.Option("the outlier quantile is %g; it must be a share above 0 and at most 1", quantile)
	}
	if len(m.HeldDistance) == 0 {
		return errNoHeldOut
	}
	d := slices.Clone(m.HeldDistance)
	slices.Sort(d)
	m.MaxDistance = d[max(0, int(math.Ceil(quantile*float64(len(d))))-1)]
	return nil
}
