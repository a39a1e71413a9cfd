package evaluate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"rao/internal/scoring"
)

// Interval is a confidence interval from Low to High (float64).
type Interval = scoring.Interval

// checkProportion returns an error unless 0 <= right <= n, n > 0 and 0 < level < 1.
func checkProportion(right, n int, level float64) error {
	if n < 1 || right < 0 || right > n {
		return fmt.Errorf("there are %d right decisions among %d; at least one decision is needed, and no more right "+
			"ones than decisions",
			right, n)
	}
	if !(level > 0 && level < 1) {
		return fmt.Errorf("the confidence level is %g; it must be above 0 and below 1", level)
	}
	return nil
}

// WilsonInterval returns Wilson's score interval (1927) for the accuracy right/n, at a confidence level such as 0.95:
//
//	(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)
//
// Its average coverage is close to the level even near accuracies of 0 and 1, where the normal approximation fails.
// It returns an error for counts or a level out of range.
func WilsonInterval(right, n int, level float64) (Interval, error) {
	if err := checkProportion(right, n, level); err != nil {
		return Interval{}, err
	}
	z := distuv.UnitNormal.Quantile(0.5 + level/2)
	total, p := float64(n), float64(right)/float64(n)
	center := (p + z*z/(2*total)) / (1 + z*z/total)
	half := z * math.Sqrt(p*(1-p)/total+z*z/(4*total*total)) / (1 + z*z/total)
	i := Interval{Low: math.Max(center-half, 0), High: math.Min(center+half, 1)}
	if right == 0 {
		i.Low = 0
	}
	if right == n {
		i.High = 1
	}
	return i, nil
}

// ClopperPearson returns the exact confidence interval for the accuracy right/n (Clopper and Pearson 1934). Its
// coverage is at least the given level, so it is wider than [WilsonInterval]. It returns an error for counts or a level
// out of range.
func ClopperPearson(right, n int, level float64) (Interval, error) {
	if err := checkProportion(right, n, level); err != nil {
		return Interval{}, err
	}
	tail := (1 - level) / 2
	i := Interval{Low: 0, High: 1}
	if right > 0 {
		i.Low = mathext.InvRegIncBeta(float64(right), float64(n-right+1), tail)
	}
	if right < n {
		i.High = mathext.InvRegIncBeta(float64(right+1), float64(n-right), 1-tail)
	}
	return i, nil
}

// KappaInterval returns Cohen's kappa of a confusion matrix and its confidence interval, limited to [-1, 1]. The
// interval uses the large-sample variance of Fleiss, Cohen and Everitt (1969), equation 13. It returns an error for a
// matrix that is empty or not square, a negative count, a level out of range, or if all true classes and decisions
// are the same class.
func KappaInterval(confusion [][]int, level float64) (float64, Interval, error) {
	c, n := len(confusion), 0.0
	for i, row := range confusion {
		if len(row) != c {
			return 0, Interval{}, fmt.Errorf("kappa: row %d of the confusion matrix has %d columns; it must have %d",
				i, len(row), c)
		}
		for j, v := range row {
			if v < 0 {
				return 0, Interval{}, fmt.Errorf("kappa: the count in row %d, column %d of the confusion matrix is "+
					"%d; it must be 0 or more", i, j, v)
			}
			n += float64(v)
		}
	}
	if n == 0 {
		return 0, Interval{}, errors.New("kappa: the confusion matrix has no observations; give at least one")
	}
	if !(level > 0 && level < 1) {
		return 0, Interval{}, fmt.Errorf("kappa: the confidence level is %g; it must be above 0 and below 1", level)
	}
	po, pe := scoring.Agreement(confusion)
	if pe >= 1 {
		return 0, Interval{}, errors.New("kappa: all labels and decisions are of one class, so kappa is undefined; " +
			"add observations of another class")
	}
	k := (po - pe) / (1 - pe)
	rows, cols := make([]float64, c), make([]float64, c)
	for i, row := range confusion {
		for j, v := range row {
			rows[i] += float64(v) / n
			cols[j] += float64(v) / n
		}
	}
	a, b := 0.0, 0.0
	for i, row := range confusion {
		for j, v := range row {
			p := float64(v) / n
			if i == j {
				d := 1 - (rows[i]+cols[i])*(1-k)
				a += p * d * d
			} else {
				s := cols[i] + rows[j]
				b += p * s * s
			}
		}
	}
	d := k - pe*(1-k)
	variance := (a + (1-k)*(1-k)*b - d*d) / (n * (1 - pe) * (1 - pe))
	half := distuv.UnitNormal.Quantile(0.5+level/2) * math.Sqrt(math.Max(variance, 0))
	return k, Interval{Low: math.Max(k-half, -1), High: math.Min(k+half, 1)}, nil
}

// ChanceLevel returns the accuracy that guessing exceeds with probability at most alpha, on n trials with the given
// number of equally likely classes. It is the smallest accuracy k/n with P(X > k) <= alpha for binomial X (Combrisson
// and Jerbi 2015). With few trials it is far above 1/classes. It returns an error for numbers out of range.
func ChanceLevel(n, classes int, alpha float64) (float64, error) {
	if n < 1 || classes < 2 || !(alpha > 0 && alpha < 1) {
		return 0, fmt.Errorf("chance level: the number of trials is %d, the number of classes %d and alpha %g; at "+
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

// ChanceInterval returns the confidence interval of the accuracy of guessing on n trials, the adjusted Wald interval
// of Müller-Putz et al. (2008), equations 3 and 4:
//
//	p ± z √(p(1-p)/(n+4)),  p = (n/classes + 2)/(n + 4)
//
// An accuracy above the interval is better than chance. It returns an error for numbers out of range.
func ChanceInterval(n, classes int, level float64) (Interval, error) {
	if n < 1 || classes < 2 || !(level > 0 && level < 1) {
		return Interval{}, fmt.Errorf("chance interval: the number of trials is %d, the number of classes %d and the "+
			"level %g; at "+
			"least one trial and two classes are needed, and the level must be above 0 and below 1", n, classes, level)
	}
	total := float64(n) + 4
	p := (float64(n)/float64(classes) + 2) / total
	half := distuv.UnitNormal.Quantile(0.5+level/2) * math.Sqrt(p*(1-p)/total)
	return Interval{Low: math.Max(p-half, 0), High: math.Min(p+half, 1)}, nil
}
