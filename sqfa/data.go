package sqfa

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/feature"
	"rao/gaussian"
)

// FitData learns filters from labeled observations, the rows of x. classes may be
// nil; labels are 0..c-1. Without AutoNoise it is [gaussian.Estimate] and [Fit].
//
// With AutoNoise the noise is chosen by k-fold validation: the candidate whose
// filters give held-out rows the highest log-probability of their labels under the
// quadratic classifier, among those whose accuracy is within a standard error of the
// highest. See [Folds].
//
// Errors are those of Fit and of gaussian.Estimate.
func FitData(ctx context.Context, x mat.Matrix, labels []int, classes []string, opt Options) (*Model, error) {
	begin := time.Now()
	if !opt.AutoNoise {
		stats, err := gaussian.Estimate(x, labels, classes)
		if err != nil {
			return nil, fmt.Errorf("sqfa: %w", err)
		}
		m, err := Fit(ctx, stats, opt)
		if m != nil {
			m.Report.Elapsed = time.Since(begin)
		}
		return m, err
	}
	_, cols := x.Dims()
	var m *Model
	var err error
	if opt.Subspace > 0 && opt.Subspace < cols {
		m, err = fitFoldsInSubspace(ctx, x, labels, classes, opt)
	} else {
		m, err = fitFolds(ctx, x, labels, classes, opt)
	}
	if err != nil {
		return nil, fmt.Errorf("sqfa: %w", err)
	}
	return finish(ctx, m, begin)
}

// fitFolds chooses the noise by k-fold validation and fits with it.
func fitFolds(ctx context.Context, x mat.Matrix, labels []int, classes []string, opt Options) (*Model, error) {
	f, err := CollectFolds(x, labels, classes, opt)
	if err != nil {
		return nil, err
	}
	return f.fit(ctx, opt)
}

// fitFoldsInSubspace chooses the noise by validation of the coordinates of the rows in a
// subspace, and then learns the filters: the folds' statistics are of that many dimensions.
func fitFoldsInSubspace(ctx context.Context, x mat.Matrix, labels []int, classes []string,
	opt Options) (*Model, error) {
	stats, err := gaussian.Estimate(x, labels, classes)
	if err != nil {
		return nil, err
	}
	if opt, err = checked(stats, opt); err != nil {
		return nil, err
	}
	v, q, err := searchSpace(ctx, stats.Source(), opt)
	if err != nil {
		return nil, err
	}
	inner := opt
	inner.Subspace = 0
	if inner.Initial != nil {
		inner.Initial = within(v, q, inner.Initial)
	}
	rows, _ := x.Dims()
	z := mat.NewDense(rows, q, nil)
	(&feature.Model{Filters: mat.NewDense(stats.Dim, q, v)}).Transform(z, x)
	chosen, err := fitFolds(ctx, z, labels, classes, inner)
	if err != nil {
		return nil, err
	}
	opt.AutoNoise, opt.Noise = false, chosen.Noise
	m, err := Fit(ctx, stats, opt)
	if m == nil {
		return nil, err
	}
	copyChoice(m, chosen)
	m.Report.Passes += chosen.Report.Passes
	return m, nil // what ended early is in its report
}

// temperatureRows is how many rows fit a temperature, at most twice as many: it is one
// number.
const temperatureRows = 10000

// atBestTemperature returns the mean log-probability of the labels at the temperature that
// suits them best, and the share that is decided right: real classes are less Gaussian
// than the classifier believes, and its certainty must not choose the noise.
func atBestTemperature(labels []int, logp *mat.Dense) (losses []float64, accuracy float64, err error) {
	n, c := logp.Dims()
	some, truth := logp, labels
	if step := n / temperatureRows; step > 1 {
		some, truth = mat.NewDense(n/step, c, nil), make([]int, n/step)
		for i := range truth {
			some.SetRow(i, logp.RawRowView(i*step))
			truth[i] = labels[i*step]
		}
	}
	t, err := evaluate.Temperature(truth, some)
	if err != nil {
		return nil, 0, err
	}
	return evaluate.Losses(labels, evaluate.Temper(logp, t)), evaluate.Accuracy(labels, evaluate.Decide(logp)), nil
}

// quadratic is the quadratic classifier of Gaussian classes.
type quadratic struct {
	m, c  int
	means []float64
	white []float64 // inverse Cholesky factors
	bias  []float64 // log prior less half the log-determinant
}

func newQuadratic(s *gaussian.Statistics, priors []float64) (*quadratic, error) {
	m, c := s.Dim, s.NumClasses()
	q := &quadratic{m: m, c: c, means: s.Means, white: make([]float64, c*m*m), bias: make([]float64, c)}
	if err := inverseFactors(q.white, s); err != nil {
		return nil, err
	}
	for i := range c {
		q.bias[i] = math.Log(priors[i])
		for j := range m {
			q.bias[i] += math.Log(q.white[(i*m+j)*m+j])
		}
	}
	return q, nil
}

// scores writes the unnormalized log-posteriors at features z.
func (q *quadratic) scores(dst, z, work []float64) {
	m := q.m
	for i := range q.c {
		s := q.bias[i]
		for j := range work {
			work[j] = z[j] - q.means[i*m+j]
		}
		for j := range m {
			var v float64
			for h, w := range q.white[(i*m+j)*m : (i*m+j)*m+j+1] {
				v += w * work[h]
			}
			s -= v * v / 2
		}
		dst[i] = s
	}
}

// toShares makes scores the log-probabilities that they stand for; where all are beyond
// numbers, the classes share alike.
func toShares(scores []float64) {
	top := slices.Max(scores)
	if !(top >= -math.MaxFloat64) {
		clear(scores)
		top = 0
	}
	sum := 0.0
	for _, s := range scores {
		sum += math.Exp(s - top)
	}
	for i := range scores {
		scores[i] -= top + math.Log(sum)
	}
}
