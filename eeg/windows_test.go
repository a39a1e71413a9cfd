package eeg

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"rao/internal/testkit"
	"rao/recipe"
)

// Each window of a trial equals the observation of a trial that starts later by the offset of the window.
func TestTrialsAreCutIntoWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	values := testkit.Normals(rng, 2000)
	rec := testkit.Must(NewRecording([]string{"C3", "C4"}, 100, values, []Event{{Sample: 100, Code: 1}, {Sample: 500,
		Code: 2}}))(t)
	opt := TrialOptions{Classes: []Class{{Name: "a", Code: 1}, {Name: "b", Code: 2}}, Start: 0.5, Stop: 3, Window: 1,
		Every: 0.5, SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 30}}, Order: 4}}
	cut := func(opt TrialOptions) *Trials {
		t.Helper()
		return testkit.Must(CutTrials(context.Background(), []*Recording{rec}, opt))(t)
	}
	got := cut(opt)
	if !slices.Equal(got.Trial, []int{0, 0, 0, 0, 1, 1, 1, 1}) || !slices.Equal(got.Sample, []int{150, 200, 250, 300,
		550, 600, 650, 700}) || got.Recipe.Signal.Window != 1 || !slices.Equal(got.Data().Vars["trial"].Int64[3:5],
		[]int64{0, 1}) {
		t.Fatalf("trials %v at %v, %v", got.Trial, got.Sample, got.Recipe)
	}
	for k := range 4 {
		one := opt
		one.Window, one.Every = 0, 0
		one.Start += 0.5 * float64(k)
		one.Stop = one.Start + 1
		want := cut(one)
		for c := range 2 {
			testkit.Close(t, "window", got.Stacks[0].At(4*c+k), want.Stacks[0].At(c), 1e-14)
		}
	}
	opt.Every = 0
	testkit.Equal(t, len(cut(opt).Labels), 4, "windows without overlap")
	for _, wrong := range []func(o *TrialOptions){
		func(o *TrialOptions) { o.Window = 2.6 }, func(o *TrialOptions) { o.Window = -1 },
		func(o *TrialOptions) { o.Every = 0.001 }, func(o *TrialOptions) { o.BothEnds = true },
	} {
		bad := opt
		wrong(&bad)
		testkit.ErrorContains(t, testkit.ErrorOf(CutTrials(context.Background(), []*Recording{rec}, bad)),
			"option window", bad)
	}
}
