package recipe

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"rao/internal/testkit"
)

func motor() *Recipe {
	return &Recipe{Signal: &Signal{Rate: 250, Channels: []string{"C3", "Cz", "C4"}, Causal: true, Window: 2,
		SignalOptions: SignalOptions{Bands: []Band{{8, 12}, {12, 24}}, Order: 5, Combine: "stacked",
			Estimator: "oas",
			Normalize: true}}}
}

func TestRecipeComesBackFromJSON(t *testing.T) {
	photo := &Recipe{Image: &Image{Rows: 128, Cols: 128, Channels: 1, Features: []string{"x", "|Ix|"},
		Window: [2]int{128, 128}, Step: [2]int{128, 128}, Ridge: 1e-6}}
	whole := motor()
	whole.Signal.Notch, whole.Signal.Resampled, whole.Signal.Subtracted = []float64{50}, true, []string{"M1", "M2"}
	for _, r := range []*Recipe{motor(), whole, photo} {
		text := testkit.Must(json.Marshal(r))(t)
		got, err := Parse(text)
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%v came back as %v: %v", r, got, err)
		}
	}
}

func TestEveryContradictionIsNamed(t *testing.T) {
	for want, change := range map[string]func(s *Signal){
		"rate: 256 Hz here, 250 Hz in training":            func(s *Signal) { s.Rate = 256 },
		"bands: 1-4 Hz here, 8-12,12-24 Hz in training":    func(s *Signal) { s.Bands = []Band{{1, 4}} },
		"estimator: sample here, oas in training":          func(s *Signal) { s.Estimator = "sample" },
		"normalize: false here, true in training":          func(s *Signal) { s.Normalize = false },
		"filter: zero-phase here, causal in training":      func(s *Signal) { s.Causal = false },
		"filter order: 4 here, 5 in training":              func(s *Signal) { s.Order = 4 },
		"window: 1 s here, 2 s in training":                func(s *Signal) { s.Window = 1 },
		"reference: average here, as recorded in training": func(s *Signal) { s.Reference = "average" },
		"notch: 50,100 Hz here, none in training": func(s *Signal) {
			s.Notch = []float64{50, 100}
		},
		"missing channels C4": func(s *Signal) {
			s.Channels = []string{"C3", "Cz"}
		},
		"unknown channels Oz": func(s *Signal) {
			s.Channels = []string{"C3", "Cz", "C4", "Oz"}
		},
		"combination of bands: block-diagonal here, stacked in training": func(s *Signal) {
			s.Combine = "block-diagonal"
		},
	} {
		other := motor()
		change(other.Signal)
		err := Check(motor(), other)
		var c *ContradictionError
		if !errors.As(err, &c) || !strings.Contains(err.Error(), want) || len(c.Differences) != 1 {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
	for _, c := range []struct {
		want, have string
		same       bool
	}{{"FCz", "Cz", false}, {"FCz", "FCz", true}, {"FCz", "", true}, {"", "FCz", true},
		{"average", "FCz", false}, {"average", "", false}} {
		want, have := motor(), motor()
		want.Signal.Reference, have.Signal.Reference = c.want, c.have
		if err := Check(want, have); (err == nil) != c.same {
			t.Errorf("reference %q in the training and %q here: %v", c.want, c.have, err)
		}
	}
	same := motor()
	same.Signal.Channels = []string{"C4", "C3", "Cz"}
	for _, r := range []*Recipe{same, nil} {
		testkit.NoError(t, Check(motor(), r))
	}
	testkit.ErrorContains(t, Check(motor(), &Recipe{Image: &Image{}}), "images here, a signal in training",
		"for images")
}

func FuzzParse(f *testing.F) {
	text := testkit.Must(json.Marshal(motor()))(f)
	f.Add(text)
	f.Add([]byte(`{"image":{"rows":1}}`))
	f.Add([]byte(`{"signal":{"rate":1e999}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse(text)
		if err != nil {
			return
		}
		testkit.NoError(t, Check(r, r), "a recipe contradicts itself")
		_ = r.String()
	})
}
