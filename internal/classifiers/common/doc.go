// Package common contains code that packages classify and classifiers share. It checks training data, models from files
// and priors, converts votes to log-probabilities, and fits logistic regressions.
package common
