package lvq_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sort"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/testkit"
	"rao/lvq"
	"rao/spd"
	"rao/synth"
)

// heapPeak samples the size of the heap in use until stop is called. stop returns the largest value in bytes.
func heapPeak() (stop func() uint64) {
	done, result := make(chan struct{}), make(chan uint64)
	go func() {
		var m runtime.MemStats
		peak := uint64(0)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
			select {
			case <-done:
				result <- peak
				return
			case <-tick.C:
			}
		}
	}()
	return func() uint64 { close(done); return <-result }
}

// TestStudyLarge trains on 100 000 matrices of 9×9 in ten classes with the
// default options.
func TestStudyLarge(t *testing.T) {
	study(t, "large")
	const n, classes, perClass = 9, 10, 10000
	rng := rand.New(rand.NewPCG(1, 1))
	eye := spd.StackOf(1, n, vec.Identity(n))
	centers := spd.NewStack(classes, n)
	for c := range classes {
		d := testkit.Must(synth.RiemannGaussian(eye, []float64{0.15}, 1, rng.Uint64()))(t)
		copy(centers.At(c), d.Stack.Data)
	}
	d := testkit.Must(synth.RiemannGaussian(centers, []float64{0.3}, perClass, 2))(t)
	bytes := float64(8 * len(d.Stack.Data))
	runtime.GC()
	stop := heapPeak()
	start := time.Now()
	m := testkit.Must(lvq.FitPLRSQ(context.Background(), d.Stack, d.Labels, nil, lvq.PLRSQOptions{}))(t)
	elapsed, peak := time.Since(start), float64(stop())
	a := accuracyOf(t, m, d)
	t.Logf("%d matrices of %d×%d in %d classes: %d epochs and calibration in %v, accuracy %.3f, heap at most %.2f "+
		"times the data, %d of %d distances computed",
		d.N(), n, n, classes, m.Report.Iterations, elapsed.Round(time.Second), a, peak/bytes, m.Report.Evaluations,
		m.Report.Iterations*d.N()*classes)
	if peak > 2*bytes {
		t.Errorf("heap of %.2f times the data", peak/bytes)
	}
}

// TestDecisionLatency measures single decisions for a 22-channel trial. Other load on the machine affects the tail, so
// only the median is checked; the study reports all percentiles.
func TestDecisionLatency(t *testing.T) {
	study(t, "latency")
	train, test := bci(t, 1)
	m := testkit.Must(lvq.FitPLRSQ(context.Background(), train.x, train.labels, nil,
		lvq.PLRSQOptions{Sigma2: 9.5, Epochs: 2, CalibrationFolds: -1}))(t)
	logp := mat.NewDense(1, len(m.Classes), nil)
	var took []time.Duration
	for k := range 20000 {
		begin := time.Now()
		i := k % test.x.Count
		testkit.NoError(t, m.Decide(t.Context(), nil, logp, test.x.Slice(i, i+1)))
		took = append(took, time.Since(begin))
	}
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	t.Logf("decision: median %v, 99 %% %v, 99.9 %% %v",
		took[len(took)/2], took[len(took)*99/100], took[len(took)*999/1000])
	if took[len(took)/2] > 200*time.Microsecond {
		t.Errorf("median decision takes %v", took[len(took)/2])
	}
}
