package eeg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/eeg"
	"rao/internal/eeg/epochs"
	"rao/internal/naming"
	"rao/internal/text"
)

type epochFlags struct {
	data          app.DataFlags
	trials        trialFlags
	rate          float64
	channels, out string
	kinds         string
}

func covEpochsCommand(a *app.App) *cobra.Command {
	var f epochFlags
	cmd := &cobra.Command{
		Use:   "epochs",
		Short: "Compute the covariance of each epoch of existing epochs",
		Long: `Compute the covariance of each epoch in an array epochs × channels × samples,
such as MNE and MOABB return. Labels, and arrays with one value per epoch, are kept. The
sampling rate is --rate, or an array rate or sfreq in the file; the channel names are
--channels, or an array channels or ch_names. An array units has the unit of each channel,
and an array bad or bads the names of the bad channels, which are left out, or one value per
channel, not 0 for bad ones. In Python:

  epochs = epochs.copy().pick("eeg", exclude="bads")
  np.savez("epochs.npz", X=epochs.get_data(), y=epochs.events[:, 2],
           sfreq=epochs.info["sfreq"], channels=epochs.ch_names)

Then add --channel-unit V. Channels whose names show that they are not EEG are left out.`,
		Example: "  rao eeg epochs --data epochs.npz --bands 8-30 --estimator oas --out P.npz",
		Args:    app.NoArgs,
	}
	f.data.Add(cmd, "data", "epochs: npz, npy or MAT with an array count × channels × samples")
	s := cmd.Flags()
	app.NumberFlag(s, &f.rate, "rate", 0, 0, 1e9, "samples per second; by default the array rate or sfreq of "+
		"the file")
	app.TextVar(s, &f.channels, "channels", "NAME,...", "",
		"names of all channels, separated by commas; by default the array "+
			"channels or ch_names of the file, else ch1, ch2, ...")
	app.TextVar(s, &f.kinds, "kinds", "KIND,...", "",
		"kinds of channels to keep, judged by their names, such as eeg,eog; all keeps every channel; by default EEG")
	app.NumberFlag(s, &f.trials.opt.Start, "start", 0, 0, 1e6,
		"start of the part of an epoch to use, in seconds from its first sample")
	app.NumberFlag(s, &f.trials.opt.Stop, "stop", 0, 0, 1e6, "end of the part of an epoch to use, in seconds "+
		"from its first sample; by default its end")
	f.trials.add(cmd, signalsOut)
	f.trials.addMetaFlag(s)
	app.OutputFlag(cmd, &f.out, "out", app.DataOutput,
		"npz file to write: X, y, and the arrays with a value for each epoch")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := app.Required("out", f.out); err != nil {
			return err
		}
		opt, err := f.trials.options(a)
		if err != nil {
			return err
		}
		d, err := f.data.Open(cmd.Context(), a, "data", false)
		if err != nil {
			return err
		}
		if d.X == nil || d.Image[0] == 0 || d.Image[2] > 1 {
			return fmt.Errorf("%s: rao eeg epochs needs an array of shape epochs × channels × samples", d.Source)
		}
		rec, err := f.recording(d)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		if err := rec.Select(eeg.RecordingOptions{Kinds: text.SplitList(f.kinds), Unit: f.trials.unit}); err != nil {
			return err
		}
		noteChannels(a, []*eeg.Recording{rec})
		return f.cut(cmd, a, d, rec, opt)
	}
	return cmd
}

// recording concatenates the epochs into a recording.
func (f *epochFlags) recording(d *dataset.Data) (*eeg.Recording, error) {
	n, width := d.X.Dims()
	rate, channels, x := f.rate, text.SplitList(f.channels), make([]float64, n*width)
	for i := range n {
		d.X.Row(x[i*width:(i+1)*width], i)
	}
	for _, name := range []string{"rate", "sfreq"} {
		if v := d.Vars[name]; rate == 0 && v != nil && v.Len() == 1 && v.Strings == nil {
			rate = v.Value(0)
		}
	}
	if rate == 0 {
		return nil, errors.New("the sampling rate is unknown; give it with --rate, or store it in the file as an " +
			"array named rate or sfreq")
	}
	from := "--channels"
	for _, name := range []string{"channels", "ch_names"} {
		if v := d.Vars[name]; channels == nil && v != nil && v.Strings != nil {
			channels, from = v.Strings, "the array "+name
		}
	}
	if channels == nil {
		for c := range d.Image[0] {
			channels = append(channels, fmt.Sprintf("ch%d", c+1))
		}
	}
	if len(channels) != d.Image[0] {
		return nil, fmt.Errorf("%s has %s, but the data have %s; give one name per channel", from,
			text.Plural(len(channels), "name", "names"), text.Plural(d.Image[0], "channel", "channels"))
	}
	r, err := epochs.Recording(channels, rate, x, d.Image[1])
	if err != nil {
		return nil, err
	}
	r.Source = d.Source
	if r.Units, err = unitsOf(d, len(channels)); err != nil {
		return nil, err
	}
	r.Bad, err = badOf(d, channels)
	return r, err
}

// unitsOf returns the units of the channels in the array units of d, or nil if there is none.
func unitsOf(d *dataset.Data, channels int) ([]string, error) {
	v := d.Vars["units"]
	if v == nil {
		return nil, nil
	}
	if len(v.Strings) != channels {
		return nil, fmt.Errorf("the array units has %s, but the data have %s; store one unit, as text, per "+
			"channel, or leave the array out", text.Plural(len(v.Strings), "text", "texts"),
			text.Plural(channels, "channel", "channels"))
	}
	return v.Strings, nil
}

// badOf returns the bad channels of d, from an array bad or bads of names, or of one number per channel that is not 0
// for bad channels. An array of one number per epoch has another meaning.
func badOf(d *dataset.Data, channels []string) (bad []string, err error) {
	for _, name := range []string{"bad", "bads"} {
		v := d.Vars[name]
		if v == nil || v.Len() == 0 {
			continue
		}
		for _, b := range v.Strings {
			if !slices.Contains(channels, b) {
				return nil, fmt.Errorf("the array %s names channel %q, which the data do not have; their channels "+
					"are %s", name, b, naming.List(channels))
			}
			bad = append(bad, b)
		}
		switch {
		case v.Strings != nil:
		case v.Len() == len(channels) && v.Strings == nil:
			for c, b := range channels {
				if v.Value(c) != 0 {
					bad = append(bad, b)
				}
			}
		case v.Len() != d.N():
			return nil, fmt.Errorf("the array %s has %s, but the data have %s; store the names of the bad "+
				"channels, or one value per channel", name, text.Plural(v.Len(), "value", "values"),
				text.Plural(len(channels), "channel", "channels"))
		}
	}
	return bad, nil
}

// cut computes the covariances of the epochs that are not rejected, with the labels and variables of these epochs.
func (f *epochFlags) cut(cmd *cobra.Command, a *app.App, d *dataset.Data, rec *eeg.Recording,
	opt eeg.TrialOptions) error {
	meta, err := parseMeta(f.trials.meta)
	if err != nil {
		return err
	}
	t, index, err := epochs.Cut(cmd.Context(), rec, opt)
	if err != nil {
		return err
	}
	kept := d.Subset(index)
	out := t.Data()
	for _, name := range []string{"recording", "sample", "trial"} {
		delete(out.Vars, name)
	}
	out.Source, out.Labels, out.Classes = d.Source, kept.Labels, kept.Classes
	for name, v := range kept.Vars {
		if _, made := out.Vars[name]; !made && len(v.Shape) > 0 && v.Shape[0] == len(index) && name != "ch_names" {
			out.Vars[name] = v
		}
	}
	if err := addMeta(out, meta); err != nil {
		return err
	}
	return a.SaveMatrices(f.out, out, t.Skipped)
}
