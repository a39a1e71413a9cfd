// Package explain explains why a model made its decisions. The explanation is exact: its terms add up to the log-odds
// of the chosen class and the runner-up.
//
//	p, err := m.Predict(ctx, b)
//	items, err := explain.All(ctx, m, b, p)
//
// For quadratic and linear classifiers and for mixtures of Gaussians, each term belongs to a filter or a pair of
// filters. If all stages of the model are linear, the explanation includes the derivative with respect to every input
// value. For enuc, each term belongs to a spatial source. For means and prototypes of matrices, the explanation shows
// how the matrix differs from the nearest mean or prototype of each of the two classes.
package explain
