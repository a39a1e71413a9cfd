// Package synth simulates EEG recordings with known sources: motor imagery ([Rhythms]), evoked potentials ([Evoked]),
// flickering lights ([Flicker]), a speller ([Speller]) and blinks ([Blinks]). Package rao/eeg/synth exports a part of
// these.
package synth

import (
	"math"
	"math/rand/v2"
	"slices"

	"rao/eeg"
	"rao/internal/electrodes"
)

// RhythmChannels are the electrodes of [Rhythms], in the 10-20 system.
var RhythmChannels = []string{"Fp1", "Fp2", "F3", "Fz", "F4", "T7", "C3", "Cz", "C4", "T8", "P3", "Pz", "P4", "O1",
	"Oz", "O2"}

// RhythmClasses are the classes of the trials of [Rhythms], with their event codes.
var RhythmClasses = []eeg.Class{{Name: "left", Code: 1}, {Name: "right", Code: 2}}

// These constants are the timing of [Rhythms].
const (
	RhythmSeconds = 4   // seconds per trial
	RhythmRate    = 250 // samples per second
)

// rhythm is an oscillating source: its position, frequency and amplitude.
type rhythm struct {
	at        string
	frequency float64 // hertz
	microvolt float64
	hand      int // class that weakens the rhythm; -1 for none
	turn      [2]float64
}

// Rhythms simulates the EEG of a person who imagines moving the left or right hand: 16 electrodes at 250 Hz, in trials
// of four seconds. From half a second after the event, the 10 Hz rhythm over the opposite hand area falls to 0.4 of its
// amplitude: at C4 for the left hand, at C3 for the right hand. The signal also contains an alpha rhythm at Oz,
// activity of the jaw muscles, and noise at every electrode, with a power that falls with frequency. The signal only
// resembles a recording (Pfurtscheller and Lopes da Silva 1999); it is not computed from a head model.
func Rhythms(trials int, seed uint64) (*eeg.Recording, error) {
	r := rand.New(rand.NewPCG(seed, 0x72687974))
	n := len(RhythmChannels)
	sources := []rhythm{
		{at: "C3", frequency: 10, microvolt: 8, hand: 1}, {at: "C4", frequency: 10.5, microvolt: 8, hand: 0},
		{at: "Oz", frequency: 9.5, microvolt: 14, hand: -1}, {at: "T7", frequency: 40, microvolt: 4, hand: -1}}
	seen := make([][]float64, len(sources))
	for k := range sources {
		seen[k] = spread(sources[k].at)
	}
	data := make([]float64, trials*RhythmSeconds*RhythmRate*n)
	noise := make([]float64, n)
	var events []eeg.Event
	class := 0
	for t := range len(data) / n {
		inTrial := t % (RhythmSeconds * RhythmRate)
		if inTrial == 0 {
			class = (t/(RhythmSeconds*RhythmRate) + int(seed)) % 2
			events = append(events, eeg.Event{Sample: t, Code: RhythmClasses[class].Code})
		}
		row := data[t*n : (t+1)*n]
		for c := range row {
			noise[c] = 0.95*noise[c] + 1.2*r.NormFloat64()
			row[c] = noise[c]
		}
		for k := range sources {
			v := sources[k].next(r)
			if sources[k].hand == class && inTrial > RhythmRate/2 {
				v *= 0.4
			}
			for c, share := range seen[k] {
				row[c] += share * v
			}
		}
	}
	return microvolts(eeg.NewRecording(RhythmChannels, RhythmRate, data, events))
}

func microvolts(rec *eeg.Recording, err error) (*eeg.Recording, error) {
	if err == nil {
		rec.Units = slices.Repeat([]string{"uV"}, len(rec.Channels))
	}
	return rec, err
}

// next returns the next sample of a rhythm: a noise-driven oscillation with a constant mean amplitude, which loses
// its phase within half a second.
func (s *rhythm) next(r *rand.Rand) float64 {
	const keep = 0.99
	sin, cos := math.Sincos(2 * math.Pi * s.frequency / RhythmRate)
	drive := s.microvolt * math.Sqrt(1-keep*keep)
	x, y := s.turn[0], s.turn[1]
	s.turn[0] = keep*(cos*x-sin*y) + drive*r.NormFloat64()
	s.turn[1] = keep*(sin*x+cos*y) + drive*r.NormFloat64()
	return s.turn[0]
}

// spread returns how strongly each electrode picks up a source below the given electrode.
func spread(at string) []float64 { return pickup(RhythmChannels, at, 2*0.6*0.6) }

// pickup returns exp(-d²/width) for the distance d of each channel from an electrode, and zero for channels without a
// known position.
func pickup(channels []string, at string, width float64) []float64 {
	p, _ := electrodes.Position(at)
	out := make([]float64, len(channels))
	for c, name := range channels {
		if q, ok := electrodes.Position(name); ok {
			d2 := 0.0
			for i := range p {
				d2 += (p[i] - q[i]) * (p[i] - q[i])
			}
			out[c] = math.Exp(-d2 / width)
		}
	}
	return out
}
