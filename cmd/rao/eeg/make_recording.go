package eeg

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/eeg/live"
	"rao/internal/eeg/simulate"
	"rao/internal/text"
)

func datasetRecordingCommand(a *app.App) *cobra.Command {
	var opt simulate.Options
	var subjects, sessions int
	var out, folder string
	cmd := &cobra.Command{
		Use:   "recording",
		Short: "Simulate recordings of imagined movements, flickering lights or a speller",
		Long: `Simulate a recording with 16 channels and 250 samples per second. --paradigm chooses the
experiment:

  imagery  imagined movements of the left or the right hand, one every four
           seconds; events left and right
  ssvep    lights that flicker 10, 12 or 15 times per second for four seconds;
           events 10Hz, 12Hz and 15Hz
  p300     a speller with flashing rows and columns and --trials symbols; each
           flash has an event row-1 to column-6 and an event target or other
  evoked   sounds and lights, one per second; events sound-left, sound-right,
           light-left and light-right

--out writes one recording, which rao eeg cov reads and rao eeg play plays as a live
stream. --bids writes recordings of several people and sessions into a folder, for rao
eeg cov --bids; several paradigms can share a folder. Use these recordings to try things
out, not for results.`,
		Example: "  rao data recording --out hands.xdf\n  rao eeg play hands.xdf --publish hands\n" +
			"  rao data recording --paradigm p300 --bids study --subject-count 5 --session-count 2",
		Args: app.NoArgs,
	}
	app.CountFlag(cmd.Flags(), &opt.Trials, "trials", 40, 2, 10000, "trials per recording; with p300, symbols")
	app.CountFlag(cmd.Flags(), &opt.Blinks, "blinks", 0, 0, 10000,
		"number of eye blinks to add, at random times")
	app.TextVar(cmd.Flags(), &opt.Paradigm, "paradigm", "imagery|ssvep|p300|evoked", "imagery",
		"experiment: imagery, ssvep, p300 or evoked")
	app.SeedVar(cmd.Flags(), &opt.Seed, "seed of the random numbers")
	app.OutputFlag(cmd, &out, "out", app.SessionOutput, "XDF or BrainVision (.vhdr) file to write; "+
		"with a name like sub-*_eeg.vhdr also the tables of BIDS")
	app.OutputFlag(cmd, &folder, "bids", app.StudyOutput, "BIDS folder to write, instead of one file")
	app.CountFlag(cmd.Flags(), &subjects, "subject-count", 1, 1, 99, "with --bids: number of people")
	app.CountFlag(cmd.Flags(), &sessions, "session-count", 1, 1, 99, "with --bids: sessions of each person")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		by := origin(cmd, nil, "")
		switch {
		case (out == "") == (folder == ""):
			return app.Usagef("give --out, the file to write, or --bids, the folder")
		case out != "" && subjects*sessions > 1:
			return app.Usagef("--subject-count and --session-count need --bids")
		case folder != "":
			return writeStudy(cmd, a, folder, subjects, sessions, opt, by)
		}
		rec, err := simulate.Recording(opt)
		if err != nil {
			return err
		}
		if err := live.Save(out, rec, by); err != nil {
			return err
		}
		return emitWritten(a, "", rec, out)
	}
	return cmd
}

// writeStudy writes the simulated recordings of several subjects.
func writeStudy(cmd *cobra.Command, a *app.App, folder string, subjects, sessions int, opt simulate.Options,
	by live.Origin) error {
	show, done := a.Progress("rao data recording")
	err := simulate.Study(cmd.Context(), folder, subjects, sessions, opt, by, show)
	done()
	if err != nil {
		return err
	}
	r := struct {
		Recordings int    `json:"recordings"`
		Subjects   int    `json:"subjects"`
		Sessions   int    `json:"sessions"`
		Out        string `json:"out"`
	}{subjects * sessions, subjects, sessions, folder}
	return a.Emit(r, func() {
		fmt.Fprintf(a.Out, "%s of %s, task %s; written to %s\n", text.Plural(r.Recordings, "recording", "recordings"),
			text.Plural(subjects, "person", "people"), opt.Paradigm, folder)
	})
}
