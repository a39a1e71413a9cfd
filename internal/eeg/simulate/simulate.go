// Package simulate simulates recordings of people in several experimental paradigms, and writes BIDS folders of
// studies. The signals come from internal/eeg/synth.
package simulate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rao"
	"rao/eeg"
	"rao/internal/eeg/live"
	"rao/internal/eeg/synth"
	"rao/internal/format/archive"
)

type paradigm struct {
	name, about string
	draw        func(trials int, seed uint64) (*eeg.Recording, error)
	classes     []eeg.Class // classes of events that have only a code
}

var paradigms = []paradigm{
	{"imagery", "imagined hand movements", synth.Rhythms, synth.RhythmClasses},
	{"ssvep", "lights that flicker", synth.Flicker, synth.FlickerClasses},
	{"p300", "a speller", synth.Speller, nil},
	{"evoked", "evoked potentials", synth.Evoked, synth.EvokedClasses},
}

// Paradigms returns the names of the paradigms.
func Paradigms() []string {
	var names []string
	for _, p := range paradigms {
		names = append(names, p.name)
	}
	return names
}

// Options are the settings of the simulation.
type Options struct {
	Paradigm       string
	Trials, Blinks int // number of trials (symbols for p300) and of blinks
	Seed           uint64
}

// Recording simulates a recording. The labels of its events are the names of their classes.
func Recording(o Options) (*eeg.Recording, error) {
	for _, p := range paradigms {
		if p.name != o.Paradigm {
			continue
		}
		rec, err := p.draw(o.Trials, o.Seed)
		if err != nil {
			return nil, err
		}
		if rec, _, err = synth.Blinks(rec, o.Blinks, o.Seed); err != nil {
			return nil, rao.Optionf("blinks", "{blinks}: %v", err)
		}
		rec.Source = p.about
		for i := range rec.Events {
			if e := &rec.Events[i]; e.Label == "" {
				e.Label = p.classes[e.Code-1].Name
			}
		}
		return rec, nil
	}
	return nil, rao.Optionf("paradigm", "{paradigm}: %v", &rao.UnknownError{Kind: "paradigm", Name: o.Paradigm,
		Known: Paradigms()})
}

// Study writes recordings of several people on several days to a BIDS folder. The task is the paradigm. [synth.Person]
// describes how people and days differ. With the same seed, a person has the same gains and the same mixing of
// electrodes in all paradigms.
func Study(ctx context.Context, folder string, subjects, sessions int, o Options, by live.Origin,
	progress rao.Progress) error {
	for s := 1; s <= subjects; s++ {
		for d := 1; d <= sessions; d++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			one := o
			one.Seed = o.Seed*1_000_003 + uint64(1009*s+d)
			rec, err := Recording(one)
			if err != nil {
				return err
			}
			source := rec.Source
			if rec, err = synth.Person(rec, o.Seed*1_000_003+uint64(s), uint64(d)); err != nil {
				return err
			}
			rec.Source = source
			dir := filepath.Join(folder, fmt.Sprintf("sub-%02d", s), fmt.Sprintf("ses-%02d", d), "eeg")
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			name := fmt.Sprintf("sub-%02d_ses-%02d_task-%s_eeg.vhdr", s, d, o.Paradigm)
			if err := live.Save(filepath.Join(dir, name), rec, by); err != nil {
				return err
			}
			progress.Send(rao.Event{Stage: "recordings", Done: (s-1)*sessions + d, Total: subjects * sessions})
		}
	}
	return describe(folder)
}

// describe writes the files that BIDS requires: the list of people and a description of the folder.
func describe(folder string) error {
	people, err := filepath.Glob(filepath.Join(folder, "sub-*"))
	if err != nil {
		return err
	}
	var table strings.Builder
	table.WriteString("participant_id\n")
	for _, p := range people {
		table.WriteString(filepath.Base(p) + "\n")
	}
	for name, text := range map[string]string{"participants.tsv": table.String(),
		"README": "Simulated by rao data recording, to try things out. Nobody was recorded.\n"} {
		if err := archive.WriteBytes(filepath.Join(folder, name), []byte(text)); err != nil {
			return err
		}
	}
	return nil
}
