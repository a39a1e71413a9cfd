// Package lvq implements learning vector quantization with probabilities: classifiers whose parameters are labeled
// prototypes, learned by stochastic gradient descent.
//
// [PLRSQ] is for data that are symmetric positive definite (SPD) matrices, such as EEG covariances or image covariance
// descriptors. Its prototypes are points on the manifold of SPD matrices (Tang, Feng, Tino, Si and Ji, "Probabilistic
// learning vector quantization on manifold of symmetric positive definite matrices", arXiv 2102.00667). [RSLVQ] and
// [GMLVQ] are related methods for vectors, and [MatrixGMLVQ] is GMLVQ of matrices treated as vectors.
//
//	model, err := lvq.FitPLRSQ(ctx, stack, labels, classes, lvq.PLRSQOptions{})
//	...
//	var logp mat.Dense
//	err = model.LogPosterior(ctx, &logp, stack)
//
// To save or serve the result, put it into a model: see model.New.
//
// # From a fit to a decision
//
// Training scores are overconfident, so the fit also trains on folds and fits a temperature to the held-out scores
// (PLRSQOptions.CalibrationFolds). RejectForError, RejectForCoverage and RejectOutliers choose thresholds from the same
// held-out predictions, and Decide applies them. The covariances of a new recording differ from the training data, even
// for the same person. Package rao/spd aligns them with the training data, for an entire recording (spd.Center,
// spd.BalancedCentering) or trial by trial (spd.CausalCentering); if you center new recordings, also train on centered
// matrices. Update learns from single labeled trials with a bounded step, and Undo reverts the steps.
//
// # How it is computed
//
// In the affine-invariant metric, a prototype W = L L' is stored as L⁻¹. One eigendecomposition, L⁻¹ X L⁻ᵀ = U diag(λ)
// U', gives the squared distance, Σ log² λ, and the step along the geodesic (equation 24 of the paper), L⁻¹ ←
// diag(λ^(−a/2)) U' L⁻¹. A step computes no square root, logarithm or exponential of a matrix. Distances are skipped if
// the triangle inequality and the log-Euclidean lower bound prove them irrelevant; the result has the same bits.
//
// # Caveats
//
// The algorithm is stochastic: PLRSQOptions.Seed determines the order of samples. A small σ² fits the training data
// closely and generalizes worse; choose it by cross-validation. Matrices must be numerically positive definite: if the
// smallest eigenvalue of a matrix is below about 1e-12 of the largest, repair it first (package spd).
package lvq
