package method

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/feature"
	"rao/internal/subclasses"
	"rao/internal/testkit"
	"rao/model"
)

// A fit to statistics of sub-classes makes almost the same decisions as a fit to the data, except for the temperature,
// with and without centering.
func TestSubclassesAloneGiveTheSameModel(t *testing.T) {
	d := toyVectors(t)
	s := testkit.Must(subclasses.Estimate(background, subclasses.RowsOf(d.X.Matrix(), d.Labels, d.Classes),
		subclasses.Options{Most: 2, Seed: 1}))(t)
	for _, name := range []string{"sqfa", "mixture-raw"} {
		m := testkit.Must(Lookup(name))(t)
		for _, center := range []string{"true", "false"} {
			for _, scale := range []string{"std", "none"} {
				set := m.only(settingsOf(t, "filters=2 classifier=mixture tol=1e-9 center="+center+" scale="+scale))
				data := testkit.Must(m.Fit(background, InMemory{Data: d}, set.With("subclasses", "2"), nil))(t)
				alone := testkit.Must(m.Fit(background, Subclasses{Subclasses: s}, set, nil))(t)
				a := testkit.Must(Predict(background, data, d))(t)
				b := testkit.Must(Predict(background, alone, d))(t)
				same := 0
				for i, l := range a.Label {
					if b.Label[i] == l {
						same++
					}
				}
				if same < len(a.Label)*99/100 {
					t.Errorf("%s, center %s, scale %s: %d of %d decisions are the same", name, center, scale, same,
						len(a.Label))
				}
				x, y := data.Training.Range, alone.Training.Range
				if x.Spread < 0.99*y.Spread || x.Spread > 1.01*y.Spread || (x.Center == nil) != (y.Center == nil) {
					t.Errorf("center %s, scale %s: range %v from the data, %v from sub-classes", center, scale, x, y)
				}
				if name == "sqfa" && scale == "std" && !mat.EqualApprox(data.Filters(), alone.Filters(), 1e-3) {
					t.Errorf("center %s: other filters", center)
				}
			}
		}
	}
}

// The note of a refined model names the classifier for which it was refined. The model is not calibrated on the rows of
// the refinement.
func TestRefinementFollowsTheClassifier(t *testing.T) {
	d := testkit.Must(dataset.Open(background, "digits:train", dataset.OpenOptions{RequireLabels: true}))(t)
	for classifier, want := range map[string]string{"mixture": "were refined together on", "qda": "which suits qda"} {
		mod := fitTo(t, "sqfa", InMemory{Data: d}, "filters=2 noise=0.1 refine=true classifier="+classifier)
		testkit.Contains(t, strings.Join(mod.Notes, "\n"), want, classifier, "notes")
		if model.StageOf[*feature.Model](mod).Report.Iterations == 0 {
			t.Errorf("%s: no iteration is told", classifier)
		}
	}
}

// A fit of mixtures reports its sub-classes and the folds of the calibration.
func TestProgressOfMixtures(t *testing.T) {
	d := toyVectors(t)
	done := map[string]int{}
	testkit.Must(mustLookup(t, "mixture-raw").Fit(background, InMemory{Data: d}, nil, func(e rao.Event) {
		if e.Done != done[e.Stage] {
			testkit.Equal(t, e.Done, done[e.Stage]+1, e.Stage)
			done[e.Stage] = e.Done
		}
	}))(t)
	testkit.Equal(t, done["sub-classes"], len(d.Classes))
	testkit.Equal(t, done["calibrate on held-out folds"], 5)
}
