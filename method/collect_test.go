package method_test

import (
	"bytes"
	"context"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
	_ "rao/sets"
)

// Statistics that are collected while rows arrive give an identical model file for any division into pieces.
func TestCollectedStatisticsGiveTheSameModel(t *testing.T) {
	d := testkit.Must(dataset.Open(context.Background(), "digits:train", dataset.OpenOptions{RequireLabels: true}))(t)
	d = d.Subset(every(d.N(), 3))
	for _, c := range []struct {
		name string
		set  method.Settings
		none bool
	}{
		{"sqfa", method.Settings{{Name: "filters", Value: "2"}, {Name: "noise", Value: "1"}}, false},
		{"sqfa", method.Settings{{Name: "filters", Value: "2"}, {Name: "folds", Value: "2"},
			{Name: "max-iter", Value: "20"}}, false},
		{"lda", nil, false},
		{"knn-raw", nil, true},
	} {
		m := testkit.Must(method.Lookup(c.name))(t)
		spec := testkit.Must(m.With(c.set))(t)
		collected, add, err := spec.WhileRead(d)
		if err != nil || (add == nil) != c.none {
			t.Fatalf("%s: %v", c.name, err)
		}
		if c.none {
			continue
		}
		for lo := 0; lo < d.N(); lo += 131 {
			testkit.NoError(t, add(lo, min(lo+131, d.N())))
		}
		var files [2]bytes.Buffer
		for i, src := range []method.InMemory{{Data: d}, collected} {
			model, err := m.Fit(context.Background(), src, c.set, nil)
			if model == nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			model.Seconds.Statistics, model.Report.Elapsed = 0, 0
			testkit.NoError(t, model.Write(&files[i]))
		}
		testkit.EqualSlices(t, files[0].Bytes(), files[1].Bytes(), c.name, c.set, "models differ")
	}
}

func every(n, step int) (index []int) {
	for i := 0; i < n; i += step {
		index = append(index, i)
	}
	return index
}
