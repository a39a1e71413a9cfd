// Package classify holds the classifiers: Gaussian and nearest-neighbour ones on
// vectors, and geometric ones on symmetric positive definite matrices.
//
// # Vectors
//
// [FitQDA] and [FitLDA] need class statistics alone, so they train on data that
// were never in one place; [FitKNN] keeps the training rows.
//
//	stats, err := gaussian.Estimate(x, labels, names)
//	qda, err := classify.FitQDA(stats, classify.QDAOptions{})
//	var logp mat.Dense
//	qda.LogPosterior(&logp, test) // N×c log-probabilities
//
// The decision is the largest log-probability of a row, the first of equals;
// package evaluate turns the matrix into decisions and scores.
//
// # Caveats
//
// QDA needs every class covariance to be positive definite: more observations in
// each class than dimensions, and no constant column. If that fails the error says
// which class, its smallest eigenvalue, and what to try. Images of hundreds of
// pixels should be reduced to a few filters first.
//
// Fitted models are read-only afterwards: their methods may be called from several
// goroutines at once.
package classify
