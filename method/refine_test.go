package method

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/feature"
	"rao/internal/learners"
	"rao/internal/testkit"
	"rao/model"
)

// If the refinement overfits the rows, the filters that were learned from the statistics are kept.
func TestRefiningThatMakesHeldOutRowsWorse(t *testing.T) {
	d := drawnSet(150, 40, 1, func(rng *rand.Rand, class, j int) float64 {
		if j < 4 {
			return rng.NormFloat64() * float64(1+2*((class+j)%3))
		}
		return rng.NormFloat64()
	})
	for _, classifier := range []string{"qda", "none"} {
		options := "filters=4 noise=0.3 classifier=" + classifier
		plain := usable(t, "sqfa", InMemory{Data: d}, options)
		m := usable(t, "sqfa", InMemory{Data: d}, options+" refine=true")
		if !mat.Equal(m.Filters(), plain.Filters()) {
			t.Errorf("classifier %s: the filters were refined: %q", classifier, m.Notes)
		}
		testkit.Contains(t, strings.Join(m.Notes, "; "), "filters were not refined: of 150 held-out rows",
			"classifier", classifier)
	}
}

// Refined filters equal the filters of AMA with the given noise.
func TestRefiningUsesTheNoiseThatWasGiven(t *testing.T) {
	d := testkit.Must(dataset.Open(background, "digits:train", dataset.OpenOptions{RequireLabels: true}))(t)
	start := fitTo(t, "sqfa", InMemory{Data: d}, "filters=3 noise=0.7")
	got := fitTo(t, "sqfa", InMemory{Data: d}, "filters=3 noise=0.7 refine=true")
	x := mat.DenseCopyOf(d.X.Matrix())
	model.StageOf[*model.Scaling](start).InPlace(x)
	want := testkit.Must(learners.FitAMA(background, x, d.Labels, d.Classes, learners.AMAOptions{Filters: 3, Noise: 0.7,
		Seed:  1,
		Start: mat.DenseCopyOf(model.StageOf[*feature.Model](start).Filters)}))(t)
	testkit.Close(t, "filters", model.StageOf[*feature.Model](got).Filters.RawMatrix().Data,
		want.Filters.RawMatrix().Data, 1e-6)
	testkit.Contains(t, strings.Join(got.Notes, "; "), "the filters were refined: of",
		fmt.Sprintf("notes %q", got.Notes))
}
