package lvq

import (
	"fmt"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/linalg/small"
	"rao/internal/naming"
	"rao/internal/testkit"
	"rao/spd"
)

// BenchmarkEpoch measures an epoch of the published algorithm: one step per trial, one thread. 288 trials of 22×22 and
// 4 prototypes are BCI IV 2a. "of-eigen" is its time relative to one batched eigendecomposition for every trial and
// prototype.
func BenchmarkEpoch(b *testing.B) {
	for _, c := range []struct{ n, classes, count int }{{22, 4, 72}, {9, 10, 100}, {5, 8, 100}, {64, 2, 40},
		{100, 2, 40}, {128, 2, 20}} {
		b.Run(fmt.Sprintf("n=%d,p=%d", c.n, c.classes), func(b *testing.B) {
			x, y := clouds(1, c.n, c.classes, c.count, 0.05, 0.15)
			counts := testkit.Must(countLabels(y, x.Count, nil))(b)
			o := testkit.Must(plain(PLRSQOptions{}).resolve(c.n, counts, nil))(b)
			s := testkit.Must(newFactors(x, firstOfClasses(x, y, c.classes)))(b)
			t := newTrainer(o, s, certainTargets(y, c.classes), indices.Range(x.Count), 9.5)
			t.sched.begin(1)
			var ws small.Workspace
			var alone time.Duration
			values, vectors := make([]float64, x.Count*c.n), make([]float64, len(x.Data))
			b.ResetTimer()
			for b.Loop() {
				testkit.Must(t.epoch(b.Context(), t.train))(b)
				b.StopTimer()
				start := time.Now()
				for range c.classes {
					testkit.NoError(b, ws.Eigen(values, vectors, x.Data, c.n, x.Count))
				}
				alone += time.Since(start)
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed())/float64(alone), "of-eigen")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*x.Count*c.classes), "us/pair")
		})
	}
}

func firstOfClasses(x *spd.Stack, y []int, classes int) *spd.Stack {
	index := make([]int, classes)
	for i := len(y) - 1; i >= 0; i-- {
		index[y[i]] = i
	}
	return x.Select(index)
}

// BenchmarkDecision measures one decision of a running decoder: 22 channels, 4 classes.
func BenchmarkDecision(b *testing.B) {
	x, y := clouds(1, 22, 4, 10, 0.05, 0.15)
	m := &PLRSQ{Metric: spd.Riemann, Prototypes: firstOfClasses(x, y, 4), Labels: []int{0, 1, 2, 3},
		Classes: naming.Classes(nil, 4), Sigma2: 5, Calibration: uncalibrated()}
	testkit.NoError(b, m.Validate())
	first, logp := x.Slice(0, 1), mat.NewDense(1, 4, nil)
	b.ReportAllocs()
	for b.Loop() {
		testkit.NoError(b, m.Decide(b.Context(), nil, logp, first))
	}
}
