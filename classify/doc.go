// Package classify provides classifiers for vectors (Gaussian, logistic, nearest neighbors) and for symmetric positive
// definite (SPD) matrices (minimum distance to mean).
//
// # Vectors
//
// [FitQDA] and [FitLDA] need only class statistics, so the observations need not be in memory. [FitMixture] needs the
// statistics of sub-classes. [FitLogistic] needs the training rows, and [FitKNN] stores them.
//
//	stats, err := gaussian.Estimate(x, labels, names)
//	qda, err := classify.FitQDA(stats, classify.QDAOptions{})
//	var logp mat.Dense
//	err = qda.LogPosterior(ctx, &logp, test) // N×c log-probabilities
//
// The class with the largest log-probability wins; in a tie, the first such class. Package evaluate converts the matrix
// to decisions and scores.
//
// # Matrices
//
// [FitMDM] assigns a matrix to the class with the nearest mean, under any metric of package spd. It has no options to
// tune and needs few trials, which makes it a good baseline for covariances of EEG trials or image features:
//
//	mdm, err := classify.FitMDM(ctx, train, labels, classes, classify.MDMOptions{})
//	var logp mat.Dense
//	err = mdm.LogPosterior(ctx, &logp, test) // N×c log-probabilities
//
// [MDM.Approach] is for a person with few labeled trials. [Distinctiveness] measures how far apart classes are.
//
// # Saving
//
// To save or serve the result, put it into a model: see model.New.
//
// # Other classifiers
//
// Package method fits every classifier by name. It also has classifiers that are not in this package, such as logistic
// regression in the tangent space, and nearest neighbors and support vector machines for matrices. "rao methods" lists
// them.
//
//	m, err := method.Lookup("tslda")
//	trained, err := m.Fit(ctx, method.InMemory{Data: data}, nil, nil)
//
// # Caveats
//
// Matrices must be positive definite. Otherwise the error names the matrix; spd.Check finds the cause and a repair. The
// probabilities of MDM are not calibrated.
//
// QDA needs positive definite class covariances: more observations in each class than dimensions, and no constant
// column. Otherwise the error reports the class, its smallest eigenvalue, and what to try. Reduce images of hundreds of
// pixels to a few filters first.
//
// Methods that do not change a fitted model are safe for concurrent use.
package classify
