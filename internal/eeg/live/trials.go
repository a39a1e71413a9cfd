package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rao/eeg"
	"rao/internal/covstream"
	"rao/internal/eeg/trialevents"
	"rao/internal/text"
	"rao/internal/voltage"
)

// trialQueue is the progress of a calibration: the numbers of samples so far, the last marker, and the unfinished
// trials. A piece is a part of the signal without a break. Positions in a piece are in samples at the rate of the
// matrices.
type trialQueue struct {
	seen      int64 // number of incoming samples
	piece     int64 // number of incoming samples before the current piece
	made      int64 // samples of the current piece at the rate of the matrices
	before    int64 // samples of all earlier pieces at the rate of the matrices
	lastClass int   // class of the last marker, if an anchor is to follow; -1 if none
	lastAt    int   // sample of that marker
	waiting   []waitingTrial
}

type waitingTrial struct {
	sample     int64 // sample of the marker, at the rate of the signal
	first, end int64 // position in the piece
	class      int
}

// restarts describes a break in the signal. Recordings have breaks without lost samples.
func restarts(lost int64) string {
	if lost == 0 {
		return "the signal restarts after a break"
	}
	return "the signal restarts after " + text.Plural(int(lost), "lost sample", "lost samples")
}

// restart marks a break in the signal. Unfinished trials are lost.
func (k *Calibration) restart(lost int64) {
	k.Skipped += len(k.waiting)
	message := restarts(lost)
	if n := len(k.waiting); n > 0 {
		message += "; left out: " + text.Plural(n, "trial", "trials")
	}
	k.opt.Note("%s", message)
	k.waiting = k.waiting[:0]
	k.begins()
	k.stream.Restart()
	k.search.restart()
}

// begins starts a new piece with the next sample.
func (k *Calibration) begins() {
	k.piece = k.seen
	k.before, k.made = k.before+k.made, 0
}

// skip skips an unusable sample. Trials that have begun are lost, except those with a marker after the sample.
func (k *Calibration) skip(fault error) {
	if !k.faulty {
		k.opt.Note("left out: %v", fault)
	}
	k.begins()
	k.stream.Skip()
	waiting := k.waiting
	k.waiting = nil
	for _, t := range waiting {
		var ok bool
		if t.first, t.end, ok = k.place(t.sample); ok {
			k.waiting = append(k.waiting, t)
			continue
		}
		k.Skipped++
		k.opt.Note("a trial of class %s is left out, because one of its samples cannot be used", k.names[t.class])
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
	first, end, ok := k.place(int64(e.Sample))
	if !ok {
		k.opt.Note("a trial of class %s is left out: its marker arrived too late, or the signal began after the trial",
			k.names[class])
		k.Skipped++
		return false
	}
	same := func(t waitingTrial) bool { return t.sample == int64(e.Sample) }
	if i := slices.IndexFunc(k.waiting, same); i >= 0 { // a marker that arrives twice is one trial
		if other := k.waiting[i].class; other != class {
			k.noteConflict(e.Sample, other, class)
			k.waiting = slices.Delete(k.waiting, i, i+1)
		}
		return true
	}
	k.waiting = append(k.waiting, waitingTrial{int64(e.Sample), first, end, class})
	return true
}

// noteConflict reports a trial with markers of two classes.
func (k *Calibration) noteConflict(sample, class, other int) {
	k.opt.Note("the trial at %.1f s is left out, because it has markers of the classes %s and %s",
		float64(sample)/k.info.Rate, k.names[class], k.names[other])
	k.Skipped++
}

// place returns the position of a trial in the current piece. ok is false if part of the trial is before the piece or
// has already been discarded.
func (k *Calibration) place(sample int64) (first, end int64, ok bool) {
	rate := k.stream.Rate()
	at := math.RoundToEven(float64(sample-k.piece) * rate / k.info.Rate)
	end = int64(at) + int64(k.window.Ends)
	first = end - int64(k.stream.Window())
	return first + int64(k.window.Lead), end, sample >= k.piece && first >= 0 && end > k.made
}

// push processes samples. A sample may complete trials. A sample that is not finite is left out, together with the
// trials that contain it.
func (k *Calibration) push(values []float64) error {
	for ; len(values) > 0; values = values[k.width:] {
		for i, c := range k.pick {
			k.row[i] = k.scales[i].Of(values[c])
		}
		k.seen++
		err := k.stream.Push(k.row, nil)
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

// over learns from the trials that end at sample made.
func (k *Calibration) over(ctx context.Context, made int64) error {
	k.made = made
	for i := 0; i < len(k.waiting); i++ {
		t := k.waiting[i]
		if t.end != made {
			continue
		}
		k.waiting = slices.Delete(k.waiting, i, i+1)
		i--
		if err := k.learn(ctx, t); err != nil {
			return err
		}
	}
	return nil
}
