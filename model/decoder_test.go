package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/testkit"
	"rao/lvq"
	"rao/recipe"
	"rao/spd"
)

// recorded returns the covariances of 40 trials of three channels with a rhythm at C3 or C4, and a model of
// them.
func recorded(t testing.TB, fit func(x *spd.Stack, labels []int) Classifier) (*Model, *spd.Stack, []int) {
	t.Helper()
	const rate, samples, trials = 128, 256, 40
	r := rand.New(rand.NewPCG(3, 3))
	x, labels := spd.NewStack(trials, 3), make([]int, trials)
	signal, cov := mat.NewDense(samples, 3, nil), mat.NewSymDense(3, nil)
	for k := range trials {
		labels[k] = k % 2
		for i := range samples {
			for c := range 3 {
				signal.Set(i, c, r.NormFloat64())
			}
			at := 2 * labels[k]
			signal.Set(i, at, signal.At(i, at)+3*math.Sin(2*math.Pi*10*float64(i)/rate))
		}
		testkit.Must(spd.Covariance(cov, signal, spd.CovarianceOptions{}))(t)
		x.Set(k, cov)
	}
	channels := []string{"C3", "Cz", "C4"}
	return &Model{Method: "test", Classes: []string{"left", "right"},
		Input: Schema{Kind: KindMatrices, Dim: 3, Channels: channels, Recipe: &recipe.Recipe{
			Signal: &recipe.Signal{Rate: rate, Channels: channels, Window: 2,
				SignalOptions: recipe.SignalOptions{Estimator: "sample"}}}},
		Classifier: fit(x, labels), Training: TrainingOnMatrices(x, labels, 2)}, x, labels
}

func prototypes(t testing.TB) func(x *spd.Stack, labels []int) Classifier {
	return func(x *spd.Stack, labels []int) Classifier {
		p := testkit.Fitted(lvq.FitPLRSQ(context.Background(), x, labels, nil,
			lvq.PLRSQOptions{Epochs: 2, CalibrationFolds: -1, Sigma2: 1}))(t)
		return p
	}
}

func nearest(t testing.TB) func(x *spd.Stack, labels []int) Classifier {
	return func(x *spd.Stack, labels []int) Classifier {
		m := testkit.Must(classify.FitMDM(context.Background(), x, labels, []string{"left", "right"},
			classify.MDMOptions{}))(t)
		return m
	}
}

func TestDecoderDecidesAsPredictDoes(t *testing.T) {
	for name, fit := range map[string]func(x *spd.Stack, labels []int) Classifier{"plrsq": prototypes(t),
		"mdm": nearest(t)} {
		m, x, _ := recorded(t, fit)
		want := testkit.Must(m.Predict(ctx, Matrices(x)))(t)
		d := testkit.Must(NewDecoder(m, DecoderOptions{}))(t)
		for i := range x.Count {
			one, err := d.Observe(x.At(i))
			if err != nil || one.At != int64(i) {
				t.Fatal(one.At, err)
			}
			if one.Label != want.Label[i] || one.Rejected != want.Rejected[i] || one.Outlier != want.Outlier[i] {
				t.Errorf("%s: trial %d: %+v, predict says class %d", name, i, one, want.Label[i])
			}
			for c, v := range one.LogPosterior {
				testkit.Near(t, v, want.LogPosterior.At(i, c), 1e-9, name, "trial", i, "log-posterior")
			}
		}
	}
}

// A decoder that adapts to a session corrects a change of gain, starts at the mean of the training data, and learns
// without changing the model.
func TestDecoderAdaptsAndLearns(t *testing.T) {
	m, x, labels := recorded(t, nearest(t))
	stage, centered := testkit.Must2(FitAdaptation(ctx, adaptCenter, 0, x, nil, nil))(t)
	m.Stages, m.Classifier = []Stage{stage}, prototypes(t)(centered, labels)
	d := testkit.Must(NewDecoder(m, DecoderOptions{Adapt: adaptCausal}))(t)
	right := 0
	for k := range 3 * x.Count {
		a := slices.Clone(x.At(k % x.Count))
		for i := range a {
			a[i] *= 9
		}
		one := testkit.Must(d.Observe(a))(t)
		if k >= 2*x.Count && one.Label == labels[k%x.Count] {
			right++
		}
	}
	if right < 38 {
		t.Errorf("%d of %d decisions are right after the mean has moved", right, x.Count)
	}
	before := testkit.Must(m.Predict(ctx, Matrices(x)))(t)
	testkit.NoError(t, d.Update(0))
	after := testkit.Must(m.Predict(ctx, Matrices(x)))(t)
	mine := testkit.Must(d.Model().Predict(ctx, Matrices(x)))(t)
	if before.LogPosterior.At(0, 0) != after.LogPosterior.At(0, 0) ||
		mine.LogPosterior.At(0, 0) == after.LogPosterior.At(0, 0) {
		t.Error("an update changes the model, or does not change the decoder's own")
	}
}
