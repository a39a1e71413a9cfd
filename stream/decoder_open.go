package stream

import (
	"fmt"
	"slices"
	"strings"

	"rao/internal/covstream"
	"rao/internal/faults"
	"rao/internal/recipes"
	"rao/internal/text"
	"rao/internal/voltage"
	"rao/model"
	"rao/recipe"
)

func (d *Decoder) open() error {
	in := d.model.Input
	if in.Kind != model.KindMatrices {
		return fmt.Errorf("the %s model works on vectors, but a stream of samples gives matrices; use a model of "+
			"matrices", d.model.Method)
	}
	o, rate, channels, err := d.streamOptions()
	if err != nil {
		return err
	}
	o.Step = d.opt.Step
	d.width = channels
	if d.opt.Channels != nil {
		d.width = len(d.opt.Channels)
	}
	if d.stream, err = covstream.New(channels, rate, o); err != nil {
		return err
	}
	d.picked = make([]float64, channels)
	if d.stream.Dim() != in.Dim {
		return fmt.Errorf("%s and %s give matrices of order %d, but the model was fitted to matrices of order %d; use "+
			"the bands and channels of the training data", text.Plural(channels, "channel", "channels"),
			text.Plural(max(1, len(o.Bands)), "band", "bands"), d.stream.Dim(), in.Dim)
	}
	return nil
}

// streamOptions combines the recipe with the options, and finds the model's channels among the incoming channels.
func (d *Decoder) streamOptions() (o covstream.Options, rate float64, channels int, err error) {
	rate = d.opt.Rate
	r := d.model.Input.Recipe
	if r == nil || r.Signal == nil {
		if o, err = covstream.OptionsOf(&recipe.Recipe{Signal: d.opt.Signal}); err != nil {
			return o, 0, 0, err
		}
		if rate == 0 && !d.opt.Signal.Resampled {
			rate = d.opt.Signal.Rate
		}
		channels = d.model.Input.Dim / max(1, len(o.Bands)) / recipes.RowsPerChannel(o.SignalOptions)
		if d.opt.Channels != nil && len(d.opt.Channels) != channels {
			return o, 0, 0, faults.Count(len(d.opt.Channels), channels, "the signal has %s, but the model was fitted "+
				"to %s without names; send only the channels of the training data", text.Plural(len(d.opt.Channels),
				"channel", "channels"), text.Plural(channels, "channel", "channels"))
		}
		o.Names = d.opt.Channels
		if !(rate > 0) {
			return o, 0, 0, faults.Option("the sampling rate is unknown, because the model has no recipe; give the " +
				"rate")
		}
		if i := slices.IndexFunc(d.opt.Units, func(u string) bool { return voltage.Parse(u) != "" }); i >= 0 {
			d.noteUnit(voltage.Parse(d.opt.Units[i]))
		}
		return o, rate, channels, nil
	}
	if rate == 0 {
		if r.Signal.Resampled {
			return o, 0, 0, faults.Option("the training signals were resampled to %g Hz, so the rate of the incoming "+
				"samples is unknown; give it", r.Signal.Rate)
		}
		rate = r.Signal.Rate
	}
	if d.pick, err = pickChannels(recipes.Inputs(r.Signal), d.opt.Channels); err != nil {
		return o, 0, 0, err
	}
	if err := d.rescale(r.Signal); err != nil {
		return o, 0, 0, err
	}
	follow := r
	if d.opt.Signal != nil {
		follow = &recipe.Recipe{Signal: d.opt.Signal}
	}
	if o, err = covstream.OptionsOf(follow); err != nil {
		return o, 0, 0, err
	}
	live := *r.Signal // what a live decoder can do
	live.Causal = live.Filtered()
	here := o.Recipe(r.Signal.Channels, rate)
	here.Signal.Baseline = live.Baseline // only decoders of events subtract a baseline
	if len(o.Prepare.Reference) == 0 {   // the subtraction makes the original reference irrelevant
		here.Signal.Reference = d.opt.Reference
	}
	if err := recipe.Check(&recipe.Recipe{Signal: &live}, here); err != nil {
		return o, 0, 0, err
	}
	if live.Causal && !r.Signal.Causal {
		d.notes = append(d.notes, "the model was trained on signals filtered without a phase shift, which a live "+
			"decoder cannot do, so its probabilities differ; train on causally filtered signals for live use")
	}
	o.Names = recipes.Inputs(r.Signal)
	return o, rate, len(o.Names), nil
}

// rescale determines how to convert the incoming channels to the unit of the training data.
func (d *Decoder) rescale(s *recipe.Signal) error {
	names := recipes.Inputs(s)
	scales := make([]voltage.Rescale, len(names))
	var unknown []string
	come := ""
	for i, name := range names {
		c := i
		if d.pick != nil {
			c = d.pick[i]
		}
		unit := ""
		if c < len(d.opt.Units) {
			unit = voltage.Parse(d.opt.Units[c])
		}
		switch {
		case unit == "":
			unknown = append(unknown, name)
			continue
		case s.Unit == "":
			come = unit
			continue
		}
		var ok bool
		if scales[i], ok = voltage.NewRescale(unit, s.Unit); !ok && !strings.Contains(s.Unit, unit) {
			return faults.Option("channel %s is in %s, but the training data are in %s, and the unit cannot be "+
				"converted; correct the unit of the signal", name, unit, s.Unit)
		}
	}
	switch {
	case come != "":
		d.noteUnit(come)
	case s.Unit != "" && len(unknown) > 0:
		what := "the signal"
		if len(unknown) < len(names) {
			what = "the channels " + strings.Join(unknown, ", ")
		}
		d.notes = append(d.notes, fmt.Sprintf("the unit of %s is unknown; the values are assumed to be in %s, like "+
			"the training data", what, s.Unit))
	}
	if slices.ContainsFunc(scales, func(x voltage.Rescale) bool { return x != voltage.Rescale{} }) {
		d.scales = scales
	}
	return nil
}

// noteUnit reports that values in the given unit cannot be converted.
func (d *Decoder) noteUnit(unit string) {
	d.notes = append(d.notes, "the unit of the training data is unknown, so the values are used unchanged, in "+unit)
}

// pickChannels returns the index of every channel of the model among the incoming channels. It returns nil if they
// are the same in the same order, or if the names are unknown.
func pickChannels(want, have []string) ([]int, error) {
	if have == nil || slices.Equal(want, have) {
		return nil, nil
	}
	pick := make([]int, len(want))
	var missing []string
	for i, c := range want {
		if pick[i] = slices.Index(have, c); pick[i] < 0 {
			missing = append(missing, c)
		} else if slices.Contains(have[pick[i]+1:], c) {
			return nil, fmt.Errorf("two channels have the name %q; rename one", c)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s missing; the signal has %s; give the channels of the training data",
			text.Listed("channel", missing), strings.Join(have, ", "))
	}
	return pick, nil
}
