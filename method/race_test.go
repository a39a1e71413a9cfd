package method

import (
	"io"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/modelinfo"
	"rao/internal/testkit"
	"rao/model"
	"rao/synth"
)

// A fitted model is not modified: for every method, eight goroutines predict, open decoders, save, describe and update
// copies of one model at the same time. If the race detector is on, it finds writes.
func TestEveryModelServesManyGoroutines(t *testing.T) {
	few := func(name string, perClass int) *dataset.Data {
		d := testkit.Must(synth.Generate(name, synth.GenerateOptions{PerClass: perClass, Seed: 3}))(t)
		return d
	}
	vectors, matrices := few("toy1-shifted", 30), few("syn1", 12)
	for _, m := range Methods() {
		t.Run(m.Name, func(t *testing.T) {
			d := vectors
			if m.Matrices {
				d = matrices
			}
			mod := testkit.Fitted(m.Fit(background, InMemory{Data: d}, m.only(quick()), nil))(t)
			var all sync.WaitGroup
			for range 8 {
				all.Add(1)
				go func() {
					defer all.Done()
					serveOnce(t, mod, d)
				}()
			}
			all.Wait()
		})
	}
}

// serveOnce uses a model as a server does, and fails if a step returns an error.
func serveOnce(t *testing.T, mod *model.Model, d *dataset.Data) {
	testkit.NoError(t, mod.Validate())
	testkit.NoError(t, mod.Write(io.Discard))
	testkit.Equal(t, modelinfo.Describe(mod).Method, mod.Method, "the description names another method")
	testkit.NoError(t, testkit.ErrorOf(mod.Predict(background, model.BatchOf(d))))
	dec, err := model.NewDecoder(mod, model.DecoderOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	for i := range 3 {
		if _, err := dec.Observe(observation(d, i)); err != nil {
			t.Error(err)
		}
	}
	_ = dec.Update(d.Labels[2]) // most classifiers do not learn from one observation
	if up, err := mod.Update(background, model.BatchOf(d), d.Labels); err == nil {
		testkit.NoError(t, testkit.ErrorOf(up.Predict(background, model.BatchOf(d))))
	}
}

// observation returns row i of vectors, or matrix i row by row.
func observation(d *dataset.Data, i int) []float64 {
	if d.Stack != nil {
		return d.Stack.At(i)
	}
	return mat.Row(nil, i, d.X)
}
