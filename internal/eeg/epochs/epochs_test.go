package epochs

import (
	"context"
	"math/rand/v2"
	"testing"

	"rao/eeg"
	"rao/internal/testkit"
)

// Every window of an epoch has the index of its epoch, also after an epoch was left out.
func TestWindowsOfEpochsHaveTheirEpoch(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const count, channels, samples = 4, 2, 100
	data := testkit.Normals(rng, count*channels*samples)
	data[channels*samples] = 1e6 // in the second epoch
	rec := testkit.Must(Recording([]string{"C3", "C4"}, 100, data, samples))(t)
	opt := eeg.TrialOptions{Start: 0.2, Stop: 1, Window: 0.4, Every: 0.2, Amplitude: "1000"}
	got, index, err := Cut(context.Background(), rec, opt)
	testkit.NoError(t, err)
	testkit.EqualSlices(t, got.Sample, []int{20, 40, 60, 120, 140, 160, 220, 240, 260, 320, 340, 360})
	testkit.EqualSlices(t, index, []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3})
	opt.Start = 0
	_, index = testkit.Must2(Cut(context.Background(), rec, opt))(t)
	testkit.EqualSlices(t, index, []int{0, 0, 0, 0, 2, 2, 2, 2, 3, 3, 3, 3})
}
