package live

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"rao/eeg"
	"rao/method"
	"rao/recipe"
)

// trained is a recording of 20 trials of a second with a rhythm at C3 or C4, behind markers.
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
	rec, err := eeg.NewRecording([]string{"C3", "C4"}, rate, data, events)
	if err != nil {
		t.Fatal(err)
	}
	rec.Source = "amp"
	return rec
}

// calibrate learns from a recording as if it came now.
func calibrate(t *testing.T, rec *eeg.Recording, log *Log, least int) *Calibration {
	t.Helper()
	mdm, err := method.Lookup("mdm")
	if err != nil {
		t.Fatal(err)
	}
	classes, err := eeg.ParseClasses("left,right")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	opt := CalibrationOptions{Classes: classes, Method: mdm, Least: least}
	opt.Stream.Window, opt.Stream.Bands = 0.8, []recipe.Band{{Low: 7, High: 14}}
	k, err := NewCalibration(ctx, InfoOf(rec), opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Run(ctx, Recorded(rec), log); err != nil {
		t.Fatal(err)
	}
	return k
}

// A calibration decides on trials before it learns them, and learns the same again from its log.
func TestCalibrationLearnsTheSameFromItsLog(t *testing.T) {
	path, rec := filepath.Join(t.TempDir(), "log.xdf"), trained(t)
	var first *Calibration
	if err := Logged(path, func(log *Log) error {
		first = calibrate(t, rec, log, 0)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(first.Trials) != 20 || first.Decided != 16 || first.Right < 14 || first.Skipped != 0 {
		t.Errorf("%d trials, %d of %d right, %d left out", len(first.Trials), first.Right, first.Decided, first.Skipped)
	}
	again, err := eeg.OpenRecording(path, eeg.RecordingOptions{AsStored: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	var a, b bytes.Buffer
	if err := first.Model.Write(&a); err != nil {
		t.Fatal(err)
	}
	if err := calibrate(t, again, nil, 0).Model.Write(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the log teaches another model")
	}
	if k := calibrate(t, trained(t), nil, 3); k.Counts[0] < 3 || k.Counts[1] < 3 || len(k.Trials) > 8 {
		t.Errorf("after enough trials: %v", k.Counts)
	}
}
