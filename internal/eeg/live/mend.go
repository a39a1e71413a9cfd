package live

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/eeg"
	"rao/internal/eeg/splines"
	"rao/internal/linalg/vec"
)

// When channels are taken for bad: constant for so many seconds, or so many times as loud as the median of the channels
// for two seconds in a row, until they are again half of that.
const (
	flatSeconds = 1
	loudFactor  = 20
)

// fillNoise is the noise that is added to an interpolated channel, as a share of the root mean square of its changes
// from sample to sample: a sum of other channels alone makes covariances singular. The changes are followed at the rate
// fillFollow.
const (
	fillNoise  = 0.1
	fillFollow = 0.01
)

// mender replaces the channels that cannot be used by sums of the others, sample by sample: channels that are marked or
// named as bad, do not vary, are far louder than the others, or hold no number.
type mender struct {
	note   Note
	second int // samples
	names  []string
	units  []string
	places [][3]float64
	known  []bool // that have a place, and are EEG
	needed []bool // by the decoder
	reason []string
	last   []float64
	same   []int // samples for which a channel has been constant
	sum    []float64
	square []float64
	loud   []int // seconds in a row
	filled int   // samples of the present second
	bad    []bool
	fixes  map[string]*mat.Dense
	row    []float64
	out    []float64
	filler *rand.Rand
	before []float64 // last interpolated value of each channel; NaN where the sample before was not interpolated
	change []float64 // running mean of the squared changes of that value
	gaps   bool      // a value that is no number was reported
	count  int64     // samples in which something was replaced
	came   int64
}

// The reasons for which channels are replaced.
const (
	markedBad = "marked as bad"
	isFlat    = "flat"
	isLoud    = "much louder than the others"
)

// newMender returns a mender of the channels of a signal, needs being those of the decoder, nil for all. It returns nil
// where too few channels have a place for any to be replaced.
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
	head, found := info.head(), 0
	told := slices.ContainsFunc(places, func(p [3]float64) bool { return p != [3]float64{} })
	for c, name := range m.names {
		m.needed[c] = needs == nil || slices.Contains(needs, name)
		if head.Kind(c) != "eeg" {
			continue
		}
		if told {
			m.places[c], m.known[c] = places[c], places[c] != [3]float64{}
		} else {
			m.places[c], m.known[c] = eeg.ElectrodePosition(name)
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

// restart marks a break: the signal starts again.
func (m *mender) restart() {
	if m == nil {
		return
	}
	clear(m.same)
	m.forget()
}

// forget restarts the current second.
func (m *mender) forget() {
	clear(m.sum)
	clear(m.square)
	m.filled = 0
}

// mend returns samples×channels with the bad channels replaced; it does not change the block.
func (m *mender) mend(block []float64) []float64 {
	if m == nil {
		return block
	}
	n := len(m.names)
	m.out = append(m.out[:0], block...)
	for k := 0; k+n <= len(m.out); k += n {
		m.came++
		row := m.out[k : k+n]
		m.watch(row)
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

// watch follows a sample: which channels are constant, and how loud they are.
func (m *mender) watch(row []float64) {
	before := slices.Clone(m.reason)
	for c, v := range row {
		if !m.known[c] || m.reason[c] == markedBad {
			continue
		}
		if !vec.Finite(v) {
			if m.needed[c] && !m.gaps {
				m.gaps = true
				m.note("sample %d of channel %s is not a number: such samples are interpolated if other channels "+
					"are good",
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
		m.listen()
	}
	if !slices.Equal(before, m.reason) {
		m.report(before)
	}
}

// listen compares how loud the channels were in a second.
func (m *mender) listen() {
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
	slices.Sort(all)
	median := all[len(all)/2]
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

// report writes which channels began to be replaced, and which are good again.
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

// replace writes sums of the good channels into the bad ones; ok is false where there are too few good ones.
func (m *mender) replace(row []float64) (ok bool) {
	key := make([]byte, len(row))
	for c, bad := range m.bad {
		if bad {
			key[c] = 1
		}
	}
	weights, known := m.fixes[string(key)]
	if !known {
		if len(m.fixes) >= 256 { // of a signal whose channels come and go at random
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

// solve returns the weights of all channels for each bad one, nil where they cannot be computed.
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
