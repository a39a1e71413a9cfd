package lvq_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/lvq"
)

// sigmaGrid are the candidates of σ², from close fits to nearly class means.
var sigmaGrid = []float64{1, 2, 3, 4.5, 6.5, 9.5, 14}

// choice is a fit with its scores on held-out trials of session T.
type choice struct {
	sigma2       float64
	loss, error1 float64 // mean log loss and its standard error
}

// chooseSigma2 fits every candidate with five held-out folds inside session T and
// takes the largest σ² whose log loss on held-out trials lies within one standard
// error of the lowest (Breiman et al. 1984): trials of one day are more alike than
// those of two, so a score inside T flatters close fits.
func chooseSigma2(t *testing.T, train *session) *choice {
	t.Helper()
	var all []*choice
	best := 0
	for k, s2 := range sigmaGrid {
		m, err := lvq.FitPLRSQ(context.Background(), train.x, train.labels, lvq.Options{Sigma2: s2, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		s, err := evaluate.Score(m.HeldLabels, mat.NewDense(len(m.HeldLabels), m.Classes, m.HeldLogPosterior))
		if err != nil {
			t.Fatal(err)
		}
		var losses []float64
		for i, y := range m.HeldLabels {
			losses = append(losses, -m.HeldLogPosterior[i*m.Classes+y])
		}
		mean, deviation := moments(losses)
		all = append(all, &choice{s2, mean, deviation / math.Sqrt(float64(len(losses)))})
		t.Logf("  sigma2 %-4g held-out trials of T: log loss %.3f, kappa %.3f, temperature %.2f", s2, mean, s.Kappa, m.Temperature)
		if mean < all[best].loss {
			best = k
		}
	}
	pick := all[best]
	for _, c := range all[best:] {
		if c.loss <= all[best].loss+all[best].error1 {
			pick = c
		}
	}
	return pick
}

// runs are the six runs of 48 trials of a session: groups that differ as
// recordings do, so that the temperature fitted on held-out runs is more careful.
func runs(s *session) []int {
	g := make([]int, len(s.labels))
	for i := range g {
		g[i] = i / 48
	}
	return g
}

// outcome is what a model gives on session E.
type outcome struct{ kappa, ece, risk, risk80 float64 }

func outcomeOf(t *testing.T, m *lvq.PLRSQ, e *session, o *lvq.RecenterOptions) outcome {
	t.Helper()
	x := e.x
	if o != nil {
		r, err := m.Recenter(context.Background(), x, *o)
		if err != nil {
			t.Fatal(err)
		}
		x = r.Apply(x)
	}
	var logp mat.Dense
	if err := m.LogPosterior(&logp, x); err != nil {
		t.Fatal(err)
	}
	s, err := evaluate.Score(e.labels, &logp)
	if err != nil {
		t.Fatal(err)
	}
	at80, _ := evaluate.PosteriorRisk(e.labels, &logp).At(0.8)
	return outcome{s.Kappa, s.ECE, 1 - s.Accuracy, at80}
}

// TestStudyBCI is the full run on A01-A05: train on session T, choose σ² inside T,
// ten seeds, test on session E as it is, re-centred, and re-centred with balanced
// classes. Re-centring sees no label. Found, kappa of ten seeds (mean ± deviation):
//
//	           σ²   as it is       re-centred     paper
//	A01        6.5  0.745 ± 0.004  0.787 ± 0.000  0.75
//	A02        14   0.309 ± 0.002  0.384 ± 0.004  0.34
//	A03        6.5  0.757 ± 0.003  0.843 ± 0.000  0.80
//	A04        9.5  0.548 ± 0.004  0.527 ± 0.003  0.58
//	A05        14   0.343 ± 0.001  0.374 ± 0.003  0.38
//	mean            0.540          0.583          0.57
//
// As it is, no rule for σ² that looks at session T alone reached the paper's mean
// (lowest log loss: 0.542), and no single σ² does. With the temperature of held-out
// runs the mean calibration error on session E is 0.080 as it is, 0.063 re-centred
// and 0.057 balanced (kappa 0.580). Where the error is above 0.43, as for A02 and
// A05, leaving out the least certain fifth cannot lower it by a third, even with a
// perfect ranking: (e − 0.2)/0.8 > 2e/3.
func TestStudyBCI(t *testing.T) {
	study(t, "bci")
	paper := []float64{0.75, 0.34, 0.80, 0.58, 0.38}
	forms := []*lvq.RecenterOptions{nil, {}, {Balanced: true}}
	names := []string{"as it is", "re-centred", "balanced"}
	total := make([]outcome, len(forms))
	var raw float64
	for k := range 5 {
		train, test := bci(t, k+1)
		c := chooseSigma2(t, train)
		careful, err := lvq.FitPLRSQ(context.Background(), train.x, train.labels, lvq.Options{Sigma2: c.sigma2, Seed: 1, Groups: runs(train)})
		if err != nil {
			t.Fatal(err)
		}
		var seeds, moved []float64
		for seed := range uint64(10) {
			m, err := lvq.FitPLRSQ(context.Background(), train.x, train.labels, lvq.Options{Sigma2: c.sigma2, Seed: seed, CalibrationFolds: -1})
			if err != nil {
				t.Fatal(err)
			}
			seeds = append(seeds, outcomeOf(t, m, test, nil).kappa)
			moved = append(moved, outcomeOf(t, m, test, forms[1]).kappa)
		}
		mean, deviation := moments(seeds)
		movedMean, movedDeviation := moments(moved)
		raw += mean / 5
		t.Logf("A0%d: sigma2 %g; ten seeds: kappa %.3f ± %.3f, paper %.2f; re-centred %.3f ± %.3f",
			k+1, c.sigma2, mean, deviation, paper[k], movedMean, movedDeviation)
		if movedMean < paper[k]-0.05 {
			t.Errorf("A0%d: kappa %.3f after re-centring, paper %.2f", k+1, movedMean, paper[k])
		}
		for f, form := range forms {
			o := outcomeOf(t, careful, test, form)
			t.Logf("  %-11s kappa %.3f, calibration error %.3f, error %.3f, of the most certain 80 %% %.3f", names[f], o.kappa, o.ece, o.risk, o.risk80)
			total[f].kappa += o.kappa / 5
			total[f].ece += o.ece / 5
			total[f].risk += o.risk / 5
			total[f].risk80 += o.risk80 / 5
		}
	}
	t.Logf("mean of ten seeds, session E as it is: kappa %.3f, paper 0.57", raw)
	for f, o := range total {
		t.Logf("%-11s mean kappa %.3f, calibration error %.3f, error %.3f → %.3f at 80 %%", names[f], o.kappa, o.ece, o.risk, o.risk80)
	}
	if total[2].kappa < 0.57 {
		t.Errorf("mean kappa %.3f after balanced re-centring, paper 0.57", total[2].kappa)
	}
	if total[2].ece > 0.06 {
		t.Errorf("mean calibration error %.3f after balanced re-centring", total[2].ece)
	}
}
