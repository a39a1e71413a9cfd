package eeg

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/eeg/synth"
	"rao/internal/eeg/live"
	"rao/internal/suggest"
	"rao/internal/text"
)

func datasetRecordingCommand(a *app.App) *cobra.Command {
	var trials, blinks int
	var seed uint64
	var out, kind string
	cmd := &cobra.Command{
		Use:   "recording",
		Short: "Simulate a recording of imagined movements or evoked potentials, for trying a decoder",
		Long: `Simulate a recording of a person who imagines moving the left or the right hand: 16
channels, 250 samples per second, and a trial every four seconds after a marker left or
right. With --kind speller the person spells --trials symbols with flashing rows and
columns; every flash has an event row-1 to column-6 and an event target or other. With
--kind evoked the person hears sounds and sees lights, one per second after a marker
sound-left, sound-right, light-left or light-right. --blinks adds artifacts. The output is
an XDF file that rao eeg cov reads and rao eeg play plays as a live stream. Use it to try
things out, not for results.`,
		Example: "  rao data recording --out hands.xdf\n  rao eeg play hands.xdf --lsl\n" +
			"  rao data recording --kind evoked --trials 240 --out evoked.xdf",
		Args: app.NoArgs,
	}
	app.CountFlag(cmd.Flags(), &trials, "trials", 40, 2, 10000, "total number of trials")
	app.CountFlag(cmd.Flags(), &blinks, "blinks", 0, 0, 10000,
		"number of eye blinks to add, at random times")
	app.TextVar(cmd.Flags(), &kind, "kind", "movement|evoked|speller", "movement",
		"movement, evoked or speller")
	app.SeedVar(cmd.Flags(), &seed, "seed of the random numbers")
	app.OutputFlag(cmd, &out, "out", app.SessionOutput, "XDF or BrainVision (.vhdr) file to write; "+
		"sub-*_eeg.vhdr comes with the tables of BIDS")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := app.Required("out", out); err != nil {
			return err
		}
		rec, err := simulate(kind, trials, blinks, seed)
		if err != nil {
			return err
		}
		if err := live.Save(out, rec, origin(cmd, nil, "")); err != nil {
			return err
		}
		r := struct {
			Samples  int      `json:"samples"`
			Channels []string `json:"channels"`
			Rate     float64  `json:"rate"`
			Events   int      `json:"events"`
			Out      string   `json:"out"`
		}{rec.Samples(), rec.Channels, rec.Rate, len(rec.Events), out}
		return a.Emit(r, func() {
			fmt.Fprintf(a.Out, "%s of %s at %g Hz, %s; written to %s\n", text.Seconds(float64(r.Samples)/r.Rate),
				text.Plural(len(r.Channels), "channel", "channels"), r.Rate, text.Plural(r.Events, "event", "events"),
				out)
		})
	}
	return cmd
}

// simulate draws a recording whose events go by the names of their classes.
func simulate(kind string, trials, blinks int, seed uint64) (*eeg.Recording, error) {
	draw, classes, source := synth.Rhythms, synth.RhythmClasses, "imagined hand movements"
	switch kind {
	case "movement":
	case "evoked":
		draw, classes, source = synth.Evoked, synth.EvokedClasses, "evoked potentials"
	case "speller":
		draw, source = synth.Speller, "a speller"
	default:
		return nil, app.Usagef("--kind: %v", suggest.Unknown("kind", kind, []string{"movement", "evoked", "speller"}))
	}
	rec, err := draw(trials, seed)
	if err != nil {
		return nil, err
	}
	if rec, _, err = synth.Blinks(rec, blinks, seed); err != nil {
		return nil, app.Usagef("--blinks: %v", err)
	}
	rec.Source = source
	for i := range rec.Events {
		e := &rec.Events[i]
		if e.Label == "" {
			e.Label = classes[e.Code-1].Name
		}
	}
	return rec, nil
}
