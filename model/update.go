package model

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/digest"
	"rao/lvq"
	"rao/spd"
)

// Update returns a model that has learned from new labeled observations too; m stays as
// it is. Labels count the classes of the model. The stages (scaling, filters, repair,
// smaller matrices) stay as they are. What the classifier does with an observation:
//
//   - prototypes take a bounded step of their training rule, in the order of the
//     observations (lvq.PLRSQ.Update);
//   - the mean of a class moves along the geodesic by 1/(n+1) of the way, n the
//     observations behind it;
//   - nearest neighbors keep the observation.
//
// Other classifiers need a new fit, which the error says, as it does when a label is no
// class or an observation cannot be used. A calibration stays as it is.
func (m *Model) Update(ctx context.Context, b Batch, labels []int) (*Model, error) {
	if m.Classifier == nil {
		return nil, fmt.Errorf("the %s model was saved without a classifier; there is nothing to update", m.Method)
	}
	b, err := m.Input.Match(b)
	if err != nil {
		return nil, err
	}
	if len(labels) != b.Len() {
		return nil, fmt.Errorf("%d labels for %d observations", len(labels), b.Len())
	}
	for i, l := range labels {
		if l < 0 || l >= len(m.Classes) {
			return nil, fmt.Errorf("observation %d has class %d of %d", i, l, len(m.Classes))
		}
	}
	z, err := m.through(ctx, b)
	if err != nil {
		return nil, err
	}
	out := *m
	counts := slices.Clone(m.Training.Counts)
	if counts == nil {
		counts = make([]int, len(m.Classes))
	}
	if out.Classifier, err = m.learn(ctx, z, labels, counts); err != nil {
		return nil, err
	}
	out.Training.Counts = counts
	out.Training.Digest = grown(m.Training.Digest, b, labels)
	out.Report.History = nil
	out.Notes = append(slices.Clone(m.Notes),
		fmt.Sprintf("updated with %d labeled observations after the fit", len(labels)))
	return &out, out.Validate()
}

// learn returns the classifier after the observations; counts, those of each class, grow.
func (m *Model) learn(ctx context.Context, b Batch, labels, counts []int) (Classifier, error) {
	switch cl := m.Classifier.(type) {
	case *lvq.PLRSQ:
		return updatePrototypes(ctx, cl, b.Stack, labels, counts)
	case *classify.MDM:
		return updateMeans(ctx, cl, b.Stack, labels, counts, m.Training.Counts == nil)
	case *classify.KNN:
		for _, l := range labels {
			counts[l]++
		}
		return classify.FitKNN(stacked(cl.Rows, b.X), slices.Concat(cl.Labels, labels), cl.Classes,
			classify.KNNOptions{K: cl.K})
	case *classify.MatrixKNN:
		for _, l := range labels {
			counts[l]++
		}
		x := spd.StackOf(cl.Matrices.Count+b.Stack.Count, cl.Matrices.Dim,
			slices.Concat(cl.Matrices.Contiguous(), b.Stack.Contiguous()))
		return classify.FitMatrixKNN(ctx, x, slices.Concat(cl.Labels, labels), cl.Classes,
			classify.MatrixKNNOptions{Metric: cl.Metric, K: cl.K})
	}
	return nil, fmt.Errorf("a %s model does not learn from single observations (plrsq, mdm and nearest neighbors "+
		"do); fit it again with all the data", m.Method)
}

func updatePrototypes(ctx context.Context, cl *lvq.PLRSQ, x *spd.Stack, labels, counts []int) (Classifier, error) {
	mine := cl.Clone()
	for k, l := range labels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := mine.Update(x.View(k), l, lvq.UpdateOptions{}); err != nil {
			return nil, fmt.Errorf("observation %d: %w", k, err)
		}
		counts[l]++
	}
	return mine, nil
}

func updateMeans(ctx context.Context, cl *classify.MDM, x *spd.Stack, labels, counts []int,
	unknown bool) (Classifier, error) {
	if unknown {
		return nil, fmt.Errorf("the model does not say how many observations are behind its means; " +
			"fit it again")
	}
	n := cl.Means.Dim
	mine := &classify.MDM{Classes: cl.Classes, Metric: cl.Metric, Reports: cl.Reports,
		Means: spd.StackOf(cl.Means.Count, n, slices.Clone(cl.Means.Contiguous()))}
	mean := mat.NewSymDense(n, nil)
	for k, l := range labels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := spd.Geodesic(mean, cl.Metric, mine.Means.Sym(l), x.Sym(k), 1/float64(counts[l]+1)); err != nil {
			return nil, fmt.Errorf("observation %d: %w", k, err)
		}
		mine.Means.Set(l, mean)
		counts[l]++
	}
	return mine, nil
}

// stacked returns the rows of a and those of b below.
func stacked(a *mat.Dense, b mat.Matrix) *mat.Dense {
	var out mat.Dense
	out.Stack(a, b)
	return &out
}

// grown digests what a model has learned from: the digest so far and the new data.
func grown(before string, b Batch, labels []int) string {
	d := digest.New()
	d.Text(before)
	d.Ints(labels)
	if b.Stack != nil {
		d.Floats(b.Stack.Contiguous())
	} else {
		d.Floats(mat.DenseCopyOf(b.X).RawMatrix().Data)
	}
	return d.String()
}
