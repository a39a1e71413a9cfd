package main

import (
	"context"
	"fmt"
	"time"

	"rao/dataset"
	"rao/eeg"
	"rao/method"
	"rao/model"
	"rao/serve"
	"rao/sets"
	"rao/spd"
	"rao/synth"
)

// rhythmWindow is the length of the windows that a model of simulated rhythms decides on, in
// seconds.
const rhythmWindow = 2

// rhythmTrials cuts a simulated recording into the trials that a live model learns from.
func rhythmTrials(ctx context.Context, seed uint64) (*dataset.Data, error) {
	rec, err := synth.Rhythms(80, seed)
	if err != nil {
		return nil, err
	}
	cut, err := eeg.CutTrials(ctx, []*eeg.Recording{rec}, eeg.TrialOptions{Classes: synth.RhythmClasses, Start: 1.5,
		Stop: 1.5 + rhythmWindow, Bands: []eeg.Band{{Low: 8, High: 30}}, Causal: true,
		Covariance: spd.CovarianceOptions{Estimator: spd.OAS}})
	if err != nil {
		return nil, err
	}
	return sets.TrialData(cut), nil
}

// rhythmModel learns to decide on simulated rhythms as they come.
func rhythmModel(ctx context.Context, name string, set method.Settings) (*model.Model, error) {
	d, err := rhythmTrials(ctx, 1)
	if err != nil {
		return nil, err
	}
	return fitNamed(ctx, name, d, set)
}

// rhythmSamples are seconds of a simulated recording that no model has learned from.
func rhythmSamples(seconds int) ([]float64, error) {
	rec, err := synth.Rhythms((seconds+synth.RhythmSeconds-1)/synth.RhythmSeconds, 2)
	if err != nil {
		return nil, err
	}
	x := make([]float64, seconds*synth.RhythmRate*len(synth.RhythmChannels))
	return x, rec.Read(x, 0, seconds*synth.RhythmRate)
}

// benchStreams sends live signals to a server of a model of them.
func benchStreams(ctx context.Context, streams int, each time.Duration) (*serve.StreamReport, error) {
	m, err := rhythmModel(ctx, "mdm", nil)
	if err != nil {
		return nil, err
	}
	values, err := rhythmSamples(20)
	if err != nil {
		return nil, err
	}
	url, done, err := served(m, serve.Options{MaxStreams: streams})
	if err != nil {
		return nil, err
	}
	defer done()
	l := serve.StreamLoad{URL: url, Model: "model", Streams: streams, Rate: synth.RhythmRate,
		Channels: len(synth.RhythmChannels), Block: 10, Window: rhythmWindow * synth.RhythmRate,
		Step: synth.RhythmRate / 5, Values: values, Duration: each + rhythmWindow*time.Second}
	r, err := l.Run(ctx)
	if err == nil {
		err = ctx.Err()
	}
	return r, err
}

func (a *app) printStreams(r *serve.StreamReport) {
	a.table([]string{"streams", "samples a second", "decisions", "missing", "median, ms", "p99, ms", "longest, ms",
		"errors", "heap, MiB"},
		[][]string{{fmt.Sprint(r.Streams), fmt.Sprintf("%.0f", r.SamplesPerSecond), fmt.Sprint(r.Decisions),
			fmt.Sprint(r.Missing), milliseconds(r.Median), milliseconds(r.P99), milliseconds(r.Max),
			fmt.Sprint(r.Errors), fmt.Sprint(r.HeapBytes >> 20)}})
	if r.Failure != "" {
		a.note("one of the errors: %s", r.Failure)
	}
}
