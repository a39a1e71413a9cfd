package sets

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"

	"rao/eeg"
)

//go:embed data/ssvep.gz
var ssvepFile []byte

// The events of the embedded recordings.
const (
	ssvepStart = 32779 // a trial begins; the event before it is the class
	ssvepRest  = 33024
	ssvep13Hz  = 33025
	ssvep21Hz  = 33026
	ssvep17Hz  = 33027
)

// traces is the head of the embedded file: what is said of three recordings. Behind its line
// are the samples, channel after channel: whole steps, as differences from the sample before
// with the sign in the lowest bit, the low bytes of a channel first and then the high ones.
type traces struct {
	Channels   []string
	Rate, Step float64
	Recordings []struct {
		Samples int
		Events  [][2]int // sample, code
	}
}

// SSVEP returns the embedded EEG: three recordings of one person who looks at a light that
// flickers at 13, 17 or 21 Hz, or at none, 32 trials each; eight channels over the back of the
// head, 128 samples a second. ATTRIBUTION.md next to the file says where they are from.
func SSVEP() ([]*eeg.Recording, error) {
	recs, err := readTraces(bytes.NewReader(ssvepFile))
	if err != nil {
		return nil, fmt.Errorf("sets: the embedded recordings: %w", err)
	}
	return recs, nil
}

func readTraces(r io.Reader) ([]*eeg.Recording, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewReader(z)
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var head traces
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, err
	}
	var recs []*eeg.Recording
	for i, h := range head.Recordings {
		data, err := readSamples(lines, h.Samples, len(head.Channels), head.Step)
		if err != nil {
			return nil, err
		}
		var events []eeg.Event
		for _, e := range h.Events {
			events = append(events, eeg.Event{Sample: e[0], Code: e[1]})
		}
		rec, err := eeg.NewRecording(head.Channels, head.Rate, data, events)
		if err != nil {
			return nil, err
		}
		rec.Source = fmt.Sprintf("ssvep, recording %d", i+1)
		recs = append(recs, rec)
	}
	return recs, nil
}

// readSamples returns samples × channels.
func readSamples(r io.Reader, samples, channels int, step float64) ([]float64, error) {
	data, bytes := make([]float64, samples*channels), make([]byte, 2*samples)
	for c := range channels {
		if _, err := io.ReadFull(r, bytes); err != nil {
			return nil, err
		}
		value := 0
		for i := range samples {
			coded := int(bytes[i]) | int(bytes[samples+i])<<8
			value += coded>>1 ^ -(coded & 1)
			data[i*channels+c] = float64(value) * step
		}
	}
	return data, nil
}
