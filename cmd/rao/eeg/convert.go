package eeg

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/eeg"
	"rao/internal/text"
)

// writtenRecording is the JSON output of commands that write a recording. The names in the JSON are stable.
type writtenRecording struct {
	Recording string   `json:"recording,omitempty"` // source of the new recording
	Samples   int      `json:"samples"`
	Channels  []string `json:"channels"`
	Rate      float64  `json:"rate"`
	Events    int      `json:"events"`
	Out       string   `json:"out"`
}

func emitWritten(a *app.App, from string, rec *eeg.Recording, out string) error {
	r := writtenRecording{from, rec.Samples(), rec.Channels, rec.Rate, len(rec.Events), out}
	return a.Emit(r, func() {
		fmt.Fprintf(a.Out, "%s of %s at %g Hz, %s; written to %s\n", text.Seconds(float64(r.Samples)/r.Rate),
			text.Plural(len(r.Channels), "channel", "channels"), r.Rate, text.Plural(r.Events, "event", "events"), out)
	})
}

func convertCommand(a *app.App) *cobra.Command {
	var r recordingFlags
	var out string
	cmd := &cobra.Command{
		Use:   "convert RECORDING",
		Short: "Write a recording as arrays for numpy, MATLAB and R",
		Long: `Write a recording of any format as an npz file of arrays: X (samples × channels, in volts where the
unit is known), rate, channels, kinds, units, positions, bad, reference and breaks, and one value
for each event in event_sample (from 0), event_code, event_label and event_duration. Arrays
without values are left out.`,
		Example: "  rao eeg convert session.gdf --out session.npz\n" +
			"  rao eeg convert session.gdf --kinds all --out session.npz",
		Args: oneRecording,
	}
	f := cmd.Flags()
	r.addFile(f)
	addUnit(f, &r.opt.Unit)
	r.addChannels(f, "EEG")
	app.OutputFlag(cmd, &out, "out", app.DataOutput, "npz file to write")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := app.Required("out", out); err != nil {
			return err
		}
		rec, err := eeg.OpenRecording(args[0], r.options())
		if err != nil {
			return err
		}
		defer rec.Close()
		noteChannels(a, []*eeg.Recording{rec})
		d, err := arrays(rec)
		if err != nil {
			return err
		}
		d.From = filesOf([]*eeg.Recording{rec})
		if err := dataset.WriteFile(out, d); err != nil {
			return err
		}
		return emitWritten(a, rec.Source, rec, out)
	}
	return cmd
}
