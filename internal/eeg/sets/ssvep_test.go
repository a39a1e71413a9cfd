package sets

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rao/eeg"
	"rao/internal/dsp"
	"rao/internal/eeg/format/signal"
	"rao/internal/testkit"
)

// This test makes the embedded recordings again, from the three recordings of subject 12, at half the rate and in steps
// of 1e-5. RAO_WRITE=1 writes the file.
func TestSSVEPIsCutFromTheRecordings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testkit.External(t, "data", "ssvep", "subject12"), "*_raw.npy"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	slices.Sort(files)
	made := testkit.Must(cut(files))(t)
	if os.Getenv("RAO_WRITE") != "" {
		packed := testkit.Must(zipped(made))(t)
		testkit.NoError(t, os.WriteFile("data/ssvep.gz", packed, 0o644))
	}
	testkit.EqualSlices(t, made, testkit.Must(unzipped(ssvepFile))(t),
		"the embedded file and the file made from the recordings")
}

// cut returns the content of the embedded file.
func cut(files []string) ([]byte, error) {
	head := traces{Rate: 128, Step: 1e-5}
	var body bytes.Buffer
	for _, file := range files {
		rec, err := eeg.OpenRecording(file, eeg.RecordingOptions{Rate: 256})
		if err != nil {
			return nil, err
		}
		if head.Channels = rec.Channels; len(head.Channels) != 8 {
			return nil, fmt.Errorf("%d channels", len(head.Channels))
		}
		data, err := signal.Samples(rec, 8)
		if err != nil {
			return nil, err
		}
		resample, err := dsp.NewResampler(rec.Rate, head.Rate)
		if err != nil {
			return nil, err
		}
		half, err := eeg.NewRecording(rec.Channels, head.Rate, resample.ZeroPhase(data, 8), nil)
		if err != nil {
			return nil, err
		}
		events := make([][2]int, len(rec.Events))
		for i, e := range rec.Events {
			events[i] = [2]int{int(math.RoundToEven(float64(e.Sample) * head.Rate / rec.Rate)), e.Code}
		}
		head.Recordings = append(head.Recordings, struct {
			Samples int
			Events  [][2]int
		}{half.Samples(), events})
		if err := writeSamples(&body, half, head.Step); err != nil {
			return nil, err
		}
	}
	line, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	return slices.Concat(line, []byte{'\n'}, body.Bytes()), nil
}

func zipped(b []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(b); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}

func unzipped(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func writeSamples(w *bytes.Buffer, rec *eeg.Recording, step float64) error {
	n, channels := rec.Samples(), len(rec.Channels)
	data := make([]float64, n*channels)
	if err := rec.Read(data, 0, n); err != nil {
		return err
	}
	for c := range channels {
		low, high, before := make([]byte, n), make([]byte, n), int64(0)
		for i := range n {
			value := int64(math.Round(data[i*channels+c] / step))
			d := value - before
			coded := d<<1 ^ d>>63
			if coded >= 1<<16 {
				return fmt.Errorf("sample %d of channel %d jumps by %d steps", i, c, d)
			}
			low[i], high[i], before = byte(coded), byte(coded>>8), value
		}
		w.Write(low)
		w.Write(high)
	}
	return nil
}

// Each recording has eight trials of each class, all within the recording.
func TestSSVEP(t *testing.T) {
	recs, err := SSVEP()
	if err != nil || len(recs) != 3 {
		t.Fatal(len(recs), err)
	}
	for _, rec := range recs {
		counts := map[int]int{}
		for _, e := range rec.Events {
			counts[e.Code]++
		}
		for code, want := range map[int]int{ssvepRest: 8, ssvep13Hz: 8, ssvep17Hz: 8, ssvep21Hz: 8, ssvepStart: 32} {
			testkit.Equal(t, counts[code], want, rec.Source, "events", code)
		}
		if s := float64(rec.Samples()) / rec.Rate; s < 300 || s > 400 {
			t.Errorf("%s lasts %g s", rec.Source, s)
		}
	}
}
