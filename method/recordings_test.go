package method

import (
	"context"
	"math"
	"strings"
	"testing"

	"rao/dataset"
	"rao/spd"
)

// sessions is matrices of two classes in recordings of very different power.
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

// Re-centering follows the recordings that the data name, and says when a recording of
// one class makes it meaningless.
func TestRecenteringFollowsRecordings(t *testing.T) {
	m, err := Lookup("mdm")
	if err != nil {
		t.Fatal(err)
	}
	var set Settings
	set.Set("recenter", "true")
	mixed := func(i int) int { return i % 2 }
	accuracy := func(d *dataset.Data) float64 {
		mod, err := m.Fit(context.Background(), Source{Data: d}, set, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(mod.Notes) > 0 {
			t.Errorf("notes %q", mod.Notes)
		}
		s, err := Score(context.Background(), mod, d)
		if err != nil {
			t.Fatal(err)
		}
		return s.Accuracy
	}
	if named, whole := accuracy(sessions(t, mixed, true)), accuracy(sessions(t, mixed, false)); named != 1 ||
		whole > 0.9 {
		t.Errorf("accuracy %g by recording, %g as one", named, whole)
	}
	alone := sessions(t, func(i int) int { return (i/16 + 1) / 2 }, true) // the recordings hold a, b, b
	mod, err := m.Fit(context.Background(), Source{Data: alone}, set, nil)
	if err != nil || len(mod.Notes) == 0 ||
		!strings.Contains(mod.Notes[0], "3 of 3 recordings hold matrices of one class only") {
		t.Errorf("%v, notes %q", err, mod.Notes)
	}
	_, p, err := Decide(context.Background(), mod, alone)
	if err != nil || len(p.Notes) == 0 || !strings.Contains(p.Notes[len(p.Notes)-1], "one class only") {
		t.Errorf("%v, %v", err, p)
	}
}
