// Package demo trains a model on simulated motor imagery and writes a signal for live classification with the model.
package demo

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"rao/dataset"
	"rao/eeg"
	"rao/internal/eeg/synth"
	"rao/internal/format/archive"
	"rao/method"
	"rao/model"
	"rao/recipe"
)

// Window is the length in seconds of the windows that the model classifies.
const Window = 2

// trials returns training trials from a simulated recording.
func trials(ctx context.Context) (*dataset.Data, error) {
	rec, err := synth.Rhythms(80, 1)
	if err != nil {
		return nil, err
	}
	cut, err := eeg.CutTrials(ctx, []*eeg.Recording{rec}, eeg.TrialOptions{Classes: synth.RhythmClasses, Start: 1.5,
		Stop: 1.5 + Window,
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 30}},
			Estimator: "oas"}, Causal: true})
	if err != nil {
		return nil, err
	}
	return cut.Data(), nil
}

func demoModel(ctx context.Context, name string, settings method.Settings) (*model.Model, error) {
	d, err := trials(ctx)
	if err != nil {
		return nil, err
	}
	m, err := method.Lookup(name)
	if err != nil {
		return nil, err
	}
	return m.Fit(ctx, method.InMemory{Data: d}, settings, nil)
}

// samples returns a simulated recording of the given length in seconds that was not used for training,
// samples×channels.
func samples(seconds int) ([]float64, error) {
	rec, err := synth.Rhythms((seconds+synth.RhythmSeconds-1)/synth.RhythmSeconds, 2)
	if err != nil {
		return nil, err
	}
	x := make([]float64, seconds*synth.RhythmRate*len(synth.RhythmChannels))
	return x, rec.Read(x, 0, seconds*synth.RhythmRate)
}

// Write writes two files to a folder: a model for simulated EEG, and a minute of signal for it, as text with one
// sample per line. It returns the path of the signal.
func Write(ctx context.Context, folder string) (signal string, err error) {
	m, err := demoModel(ctx, "enuc", nil)
	if err != nil {
		return "", err
	}
	if err := m.Save(filepath.Join(folder, "rhythms.rao")); err != nil {
		return "", err
	}
	x, err := samples(60)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	b.WriteString(strings.Join(synth.RhythmChannels, ","))
	for i, v := range x {
		separator := ","
		if i%len(synth.RhythmChannels) == 0 {
			separator = "\n"
		}
		fmt.Fprintf(&b, "%s%.3f", separator, v)
	}
	b.WriteByte('\n')
	signal = filepath.Join(folder, "rhythms.csv")
	return signal, archive.WriteBytes(signal, b.Bytes())
}
