package method

import (
	"context"
	"math"
	"strings"
	"testing"

	"rao/classify"
	"rao/dataset"
	"rao/internal/testkit"
	"rao/model"
	"rao/spd"
)

// sessions returns matrices of two classes in recordings of very different power.
func sessions(t *testing.T, class func(i int) int, named bool) *dataset.Data {
	t.Helper()
	const n = 48
	d := &dataset.Data{Source: "sessions", Stack: spd.NewStack(n, 2), Labels: make([]int, n),
		Classes: []string{"a", "b"}, Vars: map[string]*dataset.Array{}}
	recording := make([]int64, n)
	for i := range n {
		recording[i] = int64(i / 16)
		d.Labels[i] = class(i)
		v := d.Stack.At(i)
		power := math.Pow(50, float64(recording[i]))
		v[0], v[3] = power*math.Exp(0.8*float64(d.Labels[i])+0.05*float64(i%5)), power*math.Exp(0.05*float64(i%3))
	}
	if named {
		d.Vars["recording"] = &dataset.Array{Name: "recording", Shape: []int{n}, Int64: recording}
	}
	return d
}

// Re-centering uses the recordings that the data name, and a note reports a recording of only one class, which makes
// re-centering meaningless.
func TestRecenteringFollowsRecordings(t *testing.T) {
	m := testkit.Must(Lookup("mdm"))(t)
	var set Settings
	set = set.With("adapt", "center")
	mixed := func(i int) int { return i % 2 }
	accuracy := func(d *dataset.Data) float64 {
		mod := testkit.Must(m.Fit(context.Background(), InMemory{Data: d}, set, nil))(t)
		if len(mod.Notes) > 0 {
			t.Errorf("notes %q", mod.Notes)
		}
		s := testkit.Must(Score(context.Background(), mod, d))(t)
		return s.Accuracy
	}
	if named, whole := accuracy(sessions(t, mixed, true)), accuracy(sessions(t, mixed, false)); named != 1 ||
		whole > 0.9 {
		t.Errorf("accuracy %g by recording, %g as one", named, whole)
	}
	alone := sessions(t, func(i int) int { return (i/16 + 1) / 2 }, true) // the recordings hold a, b, b
	mod, err := m.Fit(context.Background(), InMemory{Data: alone}, set, nil)
	if err != nil || len(mod.Notes) == 0 ||
		!strings.Contains(mod.Notes[0], "3 of 3 recordings contain only one class") {
		t.Errorf("%v, notes %q", err, mod.Notes)
	}
	_, p, err := PredictLabeled(context.Background(), mod, alone)
	if err != nil || len(p.Notes) == 0 || !strings.Contains(p.Notes[len(p.Notes)-1], "only one class") {
		t.Errorf("%v, %v", err, p)
	}
}

// mdm with a target moves the means of the other people towards the means of the target. Errors explain an unusable
// target.
func TestMDMTowardsATarget(t *testing.T) {
	d := sessions(t, func(i int) int { return i / 16 }, true)
	for i := range d.Labels {
		d.Labels[i] = i % 2
	}
	m := testkit.Must(Lookup("mdm"))(t)
	fit := func(target, tradeoff string) (*model.Model, error) {
		set := Settings{{Name: "target", Value: target}}
		if tradeoff != "" {
			set = set.With("tradeoff", tradeoff)
		}
		return m.Fit(context.Background(), InMemory{Data: d}, set, nil)
	}
	for tradeoff, value := range map[string]float64{"0.3": 0.3, "1": 1, "": 0.5} {
		mod := testkit.Must(fit("recording=1", tradeoff))(t)
		var rows [2][]int
		for i, v := range d.Vars["recording"].Int64 {
			k := 0
			if v == 1 {
				k = 1
			}
			rows[k] = append(rows[k], i)
		}
		others, own := d.Subset(rows[0]), d.Subset(rows[1])
		fitMeans := func(d *dataset.Data) *classify.MDM {
			return testkit.Must(classify.FitMDM(context.Background(), d.Stack, d.Labels, d.Classes,
				classify.MDMOptions{}))(t)
		}
		want := fitMeans(others)
		testkit.NoError(t, want.Approach(fitMeans(own), value))
		testkit.Close(t, "means "+tradeoff, mod.Classifier.(*classify.MDM).Means.Contiguous(), want.Means.Contiguous(),
			1e-12)
	}
	for says, given := range map[string][2]string{
		"must be NAME=VALUE":      {"recording", ""},
		"variable \"subject\"":    {"subject=1", ""},
		"belongs to the target":   {"recording=9", ""},
		"needs target=NAME=VALUE": {"none", "0.5"},
		"tradeoff":                {"recording=1", "1.5"},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(fit(given[0], given[1])), says, given)
	}
}
