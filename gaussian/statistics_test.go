package gaussian

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/classcolumns"
	"rao/internal/testkit"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// sample returns n rows of correlated values around offset, with labels.
func sample(seed uint64, rows, n, classes int, offset float64) (*mat.Dense, []int) {
	r := rand.New(rand.NewPCG(seed, 1))
	x, labels := mat.NewDense(rows, n, nil), make([]int, rows)
	for i := range rows {
		labels[i] = r.IntN(classes)
		common := r.NormFloat64()
		for j := range n {
			x.Set(i, j, offset+float64(labels[i]*(j%3))+common+float64(j+1)*r.NormFloat64())
		}
	}
	return x, labels
}

// rowsOf returns the rows of x with label l.
func rowsOf(x *mat.Dense, labels []int, l int) *mat.Dense {
	_, n := x.Dims()
	var data []float64
	for i, k := range labels {
		if k == l {
			data = append(data, x.RawRowView(i)...)
		}
	}
	return mat.NewDense(len(data)/n, n, data)
}

// textbook computes the statistics by their definitions.
func textbook(x *mat.Dense, labels []int, classes int) *Statistics {
	_, n := x.Dims()
	s := New(make([]string, classes), n)
	s.Cubic, s.Quartic = make([]float64, classes*n), make([]float64, classes)
	for l := range classes {
		part := rowsOf(x, labels, l)
		rows, _ := part.Dims()
		s.Counts[l] = rows
		for j := range n {
			s.Mean(l)[j] = stat.Mean(mat.Col(nil, j, part), nil)
		}
		var cov mat.SymDense
		stat.CovarianceMatrix(&cov, part, nil)
		for i := range n {
			for j := range n {
				s.cov(l)[i*n+j] = cov.At(i, j)
			}
		}
		for i := range rows {
			q := 0.0
			for j := range n {
				d := part.At(i, j) - s.Mean(l)[j]
				q += d * d
			}
			for j := range n {
				s.Cubic[l*n+j] += q * (part.At(i, j) - s.Mean(l)[j])
			}
			s.Quartic[l] += q * q
		}
	}
	return s
}

func same(t *testing.T, what string, got, want *Statistics, tol float64) {
	t.Helper()
	for i, c := range want.Counts {
		testkit.Equal(t, got.Counts[i], c, what, "count of class", i)
	}
	testkit.Close(t, what+": means", got.Means, want.Means, tol)
	testkit.Close(t, what+": covariances", got.Covariances, want.Covariances, tol)
	if (got.Quartic == nil) != (want.Quartic == nil) {
		t.Fatalf("%s: quartic known %v, want %v", what, got.Quartic != nil, want.Quartic != nil)
	}
	if want.Quartic != nil {
		testkit.Close(t, what+": quartic", got.Quartic, want.Quartic, tol)
		testkit.Close(t, what+": cubic", got.Cubic, want.Cubic, tol*10)
	}
}

// newCollecting returns an accumulator of all moments.
func newCollecting(dim, classes int) *Accumulator {
	a := NewAccumulator(dim, classes)
	a.CollectMoments()
	return a
}

func estimate(t *testing.T, x mat.Matrix, labels []int) *Statistics {
	t.Helper()
	return testkit.Must(EstimateMoments(x, labels, nil))(t)
}

func TestEstimateAgreesWithTheTextbook(t *testing.T) {
	for _, offset := range []float64{0, 100, -1e6} {
		x, labels := sample(3, 3000, 7, 4, offset)
		tol := 1e-13 * max(1, math.Abs(offset))
		same(t, "estimate", estimate(t, x, labels), textbook(x, labels, 4), tol)
	}
}

func TestAffineEqualsStatisticsOfTransformedData(t *testing.T) {
	x, labels := sample(4, 500, 5, 3, 2)
	s := estimate(t, x, labels)
	shift := []float64{1, -2, 3, 0, 5}
	for _, scale := range [][]float64{{0.5}, {-2}, {1, 2, 3, 0, -5}} {
		var y mat.Dense
		y.Apply(func(i, j int, v float64) float64 { return (v - shift[j]) * scale[j%len(scale)] }, x)
		want := textbook(&y, labels, 3)
		if len(scale) > 1 {
			want.Cubic, want.Quartic = nil, nil
		}
		same(t, "affine", s.Affine(shift, scale), want, 1e-12)
	}
	same(t, "no shift", s.Affine(nil, []float64{1}), s, 0)
}

func TestProjectEqualsStatisticsOfProjectedData(t *testing.T) {
	x, labels := sample(5, 500, 6, 3, 1)
	f := mat.NewDense(6, 2, []float64{1, 0, 2, -1, 0, 3, 1, 1, -2, 0, 1, 5})
	var y mat.Dense
	y.Mul(x, f)
	want := textbook(&y, labels, 3)
	want.Cubic, want.Quartic = nil, nil
	same(t, "project", estimate(t, x, labels).Project(f), want, 1e-12)
}

func TestPooledDecomposesTheTotalScatter(t *testing.T) {
	x, labels := sample(6, 800, 4, 3, 3)
	s := estimate(t, x, labels)
	mean, within, between, total := s.pooled(nil)
	for j := range 4 {
		testkit.Near(t, stat.Mean(mat.Col(nil, j, x), nil), mean[j], 1e-12, "pooled mean", j)
	}
	// Priors N_i/N with Φ_i rescaled to divisor N_i give the covariance of all rows.
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, x, nil)
	for i := range 4 {
		for j := range 4 {
			w := within[i*4+j]
			for l := range s.Counts {
				w -= s.cov(l)[i*4+j] / 800
			}
			want := cov.At(i, j) * 799 / 800
			testkit.Near(t, w+between[i*4+j], want, 1e-11, "total at", i, j)
			testkit.Equal(t, total[i*4+j], within[i*4+j]+between[i*4+j], "total is not within plus between at", i, j)
		}
	}
	_, one, none, _ := s.pooled([]float64{0, 5, 0})
	testkit.Close(t, "within of one class", one, s.cov(1), 0)
	testkit.Close(t, "between of one class", none, make([]float64, 16), 0)
}

func globalScale(s *Statistics) float64 {
	m := classcolumns.Marginals{Counts: s.Counts, Weights: s.Weights, Dim: s.Dim, Means: s.Means}
	return m.WithDiagonals(s.Covariances).GlobalScale()
}

func TestGlobalScaleIsTheStandardDeviationOfAllValues(t *testing.T) {
	x, labels := sample(7, 300, 5, 3, 10)
	sum, sq, data := 0.0, 0.0, x.RawMatrix().Data
	for _, v := range data {
		sum += v / float64(len(data))
	}
	for _, v := range data {
		sq += (v - sum) * (v - sum) / float64(len(data))
	}
	if got, want := globalScale(estimate(t, x, labels)), math.Sqrt(sq); math.Abs(got-want) > 1e-12*want {
		t.Errorf("global scale %v, want %v", got, want)
	}
}

// Statistics from an accumulator are checked by their variances only, and the errors are the same.
func TestValidateOfTakenStatisticsNamesTheFault(t *testing.T) {
	for what, spoil := range map[string]func(*Statistics){
		"nothing":  func(*Statistics) {},
		"one row":  func(s *Statistics) { s.Counts[1] = 1 },
		"mean":     func(s *Statistics) { s.Means[4] = math.NaN() },
		"variance": func(s *Statistics) { s.Covariances[9] = math.Inf(1) },
	} {
		x, labels := sample(8, 60, 3, 2, 0)
		a := NewAccumulator(3, 2)
		testkit.NoError(t, a.Add(x, labels))
		s := testkit.Must(a.Finish([]string{"left", "right"}))(t)
		spoil(s)
		taken := s.Affine(nil, []float64{0.5})
		copied := taken.Clone() // of which nothing is known
		own, whole := fmt.Sprint(taken.Validate()), fmt.Sprint(copied.Validate())
		testkit.Equal(t, own, whole, what)
		testkit.Equal(t, what == "nothing", own == "<nil>", what)
	}
}

func TestValidateNamesTheFault(t *testing.T) {
	good := func() *Statistics {
		x, labels := sample(8, 60, 3, 2, 0)
		s, _ := EstimateMoments(x, labels, []string{"left", "right"})
		return s
	}
	testkit.NoError(t, good().Validate())
	cases := map[string]struct {
		spoil func(*Statistics)
		want  string
	}{
		"one sample": {func(s *Statistics) { s.Counts[1] = 1 }, "class right has one observation"},
		"empty":      {func(s *Statistics) { s.Counts[0] = 0 }, "class left has no observations"},
		"mean":       {func(s *Statistics) { s.Means[4] = math.NaN() }, "class right: the mean of column 1 is NaN"},
		"infinite": {func(s *Statistics) { s.Covariances[1] = math.Inf(1) }, "class left: the covariance of columns " +
			"0 and 1 is +Inf"},
		"variance": {func(s *Statistics) { s.Covariances[9] = -1 }, "class right: the variance of column 0 is -1"},
		"symmetry": {func(s *Statistics) { s.Covariances[1] += 1 }, "class left: the covariance is not symmetric at " +
			"columns 0 and 1"},
		"short": {func(s *Statistics) { s.Covariances = s.Covariances[:17] },
			"the covariances of the statistics have 17 " +
				"values, but 2 classes of dimension 3 need 18"},
		"short means": {func(s *Statistics) { s.Means = s.Means[:5] }, "the means of the statistics have 5 values"},
		"names":       {func(s *Statistics) { s.Classes = s.Classes[:1] }, "1 class name for 2 classes"},
		"quartic":     {func(s *Statistics) { s.Quartic[1] = -1 }, "class right: the quartic moment is -1"},
		"cubic":       {func(s *Statistics) { s.Cubic = nil }, "only one of the cubic and quartic"},
		"dimension":   {func(s *Statistics) { s.Dim = 0 }, "dimension of the statistics is 0"},
		"count":       {func(s *Statistics) { s.Counts[0] = -3 }, "class left has -3 observations"},
	}
	for name, c := range cases {
		s := good()
		c.spoil(s)
		testkit.ErrorContains(t, s.Validate(), c.want, name)
	}
}
