package eeg

import (
	"context"
	"slices"
	"strings"
	"time"

	"rao/model"
	"rao/stream"
)

// push decides on what the block completes. Faults of the block are recordErrors.
func (s *streamer) push(ctx context.Context, block []float64) error {
	start := time.Now()
	var written error
	err := s.decoder.Push(ctx, block, func(d model.Decision) error {
		if written = s.write(d, start); written == nil && s.decided != nil {
			written = s.decided(d)
		}
		return written
	})
	switch {
	case err == nil:
		s.tellFlat()
		return nil
	case written != nil || ctx.Err() != nil:
		return err
	}
	return &recordError{err}
}

// leaveOut reports a fault of the signal; of samples that follow each other only the first.
func (s *streamer) leaveOut(fault *stream.SampleError) {
	s.left++
	switch {
	case fault.Repeated:
	case fault.Refused:
		s.app.Note("left out: %v; the next decision is a window of good samples away", fault)
	default:
		s.app.Note("no decision: %v", fault)
	}
}

// tellBad reports the channels of the model that the signal marks as bad: it cannot do without them.
func (s *streamer) tellBad(bad []string) {
	r := s.model.Input.Recipe
	if r == nil || r.Signal == nil {
		return
	}
	var used []string
	for _, name := range r.Signal.Inputs() {
		if slices.Contains(bad, name) {
			used = append(used, name)
		}
	}
	if used != nil {
		s.app.Note("marked as bad, and the model needs them: %s; decisions are not to be trusted",
			strings.Join(used, ", "))
	}
}

// tellFlat reports channels that have stopped to vary, or vary again.
func (s *streamer) tellFlat() {
	flat := s.decoder.Flat()
	if slices.Equal(flat, s.flat) {
		return
	}
	var gone, back []string
	for _, c := range flat {
		if !slices.Contains(s.flat, c) {
			gone = append(gone, c)
		}
	}
	for _, c := range s.flat {
		if !slices.Contains(flat, c) {
			back = append(back, c)
		}
	}
	if gone != nil {
		s.app.Note("flat for a window or longer: %s; decisions are not to be trusted until this is mended",
			strings.Join(gone, ", "))
	}
	if back != nil {
		s.app.Note("no longer flat: %s", strings.Join(back, ", "))
	}
	s.flat = flat
}
