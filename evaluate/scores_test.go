package evaluate

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/scoring"
	"rao/internal/testkit"
)

// readJSON reads testdata/name into v.
func readJSON(t *testing.T, name string, v any) {
	t.Helper()
	testkit.ReadJSON(t, "testdata/"+name, v)
}

func TestScoresAgreeWithScikitLearn(t *testing.T) {
	var cases []struct {
		Scores
		Truth        []int     `json:"truth"`
		Classes      int       `json:"classes"`
		LogPosterior []float64 `json:"log_posterior"`
	}
	readJSON(t, "scores.json", &cases)
	if len(cases) < 3 {
		t.Fatal("golden cases are missing")
	}
	for _, c := range cases {
		logp := mat.NewDense(len(c.Truth), c.Classes, c.LogPosterior)
		got := testkit.Must(Score(c.Truth, logp))(t)
		testkit.Close(t, "scores",
			[]float64{got.Accuracy, got.Kappa, got.BalancedAccuracy, got.LogLoss, got.ECE},
			[]float64{c.Accuracy, c.Kappa, c.BalancedAccuracy, c.LogLoss, c.ECE}, 1e-12)
		if !reflect.DeepEqual(got.Confusion, c.Confusion) {
			t.Errorf("confusion %v, want %v", got.Confusion, c.Confusion)
		}
		predicted := MostProbable(logp)
		testkit.Close(t, "kappa", []float64{scoring.Kappa(c.Truth, predicted, c.Classes)}, []float64{c.Kappa}, 1e-12)
		testkit.Close(t, "balanced", []float64{scoring.BalancedAccuracy(c.Truth, predicted, c.Classes)},
			[]float64{c.BalancedAccuracy}, 1e-12)
	}
}

func TestScoresKeepTheirJSONNames(t *testing.T) {
	b := testkit.Must(json.Marshal(Scores{}))(t)
	want := `{"n":0,"accuracy":0,"kappa":0,"balanced_accuracy":0,"log_loss":0,"ece":0,"confusion":null}`
	testkit.Equal(t, string(b), want, "got", b, "want")
}

func TestScoreSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		truth []int
		logp  *mat.Dense
		want  string
	}{
		{[]int{0, 2}, mat.NewDense(2, 2, make([]float64, 4)), "row 1 has label 2; labels must be from 0 to 1"},
		{[]int{-1}, mat.NewDense(1, 2, make([]float64, 2)), "row 0 has label -1"},
		{[]int{0}, mat.NewDense(1, 2, []float64{0, math.NaN()}),
			"row 0: the log-probability of class 1 (counted from 0) is NaN"},
		{nil, &mat.Dense{}, "no observations"},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(Score(c.truth, c.logp)), c.want)
	}
	testkit.Equal(t, testkit.Panic(func() { _, _ = Score([]int{0}, mat.NewDense(2, 2, nil)) }), any(mat.ErrShape),
		"labels and rows of different length")
}

func TestCertainMistakeHasFiniteLoss(t *testing.T) {
	logp := mat.NewDense(1, 2, []float64{0, math.Inf(-1)})
	got := testkit.Must(Score([]int{1}, logp))(t)
	testkit.Near(t, got.LogLoss, 52*math.Ln2, 1e-12, "loss")
	testkit.Equal(t, got.ECE, 1, "calibration error")
}

func TestKappaOfOneClassIsZero(t *testing.T) {
	testkit.Equal(t, scoring.Kappa([]int{1, 1}, []int{1, 1}, 3), 0, "kappa")
}

func TestRiskCoverageCurve(t *testing.T) {
	confidence := []float64{0.9, 0.5, 0.7, 0.7, 0.6}
	right := []bool{true, false, true, false, true}
	c := scoring.RiskCoverage(confidence, right)
	testkit.Close(t, "coverage", c.Coverage, []float64{0.2, 0.6, 0.8, 1}, 1e-15)
	testkit.Close(t, "risk", c.Risk, []float64{0, 1. / 3, 0.25, 0.4}, 1e-15)
	testkit.Close(t, "threshold", c.Threshold, []float64{0.9, 0.7, 0.6, 0.5}, 0)
	testkit.Close(t, "area", []float64{c.AURC}, []float64{(0 + 2./3 + 0.25 + 0.4) / 5}, 1e-15)
	if risk, th := c.At(0.8); risk != 0.25 || th != 0.6 {
		t.Errorf("at 0.8: risk %g, threshold %g", risk, th)
	}
	testkit.Equal(t, len(scoring.RiskCoverage(nil, nil).Coverage), 0, "curve of nothing has points")
}

func TestPerfectRankingHasTheSmallestArea(t *testing.T) {
	right := []bool{true, true, true, false, true, false, true, true}
	good, bad := make([]float64, len(right)), make([]float64, len(right))
	for i, r := range right {
		good[i], bad[i] = float64(i)*1e-3, -float64(i)*1e-3
		if r {
			good[i]++
			bad[i]--
		}
	}
	g, b := scoring.RiskCoverage(good, right), scoring.RiskCoverage(bad, right)
	if !(g.AURC < b.AURC) {
		t.Errorf("area %g for a perfect ranking, %g for the worst", g.AURC, b.AURC)
	}
	if risk, _ := g.At(0.75); risk != 0 {
		t.Errorf("risk %g where all errors are rejected", risk)
	}
}
