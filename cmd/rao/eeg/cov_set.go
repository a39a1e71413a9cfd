package eeg

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/eeg/sets"
	"rao/internal/provenance"
)

// setOf returns the name of the public set in the arguments, or "" if the arguments are files.
func (f *eegFlags) setOf(args []string) (string, error) {
	name := ""
	for _, arg := range args {
		if set, _, _ := strings.Cut(arg, ":"); sets.IsRecordings(set) {
			if _, err := os.Stat(arg); err != nil {
				name = arg
			}
		}
	}
	switch {
	case name == "" && f.bids.dir == "" && f.bids.pick != (app.PickFlags{}):
		return "", app.Usagef("--subjects and --runs need --bids, or the name of a set of recordings: %s",
			strings.Join(sets.RecordingSets(), ", "))
	case name == "":
		return "", nil
	case strings.Contains(name, ":"):
		set, part, _ := strings.Cut(name, ":")
		return "", app.Usagef("%s: give %s --subjects %s instead", name, set, part)
	case len(args) > 1:
		return "", app.Usagef("%s is a set of recordings, which cannot be combined with others; give one name", name)
	case f.opt.Events != "" || f.opt.Path != "" || f.opt.Stream != "" || f.opt.Rate != 0:
		return "", app.Usagef("the events and rate of %s are known; leave out --events, --path, --stream and "+
			"--rate", name)
	}
	return name, nil
}

// fromSet writes the covariances of the trials in a public set, or lists the recordings of the set.
func (f *eegFlags) fromSet(cmd *cobra.Command, a *app.App, name string, meta []metaPair) error {
	rec := f.options()
	sel := sets.Selection{Channels: rec.Channels, Drop: rec.Drop, Kinds: rec.Kinds}
	var err error
	if sel.Subjects, sel.Runs, err = f.bids.pick.Numbers(); err != nil {
		return err
	}
	if f.list {
		var all listedRecordings
		err := sets.EachRecording(cmd.Context(), name, sel, func(runs []*eeg.Recording) error {
			for _, r := range runs {
				all.Recordings = append(all.Recordings, listRecording(r))
			}
			return nil
		})
		if err != nil {
			return err
		}
		return printListed(a, all)
	}
	opt, err := f.cutting(a)
	if err != nil {
		return err
	}
	usual, err := sets.UsualTrials(name)
	if err != nil {
		return err
	}
	opt.SkipInvalid = true
	if !cmd.Flags().Changed("start") {
		opt.Start = usual.Start
	}
	if !cmd.Flags().Changed("stop") {
		opt.Stop = usual.Stop
	}
	if !cmd.Flags().Changed("both-ends") {
		opt.BothEnds = usual.BothEnds
	}
	show, done := a.Progress("rao eeg cov " + name)
	defer done()
	var from []provenance.Part
	d, skipped, err := sets.Trials(cmd.Context(), name, sel, opt.Classes,
		func(recs []*eeg.Recording, here []eeg.Class) (*eeg.Trials, error) {
			opt := opt
			opt.Classes = here
			from = append(from, filesOf(recs[:1])...)
			show.Send(rao.Event{Stage: filepath.Base(recs[0].Source), Done: len(from)})
			return eeg.CutTrials(cmd.Context(), recs, opt)
		})
	if err != nil {
		return err
	}
	done()
	if err := addMeta(d, meta); err != nil {
		return err
	}
	d.From = from
	return a.SaveMatrices(f.out, d, skipped)
}
