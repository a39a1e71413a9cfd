package method_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/spd"
)

// singles are the most allocations of the decision on one matrix of order 22, by Decoder.Observe and by
// Model.PredictInto, which makes a Prediction. They are some more than was measured.
var singles = map[string]struct{ observe, predict float64 }{"mdm": {8, 16}, "fgmdm": {32, 40}, "tslda": {2, 10},
	"tslr": {2, 10}, "enuc": {3, 11}, "tssvm": {8, 16}, "plrsq": {1, 24}, "knn-spd": {26, 34}}

// decisionsOf calls f with ways to decide on one matrix.
func decisionsOf(t testing.TB, name string, f func(way string, decide func() error)) {
	const n, count = 22, 200
	r := rand.New(rand.NewPCG(5, 6))
	x, y := spd.NewStack(count, n), make([]int, count)
	for k := range y {
		y[k] = k % 2
		a := mat.NewDense(n, 5*n, nil)
		a.Apply(func(i, _ int, _ float64) float64 {
			if i == y[k] {
				return 2 * r.NormFloat64()
			}
			return r.NormFloat64()
		}, a)
		var s mat.SymDense
		s.SymOuterK(1/float64(5*n), a)
		x.Set(k, &s)
	}
	learner, err := method.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Data{Source: "test", Stack: x, Labels: y, Classes: []string{"left", "right"}}
	m, err := learner.Fit(context.Background(), method.InMemory{Data: d}, nil, nil)
	if m == nil {
		t.Fatal(err)
	}
	decoder, err := model.NewDecoder(m, model.DecoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f("observe", func() error { _, err := decoder.Observe(x.At(0)); return err })
	var dst mat.Dense
	f("predict", func() error {
		_, err := m.PredictInto(context.Background(), &dst, model.Matrices(x.Slice(0, 1)))
		return err
	})
}

func TestSingleDecisionsAllocateLittle(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector makes pools forget, and the memory is taken again")
	}
	for name, limit := range singles {
		decisionsOf(t, name, func(way string, decide func() error) {
			most := limit.observe
			if way == "predict" {
				most = limit.predict
			}
			got := testing.AllocsPerRun(100, func() {
				if err := decide(); err != nil {
					t.Fatal(err)
				}
			})
			if got > most {
				t.Errorf("%s, %s: %v allocations per decision, want at most %v", name, way, got, most)
			}
		})
	}
}

func BenchmarkSingleDecision(b *testing.B) {
	for name := range singles {
		decisionsOf(b, name, func(way string, decide func() error) {
			b.Run(name+"/"+way, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := decide(); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// singleVectors are the most allocations of Decoder.Observe on one vector, for the methods that allocate.
// Model.PredictInto makes in addition the three objects of its prediction.
var singleVectors = map[string]float64{"rslvq-raw": 6, "glvq-raw": 7, "gmlvq-raw": 9, "lgmlvq-raw": 9, "svm-raw": 8,
	"knn-raw": 29}

// Filters with QDA, and QDA, mixtures, LDA and logistic regression on raw vectors decide without allocation.
func TestSingleVectorsAllocateLittle(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector empties pools")
	}
	const n, dim = 90, 6
	r := rand.New(rand.NewPCG(5, 6))
	x, y := make([]float64, n*dim), make([]int, n)
	for i := range x {
		y[i/dim] = i / dim % 3
		x[i] = r.NormFloat64() + float64(y[i/dim]*(i%2))
	}
	d := &dataset.Data{Source: "test", X: dataset.NewTable64(n, dim, x), Labels: y, Classes: []string{"a", "b", "c"}}
	tested := 0
	for _, m := range method.Methods() {
		var set method.Settings
		for name, value := range map[string]string{"classifier": "qda", "filters": "2"} {
			if _, err := m.Option(name); err == nil {
				set.Set(name, value)
			}
		}
		fitted, err := m.Fit(t.Context(), method.InMemory{Data: d}, set, nil)
		if fitted == nil || fitted.Classifier == nil {
			t.Logf("%s: not for these data: %v", m.Name, err)
			continue
		}
		tested++
		decoder, err := model.NewDecoder(fitted, model.DecoderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		most := singleVectors[m.Name]
		if got := testing.AllocsPerRun(50, func() { _, err = decoder.Observe(x[:dim]) }); err != nil || got > most {
			t.Errorf("%s: Observe allocates %v times, want at most %v; error %v", m.Name, got, most, err)
		}
		dst, one := new(mat.Dense), model.Vectors(mat.NewDense(1, dim, x[:dim]))
		got := testing.AllocsPerRun(50, func() { _, err = fitted.PredictInto(context.Background(), dst, one) })
		if err != nil || got > most+3 {
			t.Errorf("%s: PredictInto allocates %v times, want at most %v; error %v", m.Name, got, most+3, err)
		}
	}
	if tested < 20 {
		t.Errorf("only %d methods were tested", tested)
	}
}
