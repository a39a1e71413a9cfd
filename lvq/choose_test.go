package lvq

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"rao"
	"rao/internal/testkit"
	"rao/spd"
)

// If labels are independent of the matrices, there is nothing to learn, and the prototypes stay exactly at the class
// means.
func TestTheChoiceStaysAtTheMeansWhereTrainingDoesNotHelp(t *testing.T) {
	x, y := clouds(61, 4, 2, 60, 0, 0.3)
	rand.New(rand.NewPCG(61, 61)).Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
	m := fitOrFail(t, x, y, PLRSQOptions{})
	if m.Report.Iterations != 0 {
		t.Fatalf("trained for %d epochs on labels without meaning", m.Report.Iterations)
	}
	src := testkit.Must(prepare(m.Metric, x))(t)
	for c := range 2 {
		var own []int
		for i, l := range y {
			if l == c {
				own = append(own, i)
			}
		}
		mean := testkit.Must(src.mean(context.Background(), own))(t)
		testkit.Close(t, "prototypes", m.Prototypes.At(c), mean, 1e-12)
	}
	if !(m.Report.Objective > 0.3) {
		t.Errorf("cost %g of prototypes that cannot tell the classes apart", m.Report.Objective)
	}
	testkit.Equal(t, len(m.HeldLabels), len(y), "held-out samples for calibration")
}

// The means differ in a direction with strong noise, which a second direction could cancel. Prototypes away from the
// means separate classes that the means do not separate.
func TestTheChoiceTrainsWhereItHelps(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 62))
	x, y := spd.NewStack(80, 2), make([]int, 80)
	for i := range y {
		y[i] = i % 2
		noise := rng.NormFloat64()
		x.At(i)[0] = math.Exp(float64(y[i]) + noise)
		x.At(i)[3] = math.Exp(noise + 0.1*rng.NormFloat64())
	}
	m := fitOrFail(t, x, y, PLRSQOptions{})
	got := testkit.Must(m.Predict(t.Context(), x))(t)
	if a := accuracy(got, y); m.Report.Iterations == 0 || a < 0.9 {
		t.Errorf("accuracy %.3f after %d epochs", a, m.Report.Iterations)
	}
}

// If an option of the training is set, that training is used and none is chosen.
func TestAGivenTrainingIsNotChosen(t *testing.T) {
	for name, o := range map[string]PLRSQOptions{"epochs": {Epochs: 7}, "sigma2": {Sigma2: 1},
		"anneal": {Anneal: annealingFixed},
		"rate":   {Rate: 0.01}, "schedule": {Schedule: scheduleAdaptive}, "validation": {Validation: 0.2},
		"batch": {Batch: 8}} {
		r := testkit.Must(o.resolve(4, []int{20, 20}, nil))(t)
		if r.choose || name != "epochs" && r.Epochs != 100 {
			t.Errorf("%s: choose %v, %d epochs", name, r.choose, r.Epochs)
		}
	}
	r, err := (PLRSQOptions{Prototypes: 3, Start: startKMeans, Seed: 5}).resolve(4, []int{20, 20}, nil)
	if err != nil || !r.choose || r.Epochs != choiceEpochs {
		t.Errorf("nothing said about the training: choose %v, %d epochs, %v", r.choose, r.Epochs, err)
	}
}

func TestTheChoiceIsTheSameForAnyNumberOfProcessors(t *testing.T) {
	x, y := clouds(63, 4, 3, 25, 0.3, 0.25)
	testkit.SameAtAnyProcs(t, func() []float64 {
		m := fitOrFail(t, x, y, PLRSQOptions{})
		return append(append([]float64{m.Sigma2, m.Temperature, float64(m.Report.Iterations)}, m.Prototypes.Data...),
			m.HeldLogPosterior...)
	})
}

// A fit that is canceled while it trains held-out folds returns the class means.
func TestCancelDuringTheChoiceReturnsTheStart(t *testing.T) {
	x, y := clouds(64, 4, 2, 30, 0.4, 0.2)
	m := canceledWhen(t, x, y, PLRSQOptions{}, func(e rao.Event) bool {
		return e.Stage == "choose on held-out folds" && e.Done == 2
	})
	testkit.Equal(t, m.Report.Iterations, 0, "epochs")
	testkit.Equal(t, m.Temperature, 1, "temperature")
	got, err := m.Predict(t.Context(), x)
	if err != nil || accuracy(got, y) < 0.9 {
		t.Errorf("accuracy %.3f of the class means, %v", accuracy(got, y), err)
	}
}

func TestCheckpoints(t *testing.T) {
	testkit.EqualSlices(t, checkpoints(30), []int{0, 1, 2, 4, 8, 16, 30}, "checkpoints")
	testkit.EqualSlices(t, checkpoints(16), []int{0, 1, 2, 4, 8, 16}, "checkpoints")
}
