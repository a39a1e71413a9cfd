package synth

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/testkit"
)

// Rows drawn from the classes have the statistics of the classes.
func TestClassesDrawFromTheirStatistics(t *testing.T) {
	const c, n, each = 3, 100, 20000
	s := NewClasses(c, n, 1)
	x, labels := s.Rows(each, 2)
	got := testkit.Must(gaussian.Estimate(mat.NewDense(len(labels), n, x), labels, nil))(t)
	want := s.Statistics(nil, 0, each)
	for i := range c {
		cov := want.Covariance(i)
		for j := range n {
			deviation := math.Sqrt(cov.At(j, j))
			if d := got.Mean(i)[j] - want.Mean(i)[j]; math.Abs(d) > 6*deviation/math.Sqrt(each) {
				t.Errorf("mean %d of class %d is off by %v", j, i, d)
			}
			for k := range n {
				scale := deviation * math.Sqrt(cov.At(k, k))
				if d := got.Covariance(i).At(j, k) - cov.At(j, k); math.Abs(d) > 8*scale/math.Sqrt(each) {
					t.Fatalf("covariance %d,%d of class %d is off by %v of %v", j, k, i, d, scale)
				}
			}
		}
	}
}

func TestClassesInASubspace(t *testing.T) {
	const c, n, q = 4, 100, 3
	s := NewClasses(c, n, 1)
	v := make([]float64, n*q)
	v[0], v[7*q+1], v[11*q+2] = 1, -2, 0.5
	got, want := s.Statistics(v, q, 9), s.Statistics(nil, 0, 9).Project(mat.NewDense(n, q, v))
	for i, x := range want.Covariances {
		testkit.Near(t, got.Covariances[i], x, 1e-12*math.Abs(x)+1e-12, "covariance value", i)
	}
	for i, x := range want.Means {
		testkit.Near(t, got.Means[i], x, 1e-12, "mean value", i)
	}
}

func TestClassesTogether(t *testing.T) {
	s := NewClasses(5, 100, 3)
	mean, _, _, total := s.Statistics(nil, 0, 9).Pooled(nil)
	all := s.All(9)
	for i, x := range total.RawSymmetric().Data {
		testkit.Near(t, all.Covariances[i], x, 1e-12*math.Abs(x)+1e-12, "covariance value", i)
	}
	for i, x := range mean {
		testkit.Near(t, all.Means[i], x, 1e-12, "mean value", i)
	}
}
