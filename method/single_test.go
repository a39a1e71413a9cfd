package method_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/spd"
)

// singles are the most bytes that the decision on one matrix of order 22 may allocate, by Decoder.Observe or
// Model.PredictInto. They are about twice what was measured.
var singles = map[string]uint64{"mdm": 12e3, "fgmdm": 90e3, "tslda": 35e3, "tslr": 35e3, "enuc": 35e3, "tssvm": 35e3,
	"plrsq": 8e3, "knn-spd": 30e3}

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
			var before, after runtime.MemStats
			const times = 100
			for i := range times + 5 {
				if i == 5 { // the pools are full
					runtime.ReadMemStats(&before)
				}
				if err := decide(); err != nil {
					t.Fatal(err)
				}
			}
			runtime.ReadMemStats(&after)
			if got := (after.TotalAlloc - before.TotalAlloc) / times; got > limit {
				t.Errorf("%s, %s: %d bytes per decision, want at most %d", name, way, got, limit)
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
