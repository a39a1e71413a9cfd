package spatial

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/recipe"
	"rao/stream"
)

// oddball returns trials of 3 channels and 20 samples. Targets have a response that is hidden by the noise of the
// channels.
func oddball(seed uint64, count int) *dataset.Data {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, count*60)
	labels := make([]int, count)
	for k := range count {
		labels[k] = min(1, k%3)
		common := make([]float64, 20)
		for s := range common {
			common[s] = 3 * rng.NormFloat64()
		}
		for c := range 3 {
			for s := range 20 {
				v := rng.NormFloat64() + common[s]
				if labels[k] == 1 {
					v += []float64{1.5, 0.2, -1}[c] * math.Sin(float64(s)/4)
				}
				x[k*60+c*20+s] = v
			}
		}
	}
	return &dataset.Data{Source: "oddball", X: dataset.NewTable(count, 60, x), Image: [3]int{3, 20, 1},
		Labels: labels, Classes: []string{"standard", "target"},
		Recipe: &recipe.Recipe{Signal: &recipe.Signal{Rate: 20, Channels: []string{"Fz", "Cz", "Pz"}, Window: 1,
			SignalOptions: recipe.SignalOptions{Estimator: "none"}}}}
}

// Models learned from trials classify other trials, also after reading the model from a file and with the channels in
// another order, and return matrices.
func TestTrialsAreLearned(t *testing.T) {
	train, test := oddball(1, 90), oddball(2, 60)
	turned := oddball(2, 60)
	turned.Recipe.Signal.Channels = []string{"Pz", "Fz", "Cz"}
	for k := range 60 {
		was := make([]float64, 60)
		test.X.Row(was, k)
		_, _, row, _ := turned.X.RawRows()
		copy(row[60*k:], was[40:])
		copy(row[60*k+20:60*k+60], was[:40])
	}
	for name, order := range map[string]int{"erp": 9, "xdawn": 12} {
		m := testkit.Must(method.Lookup(name))(t)
		fit := testkit.Must(m.Fit(t.Context(), method.InMemory{Data: train}, nil, nil))(t)
		s, err := method.Score(t.Context(), fit, test)
		if err != nil || s.Accuracy < 0.9 {
			t.Errorf("%s: %+v, error %v", name, s, err)
		}
		path := filepath.Join(t.TempDir(), "m.rao")
		testkit.NoError(t, fit.Save(path))
		again := testkit.Must(model.Load(path))(t)
		var got [3]*model.Prediction
		for i, d := range []*dataset.Data{test, test, turned} {
			got[i] = testkit.Must([]*model.Model{fit, again, again}[i].Predict(t.Context(), model.BatchOf(d)))(t)
		}
		if p := got[0].LogPosterior; !mat.Equal(p, got[1].LogPosterior) || !mat.Equal(p, got[2].LogPosterior) {
			t.Errorf("%s: another posterior from the file, or with the channels in another order", name)
		}
		z, err := fit.Transform(t.Context(), model.BatchOf(test))
		if err != nil || z.Stack == nil || z.Stack.Count != 60 || z.Stack.Dim != order {
			t.Errorf("%s: %v matrices, error %v", name, z.Stack, err)
		}
		if !fit.Report.Status.Good() {
			t.Errorf("%s: status %v", name, fit.Report.Status)
		}
		d := testkit.Must(stream.NewDecoder(fit, stream.DecoderOptions{}))(t)
		err = d.Push(t.Context(), make([]float64, 3), nil)
		testkit.ErrorContains(t, err, "live signal", name, "samples")
	}
}

func TestTrialsRefuse(t *testing.T) {
	for want, set := range map[string][]string{
		`evoked: unknown class "odd"`:                       {"evoked", "odd"},
		"cannot be divided into 7 channels":                 {"channel-count", "7"},
		"adapts to a recording":                             {"classifier", "mdm:adapt=center"},
		"unknown estimator":                                 {"estimator", "best"},
		"components is 4; it must be between 0 (all) and 3": {"svd", "4"},
	} {
		m := testkit.Must(method.Lookup("erp"))(t)
		_, err := m.Fit(t.Context(), method.InMemory{Data: oddball(1, 30)},
			method.Settings{{Name: set[0], Value: set[1]}}, nil)
		testkit.ErrorContains(t, err, want, set)
	}
	table := oddball(1, 30)
	table.Image, table.Recipe = [3]int{}, nil
	m, _ := method.Lookup("erp")
	set := method.Settings{{Name: "channel-count", Value: "3"}}
	fit, err := m.Fit(t.Context(), method.InMemory{Data: table}, set, nil)
	if err != nil || len(fit.Notes) > 0 {
		t.Errorf("a table with its channels given: %v", err)
	}
	if fit, err = m.Fit(t.Context(), method.InMemory{Data: table}, nil, nil); err != nil ||
		!slices.ContainsFunc(fit.Notes, func(s string) bool { return strings.Contains(s, "option channel-count") }) {
		t.Errorf("a table: %v", err)
	}
}
