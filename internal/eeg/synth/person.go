package synth

import (
	"math"
	"math/rand/v2"

	"rao/eeg"
	"rao/internal/eeg/format/signal"
)

// These constants are the differences between people and between sessions. The gains are standard deviations of the
// logarithmic gain of an electrode. The mixings are standard deviations of the fraction of another electrode's signal
// that an electrode picks up.
const (
	personGain, personMixing   = 0.2, 0.1
	sessionGain, sessionMixing = 0.1, 0.03
)

// Person returns a copy of a recording as if it came from another person on another day: every electrode has a
// different gain and picks up part of the other electrodes. The effect of the person is the same in all sessions. Both
// effects depend only on the numbers of person and session. As with real recordings, a decoder trained on one person is
// less accurate on another person.
func Person(rec *eeg.Recording, person, session uint64) (*eeg.Recording, error) {
	n, samples := len(rec.Channels), rec.Samples()
	data, err := signal.Samples(rec, n)
	if err != nil {
		return nil, err
	}
	of := rand.New(rand.NewPCG(person, 0x70657273))
	day := rand.New(rand.NewPCG(person, session^0x6461790000))
	mixing := make([]float64, n*n)
	for i := range mixing {
		mixing[i] = personMixing*of.NormFloat64() + sessionMixing*day.NormFloat64()
		if i%(n+1) == 0 {
			mixing[i] = math.Exp(personGain*of.NormFloat64() + sessionGain*day.NormFloat64())
		}
	}
	row := make([]float64, n)
	for t := range samples {
		at := data[t*n : (t+1)*n]
		for c := range row {
			row[c] = 0
			for k, v := range at {
				row[c] += mixing[c*n+k] * v
			}
		}
		copy(at, row)
	}
	with, err := eeg.NewRecording(rec.Channels, rec.Rate, data, append([]eeg.Event(nil), rec.Events...))
	if err != nil {
		return nil, err
	}
	with.Units, with.Source = rec.Units, rec.Source
	return with, nil
}
