package synth

import (
	"math"
	"math/rand/v2"

	"rao/eeg"
)

// FlickerClasses are the lights of [Flicker], with their event codes.
var FlickerClasses = []eeg.Class{{Name: "10Hz", Code: 1}, {Name: "12Hz", Code: 2}, {Name: "15Hz", Code: 3}}

// flickerHertz are the frequencies of the lights.
var flickerHertz = []float64{10, 12, 15}

// These constants are the timing of [Flicker], in seconds.
const (
	flickerSeconds = 5    // from one trial to the next
	flickerLight   = 4    // duration of the light after the event
	flickerDelay   = 0.12 // delay of the response
)

// Flicker simulates the EEG of a person who looks at one of three lights, which flicker at 10, 12 or 15 Hz, in random
// order. Electrodes and rate are the same as for [Rhythms]. A trial starts every five seconds, and the light is on for
// the first four. The response is strongest at Oz and phase-locked to the light. It includes a harmonic with half the
// amplitude. The amplitude varies from trial to trial. The signal only resembles a recording; it is not computed from a
// head model.
func Flicker(trials int, seed uint64) (*eeg.Recording, error) {
	r := rand.New(rand.NewPCG(seed, 0x666c6963))
	n := len(RhythmChannels)
	idle := rhythm{at: "Pz", frequency: 10.5, microvolt: 6, hand: -1}
	idleSeen, seen := spread(idle.at), spread("Oz")
	const length = flickerSeconds * RhythmRate
	data, noise := make([]float64, trials*length*n), make([]float64, n)
	var events []eeg.Event
	class, height := 0, 1.0
	var order []int // classes of the next three trials
	for t := range len(data) / n {
		inTrial := t % length
		if inTrial == 0 {
			if len(order) == 0 {
				order = r.Perm(len(FlickerClasses))
			}
			class, height, order = order[0], 2*(1+0.25*r.NormFloat64()), order[1:]
			events = append(events, eeg.Event{Sample: t, Code: FlickerClasses[class].Code})
		}
		row, alpha, v := data[t*n:(t+1)*n], idle.next(r), 0.0
		if s := float64(inTrial)/RhythmRate - flickerDelay; s >= 0 && s < flickerLight {
			phase := 2 * math.Pi * flickerHertz[class] * s
			v = height * (math.Sin(phase) + 0.5*math.Sin(2*phase))
		}
		for c := range row {
			noise[c] = 0.95*noise[c] + 1.2*r.NormFloat64()
			row[c] = noise[c] + idleSeen[c]*alpha + seen[c]*v
		}
	}
	return microvolts(eeg.NewRecording(RhythmChannels, RhythmRate, data, events))
}
