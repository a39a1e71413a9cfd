package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	eegdemo "rao/eeg/demo"
	"rao/internal/demo"
	"rao/internal/format/archive"
	"rao/study"
	"rao/synth"
)

// serveDemo serves what the demo learned, and a model of simulated EEG, from the demo's folder.
func (a *app) serveDemo(ctx context.Context, r *demo.Result, dir string, s *server) error {
	prototypes := r.Matrices.Rows[len(r.Matrices.Rows)-1].Model
	if err := prototypes.Save(filepath.Join(dir, "matrices.rao")); err != nil {
		return err
	}
	rhythms, err := eegdemo.Model(ctx, "enuc", nil)
	if err != nil {
		return err
	}
	if err := rhythms.Save(filepath.Join(dir, "rhythms.rao")); err != nil {
		return err
	}
	for _, part := range []struct {
		name   string
		result *study.Rows
	}{{"textures", r.Textures}, {"matrices", r.Matrices}, {"digits", r.Digits}} {
		b, err := json.Marshal(part.result)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, part.name+".json")
		if err := archive.WriteFile(path, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
			return err
		}
		s.opt.Results = append(s.opt.Results, path)
	}
	signal := filepath.Join(dir, "rhythms.csv")
	if err := writeRhythms(signal); err != nil {
		return err
	}
	s.models, s.opt.Replays, s.quietLog = []string{dir}, []string{signal}, true
	return a.serve(ctx, s)
}

// writeRhythms writes a minute of simulated EEG as text, a sample a line.
func writeRhythms(path string) error {
	x, err := eegdemo.Samples(60)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for k, name := range synth.RhythmChannels {
		fmt.Fprintf(&b, "%s%s", comma(k), name)
	}
	for i, v := range x {
		if k := i % len(synth.RhythmChannels); k == 0 {
			fmt.Fprintf(&b, "\n%.3f", v)
		} else {
			fmt.Fprintf(&b, ",%.3f", v)
		}
	}
	b.WriteByte('\n')
	return archive.WriteFile(path, func(w io.Writer) error { _, err := b.WriteTo(w); return err })
}

func comma(k int) string {
	if k == 0 {
		return ""
	}
	return ","
}
