package synth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"rao/eeg"
	"rao/internal/eeg/format/signal"
)

// Blinks returns a copy of a recording in microvolts with blinks added: slow waves of about 120 microvolts and 0.4
// seconds, largest at the forehead, at random times. at lists the samples of the peaks in ascending order. Electrodes
// are identified by name. Channels outside the 10-10 system are not changed. It returns an error unless the recording
// has two seconds for every blink.
func Blinks(rec *eeg.Recording, count int, seed uint64) (with *eeg.Recording, at []int, err error) {
	n, samples := len(rec.Channels), rec.Samples()
	place := int(2 * rec.Rate) // samples between candidate positions
	if place < 1 || count < 0 || count > samples/place {
		return nil, nil, fmt.Errorf("the number of blinks is %d; a recording of %.4g s can have 0 to %d blinks, at "+
			"most one every two seconds", count, float64(samples)/rec.Rate, samples/max(place, 1))
	}
	data, err := signal.Samples(rec, n)
	if err != nil {
		return nil, nil, err
	}
	seen := pickup(rec.Channels, "Fpz", 2*0.5*0.5)
	r := rand.New(rand.NewPCG(seed, 0x626c696e))
	blinks := make([]bool, samples/place)
	for _, k := range r.Perm(len(blinks))[:count] {
		blinks[k] = true
	}
	for k, here := range blinks {
		if !here {
			continue
		}
		peak, height := k*place+place/4+r.IntN(place/2), 120*(1+0.2*r.NormFloat64())
		at = append(at, peak)
		for t := max(0, peak-place/2); t < min(samples, peak+place/2); t++ {
			z := float64(t-peak) / rec.Rate / 0.1
			for c, share := range seen {
				data[t*n+c] += share * height * math.Exp(-z*z/2)
			}
		}
	}
	with, err = eeg.NewRecording(rec.Channels, rec.Rate, data, append([]eeg.Event(nil), rec.Events...))
	if err != nil {
		return nil, nil, err
	}
	with.Units, with.Source = rec.Units, rec.Source
	return with, at, nil
}
