package eeg

import (
	"fmt"
	"slices"
	"strings"

	"rao/internal/eeg/format/bids"
	"rao/internal/voltage"
)

// BIDSFilter selects recordings in a BIDS folder: those of any listed subject, session and run, and of the task. An
// empty field matches everything.
type BIDSFilter struct {
	Subjects, Sessions, Runs []string // such as 01
	Task                     string
}

// BIDSRecording is a recording in a BIDS folder: its file and the entities in its name.
type BIDSRecording struct {
	Path                        string
	Subject, Session, Task, Run string // empty if not in the name
	found                       bids.Recording
}

// FindBIDS lists the EEG recordings of a folder in the Brain Imaging Data Structure, sorted by path. It returns an
// error if dir is not a folder, or no recording matches want. If there are several tasks and want does not select one,
// the error names them.
func FindBIDS(dir string, want BIDSFilter) ([]BIDSRecording, error) {
	found, err := bids.Find(dir, bids.Filter(want))
	if err != nil {
		return nil, err
	}
	out := make([]BIDSRecording, len(found))
	for i, f := range found {
		out[i] = BIDSRecording{f.Path, f.Subject, f.Session, f.Task, f.Run, f}
	}
	return out, nil
}

// Open opens the recording with its events from events.tsv, the kinds of channels and bad channels from channels.tsv
// and the electrode positions from electrodes.tsv. Each table may be in a parent folder. If opt.Events is set, that
// file replaces events.tsv. The fields Path and Stream of opt are ignored. It returns an error if a file is damaged,
// channels.tsv names no channel of the recording, or the options do not fit. The caller closes the recording.
func (b *BIDSRecording) Open(opt RecordingOptions) (*Recording, error) {
	r, err := openFile(b.Path, RecordingOptions{Rate: opt.Rate})
	if err != nil {
		return nil, err
	}
	if err := b.complete(r, opt); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// describeAlone reads channels.tsv and electrodes.tsv for a recording with a BIDS name that was opened without its data
// set. The tables must be in the folder of the recording.
func (r *Recording) describeAlone() error {
	found, ok := bids.Named(r.Source)
	if !ok {
		return nil
	}
	b := BIDSRecording{Path: found.Path, found: found}
	if err := b.describe(r); err != nil {
		return fmt.Errorf("%s: %w", r.Source, err)
	}
	var err error
	r.Table, err = found.Table("channels")
	return err
}

// complete adds the contents of the tables to the recording, and selects channels and events.
func (b *BIDSRecording) complete(r *Recording, opt RecordingOptions) error {
	if err := b.describe(r); err != nil {
		return fmt.Errorf("%s: %w", b.Path, err)
	}
	if opt.Events == "" {
		var err error
		if opt.Events, err = b.found.Table("events"); err != nil {
			return fmt.Errorf("%s: %w", b.Path, err)
		}
	}
	return r.open(opt)
}

// bidsKinds are the kinds of channels that have another name outside BIDS.
var bidsKinds = map[string]string{"veog": "eog", "heog": "eog", "trig": "stim"}

// describe sets kinds, units and bad channels from channels.tsv, and positions from electrodes.tsv. Either table may be
// absent.
func (b *BIDSRecording) describe(r *Recording) error {
	path, err := b.found.Table("channels")
	if err != nil {
		return err
	}
	if path == "" {
		return b.places(r)
	}
	channels, err := bids.ReadChannels(path)
	if err != nil {
		return err
	}
	types, named := make([]string, len(r.Channels)), make([]string, len(r.Channels))
	copy(types, r.Types)
	copy(named, r.Units)
	bad := slices.Clone(r.Bad)
	var missing []string
	for _, c := range channels {
		i := slices.Index(r.Channels, c.Name)
		if i < 0 {
			missing = append(missing, c.Name)
			continue
		}
		if c.Type != "" {
			types[i] = c.Type
		}
		if kind := bidsKinds[c.Type]; kind != "" {
			types[i] = kind
		}
		if voltage.Parse(named[i]) == "" {
			named[i] = c.Unit
		}
		if c.Status != "" { // n/a keeps the mark in the recording's own file
			bad = slices.DeleteFunc(bad, func(b string) bool { return b == c.Name })
		}
		if c.Status == "bad" {
			bad = append(bad, c.Name)
		}
	}
	if len(missing) == len(channels) {
		return fmt.Errorf("%s names no channel of the recording; the recording has %s", path, strings.Join(r.Channels,
			", "))
	}
	r.Types, r.Units, r.Bad = types, named, bad
	return b.places(r)
}

func (b *BIDSRecording) places(r *Recording) error {
	path, err := b.found.Table("electrodes")
	if err != nil || path == "" {
		return err
	}
	places, err := bids.ReadElectrodes(path)
	if err != nil {
		return err
	}
	r.Positions = make([][3]float64, len(r.Channels))
	for i, c := range r.Channels {
		r.Positions[i] = places[c]
	}
	return nil
}
