// Package epochs computes observations from trials that another program has cut.
package epochs

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"rao/eeg"
	"rao/internal/dsp"
	"rao/internal/text"
)

// Recording returns trials that another program has cut as a recording for [Cut]. data has
// count×channels×samples values, row-major, as returned by MNE's Epochs.get_data, and is copied. There is a break
// between epochs, and an event with the label "epoch" at the start of each. Filters run within each epoch. It returns
// an error if data cannot be divided into epochs, or the rate in hertz is not positive and finite.
func Recording(channels []string, rate float64, data []float64, samples int) (*eeg.Recording, error) {
	c := len(channels)
	if c == 0 || samples < 1 || len(data)%(c*samples) != 0 || len(data) == 0 {
		return nil, fmt.Errorf("%s cannot be divided into epochs of %s × %s; correct the numbers of channels and "+
			"samples", text.Plural(len(data), "value", "values"), text.Plural(c, "channel", "channels"),
			text.Plural(samples, "sample", "samples"))
	}
	count := len(data) / c / samples
	if count > math.MaxInt32/samples {
		return nil, fmt.Errorf("%d epochs of %d samples are too many for one recording; split them", count, samples)
	}
	x := make([]float64, len(data))
	for k := range count {
		from, to := data[k*c*samples:(k+1)*c*samples], x[k*c*samples:(k+1)*c*samples]
		for i := range c {
			for s := range samples {
				to[s*c+i] = from[i*samples+s]
			}
		}
	}
	r, err := eeg.NewRecording(channels, rate, x, nil)
	if err != nil {
		return nil, err
	}
	for k := range count {
		r.Events = append(r.Events, eeg.Event{Sample: k * samples, Label: "epoch", Code: k + 1})
		if k > 0 {
			r.Breaks = append(r.Breaks, k*samples)
		}
	}
	return r, nil
}

// Cut computes observations from a recording made by [Recording], and returns the index of the epoch of each
// observation. opt.Classes is ignored. If opt.Stop is 0, it is set to the end of the epoch. It returns the errors of
// [eeg.CutTrials].
func Cut(ctx context.Context, rec *eeg.Recording, opt eeg.TrialOptions) (*eeg.Trials, []int, error) {
	opt.Classes = []eeg.Class{{Name: "epoch", Label: "epoch"}}
	samples, rate := rec.Samples()/len(rec.Events), rec.Rate // of an epoch, at the rate of the observations
	if opt.Resample != 0 && opt.Resample != rate {
		r, err := dsp.NewResampler(rate, opt.Resample)
		if err != nil {
			return nil, nil, err
		}
		samples, rate = r.Len(samples), opt.Resample
	}
	opt.Stop = cmp.Or(opt.Stop, float64(samples)/rate)
	t, err := eeg.CutTrials(ctx, []*eeg.Recording{rec}, opt)
	if err != nil {
		return nil, nil, err
	}
	offset := int(math.Round(opt.Start * rate))
	index := make([]int, len(t.Sample))
	for i, s := range t.Sample { // a window may start later than its epoch
		index[i] = (s - offset) / samples
	}
	return t, index, nil
}
