package potato

import (
	"context"

	"rao/spd"

	"gonum.org/v1/gonum/mat"
)

// Artifacts lists the matrices that are far from the others, and the scores of all matrices.
type Artifacts struct {
	Field *Field
	Z     *mat.Dense // z-scores, matrices×potatoes
	P     []float64  // combined probability of each matrix
	Found []int      // indexes of the artifacts, in ascending order
}

// Find fits a field of Riemannian potatoes to the first matrices of x and scores all matrices. If first is 0, or larger
// than the number of matrices, it fits to all matrices. If rate is above 0, the field adapts to the clean matrices
// after these. Options and errors are the same as for [Fit] and [Field.Follow].
func Find(ctx context.Context, x *spd.Stack, first int, rate float64, opt Options) (*Artifacts, error) {
	if first <= 0 || first > x.Count {
		first = x.Count
	}
	field, err := Fit(ctx, x.Slice(0, first), opt)
	if err != nil {
		return nil, err
	}
	a := &Artifacts{Field: field, Z: new(mat.Dense), P: make([]float64, x.Count), Found: []int{}}
	if err := field.Scores(ctx, a.Z, x); err != nil {
		return nil, err
	}
	if rate > 0 && first < x.Count {
		rest := a.Z.Slice(first, x.Count, 0, len(field.Potatoes)).(*mat.Dense)
		if err := field.Follow(ctx, rest, x.Slice(first, x.Count), rate); err != nil {
			return nil, err
		}
	}
	for k := range a.P {
		a.P[k] = field.Probability(a.Z.RawRowView(k))
		if field.Artifact(a.Z.RawRowView(k)) {
			a.Found = append(a.Found, k)
		}
	}
	return a, nil
}
