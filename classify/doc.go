// Package classify has classifiers for vectors (Gaussian, logistic, nearest neighbors, support vectors) and for
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
// The class with the largest log-probability wins, or the first one if there is a tie. Package evaluate converts the
// matrix to decisions and scores.
//
// # Matrices
//
// The others classify a stack of SPD matrices, such as the covariances of EEG trials or of image features, in the
// geometry of these matrices:
//
//   - [FitMDM]: the class with the nearest mean, under any metric of package spd. It has no options to tune and needs
//     few trials; it is the baseline.
//   - [FitGeodesicFilter] before [FitMDM]: the method FgMDM, which keeps only what separates the classes.
//   - [FitTangentLDA] and [FitTangentLogistic]: a linear classifier of the tangent vectors at the mean. It is usually
//     better than MDM if there are more trials than the n(n+1)/2 entries, or with shrinkage.
//   - [FitENuc]: logistic regression in which the coefficients are a few spatial patterns per class. It is the most
//     accurate classifier here on EEG, also with few trials.
//   - [FitSubmanifold] or [FitFisherSubmanifold] before a classifier of tangent vectors: the method TSSM, on smaller
//     matrices.
//   - [FitMatrixKNN]: the nearest training matrices. It needs no training, but decisions are slow.
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
// Matrices must be positive definite. Otherwise the error names the matrix; spd.Check finds the cause and a repair.
// The probabilities of MDM are not calibrated, and tangent-space classifiers are often overconfident in a later
// session.
//
// QDA needs positive definite class covariances: more observations in each class than dimensions, and no constant
// column. Otherwise the error gives the class, its smallest eigenvalue, and what to try. Reduce images of hundreds of
// pixels to a few filters first.
//
// [CausalBias] adapts the intercepts of any classifier to a new session, trial by trial.
//
// Methods of fitted models are safe for concurrent use.
package classify
