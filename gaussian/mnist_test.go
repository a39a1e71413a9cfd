package gaussian

import (
	"encoding/binary"
	"math"
	"testing"

	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// mnist returns the training images as rows of float32, and their labels.
func mnist(t testing.TB) ([]float32, []int) {
	t.Helper()
	read := func(name string, header int) []byte {
		b := testkit.Gunzip(t, testkit.External(t, "data", "mnist", name))
		if n := binary.BigEndian.Uint32(b[4:]); n != 60000 {
			t.Fatalf("%s holds %d items", name, n)
		}
		return b[header:]
	}
	pixels, digits := read("train-images-idx3-ubyte.gz", 16), read("train-labels-idx1-ubyte.gz", 8)
	x, labels := vec.Converted[float32](pixels), vec.Converted[int](digits)
	return x, labels
}

func TestMNISTStatistics(t *testing.T) {
	const n = 784
	x, labels := mnist(t)
	x, labels = x[:2000*n], labels[:2000]
	a := newCollecting(n, 10)
	s := finish(t, a, a.addRows32(x, n, labels))
	testkit.NoError(t, s.Validate())
	trace, sum0 := 0.0, 0.0
	for j, v := range s.Mean(0) {
		trace += s.cov(0)[j*n+j]
		sum0 += v
	}
	// numpy 1.24 in float64: X.std(); for digit 0 np.trace(np.cov(X.T)) and the sum of
	// the mean.
	for what, v := range map[string][2]float64{
		"global scale": {globalScale(s), 78.4629182628044},
		"count":        {float64(s.Counts[0]), 191},
		"trace":        {trace, 3243144.2227610913},
		"mean":         {sum0, 35639.19371727749},
	} {
		testkit.Near(t, v[0], v[1], 1e-12*v[1], what)
	}
	// Every element of one class's covariance against integer arithmetic.
	const digit = 3
	var sum [n]int64
	product := make([]int64, n*n)
	count := int64(0)
	for i, l := range labels {
		if l != digit {
			continue
		}
		count++
		row := x[i*n : (i+1)*n]
		for j, v := range row {
			if v == 0 {
				continue
			}
			sum[j] += int64(v)
			dst := product[j*n : (j+1)*n]
			for k, w := range row[j:] {
				dst[j+k] += int64(v) * int64(w)
			}
		}
	}
	for j := range n {
		for k := j; k < n; k++ {
			want := float64(count*product[j*n+k]-sum[j]*sum[k]) / float64(count) / float64(count-1)
			got := s.cov(digit)[j*n+k]
			if math.Abs(got-want) > 1e-14*math.Sqrt(s.cov(digit)[j*n+j]*s.cov(digit)[k*n+k]) {
				t.Fatalf("covariance of pixels %d and %d is %.17g, want %.17g", j, k, got, want)
			}
		}
	}
}

func BenchmarkMNISTStatistics(b *testing.B) {
	x, labels := mnist(b)
	for b.Loop() {
		a := newCollecting(784, 10)
		testkit.NoError(b, a.addRows32(x, 784, labels))
		testkit.Must(a.Statistics(nil))(b)
	}
	b.ReportMetric(60000*784*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mvalues/s")
}
