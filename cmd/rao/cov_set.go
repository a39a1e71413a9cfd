package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/eeg"
	"rao/eeg/sets"
)

// pickFlags choose of a set of recordings.
type pickFlags struct{ subjects, runs string }

func (p *pickFlags) add(cmd *cobra.Command) {
	app.TextVar(cmd.Flags(), &p.subjects, "subjects", "NUMBER,...", "",
		"subjects of a set of recordings, such as 1-9 or 1,4,7; by default all")
	app.TextVar(cmd.Flags(), &p.runs, "runs", "NUMBER,...", "",
		"runs of a set of recordings whose files are runs, such as 4,8,12 of eegbci; by default those of "+
			"imagined movements")
}

func (p *pickFlags) numbers() (subjects, runs []int, err error) {
	if subjects, err = parseNumbers("subjects", p.subjects); err == nil {
		runs, err = parseNumbers("runs", p.runs)
	}
	return subjects, runs, err
}

// parseNumbers reads numbers and ranges of them, such as 1-3,7; nil of nothing.
func parseNumbers(flag, text string) ([]int, error) {
	out, ok := parseRanges(text, 1, 10000)
	if !ok {
		return nil, app.Usagef("--%s %s: want whole numbers or ranges of them, such as 1-9 or 1,4,7", flag, text)
	}
	return out, nil
}

// parseRanges reads numbers from least to most, and ranges of them, separated by commas.
func parseRanges(text string, least, most int) (out []int, ok bool) {
	for _, word := range app.SplitList(text) {
		first, last, ranged := strings.Cut(word, "-")
		if !ranged {
			last = first
		}
		low, err1 := strconv.Atoi(first)
		high, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || low < least || high < low || high > most {
			return nil, false
		}
		for n := low; n <= high; n++ {
			out = append(out, n)
		}
	}
	return out, true
}

// setOf returns the set of recordings that the arguments name; empty when they are files.
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
	case name == "" && f.pick != (pickFlags{}):
		return "", app.Usagef("--subjects and --runs choose of a set of recordings: %s",
			strings.Join(sets.RecordingSets(), ", "))
	case name == "":
		return "", nil
	case strings.Contains(name, ":"):
		set, part, _ := strings.Cut(name, ":")
		return "", app.Usagef("%s: say %s --subjects %s", name, set, part)
	case len(args) > 1:
		return "", app.Usagef("%s is a set of recordings: give it alone", name)
	case f.events != "" || f.path != "" || f.stream != "" || f.rate != 0:
		return "", app.Usagef("the recordings of %s are known: leave out --events, --path, --stream and --rate", name)
	}
	return name, nil
}

// fromSet makes the covariances of trials of a set of recordings, or lists what it holds.
func (f *eegFlags) fromSet(cmd *cobra.Command, a *app.App, name string, meta []metaPair) error {
	sel := sets.Selection{Channels: app.SplitList(f.channels), Drop: app.SplitList(f.drop),
		Kinds: app.SplitList(f.kinds)}
	var err error
	if sel.Subjects, sel.Runs, err = f.pick.numbers(); err != nil {
		return err
	}
	if f.list {
		var all listedRecordings
		err := sets.EachRecording(cmd.Context(), name, sel, func(runs []sets.Run) error {
			for _, r := range runs {
				all.Recordings = append(all.Recordings, listRecording(r.Recording))
			}
			return nil
		})
		if err != nil {
			return err
		}
		return printListed(a, all)
	}
	opt, err := f.cutting()
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
	show, done := a.Progress("rao cov eeg " + name)
	defer done()
	var from []dataset.Origin
	d, skipped, err := sets.Trials(cmd.Context(), name, sel, opt.Classes,
		func(recs []*eeg.Recording, here []eeg.Class) (*eeg.Trials, error) {
			opt := opt
			opt.Classes = here
			from = append(from, filesOf(recs[:1])...)
			show.Send(rao.Event{Stage: filepath.Base(recs[0].Source), Done: len(from)})
			recs, err := f.trials.prepare(a, recs, &opt)
			if err != nil {
				return nil, err
			}
			return f.trials.take(cmd.Context(), recs, opt)
		})
	if err != nil {
		return err
	}
	done()
	if err := addMeta(d, meta); err != nil {
		return err
	}
	d.From = from
	return saveCovariances(a, f.out, d, skipped)
}
