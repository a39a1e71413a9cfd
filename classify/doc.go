// Package classify has classifiers of vectors (Gaussian, logistic, nearest neighbors, support vectors) and of
// symmetric positive definite (SPD) matrices.
//
// # Vectors
//
// [FitQDA] and [FitLDA] need only class statistics, so the data can stay in several places; [FitKNN] keeps the
// training rows.
//
//	stats, err := gaussian.Estimate(x, labels, names)
//	qda, err := classify.FitQDA(stats, classify.QDAOptions{})
//	var logp mat.Dense
//	err = qda.LogPosterior(ctx, &logp, test) // N×c log-probabilities
//
// The class with the largest log-probability wins, and the first on ties; package evaluate turns the matrix into
// decisions and scores.
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
// All are used in the same way:
//
//	mdm, err := classify.FitMDM(ctx, train, labels, classes, classify.MDMOptions{})
//	var logp mat.Dense
//	err = mdm.LogPosterior(ctx, &logp, test) // N×c log-probabilities
//
// # Caveats
//
// Matrices must be positive definite. The error for a matrix that is not names it, and spd.Check finds the cause and a
// repair. The probabilities of MDM are not calibrated, and tangent-space classifiers are often overconfident on a
// later session.
//
// QDA needs positive definite class covariances: more observations in each class than dimensions, and no constant
// column. Otherwise the error gives the class, its smallest eigenvalue, and what to try. Reduce images of hundreds of
// pixels to a few filters first.
//
// [CausalBias] adapts the intercepts of any classifier to a new session, trial by trial.
//
// Methods of fitted models are safe for concurrent use.
package classify
