package spd

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
)

// Center transforms the matrices of a recording x so that their Riemannian mean M becomes the identity. Recordings
// from different days or people then have the same center (Zanini, Congedo, Jutten, Said and Berthoumieu 2018):
//
//	X → M^-½ X M^-½
//
// Centering needs the complete recording before the first decision. If the class proportions differ from the
// proportions in training, the difference shifts the mean, and centering reduces the accuracy. Use [BalancedCentering]
// for such recordings.
//
// Center writes the centered matrices to dst, which may be x, and returns the mean. It returns an error if there are
// fewer matrices than channels, because their mean would be poor, or if a matrix is not SPD. If ctx is canceled, it
// returns the error of ctx. The cost is one mean, plus one congruence per matrix.
func Center(ctx context.Context, dst, x *Stack) (mean *mat.SymDense, err error) {
	m, err := sessionMean(ctx, x, nil, nil)
	if err != nil {
		return nil, err
	}
	return symmetric(x.Dim, m), recenter(dst, x, m, nil)
}

func sessionMean(ctx context.Context, x *Stack, weights, start []float64) ([]float64, error) {
	if x == nil {
		return nil, errNil
	}
	if x.Count < x.Dim {
		return nil, fmt.Errorf("centering needs the mean of the recording, but the number of matrices (%d) is less "+
			"than their order (%d); give at least %d at once", x.Count, x.Dim, x.Dim)
	}
	mean, _, err := weightedMean(ctx, x, weights, Riemann, MeanOptions{Start: symmetric(x.Dim, start)})
	if err != nil && (!rao.IsNotConverged(err) || ctx.Err() != nil) {
		return nil, err
	}
	return mean, nil
}

// BalancedCentering is [Center] with a weighted mean. A classifier predicts the classes of the recording, and the
// weights give each class the share that it has in training. The result does not depend on the class proportions of the
// recording. With P the posterior probabilities of the classes for the currently centered matrices, and π the class
// shares in training,
//
//	w_i = Σ_k π_k P_ik / max(Σ_j P_jk, Floor),  M ← the mean with weights w
//
// These two steps are repeated Rounds times. The floor limits the influence of a few doubtful trials when a class is
// nearly absent. The defaults were chosen on the recordings of five subjects.
type BalancedCentering struct {
	Floor  float64   // a class counts as at least this many trials; default 8
	Rounds int       // number of rounds; default 4
	Shares []float64 // π, one per class, summing to one; nil: equal
}

// Adapt writes the centered matrices of the recording x to dst, which may be x, and returns the mean. posterior,
// usually a method of a classifier that learned from centered matrices, writes the log-probabilities of the c classes
// for the N centered matrices of x to dst, which is empty before the call and N×c after it. Adapt returns the errors of
// [BalancedCentering.Validate], of posterior and of [Center], and an error if the number of shares differs from the
// number of classes. Each round costs one call of posterior and one mean, which starts from the mean of the previous
// round.
func (b BalancedCentering) Adapt(ctx context.Context, dst, x *Stack,
	posterior func(ctx context.Context, dst *mat.Dense, x *Stack) error) (*mat.SymDense, error) {
	if x == nil {
		return nil, errNil
	}
	if err := b.Validate(); err != nil {
		return nil, err
	}
	b.Floor = cmp.Or(b.Floor, 8)
	b.Rounds = cmp.Or(b.Rounds, 4)
	mean, err := sessionMean(ctx, x, nil, nil)
	if err != nil {
		return nil, err
	}
	centered := new(Stack)
	for range b.Rounds {
		if err := recenter(centered, x, mean, nil); err != nil {
			return nil, err
		}
		var logp mat.Dense
		if err := posterior(ctx, &logp, centered); err != nil {
			return nil, err
		}
		weights, err := b.weights(&logp)
		if err != nil {
			return nil, err
		}
		if mean, err = sessionMean(ctx, x, weights, mean); err != nil {
			return nil, err
		}
	}
	return symmetric(x.Dim, mean), recenter(dst, x, mean, nil)
}

// weights returns w from log-posteriors.
func (b BalancedCentering) weights(logp *mat.Dense) ([]float64, error) {
	n, c := logp.Dims()
	if b.Shares != nil && len(b.Shares) != c {
		return nil, fmt.Errorf("balanced centering: there are shares for %d classes, but the classifier has %d "+
			"classes", len(b.Shares), c)
	}
	seen := make([]float64, c)
	for i := range n {
		for k, v := range logp.RawRowView(i) {
			seen[k] += math.Exp(v)
		}
	}
	w := make([]float64, n)
	for i := range n {
		for k, v := range logp.RawRowView(i) {
			share := 1 / float64(c)
			if b.Shares != nil {
				share = b.Shares[k]
			}
			w[i] += share * math.Exp(v) / max(seen[k], b.Floor)
		}
	}
	return w, nil
}

// Validate returns an error if a field is out of range, or if the shares do not sum to 1.
func (b BalancedCentering) Validate() error {
	if !vec.NotNegative(b.Floor) || b.Rounds < 0 {
		return fmt.Errorf("balanced centering: the floor is %g and the number of rounds %d; both must be finite and "+
			"0 or more", b.Floor, b.Rounds)
	}
	sum := 0.0
	for _, v := range b.Shares {
		if !(v > 0) {
			return fmt.Errorf("balanced centering: a class has the share %g; every share must be positive", v)
		}
		sum += v
	}
	if b.Shares != nil && !(math.Abs(sum-1) < 1e-6) {
		return fmt.Errorf("balanced centering: the shares of the classes sum to %g; they must sum to 1", sum)
	}
	return nil
}

// AdaptEach adapts every recording of x separately and writes the results to the same positions of dst, which may be x.
// A recording consists of the matrices of one group, in their order. If groups is nil, all matrices belong to one
// recording. adapt receives the matrices of one recording as x and must write one result per matrix to dst. Errors name
// the group, and the matrix by its index in x.
func AdaptEach(dst, x *Stack, groups []int, adapt func(dst, x *Stack) error) error {
	return adaptEach(dst, x, groups, func(i int) string { return fmt.Sprintf("group %d", groups[i]) }, adapt)
}

// adaptEach is [AdaptEach] with a function that names the group of matrix i in errors.
func adaptEach(dst, x *Stack, groups []int, name func(i int) string, adapt func(dst, x *Stack) error) error {
	if err := x.Validate(); err != nil {
		return err
	}
	if groups != nil {
		if err := indices.CheckOnePer("group", len(groups), "matrix", x.Count); err != nil {
			return err
		}
	}
	if dst != x {
		dst.fit(x.Count, x.Dim)
	}
	for _, members := range indices.GroupsInOrder(groups, x.Count) {
		var out Stack
		if err := adapt(&out, x.Select(members)); err != nil {
			err = indices.InError(err, func(e *MatrixError) {
				if e.Index >= 0 && e.Index < len(members) {
					e.Index = members[e.Index]
				}
			})
			if groups != nil {
				return fmt.Errorf("%s: %w", name(members[0]), err)
			}
			return err
		}
		for i, k := range members {
			copy(dst.At(k), out.At(i))
		}
	}
	return nil
}
