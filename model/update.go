package model

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/classifiers"
	"rao/internal/digest"
	"rao/internal/indices"
	"rao/internal/text"
	"rao/lvq"
	"rao/spd"
)

// Update returns a model that has also learned from new labeled observations; m does not change. Labels are indices of
// the model's classes. The stages (scaling, filters, repair, reduction) do not change. The classifier learns from an
// observation as follows:
//
//   - prototypes make a bounded step of their training rule, in the order of the observations (lvq.PLRSQ.Update);
//   - the mean of a class moves along the geodesic by the fraction 1/(n+1), where n is the number of observations in
//     the mean;
//   - nearest neighbors store the observation.
//
// For other classifiers, which need a new fit, it returns an error. It also returns an error if a label is not a class
// or an observation cannot be used. Calibrations do not change.
func (m *Model) Update(ctx context.Context, b Batch, labels []int) (*Model, error) {
	if err := m.checkClassifier(); err != nil {
		return nil, err
	}
	b, err := m.Input.match(b)
	if err != nil {
		return nil, err
	}
	if err := indices.CheckOnePer("label", len(labels), "observation", b.Len()); err != nil {
		return nil, err
	}
	if err := indices.CheckLabels("observation", labels, len(m.Classes)); err != nil {
		return nil, err
	}
	z, err := m.applyStages(ctx, b)
	if err != nil {
		return nil, err
	}
	out := *m
	if err := out.learn(ctx, z, labels); err != nil {
		return nil, err
	}
	out.Training.Digest = grown(m.Training.Digest, b, labels)
	out.Training.Privacy = nil // the new observations have no noise
	out.Training.Range.learn(b)
	out.Report.History = nil
	out.Notes = append(slices.Clone(m.Notes),
		"updated after the fit with "+text.Plural(len(labels), "labeled observation", "labeled observations"))
	return &out, out.Validate()
}

// learn replaces the classifier by one updated with observations that have passed the stages, and updates the counts.
func (m *Model) learn(ctx context.Context, b Batch, labels []int) error {
	k, _, _ := kindFor(m.Classifier)
	if k.learn == nil {
		return fmt.Errorf("the %s model cannot be updated with new observations (only %s can); fit a new model to all "+
			"the data",
			m.Method, whichCan(func(a *abilities) bool { return a.learn != nil }))
	}
	cl, err := k.learn(ctx, m.Classifier, b, labels, m.Training.Counts)
	if err != nil {
		return err
	}
	counts := slices.Clone(m.Training.Counts)
	if counts == nil {
		counts = make([]int, len(m.Classes))
	}
	for _, l := range labels {
		counts[l]++
	}
	m.Classifier, m.Training.Counts = cl, counts
	return nil
}

func updatePrototypes(ctx context.Context, cl *lvq.PLRSQ, b Batch, labels, _ []int) (Classifier, error) {
	mine := cl.Clone()
	for k, l := range labels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := mine.Update(b.Stack.View(k), l, lvq.UpdateOptions{}); err != nil {
			return nil, fmt.Errorf("observation %d: %w", k, err)
		}
	}
	return mine, nil
}

func updateMeans(ctx context.Context, cl *classify.MDM, b Batch, labels, counts []int) (Classifier, error) {
	if counts == nil {
		return nil, fmt.Errorf("the model does not record the numbers of observations of its means; fit it again")
	}
	n, counts := cl.Means.Dim, slices.Clone(counts)
	mine := &classify.MDM{Classes: cl.Classes, Metric: cl.Metric, Reports: cl.Reports,
		Means: spd.StackOf(cl.Means.Count, n, slices.Clone(cl.Means.Contiguous()))}
	mean := mat.NewSymDense(n, nil)
	for k, l := range labels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		counts[l]++
		if err := spd.Geodesic(mean, cl.Metric, mine.Means.Sym(l), b.Stack.Sym(k), 1/float64(counts[l])); err != nil {
			return nil, fmt.Errorf("observation %d: %w", k, err)
		}
		mine.Means.Set(l, mean)
	}
	return mine, nil
}

func updateNeighbors(_ context.Context, cl *classify.KNN, b Batch, labels, _ []int) (Classifier, error) {
	return classify.FitKNN(stacked(cl.Rows, b.X), slices.Concat(cl.Labels, labels), cl.Classes,
		classify.KNNOptions{K: cl.K, Smoothing: cl.Smoothing})
}

func updateMatrixNeighbors(ctx context.Context, cl *classifiers.MatrixKNN, b Batch, labels, _ []int) (Classifier,
	error) {
	x := spd.StackOf(cl.Matrices.Count+b.Stack.Count, cl.Matrices.Dim,
		slices.Concat(cl.Matrices.Contiguous(), b.Stack.Contiguous()))
	return classifiers.FitMatrixKNN(ctx, x, slices.Concat(cl.Labels, labels), cl.Classes,
		classifiers.MatrixKNNOptions{Metric: cl.Metric, K: cl.K, Smoothing: cl.Smoothing})
}

// stacked returns the rows of a followed by the rows of b.
func stacked(a *mat.Dense, b mat.Matrix) *mat.Dense {
	var out mat.Dense
	out.Stack(a, b)
	return &out
}

// grown returns a digest of the previous digest and the new data.
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
