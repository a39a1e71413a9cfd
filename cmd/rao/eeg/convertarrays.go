package eeg

import (
	"rao/dataset"
	"rao/eeg"
	"rao/internal/eeg/channelkind"
	"rao/internal/eeg/format/signal"
)

// arrays returns a recording as arrays: X (samples × channels), and variables such as the rate, the channels and the
// events.
func arrays(r *eeg.Recording) (*dataset.Data, error) {
	x, err := signal.Samples(r, len(r.Channels))
	if err != nil {
		return nil, err
	}
	d := &dataset.Data{Source: r.Source, X: dataset.NewTable(r.Samples(), len(r.Channels), x),
		Vars: map[string]*dataset.Array{}}
	texts := func(name string, v []string) {
		if len(v) > 0 {
			d.Vars[name] = &dataset.Array{Shape: []int{len(v)}, Strings: v}
		}
	}
	integers := func(name string, n int, at func(int) int) {
		v := make([]int64, n)
		for i := range v {
			v[i] = int64(at(i))
		}
		if n > 0 {
			d.Vars[name] = &dataset.Array{Shape: []int{n}, Int64: v}
		}
	}
	d.Vars["rate"] = &dataset.Array{Shape: []int{1}, Float64: []float64{r.Rate}}
	texts("channels", r.Channels)
	texts("kinds", channelkind.All(r.Channels, r.Types, r.Units))
	texts("units", r.Units)
	texts("bad", r.Bad)
	if r.Reference != "" {
		texts("reference", []string{r.Reference})
	}
	if r.Positions != nil {
		at := make([]float64, 0, 3*len(r.Positions))
		for _, p := range r.Positions {
			at = append(at, p[:]...)
		}
		d.Vars["positions"] = &dataset.Array{Shape: []int{len(r.Positions), 3}, Float64: at}
	}
	labels := make([]string, len(r.Events))
	for i, e := range r.Events {
		labels[i] = e.Label
	}
	texts("event_label", labels)
	integers("event_sample", len(r.Events), func(i int) int { return r.Events[i].Sample })
	integers("event_code", len(r.Events), func(i int) int { return r.Events[i].Code })
	integers("event_duration", len(r.Events), func(i int) int { return r.Events[i].Duration })
	integers("breaks", len(r.Breaks), func(i int) int { return r.Breaks[i] })
	return d, nil
}
