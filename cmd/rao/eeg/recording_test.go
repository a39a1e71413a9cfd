package eeg

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
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
	data := make([]byte, 4*samples*len(channels))
	for c, name := range channels {
		r := rand.New(rand.NewPCG(5, uint64(len(name))<<16+uint64(name[len(name)-1])))
		for k := range samples {
			trial := k / (seconds * rate)
			v := r.NormFloat64()
			if name == "C3" && trial%2 == 0 || name == "C4" && trial%2 == 1 {
				v += 2 * math.Sin(2*math.Pi*10*float64(k)/float64(rate))
			}
			binary.LittleEndian.PutUint32(data[4*(k*len(channels)+c):], math.Float32bits(float32(10*v)))
		}
	}
	base := strings.TrimSuffix(args[0], ".vhdr")
	head := &strings.Builder{}
	fmt.Fprintf(head, "Brain Vision Data Exchange Header File Version 1.0\n[Common "+
		"Infos]\nDataFile=%s.eeg\nMarkerFile=%s.vmrk\n"+
		"DataFormat=BINARY\nDataOrientation=MULTIPLEXED\nNumberOfChannels=%d\nSamplingInterval=%d\n[Binary "+
		"Infos]\nBinaryFormat=IEEE_FLOAT_32\n[Channel Infos]\n",
		base, base, len(channels), 1000000/rate)
	for c, name := range channels {
		fmt.Fprintf(head, "Ch%d=%s,%s,1,µV\n", c+1, name, reference)
	}
	marks := &strings.Builder{}
	marks.WriteString("Brain Vision Data Exchange Marker File, Version 1.0\n[Common Infos]\n[Marker Infos]\n")
	for i := range trials {
		fmt.Fprintf(marks, "Mk%d=Stimulus,S  %d,%d,1,0\n", i+1, 1+i%2, i*seconds*rate+1)
	}
	for name, text := range map[string][]byte{".vhdr": []byte(head.String()), ".vmrk": []byte(marks.String()),
		".eeg": data} {
		ts.Check(os.WriteFile(ts.MkAbs(base+name), text, 0o644))
	}
}
