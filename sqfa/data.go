package sqfa

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/evaluate"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/par"
)

// FitData learns filters from labeled observations, the rows of x. classes may be
// nil; labels are 0..c-1. Without AutoNoise it is [gaussian.Estimate] and [Fit].
//
// With AutoNoise the noise is chosen by k-fold validation: the candidate whose
// filters give held-out rows the highest log-probability of their labels under the
// quadratic classifier, or the highest accuracy among those within 3 % of it. One pass over the data collects the statistics of every
// fold; those of each training part are the whole less the fold. The folds are
// stratified and drawn from Seed. Memory is that of the statistics times one more
// than the number of folds.
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
	fit := fitFolds
	if opt.Subspace > 0 && opt.Subspace < cols {
		fit = fitFoldsInSubspace
	}
	m, err := fit(ctx, x, labels, classes, opt)
	if err != nil {
		return nil, fmt.Errorf("sqfa: %w", err)
	}
	return finish(m, begin)
}

// fitFolds chooses the noise by k-fold validation and fits with it.
func fitFolds(ctx context.Context, x mat.Matrix, labels []int, classes []string, opt Options) (*Model, error) {
	folds := opt.Folds
	if folds == 0 {
		folds = 4
	}
	switch {
	case opt.Of != nil:
		return nil, fmt.Errorf("validation of the noise is by rows of classes, and these are components: give the noise, " +
			"or choose it by the bound (Fit)")
	case folds < 2:
		return nil, fmt.Errorf("folds %d: want 2 or more", folds)
	}
	part, whole, assigned, err := foldStatistics(x, labels, classes, folds, opt.Seed)
	if err != nil {
		return nil, err
	}
	opt, err = checked(whole, opt)
	if err != nil {
		return nil, err
	}
	scale, err := noiseScale(whole, opt.Filters)
	if err != nil {
		return nil, err
	}
	ways := make([]*path, len(part))
	for f := range part {
		train, err := gaussian.Subtract(whole, part[f])
		if err != nil {
			return nil, fmt.Errorf("fold %d: %w", f+1, err)
		}
		if err := train.Validate(); err != nil {
			return nil, fmt.Errorf("all but fold %d: %w; use fewer folds or give the noise", f+1, err)
		}
		ways[f] = newPath(train, opt)
	}
	var search noiseSearch
	noise, err := search.choose(ctx, scale, func(noise float64) (float64, float64, error) {
		logp := mat.NewDense(len(labels), whole.NumClasses(), nil)
		for f, way := range ways {
			filters, err := way.fit(ctx, noise)
			if err != nil {
				return 0, 0, err
			}
			if err := heldOut(logp, way.stats, filters, opt, x, assigned, f); err != nil {
				return 0, 0, err
			}
			opt.Progress.Send(rao.Event{Stage: "noise", Done: len(search.grid)*len(ways) + f + 1, Total: len(noiseSteps) * len(ways)})
		}
		return atBestTemperature(labels, logp)
	})
	if err != nil {
		return nil, err
	}
	passes := 1
	for _, way := range ways {
		passes += way.passes
	}
	return fitChosen(ctx, whole, opt, noise, &search, passes)
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
	m.NoiseGrid, m.NoiseScores = chosen.NoiseGrid, chosen.NoiseScores
	m.Report.Passes += chosen.Report.Passes
	return m, nil // what ended early is in its report
}

// foldStatistics collects the statistics of every fold in one pass over the rows,
// by counting each class once a fold. assigned holds the fold of every row.
func foldStatistics(x mat.Matrix, labels []int, classes []string, folds int, seed uint64) (part []*gaussian.Statistics, whole *gaussian.Statistics, assigned []int, err error) {
	rows, n := x.Dims()
	if rows != len(labels) {
		return nil, nil, nil, fmt.Errorf("%d rows and %d labels: every row needs one", rows, len(labels))
	}
	c := len(classes)
	for i, l := range labels {
		if l < 0 || classes != nil && l >= len(classes) {
			return nil, nil, nil, fmt.Errorf("label %d of row %d is not a class", l, i)
		}
		c = max(c, l+1)
	}
	assigned = make([]int, len(labels))
	for f, fold := range evaluate.Deal(labels, folds, rand.New(rand.NewPCG(seed, 0xf01d))) {
		for _, r := range fold.Test {
			assigned[r] = f
		}
	}
	joint := make([]int, len(labels))
	for i, l := range labels {
		joint[i] = assigned[i]*c + l
	}
	a := gaussian.NewAccumulator(n, c*folds)
	if err := a.Add(x, joint); err != nil {
		return nil, nil, nil, err
	}
	all, err := a.Take(nil)
	if err != nil {
		return nil, nil, nil, err
	}
	class := make([]string, c)
	for i := range class {
		class[i] = fmt.Sprint(i)
		if classes != nil {
			class[i] = classes[i]
		}
	}
	for f := range folds {
		s := &gaussian.Statistics{Classes: class, Counts: all.Counts[f*c : (f+1)*c], Dim: n,
			Means: all.Means[f*c*n : (f+1)*c*n], Covariances: all.Covariances[f*c*n*n : (f+1)*c*n*n]}
		part = append(part, s)
	}
	whole, err = gaussian.Merge(part...)
	if err == nil {
		err = whole.Validate()
	}
	return part, whole, assigned, err
}

// temperatureRows is how many rows fit a temperature, at most twice as many: it is one
// number.
const temperatureRows = 10000

// atBestTemperature returns the mean log-probability of the labels at the temperature that
// suits them best, and the share that is decided right: real classes are less Gaussian
// than the classifier believes, and its certainty must not choose the noise.
func atBestTemperature(labels []int, logp *mat.Dense) (score, accuracy float64, err error) {
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
		return 0, 0, err
	}
	for _, loss := range evaluate.Losses(labels, evaluate.Temper(logp, t)) {
		score -= loss / float64(len(labels))
	}
	return score, evaluate.Accuracy(labels, evaluate.Decide(logp)), nil
}

// heldOut writes the log-probabilities that the quadratic classifier of the training
// statistics gives to the rows of fold f.
func heldOut(logp *mat.Dense, train *gaussian.Statistics, filters *mat.Dense, opt Options, x mat.Matrix, assigned []int, f int) error {
	n, m := filters.Dims()
	c, fv := train.NumClasses(), values(filters)
	q, err := newQuadratic(train.Project(filters), opt.shares(c))
	if err != nil {
		return err
	}
	var index []int
	for i, a := range assigned {
		if a == f {
			index = append(index, i)
		}
	}
	row := rowReader(x)
	par.For(len(index), 256, func(_, lo, hi int) {
		buf, z, work := make([]float64, n), make([]float64, m), make([]float64, m)
		for _, r := range index[lo:hi] {
			rowTimes(z, row(buf, r), fv, m)
			scores := logp.RawRowView(r)
			q.scores(scores, z, work)
			toShares(scores)
		}
	})
	return nil
}

// rowReader returns a function that reads row r of x, into buf where it must. The
// fast ways in are those of [gaussian.Accumulator.Add].
func rowReader(x mat.Matrix) func(buf []float64, r int) []float64 {
	if m, ok := x.(interface {
		RawRows32() (data []float32, rows, cols, stride int)
	}); ok {
		if data, _, cols, stride := m.RawRows32(); data != nil {
			return func(buf []float64, r int) []float64 {
				for j, v := range data[r*stride : r*stride+cols] {
					buf[j] = float64(v)
				}
				return buf
			}
		}
	}
	if m, ok := x.(interface {
		RawRows64() (data []float64, rows, cols, stride int)
	}); ok {
		if data, _, cols, stride := m.RawRows64(); data != nil {
			return func(_ []float64, r int) []float64 { return data[r*stride : r*stride+cols] }
		}
	}
	if m, ok := x.(mat.RawMatrixer); ok {
		raw := m.RawMatrix()
		return func(_ []float64, r int) []float64 { return raw.Data[r*raw.Stride : r*raw.Stride+raw.Cols] }
	}
	return func(buf []float64, r int) []float64 {
		for j := range buf {
			buf[j] = x.At(r, j)
		}
		return buf
	}
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
