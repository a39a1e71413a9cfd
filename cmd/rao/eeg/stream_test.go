package eeg

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/covstream"
	"rao/internal/eeg/live"
	"rao/internal/testkit"
	"rao/lvq"
	"rao/model"
	"rao/recipe"
	"rao/spd"
	"rao/stream"
)

// streamLine is a decision as rao eeg stream --json prints it, for comparison.
type streamLine struct {
	At          int64
	Label       string
	Probability float64
	Rejected    bool
	Outlier     bool
	LatencyMs   float64 `json:"latency_ms"`
}

// decoder returns a session and a signal for it. The model has four prototypes and decides every 20 ms on 2 s of 22
// channels at 250 Hz.
func decoder(tb testing.TB) (s *live.Session, signal []float64) {
	tb.Helper()
	const channels, rate, length = 22, 250, 5000
	r := rand.New(rand.NewPCG(7, 7))
	signal = testkit.Normals(r, channels*length)
	opt := covstream.Options{Window: 2, Step: 0.02,
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 30}}}}
	windows := testkit.Must(covstream.New(channels, rate, opt))(tb)
	x := spd.NewStack(40, channels)
	labels := make([]int, x.Count)
	n := 0
	testkit.NoError(tb, windows.Push(signal, func(cov *mat.SymDense, _ int64) error {
		if n < x.Count {
			x.Set(n, cov)
			labels[n] = n % 4
			n++
		}
		return nil
	}))
	p := testkit.Must(lvq.FitPLRSQ(context.Background(), x, labels, nil, lvq.PLRSQOptions{Epochs: 2,
		CalibrationFolds: -1}))(tb)
	m := &model.Model{Method: "plrsq", Classes: []string{"a", "b", "c", "d"}, Classifier: p,
		Input: model.Schema{Kind: model.KindMatrices, Dim: channels,
			Recipe: opt.Recipe(make([]string, channels), rate)}}
	w := &decisionWriter{out: bufio.NewWriter(io.Discard), model: m}
	s = &live.Session{Model: m, Options: stream.DecoderOptions{Step: 0.02}, Write: w.write}
	testkit.NoError(tb, s.Open())
	if err := s.Push(tb.Context(), signal); err != nil { // fills the window
		tb.Fatal(err)
	}
	s.Latency = live.Latencies{}
	return s, signal
}

// step pushes the samples of one decision, five of 22 channels.
func step(tb testing.TB, s *live.Session, signal []float64, k int) {
	at := 5 * 22 * (k % 1000)
	testkit.NoError(tb, s.Push(tb.Context(), signal[at:at+5*22]))
}

// A decision, from the samples to the output line, allocates almost nothing, because garbage collection would delay a
// running decoder.
func TestDecisionsHardlyAllocate(t *testing.T) {
	s, signal := decoder(t)
	k := 0
	got := testing.AllocsPerRun(200, func() {
		step(t, s, signal, k)
		k++
	})
	if got > 12 { // the product behind the covariance takes nine small ones
		t.Errorf("%g allocations a decision", got)
	}
	if s.Latency.N < 200 {
		t.Errorf("%d decisions", s.Latency.N)
	}
}

func BenchmarkDecision(b *testing.B) {
	s, signal := decoder(b)
	for k := 0; b.Loop(); k++ {
		step(b, s, signal, k)
	}
}
