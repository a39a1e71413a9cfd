package eeg

import (
	"strconv"

	"rao/dataset"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
)

// Data returns trials as labeled observations. If bands are separate, these are the matrices of the first band. The
// variables are the channels and, for splits and figures, the recording and the first sample of each trial. Windows
// also have the number of their trial, signals their rate, and correlations the names of their columns.
func (t *Trials) Data() *dataset.Data {
	d := t.observations()
	d.Labels, d.Classes = t.Labels, t.Classes
	d.Vars["recording"] = &dataset.Array{Name: "recording", Shape: []int{d.N()},
		Int64: vec.Converted[int64](t.Recording)}
	d.Vars["sample"] = &dataset.Array{Name: "sample", Shape: []int{d.N()}, Int64: vec.Converted[int64](t.Sample)}
	if t.Trial != nil {
		d.Vars["trial"] = &dataset.Array{Name: "trial", Shape: []int{d.N()}, Int64: vec.Converted[int64](t.Trial)}
	}
	return d
}

// observations returns the observations of trials without labels: matrices, the signals themselves or their
// correlations.
func (t *Trials) observations() *dataset.Data {
	s, names := t.Recipe.Signal, recipes.Names(t.Recipe.Signal)
	d := &dataset.Data{Source: "trials", Recipe: t.Recipe, Vars: map[string]*dataset.Array{
		"channels": {Name: "channels", Shape: []int{len(names)}, Strings: names}}}
	if t.Signals == nil {
		d.Stack = t.Stacks[0]
		return d
	}
	rows, cols := t.Signals.Dims()
	d.X = dataset.NewTable(rows, cols, t.Signals.RawMatrix().Data)
	if s.Estimator == optionvalues.EstimatorNone {
		d.Image = [3]int{len(names), cols / len(names), 1}
		d.Vars["sfreq"] = &dataset.Array{Name: "sfreq", Shape: []int{1}, Float64: []float64{s.Rate}}
		return d
	}
	columns := make([]string, cols)
	for i, f := range s.Frequencies {
		columns[i] = strconv.FormatFloat(f, 'g', -1, 64) + " Hz"
	}
	d.Vars["columns"] = &dataset.Array{Name: "columns", Shape: []int{cols}, Strings: columns}
	return d
}
