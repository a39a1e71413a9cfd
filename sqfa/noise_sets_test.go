package sqfa_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/heldout"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
	"rao/sqfa"
)

// noiseSet is a kind of data with its sizes. No single noise is best for all kinds.
type noiseSet struct {
	name       string
	rows, cols int
	classes    int
	filters    int
	test       int
	shares     []float64 // of the classes; nil: equal
	write      func(rng *rand.Rand, class int, row []float64)
}

// turned draws a row with two planes of columns, both rotated by the given angle.
func turned(rng *rand.Rand, degrees float64, mean, row []float64) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	for at := 0; at < 4; at += 2 {
		u, v := math.Sqrt(0.6)*rng.NormFloat64(), math.Sqrt(0.002)*rng.NormFloat64()
		row[at], row[at+1] = mean[at]+cos*u-sin*v, mean[at+1]+sin*u+cos*v
	}
}

// meanOf returns a fixed mean of a class in a column, about standard normal.
func meanOf(class, j int) float64 {
	return 1.4 * math.Sin(float64(7*class+3)*float64(j+1)*1.7+float64(class))
}

var noiseSets = []noiseSet{
	{name: "a loud column that says nothing", rows: 900, cols: 10, classes: 3, filters: 4, test: 2000,
		write: func(rng *rand.Rand, class int, row []float64) {
			normal(rng, row)
			row[0] *= 100
			row[1] *= []float64{1, 3, 9}[class]
			if class == 1 {
				row[2] += 4
			}
		}},
	{name: "classes differ where there is least variance", rows: 6000, cols: 32, classes: 3, filters: 4, test: 3000,
		write: func(rng *rand.Rand, class int, row []float64) {
			normal(rng, row)
			for j := range row {
				row[j] *= 10 / float64((j+1)*(j+1))
				if j >= len(row)-8 {
					row[j] *= []float64{1, 1.7, 3}[class]
				}
			}
		}},
	{name: "the toy of the distances", rows: 3000, cols: 4, classes: 3, filters: 2, test: 2000,
		write: func(rng *rand.Rand, class int, row []float64) {
			const s, l = 0.2, 0.9
			means := [][]float64{{l, l, l, l}, {-s - l, s - l, -s - l, s - l}, {s, -s, s, -s}}
			turned(rng, []float64{45, 47, 43}[class], means[class], row)
		}},
	{name: "columns in different units", rows: 600, cols: 8, classes: 4, filters: 3, test: 3000,
		write: func(rng *rand.Rand, class int, row []float64) {
			normal(rng, row)
			for j := len(row) - 1; j > 0; j-- {
				row[j] += row[j-1] / 2
			}
			row[5] *= []float64{1, 2, 1, 0.5}[class]
			for j, unit := range []float64{0.03, 30, 1, 10, 0.1, 0.05, 3, 20} {
				row[j] = (row[j] + 0.8*meanOf(class, j)) * unit
			}
		}},
	{name: "a few rows per class", rows: 150, cols: 20, classes: 5, filters: 3, test: 3000,
		write: fadingMeans(0.7, 0.7)},
	{name: "more columns than rows", rows: 60, cols: 300, classes: 2, filters: 2, test: 1500,
		write: fadingMeans(0.2, 0.4)},
	{name: "many more columns than rows", rows: 60, cols: 2000, classes: 2, filters: 2, test: 1500,
		write: fadingMeans(0.1, 0.3)},
	{name: "fifteen rows per class", rows: 60, cols: 30, classes: 4, filters: 3, test: 3000,
		write: fadingMeans(0.6, 0.5)},
	{name: "tails without a fourth moment", rows: 900, cols: 15, classes: 3, filters: 3, test: 4000,
		write: tailsInUnits(3)},
	{name: "imbalance", rows: 800, cols: 12, classes: 3, filters: 2, test: 4000, shares: []float64{0.9, 0.07, 0.03},
		write: func(rng *rand.Rand, class int, row []float64) {
			normal(rng, row)
			for j := range row {
				row[j] = (row[j]*(1+0.5*math.Cos(float64(class*j))) + 0.8*meanOf(class, j)) * (3 - 0.25*float64(j))
			}
		}},
	{name: "heavy tails", rows: 900, cols: 15, classes: 3, filters: 3, test: 4000,
		write: tailsInUnits(5)},
	{name: "constant and duplicated columns", rows: 500, cols: 13, classes: 3, filters: 3, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			normal(rng, row[:6])
			row[0] += []float64{0, 2, 0}[class]
			row[1] *= []float64{1, 2.5, 1}[class]
			row[2] += []float64{0, 0, 1.5}[class]
			copy(row[6:], row[:3])
			row[9], row[10], row[11], row[12] = 7, 7, 100*row[5], row[1]/100
		}},
}

// fadingMeans writes rows whose columns are divided by a power of their number.
func fadingMeans(apart, power float64) func(rng *rand.Rand, class int, row []float64) {
	return func(rng *rand.Rand, class int, row []float64) {
		normal(rng, row)
		for j := range row {
			row[j] = (row[j] + apart*meanOf(class, j)) / math.Pow(float64(j+1), power)
		}
	}
}

// tailsInUnits writes rows of Student's t in different units, with class means, and class scales in three columns.
func tailsInUnits(degrees int) func(rng *rand.Rand, class int, row []float64) {
	return func(rng *rand.Rand, class int, row []float64) {
		for j := range row {
			row[j] = studentT(rng, degrees)
			if j < 3 {
				row[j] *= []float64{1, 2, 4}[class]
			}
			row[j] = (row[j] + 0.8*meanOf(class, j)) * (5 - 0.3*float64(j))
		}
	}
}

func normal(rng *rand.Rand, row []float64) {
	for j := range row {
		row[j] = rng.NormFloat64()
	}
}

// studentT draws from Student's t.
func studentT(rng *rand.Rand, degrees int) float64 {
	v, sum := rng.NormFloat64(), 0.0
	for range degrees {
		v := rng.NormFloat64()
		sum += v * v / float64(degrees)
	}
	return v / math.Sqrt(sum)
}

// inSpan returns rows and others in an orthonormal basis of the span of the rows less their mean, where the rows
// are fewer than half as many as the columns.
func inSpan(x, others *mat.Dense) (*mat.Dense, *mat.Dense) {
	rows, n := x.Dims()
	if 2*rows >= n {
		return x, others
	}
	mean := mat.NewDense(1, n, nil)
	for i := range rows {
		mean.Add(mean, x.Slice(i, i+1, 0, n))
	}
	mean.Scale(1/float64(rows), mean)
	centered := mat.DenseCopyOf(x)
	for i := range rows {
		row := centered.Slice(i, i+1, 0, n).(*mat.Dense)
		row.Sub(row, mean)
	}
	var svd mat.SVD
	var v, a, b mat.Dense
	svd.Factorize(centered, mat.SVDThinV)
	svd.VTo(&v)
	a.Mul(x, v.Slice(0, n, 0, rows-1))
	b.Mul(others, v.Slice(0, n, 0, rows-1))
	return &a, &b
}

// draw returns rows and their classes, which come in the order of the shares.
func (s *noiseSet) draw(rng *rand.Rand, rows int) (*mat.Dense, []int) {
	x, labels := mat.NewDense(rows, s.cols, nil), make([]int, rows)
	for i := range rows {
		labels[i] = i % s.classes
		if s.shares != nil {
			u := (float64(i) + 0.5) / float64(rows)
			for labels[i] = 0; u > s.shares[labels[i]]; labels[i]++ {
				u -= s.shares[labels[i]]
			}
		}
		s.write(rng, labels[i], x.RawRowView(i))
	}
	return x, labels
}

// drawn are rows of a set, their statistics, and test rows.
type drawn struct {
	sqfa.Rows
	stats *gaussian.Statistics
	tests *mat.Dense
	truth []int
}

// drawn draws rows of the set and test rows, in the span of the rows if there are few.
func (s *noiseSet) drawn(t *testing.T, rng *rand.Rand, tests int) (d drawn) {
	x, labels := s.draw(rng, s.rows)
	d.tests, d.truth = s.draw(rng, tests)
	x, d.tests = inSpan(x, d.tests)
	d.Rows, d.stats = sqfa.Rows{X: x, Labels: labels}, testkit.Must(gaussian.Estimate(x, labels, nil))(t)
	return d
}

// accuracy returns the accuracy on the test rows of filters learned from src, or 0 if there are none.
func (d *drawn) accuracy(t *testing.T, src sqfa.Loader, opt sqfa.Options) float64 {
	m, err := sqfa.Fit(t.Context(), src, opt)
	if m == nil || err != nil && !rao.HasModel(err) {
		return 0
	}
	return noisyAccuracy(t, m, d.stats, d.tests, d.truth)
}

// variance returns the mean variance of the columns.
func variance(stats *gaussian.Statistics) float64 {
	return classstats.GlobalScale(stats) * classstats.GlobalScale(stats)
}

// The chosen noise is about as good as the best fixed noise on unused rows: within a point by validation, and within
// two from statistics.
func TestAutomaticNoiseIsCloseToTheBestFixedOne(t *testing.T) { checkNoises(t, noiseSets, 26, true) }

// noiseAccuracies returns the mean accuracies on test rows over several draws: with the best fixed noise, and with the
// noise chosen by validation and from statistics.
func noiseAccuracies(t *testing.T, set *noiseSet, stream uint64) (best, byRows, byStatistics float64) {
	draws := 4.0 // and more where draws of few rows differ: the promise is on their mean
	if set.rows < 250 {
		draws = 20
	}
	var fixed [8]float64
	for seed := range uint64(draws) {
		d := set.drawn(t, rand.New(rand.NewPCG(seed, stream)), set.test)
		f, r, s := d.compareNoises(t, set.filters, set.cols)
		for i, v := range f {
			fixed[i] += v / draws
		}
		byRows, byStatistics = byRows+r/draws, byStatistics+s/draws
	}
	return slices.Max(fixed[:]), byRows, byStatistics
}

// compareNoises returns the accuracies on test rows with noises of 1e-6 to 10 of the variance, and with the noises
// chosen by validation and from statistics. Rows may be coordinates in the span of rows with more columns.
func (d *drawn) compareNoises(t *testing.T, filters, columns int) (fixed [8]float64, byRows, byStatistics float64) {
	variance := variance(d.stats)
	if columns > 0 {
		variance *= float64(d.stats.Dim) / float64(columns)
	}
	for e := range fixed {
		fixed[e] = d.accuracy(t, d.stats, sqfa.Options{Filters: filters, Noise: variance * math.Pow(10, float64(e-6))})
	}
	auto := sqfa.Options{Filters: filters, Noise: sqfa.AutoNoise}
	return fixed, d.accuracy(t, d.Rows, auto), d.accuracy(t, d.stats, auto)
}

// noisyAccuracy returns the accuracy of the quadratic classifier, with the noise where it needs it, and covariances
// shrunk as package method shrinks them for statistics.
func noisyAccuracy(t *testing.T, m *sqfa.Model, stats *gaussian.Statistics, x *mat.Dense, labels []int) float64 {
	t.Helper()
	features := m.Statistics(stats)
	opt := classify.QDAOptions{Priors: stats.Priors()}
	if heldout.Overfitted(features.Counts, features.Dim) || heldout.PrefersOAS(features, opt.Priors, nil, nil) {
		opt.Shrinkage.Kind = "oas"
	}
	q, err := classify.FitQDA(features, opt)
	if err != nil {
		features.AddNoise(m.Noise)
		if q, err = classify.FitQDA(features, opt); err != nil {
			return 0
		}
	}
	var z mat.Dense
	m.Transform(&z, x)
	logp := mat.NewDense(len(labels), stats.NumClasses(), nil)
	testkit.NoError(t, q.LogPosterior(t.Context(), logp, &z))
	return evaluate.Accuracy(labels, evaluate.MostProbable(logp))
}

// In part 2 of the distance tutorial of the public Python package, a search from principal components ends at an
// objective of 4.3817.
func TestSeveralStartsReachTheTutorialsOptimum(t *testing.T) {
	const small, large = 0.2, 0.9
	stats := gaussian.New([]string{"a", "b", "c"}, 4)
	copy(stats.Means, []float64{large, large, large, large,
		-small - large, small - large, -small - large, small - large, small, -small, small, -small})
	for i, degrees := range []float64{45, 47, 43} {
		stats.Counts[i] = 1 << 20
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		c := stats.Covariance(i).RawSymmetric().Data
		for at := 0; at < 4; at += 2 {
			c[at*4+at], c[at*4+5+at] = 0.6*cos*cos+0.002*sin*sin, 0.6*sin*sin+0.002*cos*cos
			c[at*4+at+1], c[at*4+at+4] = 0.598*sin*cos, 0.598*sin*cos
		}
	}
	for _, search := range []sqfa.Search{"direct", "growing"} {
		m := testkit.Must(sqfa.Fit(context.Background(), stats, sqfa.Options{Filters: 2, Noise: 0.001,
			Search: search}))(t)
		if m.Report.Objective < 4.8804 {
			t.Errorf("%v: objective %.4f, want 4.8804", search, m.Report.Objective)
		}
	}
}

// blurStatistics returns the statistics of five levels of blur of patches of 16 x 16 pixels with the spectrum of
// natural images, transformed by a reflection.
func blurStatistics() *gaussian.Statistics {
	const side, n = 16, 256
	stats := gaussian.New([]string{"0", "0.5", "1", "1.5", "2"}, n)
	v := make([]float64, n)
	normal(rand.New(rand.NewPCG(5, 26)), v)
	vec.NormalizeColumns(v, 1)
	for i := range stats.NumClasses() {
		stats.Counts[i] = 2000
		sigma := float64(i) / 2
		power, turned, along := make([]float64, n), make([]float64, n), 0.0
		for k := range power {
			f := float64((k/side)*(k/side)+(k%side)*(k%side)) / (4 * side * side) // squared cycles per pixel
			power[k] = math.Exp(-4*math.Pi*math.Pi*f*sigma*sigma) / (f + 1e-3)
			turned[k] = power[k] * v[k]
			along += power[k] * v[k] * v[k]
		}
		cov := stats.Covariance(i).RawSymmetric().Data
		for r := range n { // (I - 2vv') diag(power) (I - 2vv')
			for c := range n {
				cov[r*n+c] = -2*(turned[r]*v[c]+v[r]*turned[c]) + 4*along*v[r]*v[c]
			}
			cov[r*n+r] += power[r]
		}
	}
	return stats
}

// Levels of blur differ in directions of little variance, which a growing search finds too.
func TestGrowingSearchFindsLevelsOfBlur(t *testing.T) {
	stats := blurStatistics()
	noise := 1e-5 * variance(stats)
	var objective [2]float64
	for i, search := range []sqfa.Search{"direct", "growing"} {
		m, err := sqfa.Fit(context.Background(), stats,
			sqfa.Options{Filters: 2, Noise: noise, Search: search, MaxIter: 20})
		if m == nil {
			t.Fatal(err)
		}
		objective[i] = m.Report.Objective
	}
	if objective[1] < 0.98*objective[0] {
		t.Errorf("objective %.4f after 20 steps of a growing search, %.4f of a direct one", objective[1], objective[0])
	}
}
