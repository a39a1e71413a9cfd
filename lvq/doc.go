// Package lvq is learning vector quantization with probabilities: classifiers
// whose parameters are labeled prototypes, learned by stochastic gradient.
//
// [PLRSQ] is for data that are symmetric positive definite (SPD) matrices, such
// as EEG covariances or image covariance descriptors. Its prototypes live on the
// manifold of SPD matrices (Tang, Feng, Tino, Si and Ji, "Probabilistic learning
// vector quantization on manifold of symmetric positive definite matrices",
// arXiv 2102.00667). [RSLVQ] and [GMLVQ] are its relatives on vectors, and on
// matrices taken as vectors.
//
//	model, err := lvq.FitPLRSQ(ctx, stack, labels, classes, lvq.PLRSQOptions{})
//	...
//	var logp mat.Dense
//	err = model.LogPosterior(ctx, &logp, stack)
//
// # From a fit to a decision
//
// Training accuracy is no guide to certainty: the fit therefore trains again on
// folds and fits a temperature to what it held out (PLRSQOptions.CalibrationFolds).
// RejectForError, RejectForCoverage and RejectOutliers choose thresholds from the
// same held-out predictions, Decide applies them. A new recording of the same
// person lies elsewhere: rao/spd moves it to where the training lay, whole
// (spd.Centering, spd.BalancedCentering) or trial by trial (spd.CausalCentering);
// train on centered matrices then. Update learns from single labeled trials
// with a bounded step, Undo takes them back.
//
// # How it is computed
//
// A prototype W = L L' is kept as L⁻¹. One eigendecomposition, L⁻¹ X L⁻ᵀ = U diag(λ) U', has the
// distance, Σ log² λ. It also has the step along the geodesic (equation 24 of the paper), L⁻¹ ←
// diag(λ^(−a/2)) U' L⁻¹. No square root, logarithm or exponential of a matrix is formed. Distances
// that the triangle inequality and the log-Euclidean lower bound prove irrelevant are not computed;
// the result is the same to the bit.
//
// # Caveats
//
// The algorithm is stochastic: the order of samples follows PLRSQOptions.Seed. A small
// σ² fits the training data closely and generalizes worse; choose it by
// cross-validation. Matrices must be positive definite within rounding: below a
// relative eigenvalue of about 1e-12 repair them first (package spd).
package lvq
