package worker

import (
	"math"
	"testing"

	"rao/internal/testkit"
)

// For a regression, the operation transform returns the predicted numbers. Errors in a request are reported.
func TestRegress(t *testing.T) {
	c := start(t, Options{})
	const n = 20
	x, y := make([]float64, n*4), make([]float64, n)
	for i := range y {
		y[i] = float64(i % 5)
		x[4*i], x[4*i+3] = math.Exp(y[i]), 1
	}
	arrays := []Array{float64Array("X", x, n, 2, 2), float64Array("y", y, n)}
	c.ask(Request{Op: "regress", Method: "knn", Settings: []map[string]string{{"name": "neighbors", "value": "1"}},
		Arrays: arrays})
	r := c.ask(Request{Op: "transform", Model: 1, Arrays: arrays[:1]})
	for i, v := range r.Arrays[0].doubles() {
		testkit.Equal(t, v, y[i], "in place of")
	}
	set := func(name, value string) []map[string]string {
		return []map[string]string{{"name": name, "value": value}}
	}
	for says, q := range map[string]Request{
		"neighbors":          {Method: "knn", Settings: set("neighbors", "0"), Arrays: arrays},
		"above 0":            {Method: "svr", Settings: set("c", "-1"), Arrays: arrays},
		"is unknown":         {Method: "svr", Settings: set("k", "1"), Arrays: arrays},
		"regression":         {Method: "forest", Arrays: arrays},
		"y":                  {Method: "knn", Arrays: arrays[:1]},
		"y has the shape":    {Method: "knn", Arrays: []Array{arrays[0], float64Array("y", y[:5], 5)}},
		"needs SPD matrices": {Method: "knn", Arrays: []Array{float64Array("X", x, n, 4), arrays[1]}},
	} {
		q.Op = "regress"
		c.refuses(q, says)
	}
}
