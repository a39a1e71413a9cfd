// Package classifiers contains the classifiers that package method fits by name and package classify does not offer:
// most classifiers and reductions of symmetric positive definite (SPD) matrices, support vectors and Parzen windows.
//
//   - [FitGeodesicFilter] before an MDM: the method FgMDM, which keeps only directions that separate the classes.
//   - [FitTangentLDA], [FitTangentLogistic], [FitTangentSVM]: a linear classifier of the tangent vectors at the mean;
//     usually better than MDM once trials outnumber the n(n+1)/2 entries, or with shrinkage.
//   - [FitENuc]: logistic regression whose coefficients are a few spatial patterns per class; the most accurate in our
//     tests on EEG, also with few trials.
//   - [FitSubmanifold] or [FitFisherSubmanifold] before a classifier of tangent vectors: the method TSSM, on smaller
//     matrices.
//   - [FitMatrixKNN]: the nearest training matrices; no training, slow decisions.
//   - [FitMatrixSVM]: support vectors with the log-Euclidean Gaussian kernel.
//   - [CausalBias] adapts the intercepts of any classifier to a new session, trial by trial.
//
// Methods of fitted models are safe for concurrent use.
package classifiers
