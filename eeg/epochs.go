package eeg

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Epochs are trials that another program has cut: count×channels×samples values, row-major, as returned by MNE's
// Epochs.get_data.
type Epochs struct {
	Data     []float64 // count×channels×samples values
	Channels []string  // names of the channels
	Rate     float64   // samples per second
	Samples  int       // samples per epoch
}

// Recording returns the concatenated epochs as a recording for CutTrials. There is a break between epochs, and an
// event with the label "epoch" at the start of each. Filters run within each epoch.
func (e *Epochs) Recording() (*Recording, error) {
	c := len(e.Channels)
	if c == 0 || e.Samples < 1 || len(e.Data)%(c*e.Samples) != 0 || len(e.Data) == 0 {
		return nil, fmt.Errorf("%d values cannot be divided into epochs of %d channels × %d samples; correct the "+
			"numbers of channels and samples",
			len(e.Data), c, e.Samples)
	}
	count := len(e.Data) / c / e.Samples
	if count > math.MaxInt32/e.Samples {
		return nil, fmt.Errorf("%d epochs of %d samples are too many for one recording; split them", count, e.Samples)
	}
	x := make([]float64, len(e.Data))
	for k := range count {
		from, to := e.Data[k*c*e.Samples:(k+1)*c*e.Samples], x[k*c*e.Samples:(k+1)*c*e.Samples]
		for i := range c {
			for s := range e.Samples {
				to[s*c+i] = from[i*e.Samples+s]
			}
		}
	}
	r, err := NewRecording(e.Channels, e.Rate, x, nil)
	if err != nil {
		return nil, err
	}
	for k := range count {
		r.Events = append(r.Events, Event{Sample: k * e.Samples, Label: "epoch", Code: k + 1})
		if k > 0 {
			r.Breaks = append(r.Breaks, k*e.Samples)
		}
	}
	return r, nil
}

// ExtractEpochs computes observations from a recording made by [Epochs.Recording], and returns the index of the epoch
// of each. opt.Classes is ignored. If opt.Stop is 0, it is set to the end of the epoch.
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
	epoch := map[int]int{} // index of each epoch by its first sample
	for k, e := range recs[0].Events {
		epoch[e.Sample] = k
	}
	offset := int(math.Round(trial.Start * recs[0].Rate))
	index := make([]int, len(t.Sample))
	for i, s := range t.Sample {
		index[i] = epoch[s-offset]
	}
	return t, index, nil
}
