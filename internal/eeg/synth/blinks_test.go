package synth

import (
	"math"
	"testing"

	"rao/internal/testkit"
)

// Blinks stand out at the forehead, not at the back of the head, and nothing else changes.
func TestBlinksAreOfTheForehead(t *testing.T) {
	rec := testkit.Must(Rhythms(10, 1))(t)
	with, at, err := Blinks(rec, 5, 1)
	if err != nil || len(at) != 5 {
		t.Fatal(at, err)
	}
	n := len(rec.Channels)
	a, b := make([]float64, n*rec.Samples()), make([]float64, n*rec.Samples())
	testkit.NoError(t, rec.Read(a, 0, rec.Samples()))
	testkit.NoError(t, with.Read(b, 0, rec.Samples()))
	for _, s := range at {
		if front, back := b[s*n]-a[s*n], b[s*n+14]-a[s*n+14]; front < 40 || math.Abs(back) > 1 {
			t.Errorf("sample %d: %v microvolt at %s, %v at %s", s, front, rec.Channels[0], back, rec.Channels[14])
		}
	}
	for s := range rec.Samples() {
		far := true
		for _, p := range at {
			far = far && math.Abs(float64(s-p)) > 1.1*RhythmRate
		}
		if far && a[s*n] != b[s*n] {
			t.Fatalf("sample %d differs, far from every blink", s)
		}
	}
	if _, _, err := Blinks(rec, 1000, 1); err == nil {
		t.Error("1000 blinks in 40 s")
	}
}
