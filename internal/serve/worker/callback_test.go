package worker

import (
	"strings"
	"testing"

	"rao/internal/testkit"
)

// callFit returns a fit whose dissimilarity the test computes: the squared distance of the means.
func callFit() Request {
	x, y := blobs()
	q := fitRequest(x, y)
	q.Method, q.Calls = "sqfa", true
	q.Settings = []map[string]string{{"name": "filters", "value": "1"}, {"name": "noise", "value": "0.1"},
		{"name": "distance", "value": callDissimilarity}}
	return q
}

// answer computes the values that a frame requests.
func (c *client) answer(r *reply) Request {
	means, first, second := r.array(c.t, "means"), r.array(c.t, "first"), r.array(c.t, "second")
	m, v := means.Shape[1], means.doubles()
	i, j := testkit.Must(first.ints())(c.t), testkit.Must(second.ints())(c.t)
	values, grad := make([]float64, len(i)), make([]float64, len(v))
	var weights []float64
	for k := range r.Arrays {
		if r.Arrays[k].Name == "weights" {
			weights = r.Arrays[k].doubles()
		}
	}
	for p := range i {
		for d := range m {
			u := v[i[p]*m+d] - v[j[p]*m+d]
			values[p] += u * u
			if weights != nil {
				grad[i[p]*m+d] += 2 * weights[p] * u
				grad[j[p]*m+d] -= 2 * weights[p] * u
			}
		}
	}
	if weights == nil {
		return Request{Op: "answer", Arrays: []Array{float64Array("values", values, len(values))}}
	}
	covs := r.array(c.t, "covs")
	return Request{Op: "answer", Arrays: []Array{float64Array("means", grad, len(grad)),
		float64Array("covs", make([]float64, covs.len()), covs.len())}}
}

// A fit requests dissimilarities from the caller, and ends with the caller's error.
func TestDissimilarityOfTheCaller(t *testing.T) {
	c := start(t, Options{})
	for _, w := range []struct {
		change func(*Request) // of the fifth answer
		says   string
	}{
		{func(*Request) {}, ""},
		{func(q *Request) { q.Problem = "my own problem" }, "my own problem"},
		{func(q *Request) { q.Arrays = nil }, "has no array"},
		{func(q *Request) { q.Arrays[0] = float64Array(q.Arrays[0].Name, []float64{1}, 1) }, "of length 1, but"},
	} {
		q := callFit()
		c.send(&q, q.Arrays)
		r := c.receive()
		for asked := 1; len(r.Call) > 0; asked++ {
			a := c.answer(r)
			if asked == 5 {
				w.change(&a)
			}
			c.send(&a, a.Arrays)
			r = c.receive()
		}
		if w.says == "" && len(r.Arrays) == 2 {
			continue
		}
		if !strings.Contains(r.Error, w.says) || r.Internal || r.Error == "" {
			t.Errorf("%q (internal %v) does not say %q", r.Error, r.Internal, w.says)
		}
	}
	stale := Request{Op: "answer"}
	c.send(&stale, nil) // nobody asked, and nobody answers
	c.ask(Request{Op: "hello"})
	q := callFit()
	q.Calls = false
	c.refuses(q, "the request names no function")
}
