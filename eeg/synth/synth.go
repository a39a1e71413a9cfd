// Package synth simulates EEG recordings with known sources: motor imagery ([Rhythms]), evoked potentials ([Evoked])
// and blinks ([Blinks]).
//
//	recording, err := synth.Rhythms(40, 1) // 40 trials, seed 1
//	trials, err := eeg.CutTrials(ctx, []*eeg.Recording{recording}, eeg.TrialOptions{
//		Classes: synth.RhythmClasses, Start: 0.5, Stop: 3.5})
package synth

import (
	"rao/eeg"
	"rao/internal/eeg/synth"
)

// RhythmClasses are the classes of the trials of [Rhythms], with their event codes.
var RhythmClasses = synth.RhythmClasses

// Rhythms simulates the EEG of a person who imagines moving the left or right hand: 16 electrodes at 250 Hz, in trials
// of four seconds. From half a second after the event, the 10 Hz rhythm over the opposite hand area falls to 0.4 of its
// amplitude: at C4 for the left hand, and at C3 for the right hand. The signal also contains an alpha rhythm at Oz,
// activity of the jaw muscles, and noise at every electrode, with a power that falls with frequency. The signal only
// resembles a recording (Pfurtscheller and Lopes da Silva 1999); it is not computed from a head model.
func Rhythms(trials int, seed uint64) (*eeg.Recording, error) { return synth.Rhythms(trials, seed) }

// EvokedClasses are the stimuli of [Evoked], with their event codes.
var EvokedClasses = synth.EvokedClasses

// Evoked simulates the EEG of a person who hears a sound or sees a light on the left or right, once per second in
// random order. The electrodes and the rate are those of [Rhythms]. The early response is on the side opposite to the
// stimulus. The amplitudes of the responses have a standard deviation of a quarter of their mean. The signal also
// contains an occipital alpha rhythm, and noise at every electrode, with a power that falls with frequency. The signal
// only resembles a recording; it is not computed from a head model.
func Evoked(trials int, seed uint64) (*eeg.Recording, error) { return synth.Evoked(trials, seed) }

// Blinks returns a copy of a recording in microvolts with blinks added: slow waves of about 120 microvolts and 0.4
// seconds, largest at the forehead, at random times. at lists the samples of their peaks in ascending order. Electrodes
// are identified by name; channels outside the 10-10 system are not changed. It returns an error unless the recording
// has two seconds for every blink.
func Blinks(rec *eeg.Recording, count int, seed uint64) (with *eeg.Recording, at []int, err error) {
	return synth.Blinks(rec, count, seed)
}
