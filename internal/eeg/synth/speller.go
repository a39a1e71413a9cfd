package synth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"rao/eeg"
)

// spellerSymbols are the symbols of [Speller], row by row.
var spellerSymbols = []string{"ABCDEF", "GHIJKL", "MNOPQR", "STUVWX", "YZ1234", "56789_"}

// These constants are the timing of [Speller].
const (
	flashSeconds  = 0.2 // time from one flash to the next
	spellerRounds = 10  // rounds of twelve flashes per symbol
	spellerPause  = 2   // time between symbols in seconds
)

// flashed is the response to every flash. attended is added if the flash includes the attended symbol.
var (
	flashed  = []wave{{"Oz", 0.1, 0.03, 3}}
	attended = []wave{{"Pz", 0.3, 0.06, 6}, {"Cz", 0.3, 0.06, 5}, {"Oz", 0.2, 0.03, -3}}
)

// Speller simulates the EEG of a person who uses a matrix speller. Symbols are random. For each symbol, the rows and
// columns flash ten times each in random order, five flashes per second. Every flash has two events: the row or column,
// and target or other. A symbol starts with the events begin and symbol-X. Electrodes and rate are the same as for
// [Rhythms]. The signal only resembles a recording; it is not computed from a head model.
func Speller(symbols int, seed uint64) (*eeg.Recording, error) {
	r := rand.New(rand.NewPCG(seed, 0x7370656c))
	n, flash := len(RhythmChannels), int(flashSeconds*RhythmRate)
	length := spellerRounds*12*flash + spellerPause*RhythmRate
	data := make([]float64, symbols*length*n)
	idle := rhythm{at: "Oz", frequency: 10, microvolt: 6, hand: -1}
	idleSeen, noise := spread(idle.at), make([]float64, n)
	for t := range len(data) / n {
		alpha := idle.next(r)
		for c := range n {
			noise[c] = 0.95*noise[c] + 1.2*r.NormFloat64()
			data[t*n+c] = noise[c] + idleSeen[c]*alpha
		}
	}
	respond := func(at int, waves []wave) {
		height := 1 + 0.25*r.NormFloat64()
		for _, w := range waves {
			seen := spread(w.at)
			for k := 0; k < RhythmRate && at+k < len(data)/n; k++ {
				z := (float64(k)/RhythmRate - w.peak) / w.width
				v := height * w.microvolt * math.Exp(-z*z/2)
				for c, share := range seen {
					data[(at+k)*n+c] += share * v
				}
			}
		}
	}
	var events []eeg.Event
	for s := range symbols {
		row, column := r.IntN(6), r.IntN(6)
		at := s*length + spellerPause*RhythmRate/2
		events = append(events, eeg.Event{Sample: at, Label: "begin"},
			eeg.Event{Sample: at, Label: "symbol-" + spellerSymbols[row][column:column+1]})
		for range spellerRounds {
			for _, g := range r.Perm(12) {
				name, target := fmt.Sprint("row-", g+1), g == row
				if g >= 6 {
					name, target = fmt.Sprint("column-", g-5), g-6 == column
				}
				class := "other"
				if target {
					class = "target"
					respond(at, attended)
				}
				respond(at, flashed)
				events = append(events, eeg.Event{Sample: at, Label: class}, eeg.Event{Sample: at, Label: name})
				at += flash
			}
		}
	}
	return microvolts(eeg.NewRecording(RhythmChannels, RhythmRate, data, events))
}
