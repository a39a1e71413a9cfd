package edf

import (
	"bytes"
	"slices"
	"testing"

	"rao/internal/testkit"
)

// A file with a gap (EDF+D) is read as two segments. The second segment follows the first without a gap and starts with
// a break. The times of its events are counted from its start.
func TestGapsAreBreaks(t *testing.T) {
	good := fixture(t, "synth.edf")
	whole := testkit.Must(New(bytes.NewReader(good), int64(len(good))))(t)
	at := bytes.Index(good, []byte("+1\x14\x14"))
	if at < 0 {
		t.Fatal("the second record has no time")
	}
	// the second record begins 8 s late, and all that follow it do
	later := slices.Clone(good)
	for k, old := range []string{"+1\x14\x14", "+2\x14\x14", "+3\x14\x14"} {
		if p := bytes.Index(later, []byte(old)); p >= 0 {
			later[p+1] = byte('7' + k)
		}
	}
	cut := testkit.Must(New(bytes.NewReader(later), int64(len(later))))(t)
	per := int(whole.Info().Rate)
	if got := cut.Info(); !slices.Equal(got.Breaks, []int{per}) || got.Samples != whole.Info().Samples {
		t.Errorf("breaks %v of %d samples", got.Breaks, got.Samples)
	}
	if whole.Info().Breaks != nil {
		t.Errorf("breaks %v", whole.Info().Breaks)
	}
	segments := []segment{{0, 0}, {9, 100}, {20, 200}}
	for onset, want := range map[float64]int{-1: -100, 0.5: 50, 1: 100, 5: 100, 9: 100, 9.5: 150, 15: 200, 20.25: 225} {
		e := testkit.Must(place(annotation{onset: onset, text: "x"}, segments, 100))(t)
		testkit.Equal(t, e.Sample, want, "at", onset)
	}
}
