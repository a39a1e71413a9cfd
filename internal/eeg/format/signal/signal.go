// Package signal contains types and functions that the readers of EEG files share: the description of a recording, its
// events, and random access to samples.
package signal

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rao/internal/indices"
	"rao/internal/naming"
	"rao/internal/par"
	"rao/internal/text"
)

// Event is an event of a recording.
type Event struct {
	Sample   int    // index of the sample at which it starts, from 0
	Code     int    // code of the event; 0 if the file has only labels
	Label    string // label of the event, if the file has one
	Duration int    // in samples; 0 if the event has no duration
}

// Info is the description of a recording.
type Info struct {
	Format   string   // such as "EDF+C" or "GDF 2.20"
	Channels []string // names of the selected channels, in order
	Units    []string // physical unit of each channel, such as "uV"
	Rate     float64  // samples per second
	Samples  int      // samples per channel
	Events   []Event  // in the order of their samples
	Skipped  []string // signals that were left out because of a different sampling rate

	// The following fields are zero if the file does not contain them.

	Reference string       // reference electrode of all channels
	Types     []string     // kind of each channel: "eeg", "eog", "emg", "ecg", "stim", "misc", ...
	Positions [][3]float64 // electrode positions in any unit: x to the right, y to the nose, z up; zeros if unknown
	Breaks    []int        // samples at which the signal is discontinuous, such as the start of an epoch
	Bad       []string     // channels marked as bad
	// AverageDue is true if the file requests the average reference but its samples are stored without it.
	AverageDue bool
}

// Reader reads the samples of a recording, in physical units.
type Reader interface {
	Info() *Info
	// ReadSamples fills dst (count×channels) with samples first to first+count−1.
	ReadSamples(dst []float64, first, count int) error
	io.Closer
}

// Samples reads all samples of a recording with the given number of channels. [par.Running] counts the parts read.
func Samples(r interface {
	Samples() int
	Read(dst []float64, first, count int) error
}, channels int) ([]float64, error) {
	const part = 1 << 15
	n := r.Samples()
	data := make([]float64, n*channels)
	return data, par.Steps(par.Chunks(n, part), func(i int) error {
		lo, hi := i*part, min((i+1)*part, n)
		return r.Read(data[lo*channels:hi*channels], lo, hi-lo)
	})
}

// CheckRange returns an error unless samples first to first+count−1 exist and dst has the length of count samples.
func (i *Info) CheckRange(dst []float64, first, count int) error {
	if first < 0 || count < 0 || first > i.Samples-count {
		return fmt.Errorf("samples %d to %d are not in a recording of %d samples", first, first+count-1, i.Samples)
	}
	if len(dst) != count*len(i.Channels) {
		return fmt.Errorf("the destination has %d values, not one for each of %d samples of %d channels", len(dst),
			count, len(i.Channels))
	}
	return nil
}

// CommonRate returns the most common number of samples per record, or the larger one in a tie. It ignores signals
// without samples and returns 0 if there are no others.
func CommonRate(perRecord []int) int {
	best, votes := 0, 0
	for _, n := range perRecord {
		count := indices.Count(perRecord, func(m int) bool { return m == n })
		if n > 0 && (count > votes || count == votes && n > best) {
			best, votes = n, count
		}
	}
	return best
}

// MaxEvents limits the number of events, and thereby the memory that a corrupt file can use.
const MaxEvents = 1 << 22

// IsFileName reports whether a name in a file is the name of another file in the same folder, without a path.
func IsFileName(name string) bool {
	return name == filepath.Base(name) && !strings.ContainsAny(name, `/\`) && name != "." && name != ".."
}

// Code parses a label that is a number, in decimal or hexadecimal with 0x. It returns 0 for other labels.
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

// Sort sorts events and breaks by sample and removes duplicate breaks.
func Sort(i *Info) {
	slices.SortStableFunc(i.Events, func(a, b Event) int { return cmp.Compare(a.Sample, b.Sample) })
	slices.Sort(i.Breaks)
	i.Breaks = slices.Compact(i.Breaks)
}

// NameChannels returns names for the n columns of a file without channel names: the given ones, or ch1, ch2, ... if
// names is nil.
func NameChannels(names []string, n int) ([]string, error) {
	if names == nil {
		for c := range n {
			names = append(names, fmt.Sprintf("ch%d", c+1))
		}
	}
	if len(names) != n {
		return nil, fmt.Errorf("the recording has %s, but the list of channels has %s; give one name per channel",
			text.Plural(n, "channel", "channels"), text.Plural(len(names), "name", "names"))
	}
	if name, ok := naming.Twice(names); ok {
		return nil, fmt.Errorf("two channels have the name %q; give different names", name)
	}
	return slices.Clone(names), nil
}

// Unique adds numbers to repeated names, as MNE does: EEG, EEG become EEG-0, EEG-1.
func Unique(names []string) []string {
	count := map[string]int{}
	for _, n := range names {
		count[n]++
	}
	out, next := slices.Clone(names), map[string]int{}
	for c, n := range names {
		if count[n] < 2 {
			continue
		}
		for {
			out[c] = fmt.Sprintf("%s-%d", n, next[n])
			if next[n]++; count[out[c]] == 0 {
				break
			}
		}
	}
	return out
}
