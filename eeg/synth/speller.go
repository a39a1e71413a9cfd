package synth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"rao/eeg"
)

// SpellerSymbols are the symbols of [Speller], row by row.
var SpellerSymbols = []string{"ABCDEF", "GHIJKL", "MNOPQR", "STUVWX", "YZ1234", "56789_"}

// The flashes of [Speller]: seconds from one to the next, rounds of twelve for each symbol, and seconds between two
// symbols.
const (
	FlashSeconds  = 0.2
	SpellerRounds = 10
	SpellerPause  = 2
)

// flashed and attended are the responses to every flash, and to those of a group with the symbol that is attended to.
var (
	flashed  = []wave{{"Oz", 0.1, 0.03, 3}}
	attended = []wave{{"Pz", 0.3, 0.06, 6}, {"Cz", 0.3, 0.06, 5}, {"Oz", 0.2, 0.03, -3}}
)

// SpellerGroups are the symbols that flash together, by the labels of the events of [Speller]: row-1 to row-6 and
// column-1 to column-6.
func SpellerGroups() map[string][]string {
	groups := map[string][]string{}
	for r, row := range SpellerSymbols {
		for c, symbol := range row {
			for _, name := range []string{fmt.Sprint("row-", r+1), fmt.Sprint("column-", c+1)} {
				groups[name] = append(groups[name], string(symbol))
			}
		}
	}
	return groups
}

// Speller simulates the electroencephalogram of somebody who spells: symbols drawn from the seed, for each ten rounds
// in which the rows and columns of a matrix flash five times a second in a random order. At every flash are two events,
// its group and target or other, and at the start of a symbol are the events begin
// and symbol-X. Electrodes and rate are those of
// [Rhythms]. It is a drawing of what such a recording looks like, not a model of a head.
func Speller(symbols int, seed uint64) (*eeg.Recording, error) {
	r := rand.New(rand.NewPCG(seed, 0x7370656c))
	n, flash := len(RhythmChannels), int(FlashSeconds*RhythmRate)
	length := SpellerRounds*12*flash + SpellerPause*RhythmRate
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
		at := s*length + SpellerPause*RhythmRate/2
		events = append(events, eeg.Event{Sample: at, Label: "begin"},
			eeg.Event{Sample: at, Label: "symbol-" + SpellerSymbols[row][column:column+1]})
		for range SpellerRounds {
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
