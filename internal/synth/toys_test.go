package synth

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

func TestPopulationsAreValid(t *testing.T) {
	testkit.NoError(t, ToyOne().Validate())
	testkit.NoError(t, ToyOneShifted().Validate())
	testkit.NoError(t, ToyTwo().Validate())
	testkit.NoError(t, ToyDistance().Validate())
	s := Synthetic(5, 60, 1)
	testkit.NoError(t, s.Validate())
	for i := range 5 {
		var chol mat.Cholesky
		if !chol.Factorize(s.Covariance(i)) {
			t.Errorf("class %d of the synthetic statistics is not positive definite", i)
		}
	}
}

func TestToyOneIsThePapers(t *testing.T) {
	s := ToyOne()
	// Trace and determinant of a turned block do not depend on the angle.
	for i := range 3 {
		c := s.Covariance(i).RawSymmetric().Data
		testkit.Near(t, c[0]+c[7], 0.71, 1e-15, "class", i, "trace of dimensions 1-2")
		testkit.Near(t, c[0]*c[7]-c[1]*c[6], 0.007, 1e-15, "class", i, "determinant of dimensions 1-2")
		angle := math.Atan2(2*c[1], c[0]-c[7]) / 2 * 180 / math.Pi
		testkit.Near(t, angle, []float64{15, 45, 70}[i], 1e-9, "degrees of class", i)
	}
	if m := ToyOneShifted().Mean(0); m[2] != 1 || m[3] != -0.5 {
		t.Errorf("shifted mean %v", m)
	}
}

func TestSampleFollowsItsStatistics(t *testing.T) {
	s := ToyOne()
	const n = 20000
	d := testkit.Must(Sample(s, n, 7))(t)
	for i := range 3 {
		rows := d.X.Rows(i*n, (i+1)*n).Dense()
		for j := range 6 {
			var sum, sq float64
			for k := range n {
				v := rows.At(k, j)
				sum += v
				sq += v * v
			}
			mean := sum / n
			variance := sq/n - mean*mean
			want := s.Covariance(i).At(j, j)
			// Five standard errors.
			if math.Abs(mean-s.Mean(i)[j]) > 5*math.Sqrt(want/n) || math.Abs(variance-want) > 5*want*math.Sqrt(2.0/n) {
				t.Errorf("class %d dimension %d: mean %g variance %g, want %g and %g",
					i, j, mean, variance, s.Mean(i)[j], want)
			}
		}
	}
	again, _ := Sample(s, n, 7)
	if !mat.Equal(d.X, again.X) {
		t.Error("the same seed gave other data")
	}
	other, _ := Sample(s, n, 8)
	if mat.Equal(d.X, other.X) {
		t.Error("another seed gave the same data")
	}
}
