package eeg

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/eeg/personreport"
	"rao/internal/text"
	"rao/method"
)

func reportCommand(a *app.App) *cobra.Command {
	var f eegFlags
	var spec, title string
	cmd := &cobra.Command{
		Use:   "report RECORDING...",
		Short: "One page on the recordings of a person",
		Long: `Write a page on the recordings of one person: channels with too much or too
little power and the share of artifacts, the events, spectra by region, the change of
power over time and frequency after the events (ERD and ERS), spatial patterns on the
head, the accuracy of the decisions and how it grows with the number of trials, and how
far the recordings drift apart. With --signals, for evoked potentials, it shows the mean
responses to the events.

To test the decisions, each recording is left out in turn, or each fifth of the trials if
there is only one recording. rao study compares methods over several people, with tests.`,
		Example: `  rao eeg report a.gdf b.gdf --classes left=769,right=770 --stop 2.5 \
      --bands 8-30 --out A.html
  rao eeg report --bids study --subjects 01 --classes left,right --stop 3 \
      --bands 8-30 --out 01.html`,
		Args: cobra.ArbitraryArgs, // the arguments are checked after the outputs
	}
	s := cmd.Flags()
	f.addFile(s)
	f.addChannels(s, "EEG")
	f.bids.add(cmd)
	f.trials.add(cmd, "decide on the trials themselves, for methods such as erp and xdawn")
	f.trials.addBad(cmd)
	f.addClasses(s)
	app.TextVar(s, &spec, "method", "METHOD[:OPTION=VALUE]...", "", "method that decides; by default mdm, "+
		"xdawn with --signals, and lda-raw with --correlate")
	app.TextVar(s, &title, "title", "TEXT", "", "heading of the page; by default the folder or the first file")
	app.OutputFlag(cmd, &f.out, "out", app.PageOutput, "HTML file to write")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.bids.checkArgs(args); err != nil {
			return err
		}
		opt := personreport.Options{Footer: "rao " + app.Version}
		var err error
		if spec == "" {
			switch {
			case f.trials.signals:
				spec = "xdawn"
			case f.trials.correlate != "":
				spec = "lda-raw"
			default:
				spec = "mdm"
			}
		}
		if opt.Method, err = method.ParseSpec(spec); err != nil {
			return app.Usagef("--method: %v", err)
		}
		switch m := opt.Method.Method; {
		case f.trials.signals && !m.Trials:
			return app.Usagef("--method %s: --signals needs a method of trials, such as xdawn or erp", spec)
		case f.trials.correlate != "" && (m.Matrices || m.Trials):
			return app.Usagef("--method %s: --correlate needs a method of vectors, such as lda-raw", spec)
		case !f.trials.signals && f.trials.correlate == "" && !m.Matrices:
			return app.Usagef("--method %s: covariances need a method of matrices, such as mdm or enuc", spec)
		}
		if opt.Trials, err = f.trialOptions(a); err != nil {
			return err
		}
		recs, err := f.openAll(a, args)
		defer func() { closeAll(recs) }()
		if err != nil {
			return err
		}
		noteChannels(a, recs)
		if opt.Title = title; title == "" {
			opt.Title = filepath.Base(cmp.Or(f.bids.dir, recs[0].Source)) + f.bids.name()
		}
		show, done := a.Progress("rao eeg report")
		opt.Progress = show
		page, err := personreport.Page(cmd.Context(), recs, opt)
		done()
		if err != nil {
			return err
		}
		if err := page.WriteFile(f.out); err != nil {
			return err
		}
		r := struct {
			Recordings int    `json:"recordings"`
			Out        string `json:"out"`
		}{len(recs), f.out}
		return a.Emit(r, func() {
			fmt.Fprintf(a.Out, "%s reported in %s\n", text.Plural(r.Recordings, "recording", "recordings"), r.Out)
		})
	}
	return cmd
}
