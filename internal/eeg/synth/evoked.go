package synth

import (
	"math"
	"math/rand/v2"

	"rao/eeg"
)

// EvokedClasses are the stimuli of [Evoked], with their event codes.
var EvokedClasses = []eeg.Class{{Name: "sound-left", Code: 1}, {Name: "sound-right", Code: 2},
	{Name: "light-left", Code: 3}, {Name: "light-right", Code: 4}}

// evokedSeconds is the time between successive stimuli of [Evoked].
const evokedSeconds = 1

// wave is a response: its electrode, the time of its peak after the stimulus, its width (both in seconds), and its
// amplitude.
type wave struct {
	at                     string
	peak, width, microvolt float64
}

// evoked are the responses to the stimuli: an early one on the side opposite to the stimulus, and a late one in the
// middle.
var evoked = [][]wave{
	{{"T8", 0.1, 0.025, -7}, {"Cz", 0.3, 0.06, 4}}, {{"T7", 0.1, 0.025, -7}, {"Cz", 0.3, 0.06, 4}},
	{{"P4", 0.12, 0.03, 7}, {"Pz", 0.3, 0.06, 5}}, {{"P3", 0.12, 0.03, 7}, {"Pz", 0.3, 0.06, 5}},
}

// Evoked simulates the EEG of a person who hears a sound or sees a light on the left or right, once per second in
// random order. Electrodes and rate are the same as for [Rhythms]. The early response is on the side opposite to the
// stimulus, and amplitudes vary with a standard deviation of a quarter. The signal also contains an occipital alpha
// rhythm, and noise at every electrode, with a power that falls with frequency. The signal only resembles a recording;
// it is not computed from a head model.
func Evoked(trials int, seed uint64) (*eeg.Recording, error) {
	r := rand.New(rand.NewPCG(seed, 0x65766f6b))
	n := len(RhythmChannels)
	idle := rhythm{at: "Oz", frequency: 10, microvolt: 6, hand: -1}
	idleSeen := spread(idle.at)
	seen := make([][][]float64, len(evoked))
	for k, waves := range evoked {
		for _, w := range waves {
			seen[k] = append(seen[k], spread(w.at))
		}
	}
	const length = evokedSeconds * RhythmRate
	data := make([]float64, trials*length*n)
	noise := make([]float64, n)
	var events []eeg.Event
	class, height := 0, 1.0
	var order []int // classes of the next four stimuli
	for t := range len(data) / n {
		inTrial := t % length
		if inTrial == 0 {
			if len(order) == 0 {
				order = r.Perm(len(evoked))
			}
			class, height, order = order[0], 1+0.25*r.NormFloat64(), order[1:]
			events = append(events, eeg.Event{Sample: t, Code: EvokedClasses[class].Code})
		}
		row := data[t*n : (t+1)*n]
		alpha := idle.next(r)
		for c := range row {
			noise[c] = 0.95*noise[c] + 1.2*r.NormFloat64()
			row[c] = noise[c] + idleSeen[c]*alpha
		}
		for k, w := range evoked[class] {
			z := (float64(inTrial)/RhythmRate - w.peak) / w.width
			v := height * w.microvolt * math.Exp(-z*z/2)
			for c, share := range seen[class][k] {
				row[c] += share * v
			}
		}
	}
	return microvolts(eeg.NewRecording(RhythmChannels, RhythmRate, data, events))
}
