// Package trainingdata describes the vectors that a model is fitted to.
package trainingdata

import (
	"math"

	"rao/internal/classcolumns"
	"rao/model"
)

// OfVectors returns the Training of a model of vectors. raw and scaled are the marginals of the training vectors before
// and after scaling.
func OfVectors(raw, scaled *classcolumns.Marginals) model.Training {
	t := model.Training{Counts: append([]int(nil), raw.Counts...), Digest: raw.Digest()}
	center, variance := scaled.Pooled()
	sum, square := 0.0, 0.0
	for j, v := range variance {
		sum += v
		square += center[j] * center[j]
	}
	t.Range.Count, t.Range.Spread = raw.Total(), math.Sqrt(sum)
	t.Range.Usual, t.Range.Deviations = raw.Pooled()
	for j, v := range t.Range.Deviations {
		t.Range.Deviations[j] = math.Sqrt(v)
	}
	if math.Sqrt(square) > 1e-9*t.Range.Spread {
		t.Range.Center = center
	}
	return t
}
