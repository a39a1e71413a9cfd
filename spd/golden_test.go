package spd

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// goldenCase is one case of testdata/spd.json.gz: numbers of pyRiemann 0.9.
type goldenCase struct {
	N            int                    `json:"n"`
	Matrices     [][][]float64          `json:"matrices"`
	Weights      []float64              `json:"weights"`
	Distance     map[string][][]float64 `json:"distance"`
	Mean         map[string][][]float64 `json:"mean"`
	WeightedMean map[string][][]float64 `json:"weighted_mean"`
	T            float64                `json:"geodesic_t"`
	Geodesic     map[string][][]float64 `json:"geodesic"`
	LogMap       [][]float64            `json:"log_map_riemann_0_at_1"`
	ExpMap       [][]float64            `json:"exp_map_riemann_of_it_at_1"`
	Tangent      [][]float64            `json:"tangent_space_at_mean"`
	Kernel       map[string][][]float64 `json:"kernel"`
}

func flattened(m [][]float64) []float64 {
	var out []float64
	for _, r := range m {
		out = append(out, r...)
	}
	return out
}

func (c *goldenCase) stack() *Stack {
	var data []float64
	for _, m := range c.Matrices {
		data = append(data, flattened(m)...)
	}
	return StackOf(len(c.Matrices), c.N, data)
}

func goldenCases(t *testing.T) []goldenCase {
	t.Helper()
	var file struct{ Cases []goldenCase }
	testkit.NoError(t, json.Unmarshal(testkit.Gunzip(t, "testdata/spd.json.gz"), &file))
	if len(file.Cases) != 4 {
		t.Fatalf("%d golden cases, want 4", len(file.Cases))
	}
	return file.Cases
}

// Every metric has distances or means of pyRiemann's.
func TestEveryMetricHasGoldenNumbers(t *testing.T) {
	c := goldenCases(t)[0]
	for _, name := range Metrics() {
		if c.Distance[name] == nil && c.Mean[name] == nil {
			t.Errorf("add numbers of the metric %s, computed elsewhere, to testdata/spd.json.gz", name)
		}
	}
}

func TestDistancesAgreeWithPyRiemann(t *testing.T) {
	for _, c := range goldenCases(t) {
		x := c.stack()
		for name, want := range c.Distance {
			var got mat.Dense
			testkit.NoError(t, Distances(t.Context(), &got, Metric(name), x, nil), fmt.Sprintf("n=%d %s", c.N, name))
			// The reference's own diagonal is rounding noise of a difference.
			w := flattened(want)
			for i := range x.Count {
				if math.Abs(w[i*x.Count+i]) > 1e-5 || got.At(i, i) != 0 {
					t.Errorf("n=%d %s: diagonal %g, reference %g", c.N, name, got.At(i, i), w[i*x.Count+i])
				}
				w[i*x.Count+i] = 0
			}
			testkit.Close(t, name, got.RawMatrix().Data, w, 1e-9)
			var rect mat.Dense
			testkit.NoError(t, Distances(t.Context(), &rect, Metric(name), x, x.Select([]int{4, 1})))
			for i := range x.Count {
				for j, k := range []int{4, 1} {
					if i != k {
						testkit.Close(t, name+" between two stacks", []float64{rect.At(i, j)},
							[]float64{w[i*x.Count+k]}, 1e-9)
					}
				}
			}
			d := testkit.Must(pairDistance(Metric(name), x.At(0), x.At(3), c.N))(t)
			testkit.Close(t, name+" of one pair", []float64{d}, []float64{w[3]}, 1e-9)
		}
	}
}

func TestMeansAgreeWithPyRiemann(t *testing.T) {
	for _, c := range goldenCases(t) {
		x := c.stack()
		for _, part := range []struct {
			want    map[string][][]float64
			weights []float64
		}{{c.Mean, nil}, {c.WeightedMean, c.Weights}} {
			for name, want := range part.want {
				got, rep, err := weightedMean(context.Background(), x, part.weights, Metric(name),
					MeanOptions{Tol: 1e-12, MaxIter: 1000})
				testkit.NoError(t, err, fmt.Sprintf("n=%d %s", c.N, name))
				tol := 1e-9
				if rep.Iterations > 0 {
					tol = 1e-7
				}
				testkit.Close(t, name, got, flattened(want), tol)
				if !rep.Status.Good() || rep.Passes < 1 {
					t.Errorf("n=%d %s: report %+v", c.N, name, rep)
				}
			}
		}
	}
}

func TestGeodesicsAgreeWithPyRiemann(t *testing.T) {
	for _, c := range goldenCases(t) {
		x := c.stack()
		for name, want := range c.Geodesic {
			got := testkit.Must(geodesicOf(Metric(name), x.At(0), x.At(1), c.T, c.N))(t)
			testkit.Close(t, name, got, flattened(want), 1e-9)
		}
	}
}

func TestMapsAgreeWithPyRiemann(t *testing.T) {
	for _, c := range goldenCases(t) {
		x := c.stack()
		var v, back Stack
		testkit.NoError(t, LogMap(&v, Riemann, x.Select([]int{0}), symmetric(x.Dim, x.At(1))))
		// pyRiemann's log map leaves out the outer C½ of the Riemannian one.
		var white Stack
		testkit.NoError(t, recenter(&white, &v, x.At(1), nil))
		testkit.Close(t, "log map", white.Data, flattened(c.LogMap), 1e-9)
		testkit.NoError(t, ExpMap(&back, Riemann, &v, symmetric(x.Dim, x.At(1))))
		testkit.Close(t, "exp map", back.Data, flattened(c.ExpMap), 1e-9)
		var tv mat.Dense
		testkit.NoError(t, tangentVectors(context.Background(), &tv, x, flattened(c.Mean["riemann"])))
		testkit.Close(t, "tangent vectors", tv.RawMatrix().Data, flattened(c.Tangent), 1e-9)
	}
}

func TestKernelsAgreeWithPyRiemann(t *testing.T) {
	for _, c := range goldenCases(t) {
		x := c.stack()
		for name, want := range c.Kernel {
			var ref []float64
			if name == "riemann" {
				ref = flattened(c.Mean["riemann"])
			}
			var got mat.Dense
			testkit.NoError(t, Kernel(&got, Metric(name), x, nil, symmetric(x.Dim, ref)))
			testkit.Close(t, name, got.RawMatrix().Data, flattened(want), 1e-9)
		}
	}
}
