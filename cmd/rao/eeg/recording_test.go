package eeg

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// makeRecording writes a BrainVision recording of 40 trials of 3 s. Each trial starts with an event of code 1 or 2:
// recording NAME CHANNELS [RATE [REFERENCE]]. A trial of code 1 has a rhythm of 10 Hz at C3, and a trial of code 2 at
// C4. The signal of a channel depends on its name, not on its position.
func makeRecording(ts *testscript.TestScript, neg bool, args []string) {
	const trials, seconds = 40, 3
	channels := strings.Split(args[1], ",")
	rate := 250
	if len(args) > 2 {
		_, err := fmt.Sscan(args[2], &rate)
		ts.Check(err)
	}
	reference := strings.Join(args[min(3, len(args)):], "")
	samples := trials * seconds * rate
	data := make([]float64, samples*len(channels))
	for c, name := range channels {
		r := rand.New(rand.NewPCG(5, uint64(len(name))<<16+uint64(name[len(name)-1])))
		for k := range samples {
			trial := k / (seconds * rate)
			v := r.NormFloat64()
			if name == "C3" && trial%2 == 0 || name == "C4" && trial%2 == 1 {
				v += 2 * math.Sin(2*math.Pi*10*float64(k)/float64(rate))
			}
			data[k*len(channels)+c] = 10 * v
		}
	}
	ts.Check(writeBrainVision(ts.MkAbs(strings.TrimSuffix(args[0], ".vhdr")), reference, "µV", rate, seconds*rate,
		channels, data))
}

// writeBrainVision writes samples × channels as a recording. A trial of code 1 or 2 starts every trial samples.
func writeBrainVision(base, reference, unit string, rate, trial int, channels []string, data []float64) error {
	var raw []byte
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
	}
	var head, marks strings.Builder
	name := filepath.Base(base)
	fmt.Fprintf(&head, "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\nDataFile=%s.eeg\n"+
		"MarkerFile=%s.vmrk\nDataFormat=BINARY\nDataOrientation=MULTIPLEXED\nNumberOfChannels=%d\n"+
		"SamplingInterval=%d\n[Binary Infos]\nBinaryFormat=IEEE_FLOAT_32\n[Channel Infos]\n", name, name,
		len(channels), 1000000/rate)
	for c, label := range channels {
		fmt.Fprintf(&head, "Ch%d=%s,%s,1,%s\n", c+1, label, reference, unit)
	}
	marks.WriteString("Brain Vision Data Exchange Marker File, Version 1.0\n[Common Infos]\n[Marker Infos]\n")
	for k := range len(data) / len(channels) / trial {
		fmt.Fprintf(&marks, "Mk%d=Stimulus,S  %d,%d,1,0\n", k+1, 1+k%2, trial*k+1)
	}
	return errors.Join(os.WriteFile(base+".eeg", raw, 0o644), os.WriteFile(base+".vmrk", []byte(marks.String()), 0o644),
		os.WriteFile(base+".vhdr", []byte(head.String()), 0o644))
}
