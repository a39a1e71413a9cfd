// Package decision has what packages classify and classifiers share: checks of training data, of models from files and
// of priors; the normalization of log-probabilities; and the fit of a logistic regression.
package decision
