package evaluate

import "rao/internal/scoring"

// Measure is a figure of merit with a confidence interval. Its name is accuracy, balanced_accuracy, kappa, auc,
// average_precision, precision, recall, f1, wolpaw_bits, confusion_bits, wolpaw_bits_per_minute or
// confusion_bits_per_minute.
//
// The area under the ROC curve (auc) is the probability that a random observation of a class has a higher probability
// of that class than a random observation of the other classes. Ties count half:
//
//	AUC = Σ_{i in class, j not} ([s_i > s_j] + [s_i = s_j]/2) / (n₁ n₀)
//
// where s is the probability of the class, and n₁ observations are in the class and n₀ are not. Average precision is
// the area under the precision-recall curve without interpolation, over the distinct probabilities in descending order,
// AP = Σ_k (R_k − R_{k−1}) P_k, where R_k and P_k are the recall and the precision at the k-th probability, as in
// scikit-learn's average_precision_score. With tp, fp and fn the true positives, false positives and false negatives of
// a class, precision is tp/(tp+fp), recall is tp/(tp+fn) and f1 is 2tp/(2tp+fp+fn), each 0 if its denominator is 0.
//
// With two classes, these five measures are for the positive class, and undefined if it does not occur among the
// labels. With more classes they are means over the classes, each against the rest. The means of auc and
// average_precision are over the classes that occur among the labels. The means of precision, recall and f1 also
// include the classes that occur only among the decisions. accuracy, balanced_accuracy and kappa are as in [Scores].
//
// The information in a decision is wolpaw_bits, which is log₂ N + p log₂ p + (1−p) log₂((1−p)/(N−1)) for an accuracy of
// p among N classes (Wolpaw et al. 1998), or confusion_bits, the mutual information of true classes and decisions. The
// information transfer rates wolpaw_bits_per_minute and confusion_bits_per_minute are these numbers of bits times 60,
// divided by the seconds per decision.
//
// Name (string) is one of the names above, and Value (float64) is the value for all observations. Interval (*Interval)
// is nil without resamples, or if too few resamples define the measure.
type Measure = scoring.Measure

// MeasureOptions adjust measures. With the zero value, the last of two classes is the positive one and there are no
// intervals.
//
//   - First (bool) makes the first of two classes the positive one, instead of the last.
//   - Threshold (float64) applies to two classes: the positive class is chosen if its probability is at least
//     Threshold. 0 chooses the most probable class.
//   - Resamples (int) is the number of bootstrap resamples for the intervals; 1000 is usual.
//   - Level (float64) is the confidence level of the intervals; 0 means 0.95.
//   - Seed (uint64) is the seed of the resampling; 0 means 1.
//   - Seconds (float64) is the time per decision in seconds, for the bits per minute. 0 leaves these rates undefined.
type MeasureOptions = scoring.MeasureOptions
