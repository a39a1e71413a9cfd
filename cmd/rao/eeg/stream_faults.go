package eeg

import (
	"errors"
	"slices"
	"strings"
	"time"

	"rao/model"
	"rao/stream"
)

// liveState is what a streamer knows of the signal it follows.
type liveState struct {
	came   int64    // samples that were taken or left out
	faulty bool     // the last sample was left out
	flat   []string // channels that do not vary
}

// push decides on what the block completes. With --on-error skip it reports samples and windows that
// cannot be used, and goes on behind them. Other faults of the block are recordErrors.
func (s *streamer) push(block []float64) error {
	start := time.Now()
	width := s.decoder.Width()
	for len(block) > 0 {
		var written error
		err := s.decoder.Push(block, func(d model.Decision) error {
			if written = s.write(d, start); written == nil && s.decided != nil {
				written = s.decided(d)
			}
			return written
		})
		var fault *stream.SampleError
		switch {
		case written != nil:
			return err
		case err == nil:
			s.fed.came += int64(len(block) / width)
			s.fed.faulty = false
			s.tellFlat()
			return nil
		case s.onError != "skip" || !errors.As(err, &fault):
			return &recordError{err}
		}
		if fault.Came > s.fed.came {
			s.fed.faulty = false
		}
		block = block[int(fault.Came-s.fed.came)*width:]
		s.fed.came = fault.Came
		s.leaveOut(fault)
		if fault.Refused {
			s.decoder.Skip()
			block = block[width:]
			s.fed.came++
		}
	}
	return nil
}

// leaveOut reports a fault of the signal; of faults that follow each other only the first.
func (s *streamer) leaveOut(fault *stream.SampleError) {
	s.left++
	again := fault.Refused && s.fed.faulty
	s.fed.faulty = fault.Refused
	switch {
	case again:
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
	if slices.Equal(flat, s.fed.flat) {
		return
	}
	var gone, back []string
	for _, c := range flat {
		if !slices.Contains(s.fed.flat, c) {
			gone = append(gone, c)
		}
	}
	for _, c := range s.fed.flat {
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
	s.fed.flat = flat
}
