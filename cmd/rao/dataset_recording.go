package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"rao/internal/format/archive"
	"rao/synth"
)

func datasetRecordingCommand(a *app) *cobra.Command {
	var trials int
	var seed uint64
	var out string
	cmd := &cobra.Command{
		Use:   "recording",
		Short: "Make a recording of imagined movements, to try a decoder with",
		Long: `Make the recording of somebody who imagines moving the left or the right hand, from a
seed: 16 channels, 250 samples a second, a trial every four seconds behind the marker left
or right. It is an XDF file, which rao cov eeg reads and rao play plays as if an amplifier
were there. It is simulated: it is for trying, not for results.`,
		Example: "  rao dataset recording --out hands.xdf\n  rao play hands.xdf --lsl",
		Args:    noArgs,
	}
	countFlag(cmd.Flags(), &trials, "trials", 40, 2, 10000, "trials of both hands together")
	seedVar(cmd.Flags(), &seed, "seed of the random numbers")
	outputFlag(cmd, &out, "out", sessionOutput, "XDF file to write")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := required("out", out); err != nil {
			return err
		}
		rec, err := synth.Rhythms(trials, seed)
		if err != nil {
			return err
		}
		rec.Source = "imagined hand movements"
		for i := range rec.Events {
			e := &rec.Events[i]
			e.Label = synth.RhythmClasses[e.Code-1].Name
		}
		if err := archive.WriteFile(out, func(w io.Writer) error { return writeRecording(w, rec) }); err != nil {
			return err
		}
		r := struct {
			Samples  int      `json:"samples"`
			Channels []string `json:"channels"`
			Rate     float64  `json:"rate"`
			Events   int      `json:"events"`
			Out      string   `json:"out"`
		}{rec.Samples(), rec.Channels, rec.Rate, len(rec.Events), out}
		return a.emit(r, func() {
			fmt.Fprintf(a.out, "%s of %s at %g Hz, %s; written to %s\n", seconds(float64(r.Samples)/r.Rate),
				plural(len(r.Channels), "channel", "channels"), r.Rate, plural(r.Events, "event", "events"), out)
		})
	}
	return cmd
}
