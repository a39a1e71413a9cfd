package method_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/synth"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
)

// decision is one way to decide on a single observation.
type decision struct {
	way    string
	decide func() error
}

// decisions fits a method to small data and returns the ways to decide on one observation, or nil if the method does
// not fit classifiers to such data.
func decisions(t testing.TB, m *method.Method) []decision {
	d := testkit.Must(synth.SynI(synth.SynOptions{PerClass: 20, Seed: 1}))(t)
	if !m.Matrices {
		const n, dim = 90, 6
		r := rand.New(rand.NewPCG(5, 6))
		x, y := make([]float64, n*dim), make([]int, n)
		for i := range x {
			y[i/dim] = i / dim % 3
			x[i] = r.NormFloat64() + float64(y[i/dim]*(i%2))
		}
		d = &dataset.Data{X: dataset.NewTable(n, dim, x), Labels: y, Classes: []string{"a", "b", "c"}}
	}
	var set method.Settings
	for name, value := range map[string]string{"classifier": "qda", "filters": "2"} {
		if _, err := m.Option(name); err == nil && !m.Matrices {
			set = set.With(name, value)
		}
	}
	fitted, err := m.Fit(context.Background(), method.InMemory{Data: d}, set, nil)
	if fitted == nil || fitted.Classifier == nil {
		t.Logf("%s: not for these data: %v", m.Name, err)
		return nil
	}
	decoder := testkit.Must(model.NewDecoder(fitted, model.DecoderOptions{}))(t, m.Name)
	var x []float64
	var one model.Batch
	if m.Matrices {
		x, one = d.Stack.At(3), model.Matrices(d.Stack.Slice(3, 4))
	} else {
		x = mat.Row(nil, 3, d.X)
		one = model.Vectors(mat.NewDense(1, len(x), x))
	}
	dst, ctx := mat.NewDense(1, len(d.Classes), nil), context.Background()
	var p model.Prediction
	return []decision{
		{"Observe", func() error { _, err := decoder.Observe(x); return err }},
		{"PosteriorInto", func() error { _, err := fitted.PosteriorInto(ctx, dst, one); return err }},
		{"PredictInto", func() error { return fitted.PredictInto(ctx, &p, one) }},
	}
}

// A decision on one observation reuses the memory of earlier decisions, for every method.
func TestSingleDecisionsDoNotAllocate(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector empties pools")
	}
	tested := 0
	for _, m := range method.Methods() {
		for _, d := range decisions(t, m) {
			tested++
			var err error
			got := testing.AllocsPerRun(50, func() { err = d.decide() })
			if err != nil || got > 0 {
				t.Errorf("%s: %s allocates %v times; error %v", m.Name, d.way, got, err)
			}
		}
	}
	if tested < 3*35 {
		t.Errorf("only %d ways to decide were tested", tested)
	}
}

// The documentation of model.Model.PredictInto lists the pipelines whose decisions on one observation need memory.
func TestWhichPipelinesAllocate(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector empties pools")
	}
	d := testkit.Must(synth.SynI(synth.SynOptions{PerClass: 20, Seed: 1}))(t)
	for spec, allocates := range map[string]bool{
		"mdm:repair=(shrink:0.1)": true, "tslda:repair=(floor:0.1)": true, "mdm:whiten=local": true,
		"plrsq:adapt=causal": true, "mdm:metric=logeuclid": true, "mdm:metric=wasserstein": true,
		"mdm:metric=logdet": true, "mdm:metric=harmonic": true, "knn-spd:metric=wasserstein": true,
		"knn-spd:metric=logdet": true, "knn-spd:metric=kullback_sym": true,
		"mdm:metric=riemann": false, "mdm:reduce=2": false, "knn-spd:metric=harmonic": false,
		"knn-spd:metric=logeuclid": false, "plrsq:metric=chol": false, "tslda:metric=logeuclid": false,
	} {
		m := testkit.Must(testkit.Must(method.ParseSpec(spec))(t).Fit(t.Context(), method.InMemory{Data: d}, nil))(t)
		dst, one := mat.NewDense(1, len(d.Classes), nil), model.Matrices(d.Stack.Slice(3, 4))
		var err error
		got := testing.AllocsPerRun(50, func() { _, err = m.PosteriorInto(t.Context(), dst, one) })
		if err != nil || (got > 0) != allocates {
			t.Errorf("%s allocates %v times; error %v", spec, got, err)
		}
	}
}

func BenchmarkSingleDecision(b *testing.B) {
	for _, m := range method.Methods() {
		for _, d := range decisions(b, m) {
			b.Run(m.Name+"/"+d.way, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					testkit.NoError(b, d.decide())
				}
			})
		}
	}
}
