package live

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/internal/eeg/splines"
	"rao/internal/electrodes"
	"rao/internal/linalg/vec"
)

// A channel is bad if it is constant for flatSeconds, or if its amplitude is loudFactor times the amplitude of the
// median channel for two seconds. It is good again when it varies and its amplitude is below half of this limit.
const (
	flatSeconds = 1
	loudFactor  = 20
)

// fillNoise is the noise added to an interpolated channel, relative to the root mean square of its changes from sample
// to sample. Without noise, the channel would be a sum of other channels, and covariances would be singular. fillFollow
// is the rate of the running mean of the squared changes.
const (
	fillNoise  = 0.1
	fillFollow = 0.01
)

// mender replaces unusable channels by sums of other channels, sample by sample. A channel is unusable if it is marked
// or listed as bad, does not vary, is much louder than the others, or has values that are not finite.
type mender struct {
	note   Note
	second int // samples per second
	names  []string
	units  []string
	places [][3]float64
	known  []bool // EEG channels with a known position
	needed []bool // channels that the decoder needs
	reason []string
	last   []float64
	same   []int // number of samples for which each channel has been constant
	sum    []float64
	square []float64
	loud   []int // number of seconds in a row that each channel has been loud
	filled int   // samples in the current second
	bad    []bool
	fixes  map[string]*mat.Dense
	row    []float64
	out    []float64
	filler *rand.Rand
	before []float64 // last interpolated value of each channel; NaN if the last sample was not interpolated
	change []float64 // running mean of the squared changes of interpolated values
	gaps   bool      // a value that is not finite has been reported
	count  int64     // number of samples in which something was replaced
	came   int64
}

// These are the reasons for replacing a channel.
const (
	markedBad = "marked as bad"
	isFlat    = "flat"
	isLoud    = "much louder than the others"
)

// newMender returns a mender for the channels of a signal. needs are the channels of the decoder; nil means all. It
// returns nil if too few channels have known positions.
func newMender(info *Info, places [][3]float64, needs []string, note Note) *mender {
	if info.Channels == nil {
		return nil
	}
	n := len(info.Channels)
	m := &mender{note: note, second: max(2, int(math.Round(flatSeconds*info.Rate))), names: info.Channels,
		units: make([]string, n), places: make([][3]float64, n), known: make([]bool, n), needed: make([]bool, n),
		reason: make([]string, n), last: make([]float64, n), same: make([]int, n), sum: make([]float64, n),
		square: make([]float64, n), loud: make([]int, n), bad: make([]bool, n), fixes: map[string]*mat.Dense{},
		row: make([]float64, n), filler: rand.New(rand.NewPCG(0x6d656e64, 1)), change: make([]float64, n),
		before: slices.Repeat([]float64{math.NaN()}, n)}
	copy(m.units, info.Units)
	found := 0
	located := slices.ContainsFunc(places, func(p [3]float64) bool { return p != [3]float64{} })
	for c, name := range m.names {
		m.needed[c] = needs == nil || slices.Contains(needs, name)
		if info.kind(c) != "eeg" {
			continue
		}
		if located {
			m.places[c], m.known[c] = places[c], places[c] != [3]float64{}
		} else {
			m.places[c], m.known[c] = electrodes.Position(name)
		}
		if m.known[c] {
			found++
		}
		if slices.Contains(info.Bad, name) {
			m.reason[c] = markedBad
		}
	}
	if found < 5 {
		return nil
	}
	m.report(nil)
	return m
}

// restart discards how long channels have been constant. Call restart after a break in the signal.
func (m *mender) restart() {
	if m == nil {
		return
	}
	clear(m.same)
	m.forget()
}

// forget discards the measurements of the current second.
func (m *mender) forget() {
	clear(m.sum)
	clear(m.square)
	m.filled = 0
}

// mend returns a copy of the block, samples×channels, with the bad channels replaced.
func (m *mender) mend(block []float64) []float64 {
	if m == nil {
		return block
	}
	n := len(m.names)
	m.out = append(m.out[:0], block...)
	for k := 0; k+n <= len(m.out); k += n {
		m.came++
		row := m.out[k : k+n]
		m.update(row)
		any := false
		for c := range row {
			m.bad[c] = m.known[c] && (m.reason[c] != "" || !vec.Finite(row[c]))
			any = any || m.bad[c] && m.needed[c]
			if !m.bad[c] {
				m.before[c] = math.NaN()
			}
		}
		if any && m.replace(row) {
			m.count++
		}
	}
	return m.out
}

// update adds a sample to the measurements of the current second, and updates which channels are flat or loud.
func (m *mender) update(row []float64) {
	before := slices.Clone(m.reason)
	for c, v := range row {
		if !m.known[c] || m.reason[c] == markedBad {
			continue
		}
		if !vec.Finite(v) {
			if m.needed[c] && !m.gaps {
				m.gaps = true
				m.note("sample %d of channel %s is not a number; such samples are interpolated if other channels are "+
					"good",
					m.came-1, m.names[c])
			}
			continue
		}
		if v != m.last[c] {
			m.same[c] = 0
			if m.reason[c] == isFlat {
				m.reason[c] = ""
			}
		}
		m.last[c] = v
		if m.same[c]++; m.same[c] >= m.second {
			m.reason[c] = isFlat
		}
		m.sum[c] += v
		m.square[c] += v * v
	}
	if m.filled++; m.filled == m.second {
		m.compareLoudness()
	}
	if !slices.Equal(before, m.reason) {
		m.report(before)
	}
}

// compareLoudness compares the loudness of the channels over one second.
func (m *mender) compareLoudness() {
	var all []float64
	deviation := make([]float64, len(m.names))
	for c := range m.names {
		if !m.known[c] || m.reason[c] == markedBad {
			continue
		}
		mean := m.sum[c] / float64(m.filled)
		deviation[c] = math.Sqrt(math.Max(0, m.square[c]/float64(m.filled)-mean*mean))
		all = append(all, deviation[c])
	}
	m.forget()
	if len(all) < 5 {
		return
	}
	median := vec.UpperMedian(all)
	for c, d := range deviation {
		switch {
		case !(median > 0) || m.reason[c] == markedBad || m.reason[c] == isFlat:
		case d > loudFactor*median:
			if m.loud[c]++; m.loud[c] >= 2 {
				m.reason[c] = isLoud
			}
		case m.reason[c] != isLoud || d < loudFactor/2*median:
			m.loud[c], m.reason[c] = 0, ""
		}
	}
}

// report reports which channels are replaced from here on, and which are good again.
func (m *mender) report(before []string) {
	var gone, back []string
	for c, reason := range m.reason {
		was := ""
		if before != nil {
			was = before[c]
		}
		switch {
		case !m.needed[c] || reason == was:
		case reason == "":
			back = append(back, m.names[c])
		default:
			gone = append(gone, fmt.Sprintf("%s (%s)", m.names[c], reason))
		}
	}
	if gone != nil {
		m.note("interpolated from the other channels: %s", strings.Join(gone, ", "))
	}
	if back != nil {
		m.note("no longer interpolated: %s", strings.Join(back, ", "))
	}
}

// replace replaces the bad channels of a sample by sums of the good ones. ok is false if too few channels are good.
func (m *mender) replace(row []float64) (ok bool) {
	key := make([]byte, len(row))
	for c, bad := range m.bad {
		if bad {
			key[c] = 1
		}
	}
	weights, known := m.fixes[string(key)]
	if !known {
		if len(m.fixes) >= 256 { // limits the memory if the bad channels change constantly
			clear(m.fixes)
		}
		weights = m.solve()
		m.fixes[string(key)] = weights
	}
	if weights == nil {
		return false
	}
	copy(m.row, row)
	for c, bad := range m.bad {
		if !bad || !m.needed[c] {
			continue
		}
		row[c] = 0
		for g, w := range weights.RawRowView(c) {
			if w != 0 {
				row[c] += w * m.row[g]
			}
		}
		if d := row[c] - m.before[c]; vec.Finite(d) {
			m.change[c] += fillFollow * (d*d - m.change[c])
		}
		m.before[c] = row[c]
		row[c] += fillNoise * math.Sqrt(m.change[c]) * m.filler.NormFloat64()
	}
	return true
}

// solve returns the weights of all channels for each bad channel, or nil if the weights cannot be computed.
func (m *mender) solve() *mat.Dense {
	n := len(m.names)
	weights := mat.NewDense(n, n, nil)
	for c, bad := range m.bad {
		if !bad || !m.needed[c] {
			continue
		}
		var good []int
		var from [][3]float64
		for g := range n {
			if m.known[g] && !m.bad[g] && m.units[g] == m.units[c] {
				good, from = append(good, g), append(from, m.places[g])
			}
		}
		w, err := splines.Weights(from, [][3]float64{m.places[c]})
		if err != nil {
			return nil
		}
		for i, g := range good {
			weights.Set(c, g, w.At(0, i))
		}
	}
	return weights
}
