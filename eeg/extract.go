package eeg

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rao"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/internal/text"
	"rao/recipe"
	"rao/spd"
)

// BadChannels selects what to do with channels marked as bad:
//
//   - drop leaves them out of all recordings. It is the default;
//   - interpolate estimates them from the other channels;
//   - keep uses them.
type BadChannels string

const (
	badChannelsDrop        BadChannels = "drop"
	badChannelsInterpolate BadChannels = "interpolate"
	badChannelsKeep        BadChannels = "keep"
)

// noteRank reports matrices that are singular because a trial has too few samples.
func (t *Trials) noteRank(note func(error)) {
	samples := int(math.Round(t.Recipe.Signal.Window * t.Recipe.Signal.Rate))
	for _, x := range t.Stacks {
		if x.Count == 0 || samples > x.Dim {
			continue
		}
		if d := spd.Check(x.Slice(0, 1), spd.CheckOptions{}); d.MinRank == d.Dim {
			continue
		}
		note(rao.Optionf("estimator", "trials have %d samples, but their matrices have order %d, so the matrices are "+
			"singular; use {estimator=oas} or longer trials", samples, x.Dim))
		return
	}
}

// noteSignals reports channels that do not vary in some trials, because filtering and shrinkage hide this fault in the
// covariances of a trial. It also reports recordings that are much louder than others.
func (t *Trials) noteSignals(recs []*Recording, note func(error)) error {
	inputs := recipes.Inputs(t.Recipe.Signal)
	flat := make([]int, len(inputs)) // number of flat trials per channel
	loud := make([][]float64, len(recs))
	var x, spread []float64
	for k, i := range t.Recording {
		r := recs[i]
		ratio := r.Rate / t.Recipe.Signal.Rate
		first := int(math.Ceil(float64(t.Sample[k]) * ratio))
		count := min(int(t.Recipe.Signal.Window*r.Rate), r.samples-first)
		if count < 2 {
			continue
		}
		n := len(r.Channels)
		vec.Room(&x, count*n)
		if err := r.Read(x, first, count); err != nil {
			return err
		}
		for c, name := range r.Channels {
			at := slices.Index(inputs, name)
			if at < 0 || slices.Contains(r.Bad, name) {
				continue
			}
			low, high := x[c], x[c]
			for row := c + n; row < len(x); row += n {
				low, high = min(low, x[row]), max(high, x[row])
			}
			if low == high {
				flat[at]++
			}
			if high > low {
				spread = append(spread, high-low)
			}
		}
		if len(spread) > 0 {
			loud[i] = append(loud[i], vec.Median(spread))
		}
		spread = spread[:0]
	}
	var found []string
	for c, trials := range flat {
		if trials > 0 {
			found = append(found, fmt.Sprintf("%s in %d of %d", inputs[c], trials, len(t.Recording)))
		}
	}
	if found != nil {
		note(rao.Optionf("channels", "trials in which a channel does not vary: %s; leave the channel out "+
			"({channels}), or mark it as bad in the recording", strings.Join(found, ", ")))
	}
	noteLoud(recs, loud, note)
	return nil
}

// Recordings are reported if the ratio of their amplitudes is at least muchLouder. Amplitudes of different people and
// days differ by a factor of two or three. Wrong units or gains change them by a factor of ten or more.
const muchLouder = 10

// noteLoud reports the loudest and the quietest recording if their amplitudes differ by a factor of at least
// muchLouder. ranges contains, for each recording and trial, the median peak-to-peak range of the channels.
func noteLoud(recs []*Recording, ranges [][]float64, note func(error)) {
	quiet, loud := -1, -1
	typical := make([]float64, len(recs))
	for i := range recs {
		if len(ranges[i]) == 0 {
			continue
		}
		if typical[i] = vec.Median(ranges[i]); !vec.Positive(typical[i]) {
			continue
		}
		if quiet < 0 || typical[i] < typical[quiet] {
			quiet = i
		}
		if loud < 0 || typical[i] > typical[loud] {
			loud = i
		}
	}
	if loud < 0 || typical[loud] < muchLouder*typical[quiet] {
		return
	}
	note(fmt.Errorf("the signals of %s are %.0f times as large as those of %s (median range of a channel in a trial: "+
		"%s and %s); a model trained on one may decide wrongly on the other, so check the units and gains of both",
		recs[loud].Source, typical[loud]/typical[quiet], recs[quiet].Source, recs[loud].amplitude(typical[loud]),
		recs[quiet].amplitude(typical[quiet])))
}

// prepare returns the prepared recordings. If bad channels are dropped, it removes them from recs.
func (o *TrialOptions) prepare(recs []*Recording) ([]*Recording, error) {
	if err := o.handleBad(recs); err != nil {
		return nil, err
	}
	prepare := recipe.Preparation{Interpolate: o.Bad == badChannelsInterpolate, Reference: o.reference(recs),
		Notch: o.Notch, Rate: o.Resample, Causal: o.Causal}
	out := slices.Clone(recs)
	var err error
	for i, r := range recs {
		if out[i], err = r.withPreparation(prepare); err != nil {
			return nil, err
		}
	}
	if o.Amplitude != "" {
		o.reject, err = amplitude(o.Amplitude, out)
	}
	return out, err
}

// note reports a remark to the user.
func (o *TrialOptions) note(err error) {
	if o.Note != nil {
		o.Note(err)
	}
}

// handleBad drops bad channels or reports that they will be interpolated.
func (o *TrialOptions) handleBad(recs []*Recording) error {
	switch o.Bad {
	case badChannelsKeep:
	case "", badChannelsDrop:
		bad, err := dropBad(recs)
		if len(bad) > 0 && err == nil {
			o.note(rao.Optionf("bad", "channels left out because they are marked as bad: %s; {bad=interpolate} or "+
				"{bad=keep} uses them",
				strings.Join(bad, ", ")))
		}
		return err
	case badChannelsInterpolate:
		for _, r := range recs {
			if len(r.Bad) > 0 {
				o.note(fmt.Errorf("%s: bad channels interpolated from the others: %s",
					r.Source, strings.Join(r.Bad, ", ")))
			}
		}
	default:
		return rao.Optionf("bad", "bad channels cannot be treated by %q; choose {bad=drop}, {bad=interpolate} or "+
			"{bad=keep}", string(o.Bad))
	}
	return nil
}

// reference returns the names of the reference channels, or nil to keep the reference of the recordings.
func (o *TrialOptions) reference(recs []*Recording) []string {
	if slices.Equal(o.Reference, []string{optionvalues.RecordedReference}) {
		for _, r := range recs {
			r.AverageDue = false
		}
		return nil
	}
	i := slices.IndexFunc(recs, func(r *Recording) bool { return r.AverageDue })
	if i < 0 || o.Reference != nil {
		return o.Reference
	}
	o.note(rao.Optionf("reference", "%s requests the average reference, which its samples do not have, so the mean of "+
		"the %s is subtracted; {reference=recorded} keeps the samples unchanged", recs[i].Source,
		text.Plural(len(recs[i].Channels), "channel", "channels")))
	return []string{optionvalues.AverageReference}
}
