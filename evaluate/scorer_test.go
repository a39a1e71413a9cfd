package evaluate

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/scoring"
	"rao/internal/testkit"
)

// guesses returns labels of n observations, and posteriors in which the correct class is often the most probable one.
func guesses(n, c int) ([]int, *mat.Dense) {
	rng := rand.New(rand.NewPCG(1, 2))
	truth, logp := make([]int, n), mat.NewDense(n, c, nil)
	for i := range truth {
		truth[i] = rng.IntN(c)
		row, sum := logp.RawRowView(i), 0.0
		for j := range row {
			row[j] = rng.NormFloat64()
			if j == truth[i] {
				row[j] += 3 * rng.Float64()
			}
			sum += math.Exp(4 * row[j])
		}
		for j := range row {
			row[j] = 4*row[j] - math.Log(sum)
		}
	}
	return truth, logp
}

func TestScorerOfBlocksIsScore(t *testing.T) {
	truth, logp := guesses(1000, 4)
	want := testkit.Must(Score(truth, logp))(t)
	scoring.TakePredictions(want)
	s := scoring.NewScorer(4)
	for lo := 0; lo < 1000; lo += 300 {
		hi := min(lo+300, 1000)
		testkit.NoError(t, s.Add(truth[lo:hi], logp.Slice(lo, hi, 0, 4).(*mat.Dense), nil))
	}
	if got := s.Scores(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	testkit.Equal(t, want.Accuracy, Accuracy(truth, MostProbable(logp)), "accuracy")
	curve, exact := s.Risk()
	if !exact || !reflect.DeepEqual((*RiskCurve)(curve), PosteriorRisk(truth, logp)) {
		t.Errorf("risk of blocks differs")
	}
	if err := s.Add([]int{0}, mat.NewDense(1, 4, []float64{0, math.NaN(), 0, 0}), nil); err == nil ||
		err.Error() != "row 1000: the log-probability of class 1 (counted from 0) is NaN" {
		t.Errorf("%v", err)
	}
}

func TestRiskOfManyIsNearTheExactOne(t *testing.T) {
	truth, logp := guesses(scoring.ExactRisk/8, 3)
	s := scoring.NewScorer(3)
	for range 9 {
		testkit.NoError(t, s.Add(truth, logp, nil))
	}
	got, exact := s.Risk()
	want := PosteriorRisk(truth, logp)
	if exact || math.Abs(got.AURC-want.AURC) > 1e-4*want.AURC {
		t.Errorf("area %v, want %v", got.AURC, want.AURC)
	}
	for _, coverage := range []float64{1, 0.9, 0.5, 0.1} {
		risk, threshold := got.At(coverage)
		r, th := want.At(coverage)
		if math.Abs(risk-r) > 2e-3*r || math.Abs(threshold-th) > 4e-3*(1-th) {
			t.Errorf("coverage %v: risk %v above %v, want %v above %v", coverage, risk, threshold, r, th)
		}
	}
}
