// Package explain says why a model decided as it did, exactly: terms that add up to the
// log-odds of the class and its runner-up.
//
//	p, err := m.Predict(ctx, b)
//	items, err := explain.All(ctx, m, b, p)
//
// Of quadratic and linear classifiers and of mixtures of Gaussians the terms are those of
// filters and their pairs, and there is the derivative with every value of the input. Of enuc
// they are those of spatial sources. Of means and prototypes of matrices there is how the
// matrix differs from the nearest.
package explain
