package spatial

import (
	"io"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/modelinfo"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
)

// Models of this package are immutable, like all others: eight goroutines use each of them at the same time, and the
// race detector reports writes.
func TestModelsServeManyGoroutines(t *testing.T) {
	for _, name := range own {
		m := testkit.Must(method.Lookup(name))(t)
		var d *dataset.Data
		var set method.Settings
		if d = oddball(1, 60); m.Matrices {
			d = toy(t, m)
			set = set.With("band-count", "2")
		}
		mod := testkit.Must(m.Fit(t.Context(), method.InMemory{Data: d}, set, nil))(t, name)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := serve(t, mod, d); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		all.Wait()
	}
}

// serve uses a model in all the ways of a server.
func serve(t *testing.T, mod *model.Model, d *dataset.Data) error {
	if err := mod.Validate(); err != nil {
		return err
	}
	if err := mod.Write(io.Discard); err != nil {
		return err
	}
	modelinfo.Describe(mod)
	if _, err := mod.Predict(t.Context(), model.BatchOf(d)); err != nil {
		return err
	}
	dec, err := model.NewDecoder(mod, model.DecoderOptions{})
	if err != nil {
		return err
	}
	var row []float64
	if d.Stack != nil {
		row = d.Stack.At(0)
	} else {
		row = mat.Row(nil, 0, d.X)
	}
	if _, err := dec.Observe(row); err != nil {
		return err
	}
	_ = dec.Update(d.Labels[0]) // most classifiers do not learn from one observation
	if up, err := mod.Update(t.Context(), model.BatchOf(d), d.Labels); err == nil {
		_, err = up.Predict(t.Context(), model.BatchOf(d))
		return err
	}
	return nil
}
