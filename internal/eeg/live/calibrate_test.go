package live

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"rao/eeg"
	"rao/internal/testkit"
	"rao/method"
	"rao/recipe"
)

// trained returns a recording of 20 trials of one second. Each follows a marker and has a rhythm at C3 or C4.
func trained(t *testing.T) *eeg.Recording {
	t.Helper()
	const rate, trials = 100, 20
	r := rand.New(rand.NewPCG(5, 1))
	data := make([]float64, 2*trials*rate)
	var events []eeg.Event
	for k := range trials * rate {
		trial := k / rate
		if k%rate == 0 {
			events = append(events, eeg.Event{Sample: k, Label: []string{"left", "right"}[trial%2]})
		}
		data[2*k], data[2*k+1] = r.NormFloat64(), r.NormFloat64()
		data[2*k+trial%2] += 1.5 * math.Sin(2*math.Pi*10*float64(k)/rate)
	}
	rec := testkit.Must(eeg.NewRecording([]string{"C3", "C4"}, rate, data, events))(t)
	rec.Source = "amp"
	return rec
}

// calibrate learns from a recording as if it were a live signal.
func calibrate(t *testing.T, rec *eeg.Recording, log *Log, least int) *Calibration {
	t.Helper()
	mdm := testkit.Must(method.ParseSpec("mdm"))(t)
	classes := testkit.Must(eeg.ParseClasses("left,right"))(t)
	ctx := context.Background()
	opt := CalibrationOptions{Classes: classes, Method: mdm, Least: least}
	opt.Stream.Window, opt.Stream.Bands = 0.8, []recipe.Band{{Low: 7, High: 14}}
	k := testkit.Must(NewCalibration(ctx, InfoOf(rec), opt))(t)
	testkit.NoError(t, k.Run(ctx, Recorded(rec), log))
	return k
}

// A calibration decides on trials before it learns from them, and learns the same from its log.
func TestCalibrationLearnsTheSameFromItsLog(t *testing.T) {
	path, rec := filepath.Join(t.TempDir(), "log.xdf"), trained(t)
	var first *Calibration
	testkit.NoError(t, Logged(path, func(log *Log) error {
		first = calibrate(t, rec, log, 0)
		return nil
	}))
	if len(first.Trials) != 20 || first.Decided != 16 || first.Right < 14 || first.Skipped != 0 {
		t.Errorf("%d trials, %d of %d right, %d left out", len(first.Trials), first.Right, first.Decided, first.Skipped)
	}
	again := testkit.Must(eeg.OpenRecording(path, eeg.RecordingOptions{AsStored: true}))(t)
	defer again.Close()
	var a, b bytes.Buffer
	testkit.NoError(t, first.Model.Write(&a))
	testkit.NoError(t, calibrate(t, again, nil, 0).Model.Write(&b))
	testkit.EqualSlices(t, a.Bytes(), b.Bytes(), "the log teaches another model")
	if k := calibrate(t, trained(t), nil, 3); k.Counts[0] < 3 || k.Counts[1] < 3 || len(k.Trials) > 8 {
		t.Errorf("after enough trials: %v", k.Counts)
	}
}

// Markers of two classes at one sample do not say which class the trial has, and a marker that arrives twice is one
// trial.
func TestMarkersOfTwoClassesAreLeftOut(t *testing.T) {
	mdm := testkit.Must(method.ParseSpec("mdm"))(t)
	for _, anchor := range []string{"", "go"} {
		rec := trained(t)
		var events []eeg.Event
		for k, e := range rec.Events {
			other := e
			if k == 4 {
				other.Label = "right"
			}
			events = append(events, e, other, eeg.Event{Sample: e.Sample + 2, Label: "go"})
		}
		rec.Events = events
		var notes []string
		opt := CalibrationOptions{Classes: testkit.Must(eeg.ParseClasses("left,right"))(t), Method: mdm,
			Anchor: eeg.Class{Label: anchor},
			Note:   func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }}
		opt.Stream.Window = 0.8
		k := testkit.Must(NewCalibration(t.Context(), InfoOf(rec), opt))(t)
		testkit.NoError(t, k.Run(t.Context(), Recorded(rec), nil))
		testkit.EqualSlices(t, k.Counts, []int{9, 10}, "trials of each class")
		testkit.Equal(t, k.Skipped, 1, "trials left out")
		testkit.Equal(t, strings.Contains(strings.Join(notes, "\n"), "the trial at 4.0 s is left out, because it has "+
			"markers of the classes left and right"), true, "notes:", notes)
	}
}
