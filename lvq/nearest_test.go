package lvq

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/internal/testkit"
	"rao/spd"
)

// With the rule nearest, the most probable class is the class of the nearest prototype, with and without calibration
// and for any priors. Classes at the same distance are equally probable.
func TestTheNearestPrototypeDecides(t *testing.T) {
	ctx := context.Background()
	vectors, vy := blobs(5, 4, 3, 30, 1.2)
	matrices, my := clouds(6, 3, 3, 20, 0.25, 0.5)
	for _, folds := range []int{-1, 3} {
		o := PLRSQOptions{PerClass: []int{4, 1, 2}, Epochs: 3, CalibrationFolds: folds, Rule: ruleNearest,
			Priors: []float64{0.7, 0.2, 0.1}}
		r := testkit.Must(FitRSLVQ(ctx, vectors, vy, nil, RSLVQOptions(o)))(t)
		agrees(t, "rslvq", r.LogPosterior, vectors, r.Labels, func(x []float64, l int) float64 {
			return distanceIn(nil, x, r.Prototypes.RawRowView(l))
		})
		for _, kind := range []Relevance{relevanceNone, relevanceShared, relevanceLocal} {
			m := testkit.Must(FitGMLVQ(ctx, vectors, vy, nil, GMLVQOptions{PerClass: o.PerClass, Relevance: kind,
				Epochs:           5,
				CalibrationFolds: folds}))(t)
			learned := func(x []float64, l int) float64 {
				return distanceIn(m.relevance(l), x, m.Prototypes.RawRowView(l))
			}
			agrees(t, fmt.Sprintf("gmlvq %q", kind), m.LogPosterior, vectors, m.Labels, learned)
		}
		for _, metric := range []spd.Metric{spd.Riemann, spd.LogEuclid, spd.Euclid} {
			o.Metric = metric
			m := testkit.Must(FitPLRSQ(ctx, matrices, my, nil, o))(t)
			d := testkit.Must(m.distances(ctx, matrices))(t)
			decisions := make([]Decision, matrices.Count)
			testkit.NoError(t, m.Decide(ctx, decisions, new(mat.Dense), matrices))
			for i, got := range decisions {
				testkit.Equal(t, got.Label, m.Labels[floats.MinIdx(d.RawRowView(i))], metric, "matrix", i,
					"class")
			}
		}
	}
}

// agrees checks the most probable class of every row against the distances.
func agrees(t *testing.T, name string, logPosterior func(context.Context, *mat.Dense, mat.Matrix) error,
	x *mat.Dense, labels []int, distance func(x []float64, l int) float64) {
	t.Helper()
	var logp mat.Dense
	testkit.NoError(t, logPosterior(t.Context(), &logp, x))
	for i, got := range evaluate.MostProbable(&logp) {
		best, least := 0, math.Inf(1)
		for l := range labels {
			if d := distance(x.RawRowView(i), l); d < least {
				best, least = l, d
			}
		}
		testkit.Equal(t, got, labels[best], name, "row", i, "class")
	}
}

// distanceIn returns (x−w)' Λ (x−w), where a nil Λ is the identity.
func distanceIn(lambda *mat.SymDense, x, w []float64) float64 {
	v := mat.NewVecDense(len(x), nil)
	v.SubVec(mat.NewVecDense(len(x), x), mat.NewVecDense(len(w), w))
	if lambda == nil {
		return mat.Dot(v, v)
	}
	return mat.Inner(v, lambda, v)
}

// Scales and offsets per class would contradict the nearest prototype.
func TestTheNearestPrototypeTakesNoClassOffsets(t *testing.T) {
	x, y := clouds(7, 3, 2, 12, 0.3, 0.3)
	_, err := FitPLRSQ(context.Background(), x, y, nil, PLRSQOptions{Rule: ruleNearest, PerClassDispersion: true})
	testkit.ErrorContains(t, err, "one temperature", "per-class dispersion")
	m := fitOrFail(t, x, y, plain(PLRSQOptions{Epochs: 2, Rule: ruleNearest}))
	testkit.ErrorContains(t, m.Calibrate(t.Context(), x, y, true), "one temperature", "calibration of each class")
	m.Rule = "closest"
	testkit.ErrorContains(t, m.Validate(), "closest", "an unknown rule")
}
