package method_test

import (
	"bytes"
	"context"
	"testing"

	"rao/dataset"
	"rao/method"
	_ "rao/sets"
)

// Statistics that were collected while the rows came give the same model, to the byte, in
// whatever pieces they came.
func TestCollectedStatisticsGiveTheSameModel(t *testing.T) {
	d, err := dataset.Open(context.Background(), "digits:train", dataset.OpenOptions{RequireLabels: true})
	if err != nil {
		t.Fatal(err)
	}
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
		m, err := method.Lookup(c.name)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := m.With(c.set)
		if err != nil {
			t.Fatal(err)
		}
		collected, err := spec.Collector(d)
		if err != nil || (collected == nil) != c.none {
			t.Fatalf("%s: collector %v, %v", c.name, collected, err)
		}
		if c.none {
			continue
		}
		for lo := 0; lo < d.N(); lo += 131 {
			if err := collected.Add(lo, min(lo+131, d.N())); err != nil {
				t.Fatal(err)
			}
		}
		var files [2]bytes.Buffer
		for i, src := range []method.InMemory{{Data: d}, {Data: d, Collected: collected}} {
			model, err := m.Fit(context.Background(), src, c.set, nil)
			if model == nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			model.Seconds.Statistics, model.Report.Elapsed = 0, 0
			if err := model.Write(&files[i]); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
			t.Errorf("%s %v: models differ", c.name, c.set)
		}
	}
}

func every(n, step int) (index []int) {
	for i := 0; i < n; i += step {
		index = append(index, i)
	}
	return index
}
