package worker

import (
	"encoding/json"
	"math"
	"testing"

	"rao/evaluate"
	"rao/internal/testkit"
)

// people returns the arrays of a request: matrices of two classes from two people, stretched for the second.
func people() (x, y, groups Array) {
	var values []float64
	var labels, of []int
	for i := range 40 {
		a, b := 1+0.1*math.Sin(float64(i)), 1+0.1*math.Cos(float64(3*i))
		if i%2 == 1 {
			a *= 3
		}
		if i >= 20 {
			a, b = 5*a, 0.5*b
		}
		values = append(values, a, 0.1*a*b/(a+b), 0.1*a*b/(a+b), b)
		labels, of = append(labels, i%2), append(of, i/20)
	}
	return float64Array("X", values, 40, 2, 2), intArray("y", labels), intArray("groups", of)
}

func TestOperationsOnTheManifold(t *testing.T) {
	x, y, groups := people()
	c := start(t, Options{})
	var test struct{ F, P float64 }
	r := c.ask(Request{Op: "manova", Manova: evaluate.ManovaOptions{Permutations: 199, Keep: true},
		Arrays: []Array{x, y,
			groups}})
	if err := json.Unmarshal(r.Info, &test); err != nil || test.P > 0.01 || len(r.array(t, "F").doubles()) != 200 {
		t.Errorf("manova: %+v, %v", test, err)
	}
	var distinct float64
	testkit.NoError(t, json.Unmarshal(c.ask(Request{Op: "distinct", Arrays: []Array{x, y}}).Info, &distinct))
	testkit.Equal(t, distinct > 0, true, "distinctiveness", distinct)
	for _, kind := range []string{"spectral", "lle"} {
		if z := c.ask(Request{Op: "embed", Kind: kind, Arrays: []Array{x}}).array(t, "Z"); z.Shape[0] != 40 ||
			z.Shape[1] != 2 {
			t.Errorf("%s: a map of shape %v", kind, z.Shape)
		}
	}
	kmeans := c.ask(Request{Op: "kmeans", Cluster: clusterRequest{Clusters: 2}, Arrays: []Array{x}})
	if m := kmeans.array(t, "M"); m.Shape[0] != 2 {
		t.Errorf("means of shape %v", m.Shape)
	}
	modes := c.ask(Request{Op: "mean_shift", Cluster: clusterRequest{Kernel: "normal"}, Arrays: []Array{x}})
	if m, g := modes.array(t, "M"), modes.array(t, "cluster"); m.Shape[1] != 2 || g.Shape[0] != 40 {
		t.Errorf("modes of shape %v, clusters of shape %v", m.Shape, g.Shape)
	}
	mixed := c.ask(Request{Op: "mixture", Cluster: clusterRequest{Clusters: 2}, Arrays: []Array{x}})
	parts := []Array{x, *mixed.array(t, "M"), *mixed.array(t, "S"), *mixed.array(t, "w")}
	chances := c.ask(Request{Op: "posterior", Arrays: parts})
	if p, l := chances.array(t, "P"), chances.array(t, "L"); p.Shape[0] != 40 || p.Shape[1] != 2 || l.Shape[0] != 40 {
		t.Errorf("probabilities of shape %v, densities of shape %v", p.Shape, l.Shape)
	}
	drawn := c.ask(Request{Op: "gaussian", Draw: drawRequest{Sigma: []float64{0.5}, PerClass: 7},
		Arrays: []Array{float64Array("C", []float64{1, 0, 0, 1}, 1, 2, 2)}})
	if s := drawn.array(t, "X").Shape; s[0] != 7 || s[1] != 2 {
		t.Errorf("draws of shape %v", s)
	}
	for _, kind := range []string{"", "median", "power", "masked", "joint"} {
		r := c.ask(Request{Op: "mean", Kind: kind, Exponent: 0.5, Arrays: []Array{x}})
		if m := r.array(t, "M").doubles(); !(m[0] > 0) {
			t.Errorf("mean of kind %q: %v", kind, m)
		}
	}
	aligned := c.ask(Request{Op: "align", Align: alignRequest{Target: 1, Rotate: true}, Arrays: []Array{x, y, groups}})
	if z, q := aligned.array(t, "Z"), aligned.array(t, "Q"); z.Shape[0] != 40 || q.Shape[0] != 2 {
		t.Errorf("aligned: %v, %v", z.Shape, q.Shape)
	}
}

func TestPotatoGoesBackAndForth(t *testing.T) {
	x, _, _ := people()
	c := start(t, Options{})
	for _, channels := range [][][]int{nil, {{0}, {0, 1}}} {
		q := Request{Op: "potato", Potato: potatoRequest{Threshold: 3, Level: 0.01, Channels: channels},
			Arrays: []Array{x}}
		first := c.ask(q)
		err := json.Unmarshal(first.Info, &q.Potato.Fitted)
		if err != nil || len(q.Potato.Fitted) != max(1, len(channels)) {
			t.Fatalf("%d potatoes: %v", len(q.Potato.Fitted), err)
		}
		again := c.ask(q)
		testkit.Equal(t, string(first.array(t, "Z").Data), string(again.array(t, "Z").Data),
			"a potato that was sent back gives other scores")
		q.Potato.Rate = 0.2
		if moved := c.ask(q); string(moved.Info) == string(first.Info) {
			t.Error("a potato that follows stays where it was")
		}
	}
}

func TestWrongRequestsOnTheManifold(t *testing.T) {
	x, y, groups := people()
	c := start(t, Options{})
	short := intArray("y", []int{0, 1})
	far := intArray("groups", make([]int, 40))
	far.Data[0] = 200
	center := float64Array("C", []float64{1, 0, 0, 1}, 1, 2, 2)
	potato := func(p onePotato) Request {
		return Request{Op: "potato", Potato: potatoRequest{Threshold: 3, Level: 0.01, Fitted: []onePotato{p}},
			Arrays: []Array{x}}
	}
	for want, q := range map[string]Request{
		"of values is 2":     {Op: "manova", Arrays: []Array{x, short}},
		"has the number 200": {Op: "align", Arrays: []Array{x, y, far}},
		"permutations is -1": {Op: "manova", Manova: evaluate.ManovaOptions{Permutations: -1}, Arrays: []Array{x, y}},
		"needs labeled matrices": {Op: "align", Align: alignRequest{Rotate: true}, Arrays: []Array{x, groups,
			intArray("y", minus(40))}},
		"unknown embedding":        {Op: "embed", Kind: "?", Arrays: []Array{x}},
		"unknown mean":             {Op: "mean", Kind: "?", Arrays: []Array{x}},
		"works only with --metric": {Op: "mean", Kind: "joint", Metric: "euclid", Arrays: []Array{x}},
		"per class": {Op: "gaussian", Draw: drawRequest{PerClass: math.MaxInt32, Sigma: []float64{1}},
			Arrays: []Array{center}},
		"center of length 1": potato(onePotato{Center: []float64{1}, Spread: 1}),
		"channel 7":          potato(onePotato{Channels: []int{7}, Center: []float64{1}, Spread: 1}),
		"not finite":         potato(onePotato{Center: []float64{1, 0, 0, 1}}),
		"no model":           {Op: "distances", Arrays: []Array{x}}, "there is no model": {Op: "spatial"},
	} {
		c.refuses(q, want)
	}
}

// minus returns n values of -1.
func minus(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = -1
	}
	return v
}
