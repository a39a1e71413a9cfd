package evaluate

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/scoring"
	"rao/internal/testkit"
)

func TestOneStandardErrorTakesTheLeastCloseThatIsAsGood(t *testing.T) {
	hard := []float64{3, 0.1, 2.5, 0.2, 3.2, 0.1, 2.8, 0.3} // what all candidates meet
	shifted := func(by ...float64) []float64 {
		out := make([]float64, len(hard))
		for i := range out {
			out[i] = hard[i] + by[i%len(by)]
		}
		return out
	}
	for _, c := range []struct {
		name   string
		losses [][]float64
		want   int
	}{
		{"one candidate", [][]float64{hard}, 0},
		{"a difference within its noise", [][]float64{hard, shifted(0.3, -0.2)}, 1},
		{"the same difference on every observation", [][]float64{hard, shifted(0.02)}, 0},
		{"closer fits do not count", [][]float64{shifted(0.3, -0.2), hard}, 1},
		{"a bad one between two good ones", [][]float64{hard, shifted(1), shifted(0.3, -0.2)}, 2},
		{"equal candidates", [][]float64{hard, hard, hard}, 2},
	} {
		testkit.Equal(t, scoring.OneStandardError(c.losses), c.want, c.name, "candidate")
	}
}

func TestOneStandardErrorPanicsOnRaggedLosses(t *testing.T) {
	testkit.Panics(t, func() { scoring.OneStandardError([][]float64{{1, 2}, {1}}) })
}

// A search pools the held-out predictions of all folds. The candidates here are the true probabilities, an
// overconfident version, which a temperature corrects, and a version with half the information.
func TestSearchMarksWhatCannotBeToldFromTheBest(t *testing.T) {
	truth, logp := drawn(400, 3, 5)
	vague := mat.NewDense(400, 3, nil)
	for i := range 400 {
		copy(vague.RawRowView(i), logp.RawRowView((i/2)*2)) // every second row is another's
	}
	tables := map[string]*mat.Dense{"true": logp, "sure": Temper(logp, 1.0/3), "vague": vague}
	folds := testkit.Must(KFold(400, 4, 1))(t)
	grid := testkit.Must(Grid([]Parameter{{Name: "p", Values: []string{"vague", "sure", "true"}}}))(t)
	r := testkit.Must(Search(context.Background(), grid, folds, SearchOptions{},
		func(_ context.Context, c Candidate, f Fold) (*Scores, error) {
			name, _ := c.Get("p")
			part := mat.NewDense(len(f.Test), 3, nil)
			var labels []int
			for k, i := range f.Test {
				part.SetRow(k, tables[name].RawRowView(i))
				labels = append(labels, truth[i])
			}
			return Score(labels, part)
		}))(t)
	for k, want := range []bool{false, true, true} {
		testkit.Equal(t, r.Trials[k].Close, want, grid[k], "close", "loss", r.Trials[k].Loss)
	}
	testkit.Near(t, r.Trials[1].Loss, r.Trials[2].Loss, 1e-6, "losses of predictions that differ in temperature alone")
}
