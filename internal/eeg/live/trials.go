package live

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rao/eeg"
	"rao/internal/covstream"
	"rao/internal/eeg/trialevents"
	"rao/internal/text"
	"rao/internal/voltage"
)

// restarts describes a break in the signal. Recordings have breaks without lost samples.
func restarts(lost int64) string {
	if lost == 0 {
		return "the signal restarts after a break"
	}
	return "the signal restarts after " + text.Plural(int(lost), "lost sample", "lost samples")
}

// restart marks a break in the signal. Unfinished trials are lost.
func (k *Calibration) restart(lost int64) {
	n, message := k.events.Drop(), restarts(lost)
	k.events.Restart(0)
	k.Skipped += n
	if n > 0 {
		message += "; left out: " + text.Plural(n, "trial", "trials")
	}
	k.opt.Note("%s", message)
	k.search.restart()
}

// skip skips an unusable sample. Trials that have begun are lost, except those with a marker after the sample.
func (k *Calibration) skip(fault error) {
	if !k.faulty {
		k.opt.Note("left out: %v", fault)
	}
	for _, t := range k.events.Restart(1) {
		k.Skipped++
		k.opt.Note("a trial of class %s is left out, because one of its samples cannot be used", k.names[t.Event])
	}
}

// choose selects the channels: the named ones, or all EEG channels that are not marked as bad.
func (k *Calibration) choose(channels []string) ([]string, error) {
	info := k.info
	all, names := info.names(), channels
	var others, bad []string
	for c, name := range all {
		switch {
		case channels != nil:
		case info.kind(c) != "eeg":
			others = append(others, fmt.Sprintf("%s (%s)", name, info.kind(c)))
		case slices.Contains(info.Bad, name):
			bad = append(bad, name)
		default:
			names = append(names, name)
		}
	}
	if others != nil {
		k.opt.Note("channels left out because they are not EEG: %s; name these channels to include "+
			"them", strings.Join(others, ", "))
	}
	if bad != nil {
		k.opt.Note("channels left out because they are marked as bad: %s; name these channels to include "+
			"them", strings.Join(bad, ", "))
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("the signal has no EEG channel; name the channels to use from %s",
			strings.Join(all, ", "))
	}
	if p := k.opt.Stream.Prepare; !covstream.AverageReference(p) { // the reference channels are last
		names = append(slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return slices.Contains(p.Reference, name)
		}), p.Reference...)
	}
	k.unit = "V"
	for i, name := range names {
		at := slices.Index(all, name)
		switch {
		case at < 0:
			return nil, fmt.Errorf("the signal has no channel %q; its channels are %s", name,
				strings.Join(all, ", "))
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("channel %s is named twice; name the channel once", name)
		}
		scale, known := voltage.Rescale{}, false
		if info.Units != nil {
			scale, known = voltage.NewRescale(info.Units[at], "V")
		}
		if !known {
			k.unit = ""
		}
		k.pick, k.scales = append(k.pick, at), append(k.scales, scale)
	}
	if k.unit == "" {
		k.scales = make([]voltage.Rescale, len(names))
		k.opt.Note("the unit of the channels is unknown; the values are used unchanged")
	}
	return names, nil
}

// mark processes an event. An event of a class begins a trial. With an anchor, the next anchor event begins it. ok is
// false if part of the signal of the trial is missing.
func (k *Calibration) mark(e eeg.Event) (ok bool) {
	class := trialevents.ClassOf(k.opt.Classes, e)
	if k.opt.Anchor != (eeg.Class{}) {
		if class >= 0 && k.lastClass >= 0 && class != k.lastClass && k.lastAt == e.Sample {
			k.noteConflict(e.Sample, k.lastClass, class)
			k.lastClass = -1
		} else if class >= 0 {
			k.lastClass, k.lastAt = class, e.Sample
		}
		if !trialevents.Match(k.opt.Anchor, e) {
			return true
		}
		class, k.lastClass = k.lastClass, -1
	}
	if class < 0 {
		return true
	}
	sample := int64(e.Sample)
	if other, waits := k.events.Waits(sample); waits { // a marker that arrives twice is one trial
		if other != class {
			k.noteConflict(e.Sample, other, class)
			k.events.Unmark(sample)
		}
		return true
	}
	if ok = k.events.Mark(class, sample); !ok {
		k.opt.Note("a trial of class %s is left out: its marker arrived too late, or the signal began after the trial",
			k.names[class])
		k.Skipped++
	}
	return ok
}

// noteConflict reports a trial with markers of two classes.
func (k *Calibration) noteConflict(sample, class, other int) {
	k.opt.Note("the trial at %.1f s is left out, because it has markers of the classes %s and %s",
		float64(sample)/k.info.Rate, k.names[class], k.names[other])
	k.Skipped++
}

// push processes samples. A sample may complete trials. A sample that is not finite is left out, together with the
// trials that contain it.
func (k *Calibration) push(values []float64) error {
	for ; len(values) > 0; values = values[k.width:] {
		for i, c := range k.pick {
			k.row[i] = k.scales[i].Of(values[c])
		}
		err := k.events.Push(k.row, nil)
		var fault *covstream.SampleError
		refused := errors.As(err, &fault) && fault.Refused
		if refused {
			k.skip(fault)
		} else if err != nil {
			return err
		}
		k.faulty = refused
	}
	return nil
}
