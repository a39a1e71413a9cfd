package scoring

import (
	"cmp"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
)

// RiskCurve is the error rate of the accepted observations as a function of the accepted fraction, with the least
// confident observations rejected first.
type RiskCurve struct {
	Coverage  []float64 `json:"coverage"`  // accepted fraction, ascending to 1
	Risk      []float64 `json:"risk"`      // error rate among the accepted observations
	Threshold []float64 `json:"threshold"` // smallest accepted confidence
	AURC      float64   `json:"aurc"`      // area under the risk-coverage curve
}

// RiskCoverage returns the risk-coverage curve (El-Yaniv and Wiener 2010) of decisions with the given confidences.
// Observations of equal confidence are accepted together, so the curve has one point for each distinct confidence.
// The area is the mean over observations of the risk at the smallest coverage that accepts them (Geifman, Uziel and
// El-Yaniv 2019). It panics with mat.ErrShape if the lengths differ. Without observations the curve is empty.
func RiskCoverage(confidence []float64, right []bool) *RiskCurve {
	n := len(confidence)
	if len(right) != n {
		panic(mat.ErrShape)
	}
	order := indices.Sorted(n, func(i, j int) int { return cmp.Compare(confidence[j], confidence[i]) })
	curve := &RiskCurve{}
	wrong := 0
	for lo := 0; lo < n; {
		hi := lo
		for hi < n && confidence[order[hi]] == confidence[order[lo]] {
			if !right[order[hi]] {
				wrong++
			}
			hi++
		}
		if hi == lo { // NaN: accepted last, one at a time
			if !right[order[hi]] {
				wrong++
			}
			hi++
		}
		curve.add(hi, hi-lo, wrong, n, confidence[order[lo]])
		lo = hi
	}
	return curve
}

// add adds the point at which the last fresh of accepted observations are accepted, of which wrong are wrong.
func (r *RiskCurve) add(accepted, fresh, wrong, total int, threshold float64) {
	risk := float64(wrong) / float64(accepted)
	r.Coverage = append(r.Coverage, float64(accepted)/float64(total))
	r.Risk = append(r.Risk, risk)
	r.Threshold = append(r.Threshold, threshold)
	r.AURC += risk * float64(fresh) / float64(total)
}

// At returns the risk and the threshold at the smallest coverage on the curve that is not below the given coverage.
// They are NaN if the curve is empty.
func (r *RiskCurve) At(coverage float64) (risk, threshold float64) {
	if len(r.Coverage) == 0 {
		return math.NaN(), math.NaN()
	}
	i := min(sort.SearchFloat64s(r.Coverage, coverage-1e-12), len(r.Coverage)-1)
	return r.Risk[i], r.Threshold[i]
}
