package eeg

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
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
		return app.Usagef("give one recording or more, or --bids FOLDER")
	}
	for _, arg := range args {
		if subjects, _ := filepath.Glob(filepath.Join(arg, "sub-*")); subjects != nil {
			return app.Usagef("%s is a BIDS folder; give it as --bids %s", arg, arg)
		}
	}
	return nil
}

func (b *bidsFlags) open(a *app.App, opt eeg.RecordingOptions) ([]*eeg.Recording, error) {
	recs, err := eeg.OpenBIDS(b.dir, eeg.BIDSFilter{Task: b.task, Subjects: text.SplitList(b.pick.Subjects),
		Sessions: text.SplitList(b.sessions), Runs: text.SplitList(b.pick.Runs)}, opt)
	if err == nil {
		a.Note("reading %s of %s", text.Plural(len(recs), "recording", "recordings"), b.dir)
	}
	return recs, err
}
