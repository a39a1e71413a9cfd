package sqfa_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/testkit"
	"rao/sqfa"
)

// eachNoiseSet calls do with the digits, 1500 of them, and a draw of each kind of data.
func eachNoiseSet(t testing.TB, do func(name string, filters int, rows sqfa.Rows, stats *gaussian.Statistics)) {
	with := func(name string, filters int, x mat.Matrix, labels []int) {
		stats := testkit.Must(gaussian.Estimate(x, labels, nil))(t)
		do(name, filters, sqfa.Rows{X: x, Labels: labels}, stats)
	}
	train, _, labels, _ := digitSets(t)
	_, n := train.Dims()
	with("digits", 9, train, labels)
	with("1500 digits", 9, train.Slice(0, 1500, 0, n), labels[:1500])
	for _, sets := range [][]noiseSet{noiseSets, unseenSets, laterSets} {
		for _, set := range sets {
			x, labels := set.draw(rand.New(rand.NewPCG(0, 26)), set.rows)
			x, _ = inSpan(x, x)
			with(set.name, set.filters, x, labels)
		}
	}
}

// A fit with an automatic noise evaluates the objective at most three times as often as one with that noise given,
// and reads the statistics at most four times as often. Its other costs are in BenchmarkAutomaticNoise.
func TestEvaluationsOfAutomaticNoise(t *testing.T) {
	eachNoiseSet(t, func(name string, filters int, rows sqfa.Rows, stats *gaussian.Statistics) {
		for _, src := range []sqfa.Loader{rows, stats} {
			m, _ := sqfa.Fit(context.Background(), src, sqfa.Options{Filters: filters, Noise: sqfa.AutoNoise})
			given, _ := sqfa.Fit(context.Background(), stats, sqfa.Options{Filters: filters, Noise: m.Noise})
			a, g := m.Report, given.Report
			if a.Evaluations > 3*g.Evaluations || a.Passes > 4*g.Passes {
				t.Errorf("%s, %T: %d evaluations and %d passes, %d and %d with noise %g given", name, src,
					a.Evaluations, a.Passes, g.Evaluations, g.Passes, m.Noise)
			}
		}
	})
}

func BenchmarkNoiseOnMNIST(b *testing.B) {
	stats, train, _ := mnist(b)
	rows := sqfa.Rows{X: train.X, Labels: train.Labels, Classes: train.Classes}
	for _, c := range []struct {
		name  string
		src   sqfa.Loader
		noise float64
	}{{"rows given", rows, 5.4}, {"rows auto", rows, sqfa.AutoNoise}, {"statistics given", stats, 5.4},
		{"statistics auto", stats, sqfa.AutoNoise}} {
		b.Run(c.name, func(b *testing.B) {
			opt := sqfa.Options{Filters: 9, Noise: c.noise}
			for b.Loop() {
				testkit.Must(sqfa.Fit(context.Background(), c.src, opt))(b)
			}
		})
	}
}
