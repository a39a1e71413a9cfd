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

// These are the event codes of the embedded recordings.
const (
	ssvepStart = 32779 // start of a trial; the previous event is its class
	ssvepRest  = 33024
	ssvep13Hz  = 33025
	ssvep21Hz  = 33026
	ssvep17Hz  = 33027
)

// traces is the header of the embedded file, one line that describes three recordings. The header is followed by the
// samples, channel after channel. A sample is an integer, coded as the difference from the previous sample with the
// sign in the lowest bit. For each channel, all low bytes come first and then all high bytes.
type traces struct {
	Channels   []string
	Rate, Step float64
	Recordings []struct {
		Samples int
		Events  [][2]int // pairs of sample and code
	}
}

// SSVEP returns the embedded EEG: three recordings of one person who looks at a light that flickers at 13, 17 or 21 Hz,
// or at no light, with 32 trials each. The recordings have eight channels over the back of the head and 128 samples per
// second. ATTRIBUTION.md in the folder of the data names the source.
func SSVEP() ([]*eeg.Recording, error) {
	recs, err := readTraces(bytes.NewReader(ssvepFile))
	if err != nil {
		return nil, fmt.Errorf("the embedded recordings: %w", err)
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

// readSamples decodes samples × channels.
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
