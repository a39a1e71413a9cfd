// Package covstream converts a live signal to the covariance matrices of its windows, by preparation, causal filters, a
// sliding window and an estimator. Package stream classifies these matrices; package eeg has the same estimators.
package covstream
