// Package classify holds the classifiers: Gaussian and nearest-neighbor ones on
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
//	err = qda.LogPosterior(ctx, &logp, test) // N×c log-probabilities
//
// The decision is the largest log-probability of a row, the first of equals;
// package evaluate turns the matrix into decisions and scores. [Refine] learns filters
// and a [Mixture] behind them together.
//
// # Matrices
//
// The others take a stack of SPD matrices, such as the covariances of EEG trials or
// of image features, and decide in its geometry:
//
//   - [FitMDM]: the class whose mean is nearest, under any metric of package spd.
//     No options to tune, few trials needed; the baseline.
//   - [FitGeodesicFilter] before [FitMDM]: the method FgMDM, which keeps what separates
//     the classes.
//   - [FitTangentLDA] and [FitTangentLogistic]: a linear classifier of the tangent
//     vectors at the mean; usually better than MDM once trials outnumber the
//     n(n+1)/2 entries, or with shrinkage.
//   - [FitENuc]: logistic regression whose coefficients are a few spatial patterns a
//     class; the most accurate here on EEG, and with few trials.
//   - [FitSubmanifold] or [FitFisherSubmanifold] before a classifier of tangent vectors:
//     the method TSSM, on smaller matrices.
//   - [FitMatrixKNN]: the nearest training matrices; no training, slow decisions.
//   - [FitMatrixSVM]: support vectors with the log-Euclidean Gaussian kernel.
//
// All are used alike:
//
//	mdm, err := classify.FitMDM(ctx, train, labels, classes, classify.MDMOptions{})
//	var logp mat.Dense
//	err = mdm.LogPosterior(ctx, &logp, test) // N×c log-probabilities
//
// # Caveats
//
// A matrix must be positive definite; the error of one that is not names it, and
// spd.Check finds the cause and a repair. The probabilities of MDM come from
// distances and are not calibrated; those of the tangent-space classifiers are
// often too sure on a later session.
//
// QDA needs every class covariance to be positive definite: more observations in
// each class than dimensions, and no constant column. If that fails the error says
// which class, its smallest eigenvalue, and what to try. Images of hundreds of
// pixels should be reduced to a few filters first.
//
// [CausalBias] lets the intercepts of any classifier follow a new session trial by
// trial.
//
// Fitted models are read-only afterwards: their methods may be called from several
// goroutines at once.
package classify
