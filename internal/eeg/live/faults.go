package live

import (
	"context"
	"slices"
	"strings"
	"time"

	"rao/model"
	"rao/stream"
)

// Push decides on what a block of samples×channels completes.
func (s *Session) Push(ctx context.Context, block []float64) error {
	start := time.Now()
	var written error
	err := s.decoder.Push(ctx, block, func(d model.Decision) error {
		d, ok := s.weigh(d)
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

// leaveOut reports a fault of the signal; of samples that follow each other only the first.
func (s *Session) leaveOut(fault *stream.SampleError) {
	s.left++
	switch {
	case fault.Repeated:
	case fault.Refused:
		s.note("left out: %v; the next decision is a window of good samples away", fault)
	default:
		s.note("no decision: %v", fault)
	}
}

// noteBad reports the channels of the model that the signal marks as bad: it cannot do without them.
func (s *Session) noteBad(bad []string) {
	r := s.Model.Input.Recipe
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
		s.note("marked as bad, and the model needs them: %s; decisions are not to be trusted",
			strings.Join(used, ", "))
	}
}

// noteFlat reports channels that have stopped to vary, or vary again.
func (s *Session) noteFlat() {
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
		s.note("flat for a window or longer: %s; decisions are not to be trusted until this is mended",
			strings.Join(gone, ", "))
	}
	if back != nil {
		s.note("no longer flat: %s", strings.Join(back, ", "))
	}
	s.flat = flat
}
