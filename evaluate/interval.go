package evaluate

import (
	"gonum.org/v1/gonum/mathext"

	"rao/internal/faults"
	"rao/internal/scoring"
)

// Interval is a confidence interval from Low to High (float64).
type Interval = scoring.Interval

// checkProportion returns an error unless 0 <= right <= n, n > 0 and 0 < level < 1.
func checkProportion(right, n int, level float64) error {
	if n < 1 || right < 0 || right > n {
		return faults.Option("there are %d right decisions among %d; at least one decision is needed, and no more "+
			"right ones than decisions", right, n)
	}
	if !(level > 0 && level < 1) {
		return faults.Option("the confidence level is %g; it must be above 0 and below 1", level)
	}
	return nil
}

// WilsonInterval returns Wilson's score interval (1927) for the accuracy right/n, at a confidence level such as 0.95:
//
//	(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n),  p = right/n
//
// where z is the (1+level)/2 quantile of the normal distribution. Its average coverage is close to the level even near
// accuracies of 0 and 1, where the normal approximation fails. It returns an error for counts or a level out of range.
func WilsonInterval(right, n int, level float64) (Interval, error) {
	if err := checkProportion(right, n, level); err != nil {
		return Interval{}, err
	}
	return scoring.Wilson(float64(right), float64(n), level), nil
}

// ChanceLevel returns the accuracy that guessing exceeds with probability at most alpha, on n trials with the given
// number of equally likely classes. It is the smallest accuracy k/n with P(X > k) <= alpha for binomial X (Combrisson
// and Jerbi 2015). With few trials it is far above 1/classes: 0.7 for 20 trials, two classes and alpha 0.05. It returns
// an error for numbers out of range.
func ChanceLevel(n, classes int, alpha float64) (float64, error) {
	if n < 1 || classes < 2 || !(alpha > 0 && alpha < 1) {
		return 0, faults.Option("chance level: the number of trials is %d, the number of classes %d and alpha %g; at "+
			"least one trial and two classes are needed, and alpha must be above 0 and below 1", n, classes, alpha)
	}
	p := 1 / float64(classes)
	lo, hi := 0, n // P(X > hi) = 0 <= alpha, so hi always qualifies
	for lo < hi {
		k := (lo + hi) / 2
		tail := 0.0
		if k < n { // P(X > k) = I_p(k+1, n-k)
			tail = mathext.RegIncBeta(float64(k+1), float64(n-k), p)
		}
		if tail <= alpha {
			hi = k
		} else {
			lo = k + 1
		}
	}
	return float64(lo) / float64(n), nil
}
