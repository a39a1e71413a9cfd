package eeg

import (
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/eeg"
	"rao/internal/indices"
	"rao/internal/text"
)

// bidsFlags select recordings of a BIDS folder.
type bidsFlags struct {
	dir, task, sessions string
	pick                app.PickFlags
}

func (b *bidsFlags) add(cmd *cobra.Command) {
	s := cmd.Flags()
	app.TextVar(s, &b.dir, "bids", "FOLDER", "", "folder in the Brain Imaging Data Structure, instead of files")
	app.TextVar(s, &b.task, "task", "NAME", "", "task of the recordings of --bids")
	app.TextVar(s, &b.sessions, "sessions", "NAME,...", "", "sessions of --bids to use; by default all")
	b.pick.Add(cmd)
}

// name returns the selected subjects as a suffix for a title, or "" if none is selected.
func (b *bidsFlags) name() string {
	if b.pick.Subjects == "" {
		return ""
	}
	return ", subject " + strings.Join(text.SplitList(b.pick.Subjects), ", ")
}

func (b *bidsFlags) checkArgs(args []string) error {
	switch {
	case b.dir == "" && (b.task != "" || b.sessions != ""):
		return app.Usagef("--task and --sessions select recordings of a BIDS folder; give --bids too")
	case b.dir != "" && len(args) > 0:
		return app.Usagef("give recordings or --bids, not both")
	case b.dir == "" && len(args) == 0:
		return app.Usagef("give one recording or more, or --bids DIR")
	}
	return nil
}

// bidsVars contains the subject, session and run of each recording, from its file name.
type bidsVars struct{ subject, session, run []string }

func (b *bidsFlags) open(a *app.App, opt eeg.RecordingOptions) ([]*eeg.Recording, *bidsVars, error) {
	found, err := eeg.FindBIDS(b.dir, eeg.BIDSFilter{Task: b.task, Subjects: text.SplitList(b.pick.Subjects),
		Sessions: text.SplitList(b.sessions), Runs: text.SplitList(b.pick.Runs)})
	if err != nil {
		return nil, nil, err
	}
	vars := new(bidsVars)
	recs := make([]*eeg.Recording, 0, len(found))
	for _, f := range found {
		r, err := f.Open(opt)
		if err != nil {
			return recs, nil, err
		}
		recs = append(recs, r)
		vars.subject, vars.session, vars.run = append(vars.subject, f.Subject), append(vars.session, f.Session),
			append(vars.run, f.Run)
	}
	a.Note("reading %s of %s", text.Plural(len(recs), "recording", "recordings"), b.dir)
	return recs, vars, nil
}

// add adds the subject, session and run of each trial as variables, for --groups.
func (v *bidsVars) add(d *dataset.Data, recording []int) {
	if v == nil {
		return
	}
	for _, list := range []struct {
		name   string
		values []string
	}{{"subject", v.subject}, {"session", v.session}, {"run", v.run}} {
		if strings.Join(list.values, "") == "" {
			continue
		}
		out := indices.Pick(list.values, recording)
		d.Vars[list.name] = &dataset.Array{Name: list.name, Shape: []int{len(out)}, Strings: out}
	}
}
