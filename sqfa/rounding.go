package sqfa

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/classstats"
)

// roundingError is the standard deviation of the rounding error of a value in single precision, as a fraction of the
// value: 2^-24/√3.
const roundingError = 0x1p-24 / 1.7320508

// A fit warns if the standard deviation of the rounding error of a variance in feature space is more than the fraction
// tooRough of the variance plus the noise. With the recommended noise, it is at most the fraction exactEnough.
const tooRough, exactEnough = 0.03, 0.01

// warnOfRounding adds a warning if rounding errors of covariances in single precision decide the variance of a class in
// some direction of the feature space, because the noise is small. Features are computed only if the errors may be
// large compared with the noise.
func warnOfRounding(ctx context.Context, m *Model, s *gaussian.Source) error {
	if !s.Single {
		return nil
	}
	stats, err := classstats.MarginalsOf(ctx, s)
	if err != nil {
		return err
	}
	largest := 0.0
	for i := range stats.Counts {
		for _, v := range stats.Variances[i*stats.Dim : (i+1)*stats.Dim] {
			largest = math.Max(largest, v)
		}
	}
	if math.Sqrt2*roundingError*largest <= tooRough*m.Noise {
		return nil
	}
	basis := orthonormal(m.Filters, distinct)
	features, err := s.Project(ctx, basis)
	if err != nil {
		return err
	}
	worst, enough := roundingOf(stats, basis, features, m.Noise)
	if worst > tooRough {
		m.Warnings = append(m.Warnings, fmt.Sprintf("the covariances have single precision, and with noise "+
			"%.3g their rounding errors are up to %.2g %% of the variance of a class in feature space: use a noise of "+
			"at least %.1g, or statistics in double precision", m.Noise, 100*worst, enough))
	}
	return nil
}

// roundingOf returns the largest rounding error of a variance along the principal axes of the classes in feature space,
// as a fraction of the variance plus the noise, and the noise that makes all errors small. The errors of the values are
// independent, so for an axis f in the columns and a covariance Φ, the error of f'Φf has the variance
//
//	2 Σ f_a² f_b² Φ_ab² r² ≤ 2 (r Σ f_a² Φ_aa)²,
//
// where r is roundingError. The bound needs only the variances of the columns.
func roundingOf(stats *classcolumns.Marginals, basis *mat.Dense, features *gaussian.Statistics,
	noise float64) (worst, enough float64) {
	var axes, f mat.Dense
	for i := range features.NumClasses() {
		var eigen mat.EigenSym
		if !eigen.Factorize(features.Covariance(i), true) {
			continue
		}
		eigen.VectorsTo(&axes)
		f.Reset()
		f.Mul(basis, &axes)
		for j, variance := range eigen.Values(nil) {
			rounding := 0.0
			for a, v := range stats.Variances[i*stats.Dim : (i+1)*stats.Dim] {
				rounding += math.Sqrt2 * roundingError * f.At(a, j) * f.At(a, j) * v
			}
			if rounding > 0 {
				worst = math.Max(worst, rounding/math.Max(math.Abs(variance)+noise, rounding))
			}
			enough = math.Max(enough, rounding/exactEnough)
		}
	}
	return worst, enough
}
