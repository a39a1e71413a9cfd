// Package evaluate measures classifiers: it cuts data into training and test
// parts, scores predictions, searches over options, and says whether a
// difference between two methods is more than chance.
//
// # Scores
//
// A classifier gives an N×c matrix of log-probabilities. [Score] turns it and the
// true labels into everything the tool prints:
//
//	s, err := evaluate.Score(truth, logPosterior)
//	fmt.Println(s.Accuracy, s.Kappa, s.LogLoss, s.ECE)
//
// [PosteriorRisk] answers what rejecting the least certain observations would
// bring.
//
// # Splits, cross-validation and search
//
// [StratifiedSplit], [KFold], [StratifiedKFold] and [LeaveOneGroupOut] return row
// numbers. [Search] runs a function on every fold and every candidate of a [Grid] or of
// [Random] draws, several at a time; the result is the same for any number of processors.
// The best score of many candidates flatters. [OneStandardError] takes the simplest of
// those that cannot be told from the best. It compares the [Losses] of their held-out
// predictions, brought to their best [Temperature] with [Temper].
//
// # Is the difference real?
//
// Use [Wilcoxon] for paired results over subjects or data sets, and [McNemar] for two
// classifiers on one test set. Use [CorrectedResampledT] for repeated splits of one
// data set, and [Holm] when several methods are compared at once. [WilsonInterval] and
// [ClopperPearson] give intervals for an accuracy, [KappaInterval] for kappa, and
// [ChanceLevel] the accuracy that guessing would exceed only with a given probability.
// [Manova] asks of distances alone whether classes differ.
//
// # Caveats
//
// Accuracies on the same test set are not independent, so two overlapping
// intervals do not show that two methods are alike: use a paired test. Folds share
// most of their training data, so the plain t test over folds finds differences
// that are not there: use the corrected one.
package evaluate
