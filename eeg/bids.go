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
type BIDSFilter = bids.Filter

// OpenBIDS opens the EEG recordings of a folder in the Brain Imaging Data Structure, sorted by path, with their events
// from events.tsv, the kinds of channels and bad channels from channels.tsv and the electrode positions from
// electrodes.tsv. Each table may be in a parent folder. If opt.Events is set, that file replaces events.tsv. The fields
// Path and Stream of opt are ignored. It returns an error if dir is not a folder, no recording matches want, a file is
// damaged, channels.tsv names no channel of the recording, or the options do not fit. If there are several tasks and
// want does not select one, the error names them. The caller closes the recordings.
func OpenBIDS(dir string, want BIDSFilter, opt RecordingOptions) ([]*Recording, error) {
	found, err := bids.Find(dir, want)
	if err != nil {
		return nil, err
	}
	recs := make([]*Recording, len(found))
	for i := range found {
		if recs[i], err = openBIDS(&found[i], opt); err != nil {
			for _, r := range recs[:i] {
				r.Close()
			}
			return nil, err
		}
	}
	return recs, nil
}

func openBIDS(f *bids.Recording, opt RecordingOptions) (*Recording, error) {
	r, err := openFile(f.Path, RecordingOptions{Rate: opt.Rate})
	if err != nil {
		return nil, err
	}
	r.Subject, r.Session, r.Run = f.Subject, f.Session, f.Run
	if err := r.describe(f); err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	if opt.Events == "" {
		if opt.Events, err = f.Table("events"); err != nil {
			r.Close()
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	if err := r.open(opt); err != nil {
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
	if err := r.describe(&found); err != nil {
		return fmt.Errorf("%s: %w", r.Source, err)
	}
	var err error
	r.Table, err = found.Table("channels")
	return err
}

// bidsKinds are the kinds of channels that have another name outside BIDS.
var bidsKinds = map[string]string{"veog": "eog", "heog": "eog", "trig": "stim"}

// describe sets kinds, units and bad channels from channels.tsv, and positions from electrodes.tsv. Either table may be
// absent.
func (r *Recording) describe(f *bids.Recording) error {
	path, err := f.Table("channels")
	if err != nil {
		return err
	}
	if path == "" {
		return r.locate(f)
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
	return r.locate(f)
}

// locate sets positions from electrodes.tsv.
func (r *Recording) locate(f *bids.Recording) error {
	path, err := f.Table("electrodes")
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
