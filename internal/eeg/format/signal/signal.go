// Package signal holds what the readers of EEG files have in common: what a
// recording tells about itself, its events, and reading samples by place.
package signal

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rao/internal/format/ndarray"
)

// Event is something that happened during a recording.
type Event struct {
	Sample   int    // index of the sample at which it starts, from 0
	Code     int    // number of the kind of event; 0 when the file has only words
	Label    string // name of the kind of event, where the file has one
	Duration int    // samples; 0 when it has none
}

// Info is what a recording tells about itself.
type Info struct {
	Format   string   // such as "EDF+C" or "GDF 2.20"
	Channels []string // labels of the channels kept, in order
	Units    []string // physical unit of each, such as "uV"
	Rate     float64  // samples a second
	Samples  int      // samples a channel
	Events   []Event  // in the order of their samples
	Skipped  []string // signals left out because their sampling rate is another

	// What follows is empty where the file does not say.
	Reference string       // the electrode that all channels are measured against
	Types     []string     // kind of each channel: "eeg", "eog", "emg", "ecg", "stim", "misc", ...
	Positions [][3]float64 // of the electrodes: x to the right, y to the nose, z up, in any unit; zeros where not known
	Breaks    []int        // samples at which the signal begins anew, as at the joints of epochs
	Bad       []string     // channels marked as bad
	// the file asks for the average reference, and its samples do not have it
	AverageDue bool
}

// Reader gives the samples of a recording in physical units.
type Reader interface {
	Info() *Info
	// ReadSamples fills dst (count×channels) with samples first to first+count−1.
	ReadSamples(dst []float64, first, count int) error
	io.Closer
}

// CheckRange returns an error unless samples first to first+count−1 exist and dst
// has room for them.
func (i *Info) CheckRange(dst []float64, first, count int) error {
	if first < 0 || count < 0 || first > i.Samples-count {
		return fmt.Errorf("samples %d to %d are not in a recording of %d samples", first, first+count-1, i.Samples)
	}
	if len(dst) != count*len(i.Channels) {
		return fmt.Errorf("%d values of room for %d samples of %d channels", len(dst), count, len(i.Channels))
	}
	return nil
}

// CommonRate returns the samples per record that most signals have (the larger
// when two are as common); signals with none are not counted. It returns 0 if no
// signal has any.
func CommonRate(perRecord []int) int {
	best, votes := 0, 0
	for _, n := range perRecord {
		count := 0
		for _, m := range perRecord {
			if m == n {
				count++
			}
		}
		if n > 0 && (count > votes || count == votes && n > best) {
			best, votes = n, count
		}
	}
	return best
}

// Code returns the number that a label stands for: a whole label in decimal or 0x
// hexadecimal, or else 0.
func Code(label string) int {
	label = strings.TrimSpace(label)
	digits, hex := strings.CutPrefix(strings.ToLower(label), "0x")
	base := 10
	if hex {
		base = 16
	}
	n, err := strconv.ParseInt(digits, base, 32)
	if err != nil {
		return 0
	}
	return int(n)
}

// Text is [ndarray.Text].
func Text(b []byte) string { return ndarray.Text(b) }

// Decode is [ndarray.DecodeText].
func Decode(text string) string { return ndarray.DecodeText(text) }

// Sort puts events and breaks in the order of their samples.
func Sort(i *Info) {
	slices.SortStableFunc(i.Events, func(a, b Event) int { return cmp.Compare(a.Sample, b.Sample) })
	slices.Sort(i.Breaks)
	i.Breaks = slices.Compact(i.Breaks)
}
