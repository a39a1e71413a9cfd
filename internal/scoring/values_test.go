package scoring_test

import (
	"math"
	"testing"

	"rao/internal/scoring"
	"rao/internal/testkit"
)

// Scores of numbers agree with a hand calculation, and constant targets have no R².
func TestScoreValues(t *testing.T) {
	s := scoring.ScoreValues([]float64{1, 2, 5}, []float64{1, 3, 3})
	for name, v := range map[string][2]float64{"R2": {s.R2, 1 - 5/(8.0/3)}, "MAE": {s.MAE, 1},
		"RMSE": {s.RMSE, math.Sqrt(5.0 / 3)}} {
		testkit.Near(t, v[0], v[1], 1e-15, name)
	}
	if s := scoring.ScoreValues([]float64{1, 2}, []float64{4, 4}); !math.IsNaN(s.R2) || s.MAE != 2.5 {
		t.Errorf("targets that are all equal: %+v", s)
	}
}
