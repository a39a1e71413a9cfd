package feature

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/shrink"
	"rao/internal/testkit"
	"rao/spd"
)

// For two and three classes, with arithmetic and Riemannian class means, the filters equal pyRiemann's up to sign and
// length. For two classes ours are √2 longer. The order is also the same, except for three classes with Riemannian
// means: pyRiemann then computes the variance over all classes from the Riemannian mean of the class means, but the
// mutual information that orders the filters uses their average.
func TestCSPAgreesWithPyRiemann(t *testing.T) {
	b := testkit.Must(os.ReadFile("testdata/csp_pyriemann.json"))(t)
	var gold map[string]struct{ Filters, Features []float64 }
	testkit.NoError(t, json.Unmarshal(b, &gold))
	x := spd.StackOf(12, 4, loadCSPGolden(t).Stack)
	for key, want := range gold {
		metric, classes := spd.Metric(key[:len(key)-1]), int(key[len(key)-1]-'0')
		m, err := FitCSP(context.Background(), x, testkit.Alternate(12, classes), []string{"a", "b", "c"}[:classes],
			CSPOptions{KeepPower: true, Metric: metric, Tol: 1e-13})
		testkit.NoError(t, err, key)
		w := mat.NewDense(4, 4, want.Filters)
		var z mat.Dense
		m.Transform(&z, x)
		for j := range 4 {
			u, peer := m.Filters.ColView(j), j
			if key == "riemann3" {
				for i := range 4 {
					if cosine(u, w.ColView(i)) > cosine(u, w.ColView(peer)) {
						peer = i
					}
				}
			}
			v := w.ColView(peer)
			if cos := cosine(u, v); cos < 1-1e-10 {
				t.Errorf("%s: filter %d has a cosine of %.12f with pyRiemann's", key, j, cos)
			}
			length := 2 * math.Log(mat.Norm(u, 2)/mat.Norm(v, 2))
			for k := range 12 {
				if d := z.At(k, j) - want.Features[4*k+peer] - length; math.Abs(d) > 1e-8 {
					t.Errorf("%s: trial %d, feature %d: %g off", key, k, j, d)
				}
			}
			if own := math.Log(2); classes == 2 && math.Abs(length-own) > 1e-8 {
				t.Errorf("%s: filter %d: twice the log of its length is %g off", key, j, length-own)
			}
		}
	}
}

func cosine(u, v mat.Vector) float64 {
	return math.Abs(mat.Dot(u, v)) / mat.Norm(u, 2) / mat.Norm(v, 2)
}

// One class versus the rest gives the filters of two classes, the best of each class in turn.
func TestCSPOneVersusRest(t *testing.T) {
	x := spd.StackOf(12, 4, loadCSPGolden(t).Stack)
	names := []string{"a", "b", "c"}
	opt := CSPOptions{OneVersusRest: true, KeepPower: true}
	m := testkit.Must(FitCSP(context.Background(), x, testkit.Alternate(12, 3), names, opt))(t)
	for k := range names {
		against := testkit.Alternate(12, 3)
		for i, l := range against {
			against[i] = min(1, max(l-k, k-l))
		}
		pair := testkit.Must(FitCSP(context.Background(), x, against, []string{"one", "rest"},
			CSPOptions{KeepPower: true}))(t)
		for r := range 2 {
			if j := 3*r + k; j < 4 && (!slices.Equal(mat.Col(nil, j, m.Filters), mat.Col(nil, r, pair.Filters)) ||
				m.Scores[j] != pair.Scores[r]) {
				t.Errorf("filter %d is not the filter %d of class %s", j, r, names[k])
			}
		}
	}
	var eye mat.Dense
	eye.Mul(m.Patterns.T(), m.Filters)
	for i := range 4 {
		for j := range 4 {
			testkit.Near(t, eye.At(i, j), float64(1-min(1, max(i-j, j-i))), 1e-9, "patterns'·filters at", i, j)
		}
	}
	testkit.NoError(t, m.Validate())
	_, err := FitCSP(context.Background(), x, testkit.Alternate(12, 2), names[:2], opt)
	testkit.ErrorContains(t, err, "at least three classes", "two classes")
}

// Shrunk class means equal means of shrunk matrices; with shrinkage 1 all directions are equal.
func TestCSPShrinkage(t *testing.T) {
	x := spd.StackOf(12, 4, loadCSPGolden(t).Stack)
	shrunk := spd.NewStack(12, 4)
	for k := range 12 {
		copy(shrunk.At(k), x.At(k))
		shrink.Apply(shrunk.At(k), 4, 0.3)
	}
	fit := func(x *spd.Stack, a float64) *CSP {
		m := testkit.Must(FitCSP(context.Background(), x, testkit.Alternate(12, 2), []string{"a", "b"},
			CSPOptions{Shrinkage: a}))(t)
		return m
	}
	a, b := fit(x, 0.3), fit(shrunk, 0)
	if !mat.EqualApprox(a.Filters, b.Filters, 1e-10) {
		t.Errorf("filters of shrunk means\n%v, of shrunk matrices\n%v", mat.Formatted(a.Filters),
			mat.Formatted(b.Filters))
	}
	for _, s := range fit(x, 1).Scores {
		testkit.Near(t, s, 0.5, 1e-12, "score at a shrinkage of 1")
	}
	for _, bad := range []float64{-0.1, 1.1, math.NaN()} {
		testkit.ErrorContains(t, testkit.ErrorOf(FitCSP(context.Background(), x, testkit.Alternate(12, 2),
			[]string{"a", "b"}, CSPOptions{Shrinkage: bad})), "between 0 and 1", "shrinkage", bad)
	}
}
