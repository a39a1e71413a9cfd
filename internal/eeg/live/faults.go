package live

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"rao"
	"rao/internal/covstream"
	"rao/internal/recipes"
	"rao/model"
)

// guard prepares the session for unusable channels and artifacts. Call guard after creating the decoder.
func (s *Session) guard(info *Info, places [][3]float64) error {
	var needs []string
	if r := recipes.SignalOf(s.Model.Input.Recipe); r != nil {
		needs = recipes.Inputs(r)
	}
	for _, name := range s.Bad {
		if !slices.Contains(info.Channels, name) {
			return rao.Optionf("bad-channels", "{bad-channels}: the signal has no channel %q; its channels are %s",
				name,
				strings.Join(info.Channels, ", "))
		}
	}
	with := *info
	with.Bad = slices.Concat(info.Bad, s.Bad)
	if !s.Keep {
		s.mender = newMender(&with, places, needs, s.note)
	}
	if s.mender == nil {
		s.noteBad(with.Bad)
	}
	if s.Artifacts == 0 {
		return nil
	}
	var err error
	if s.search, err = newArtifacts(info, needs, s.Artifacts, s.note); err != nil {
		return rao.Optionf("artifacts", "{artifacts}: %v", err)
	}
	return nil
}

// guarded replaces the bad channels of a block and passes the block to artifact detection.
func (s *Session) guarded(ctx context.Context, block []float64) ([]float64, error) {
	block = s.mender.mend(block)
	return block, s.search.push(ctx, block)
}

// judge rejects a decision if there is an artifact in the given number of samples before it.
func (s *Session) judge(d model.Decision, samples int64) Decision {
	if !s.search.touch(samples, d.At) {
		return Decision{Decision: d}
	}
	s.rejected++
	d.Rejected = true
	return Decision{Decision: d, Artifact: true}
}

// Push processes a block of samples×channels, and makes a decision on every window that it completes.
func (s *Session) Push(ctx context.Context, block []float64) error {
	start := time.Now()
	block, err := s.guarded(ctx, block)
	if err != nil {
		return err
	}
	var written error
	samples := int64(math.Round(s.decoder.Seconds() * s.signalRate()))
	err = s.decoder.Push(ctx, block, func(one model.Decision) error {
		d, ok := s.weigh(s.judge(one, samples))
		if !ok {
			return nil
		}
		if written = s.write(d, start); written == nil && s.heard != nil {
			written = s.heard(d)
		}
		return written
	})
	switch {
	case err == nil:
		s.noteFlat()
		return nil
	case written != nil || ctx.Err() != nil:
		return err
	}
	return &recordError{err}
}

func (s *Session) signalRate() float64 {
	if r := recipes.SignalOf(s.Model.Input.Recipe); s.Options.Rate == 0 && r != nil {
		return r.Rate
	}
	return s.Options.Rate
}

// leaveOut counts a fault of the signal and reports it. It reports only the first of consecutive bad samples.
func (s *Session) leaveOut(fault *covstream.SampleError) {
	s.left++
	switch {
	case fault.Repeated:
	case fault.Refused:
		s.note("left out: %v; the next decision comes after one window of good samples", fault)
	default:
		s.note("no decision: %v", fault)
	}
}

// noteBad reports channels of the model that are marked as bad in the signal and cannot be interpolated.
func (s *Session) noteBad(bad []string) {
	r := recipes.SignalOf(s.Model.Input.Recipe)
	if r == nil {
		return
	}
	used := slices.DeleteFunc(recipes.Inputs(r), func(c string) bool { return !slices.Contains(bad, c) })
	if len(used) > 0 {
		s.note("the model uses channels that are marked as bad: %s; decisions are unreliable until this is "+
			"fixed",
			strings.Join(used, ", "))
	}
}

// noteFlat reports channels that have become constant, or vary again.
func (s *Session) noteFlat() {
	flat := s.decoder.Flat()
	if slices.Equal(flat, s.flat) {
		return
	}
	without := func(names, others []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(c string) bool { return slices.Contains(others, c) })
	}
	gone, back := without(flat, s.flat), without(s.flat, flat)
	if len(gone) > 0 {
		s.note("flat for a window or longer: %s; decisions are unreliable until this is fixed",
			strings.Join(gone, ", "))
	}
	if len(back) > 0 {
		s.note("no longer flat: %s", strings.Join(back, ", "))
	}
	s.flat = flat
}
