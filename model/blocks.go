package model

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classifiers/common"
	"rao/lvq"
	"rao/spd"
)

// blockValues is the approximate number of matrix values that pass through the stages at a time. This bounds the
// intermediate memory for any number of observations, and the context is checked between blocks.
const blockValues = 1 << 20

// jointStages returns the number of initial stages that must process all matrices of a call together: the stages up to
// the last stage that adapts to recordings.
func (m *Model) jointStages() int {
	for i := len(m.Stages); i > 0; i-- {
		if a, ok := m.Stages[i-1].(*Adaptation); ok && a.How != adaptBias {
			return i
		}
	}
	return 0
}

// matrixBlocks calls f for each block of matrices [lo,hi) with the output of the stages from index first on.
func (m *Model) matrixBlocks(ctx context.Context, b Batch, first int, f func(lo, hi int, z Batch) error) error {
	x := b.Stack
	block := max(64, blockValues/(x.Dim*x.Dim)/8*8)
	for lo := 0; lo < x.Count; lo += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, hi := b, min(lo+block, x.Count)
		part.Recordings = nil
		if hi-lo < x.Count {
			part.Stack = x.Slice(lo, hi)
		}
		z, err := m.stagesFrom(ctx, first, part)
		if err == nil {
			err = f(lo, hi, z)
		}
		if err != nil {
			return common.Shifted(err, lo)
		}
	}
	return nil
}

// applyToMatrices maps a matched batch of matrices through all stages, and to the internal features of the classifier
// if the stages compute no features.
func (m *Model) applyToMatrices(ctx context.Context, b Batch) (Batch, error) {
	first := m.jointStages()
	b, err := m.stagesBetween(ctx, 0, first, b)
	inside := !m.stagesMakeFeatures()
	if err != nil || first == len(m.Stages) && !inside {
		return b, err
	}
	var rows *mat.Dense
	var stack *spd.Stack
	err = m.matrixBlocks(ctx, b, first, func(lo, hi int, z Batch) (err error) {
		if inside {
			if z, err = featuresInside(m.Classifier, z.Stack); err != nil {
				return err
			}
		}
		switch n := z.Dim(); {
		case lo == 0 && hi == b.Len(): // all at once
			rows, stack = nil, z.Stack
			if z.X != nil {
				rows = z.X.(*mat.Dense)
			}
		case z.X != nil:
			if rows == nil {
				rows = mat.NewDense(b.Len(), n, nil)
			}
			rows.Slice(lo, hi, 0, n).(*mat.Dense).Copy(z.X)
		default:
			if stack == nil {
				stack = spd.NewStack(b.Len(), n)
			}
			copy(stack.Data[lo*n*n:], z.Stack.Contiguous())
		}
		return nil
	})
	if err != nil {
		return Batch{}, err
	}
	if stack != nil {
		return Matrices(stack), nil
	}
	return Vectors(rows), nil
}

// predictMatrices writes the log-posteriors of a matched batch of matrices to logp, and returns the decisions; see
// classify.
func (m *Model) predictMatrices(ctx context.Context, logp *mat.Dense, b Batch) ([]lvq.Decision, error) {
	first := m.jointStages()
	b, err := m.stagesBetween(ctx, 0, first, b)
	if err != nil {
		return nil, err
	}
	own := make([]lvq.Decision, b.Len())
	return own, m.matrixBlocks(ctx, b, first, func(lo, hi int, z Batch) error {
		dst := logp
		if hi-lo < b.Len() {
			dst = logp.Slice(lo, hi, 0, len(m.Classes)).(*mat.Dense)
		}
		return m.classify(ctx, own[lo:hi], dst, z)
	})
}
