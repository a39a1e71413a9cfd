package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/scoring"
	"rao/internal/testkit"
)

// drawn returns labels of n observations in c classes, and the log-probabilities from which they were drawn.
func drawn(n, c int, seed uint64) ([]int, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 1))
	logp := mat.NewDense(n, c, nil)
	truth := make([]int, n)
	for i := range n {
		row := logp.RawRowView(i)
		for k := range row {
			row[k] = 2 * rng.NormFloat64()
		}
		vec.Softmax(row, row)
		u := rng.Float64()
		truth[i] = c - 1
		for k, p := range row {
			if u -= p; u < 0 {
				truth[i] = k
				break
			}
		}
		for k, p := range row {
			row[k] = math.Log(p)
		}
	}
	return truth, logp
}

func TestTemperatureFindsTheFactorPutIn(t *testing.T) {
	truth, logp := drawn(20000, 4, 1)
	honest := testkit.Must(Temperature(truth, logp))(t)
	testkit.Near(t, honest, 1, 0.03, "labels drawn from the probabilities give temperature")
	sure := Temper(logp, 0.4)
	got := testkit.Must(Temperature(truth, sure))(t)
	testkit.Near(t, got/honest, 2.5, 1e-6, "probabilities sharpened 2.5 times give temperature", got, "before", honest)
	best := testkit.Must(Score(truth, Temper(sure, got)))(t).LogLoss
	for _, f := range []float64{0.97, 1.03} {
		if l := testkit.Must(Score(truth, Temper(sure, got*f)))(t).LogLoss; l <= best {
			t.Errorf("temperature × %g has loss %g, the best %g", f, l, best)
		}
	}
}

// If all decisions are right the temperature is the lower end of the range, if all are wrong the upper end, and if the
// labels carry no information the middle.
func TestTemperatureAtTheEnds(t *testing.T) {
	const p = 1e-9
	logp := mat.NewDense(2, 2, []float64{math.Log(0.5 + p), math.Log(0.5 - p), math.Log(0.5 - p), math.Log(0.5 + p)})
	for _, c := range []struct {
		truth []int
		log   float64
	}{{[]int{0, 1}, -7}, {[]int{1, 0}, 7}} {
		got, err := Temperature(c.truth, logp)
		if err != nil || math.Abs(math.Log(got)-c.log) > 1e-6 {
			t.Errorf("temperature e^%g, want e^%g (%v)", math.Log(got), c.log, err)
		}
	}
	flat := mat.NewDense(1, 2, []float64{-math.Ln2, -math.Ln2})
	testkit.Equal(t, testkit.Must(Temperature([]int{0}, flat))(t), 1, "equal probabilities: temperature")
}

func TestTemperatureOfImpossibleProbabilities(t *testing.T) {
	inf := math.Inf(-1)
	got, err := Temperature([]int{0, 1}, mat.NewDense(2, 2, []float64{0, inf, 0, inf}))
	if err != nil || !(got > 1) {
		t.Errorf("one of two certain decisions wrong: temperature %g, error %v", got, err)
	}
	testkit.Fails(t, testkit.ErrorOf(Temperature([]int{2}, mat.NewDense(1, 2, []float64{0, inf}))),
		"a label without a column is accepted")
}

func TestLossesAverageToLogLoss(t *testing.T) {
	truth, logp := drawn(50, 3, 2)
	sum := 0.0
	for _, v := range scoring.Losses(truth, logp) {
		sum += v / 50
	}
	testkit.Near(t, sum, testkit.Must(Score(truth, logp))(t).LogLoss, 1e-12, "mean loss")
}

// The floor is the mean calibration error of exact probabilities. Here the mean is over 300 draws of labels for 288
// observations.
func TestCalibrationFloorIsTheErrorOfExactProbabilities(t *testing.T) {
	mean, floor := 0.0, 0.0
	for k := range uint64(300) {
		truth, logp := drawn(288, 4, k)
		mean += testkit.Must(Score(truth, logp))(t).ECE / 300
		floor += scoring.CalibrationFloor(logp) / 300
	}
	testkit.Near(t, mean, floor, 0.04*mean, "mean error of exact probabilities")
}
