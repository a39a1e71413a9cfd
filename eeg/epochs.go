package eeg

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"rao/internal/text"
)

// NewEpochs returns trials that another program has cut as a recording for [ExtractEpochs]. data has
// count×channels×samples values, row-major, as returned by MNE's Epochs.get_data, and is copied. There is a break
// between epochs, and an event with the label "epoch" at the start of each. Filters run within each epoch. It returns
// an error if data cannot be divided into epochs, or the rate in hertz is not positive and finite.
func NewEpochs(channels []string, rate float64, data []float64, samples int) (*Recording, error) {
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
	r, err := NewRecording(channels, rate, x, nil)
	if err != nil {
		return nil, err
	}
	for k := range count {
		r.Events = append(r.Events, Event{Sample: k * samples, Label: "epoch", Code: k + 1})
		if k > 0 {
			r.Breaks = append(r.Breaks, k*samples)
		}
	}
	return r, nil
}

// ExtractEpochs computes observations from a recording made by [NewEpochs], and returns the index of the epoch of each
// observation. opt.Classes is ignored. If opt.Stop is 0, it is set to the end of the epoch. It returns the same errors
// as [Extract].
func ExtractEpochs(ctx context.Context, rec *Recording, opt ExtractOptions) (*Trials, []int, error) {
	recs, trial, err := opt.prepare([]*Recording{rec})
	if err != nil {
		return nil, nil, err
	}
	trial.Classes = []Class{{Name: "epoch", Label: "epoch"}}
	if trial.Stop == 0 {
		trial.Stop = float64(append(slices.Clone(recs[0].Breaks), recs[0].Samples())[0]) / recs[0].Rate
	}
	t, err := CutTrials(ctx, recs, trial)
	if err != nil {
		return nil, nil, err
	}
	epochs := recs[0].Events
	offset := int(math.Round(trial.Start * recs[0].Rate))
	index := make([]int, len(t.Sample))
	for i, s := range t.Sample { // a window may start later than its epoch
		index[i] = sort.Search(len(epochs), func(k int) bool { return epochs[k].Sample > s-offset }) - 1
	}
	return t, index, nil
}
