package covstream

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// An invalid sample loses the trials that contain it and no others: neither trials whose events came later in the
// signal but were marked before, nor their positions. A break does the same.
func TestTrialsAfterAFaultRemain(t *testing.T) {
	var done []Trial
	e := testkit.Must(NewEvents(2, 100, NewTrialWindow(100, 0.1, 0.2, nil), Options{}, func(t Trial) error {
		done = append(done, t)
		return nil
	}))(t)
	none := func(*mat.SymDense, int64) error { return nil }
	for event, sample := range []int64{5, 50, 70, 200} {
		testkit.Equal(t, e.Mark(event, sample), true, "event", event)
	}
	testkit.Equal(t, e.Mark(9, -11), false, "an event before the signal")
	for k := range int64(300) {
		row := []float64{float64(k % 7), float64(k % 5)}
		if k == 75 {
			row[1] = math.NaN()
			testkit.Fails(t, e.Push(row, none), "NaN")
			lost := e.Restart(1)
			if len(lost) != 2 || lost[0].Event != 1 || lost[1].Event != 2 {
				t.Errorf("lost %v", lost)
			}
			continue
		}
		testkit.NoError(t, e.Push(row, none))
	}
	if len(done) != 2 || done[0].Event != 0 || done[0].First != 15 || done[1].Event != 3 || done[1].First != 209 {
		t.Errorf("trials %v", done)
	}
	testkit.Equal(t, e.Came(), int64(300), "samples")
	testkit.Equal(t, e.Mark(4, 290), true, "an event at the end")
	testkit.Equal(t, e.Mark(5, 500), true, "an event to come")
	testkit.Equal(t, len(e.Restart(0)), 1, "trials lost in a break")
	testkit.Equal(t, e.Drop(), 1, "trials dropped")
}
