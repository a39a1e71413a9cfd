package sqfa_test

import (
	"context"
	"testing"

	"rao/gaussian"
	"rao/sqfa"
)

// The choice of the noise costs a bounded number of evaluations of the objective more than the fit with the noise
// that was chosen: about ten for each noise and fold that is tried.
func TestEvaluationsOfAutomaticNoise(t *testing.T) {
	train, _, labels, _ := digitSets(t)
	stats, err := gaussian.Estimate(train, labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	given := func(noise float64) int {
		return fit(t, stats, sqfa.Options{Filters: 9, Noise: noise}).Report.Evaluations
	}
	m, err := sqfa.Fit(context.Background(), sqfa.Rows{X: train, Labels: labels},
		sqfa.Options{Filters: 9, AutoNoise: true})
	if err != nil {
		t.Fatal(err)
	}
	if alone := given(m.Noise); m.Report.Evaluations > alone+200 {
		t.Errorf("%d evaluations, %d with the noise given", m.Report.Evaluations, alone)
	}
	m, err = sqfa.Fit(context.Background(), stats, sqfa.Options{Filters: 9, AutoNoise: true})
	if err != nil {
		t.Fatal(err)
	}
	if alone := given(m.Noise); m.Report.Evaluations > alone+100 {
		t.Errorf("from statistics %d evaluations, %d with the noise given", m.Report.Evaluations, alone)
	}
}

func BenchmarkNoiseOnMNIST(b *testing.B) {
	stats, train, _ := mnist(b)
	rows := sqfa.Rows{X: train.X, Labels: train.Labels, Classes: train.Classes}
	for _, c := range []struct {
		name string
		src  sqfa.Source
		auto bool
	}{{"rows given", rows, false}, {"rows auto", rows, true}, {"statistics given", stats, false},
		{"statistics auto", stats, true}} {
		b.Run(c.name, func(b *testing.B) {
			opt := sqfa.Options{Filters: 9, Noise: 11.6, AutoNoise: c.auto}
			for b.Loop() {
				_, err := sqfa.Fit(context.Background(), c.src, opt)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
