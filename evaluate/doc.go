// Package evaluate measures classifiers: it splits data into training and test sets, scores predictions, searches over
// options, and tests whether two methods differ by more than chance.
//
// # Scores
//
// A classifier returns an N×c matrix of log-probabilities. [Score] compares it with the true labels and returns the
// accuracy and other [Scores]:
//
//	s, err := evaluate.Score(truth, logPosterior)
//	fmt.Println(s.Accuracy, s.Kappa, s.LogLoss, s.ECE)
//
// [PosteriorRisk] shows how the error rate falls when the least certain observations are rejected.
//
// # Splits, cross-validation and search
//
// [StratifiedSplit], [KFold], [StratifiedKFold] and [LeaveOneGroupOut] return row numbers. [Grid] and [Random] return
// candidates, and [Search] runs a function in parallel on every fold and every candidate. The result is the same on any
// number of processors. The best score of many candidates is optimistic. [Trial] marks the candidates that cannot be
// distinguished from the best, by the log losses of their held-out predictions, each at its best [Temperature].
//
// # Is the difference real?
//
// Use [Wilcoxon] for paired results over subjects or data sets, and [McNemar] for two classifiers on one test set. Use
// [CorrectedResampledT] for repeated splits of one data set, and [Holm] when several methods are compared at once.
// [WilsonInterval] returns an interval for an accuracy, and Scores.Measures an interval for every [Measure].
// [ChanceLevel] returns the accuracy that guessing exceeds with at most a given probability. [Manova] tests whether
// classes differ, given only distances.
//
// To compare two methods of package method, a and b, cross-validate both on the same folds and test the differences of
// the accuracies:
//
//	folds, err := evaluate.StratifiedKFold(data.Labels, 10, 1)
//	ra, err := a.Tune(ctx, data, nil, nil, folds, evaluate.SearchOptions{})
//	rb, err := b.Tune(ctx, data, nil, nil, folds, evaluate.SearchOptions{})
//	for i, s := range ra.Trials[0].Folds {
//		d = append(d, s.Accuracy-rb.Trials[0].Folds[i].Accuracy)
//	}
//	test, err := evaluate.CorrectedResampledT(d, len(folds[0].Train), len(folds[0].Test))
//
// The example of method.Method.Tune is a complete program.
//
// # Caveats
//
// Accuracies on the same test set are not independent, so overlapping intervals do not show that two methods are
// equally good: use a paired test. Folds share most of their training data, so the plain t test over folds has too many
// false positives: use the corrected one.
package evaluate
