package covstream

import (
	"math"
	"slices"
)

// Events cuts the trial after each event from a stream. A piece is a part of the signal without a break. It is not safe
// for concurrent use.
type Events struct {
	*Stream
	Cut     TrialWindow
	ratio   float64 // samples of the matrices per incoming sample
	done    func(Trial) error
	piece   int64 // number of incoming samples before the current piece
	made    int64 // samples of the current piece, at the rate of the matrices
	before  int64 // samples of all earlier pieces, at the rate of the matrices
	waiting []Trial
}

// Trial is the trial of an event.
type Trial struct {
	Event  int   // as passed to [Events.Mark]
	Sample int64 // incoming sample of the event
	First  int64 // first sample of the trial since the start of the stream, at the rate of the matrices
	end    int64 // end of its window in the current piece
}

// NewEvents returns a stream with the given number of channels and sampling rate in hertz, and the window of the trials
// at the rate of the matrices. opt.Window, opt.Step and opt.Each are ignored. When the window of a trial is complete,
// done may call Covariance or Trial. If it returns an error, so does Push.
func NewEvents(channels int, rate float64, window TrialWindow, opt Options, done func(Trial) error) (*Events, error) {
	made := rate
	if opt.Prepare.Rate != 0 {
		made = opt.Prepare.Rate
	}
	e := &Events{Cut: window, ratio: made / rate, done: done}
	opt.Window, opt.Step, opt.Each = window.Seconds(made), math.Inf(1), e.step
	var err error
	e.Stream, err = New(channels, rate, opt)
	return e, err
}

// Mark adds an event at an incoming sample, counted from the start of the signal at 0. ok is false if the window of the
// event begins before the current piece, or has already passed.
func (e *Events) Mark(event int, sample int64) (ok bool) {
	t := Trial{Event: event, Sample: sample}
	if e.place(&t) {
		e.waiting = append(e.waiting, t)
		return true
	}
	return false
}

// Waits returns the event with a waiting trial at an incoming sample.
func (e *Events) Waits(sample int64) (event int, ok bool) {
	i := slices.IndexFunc(e.waiting, func(t Trial) bool { return t.Sample == sample })
	if i < 0 {
		return 0, false
	}
	return e.waiting[i].Event, true
}

// Unmark removes the waiting trials at an incoming sample.
func (e *Events) Unmark(sample int64) {
	e.waiting = slices.DeleteFunc(e.waiting, func(t Trial) bool { return t.Sample == sample })
}

// place sets the position of a trial. ok is false if part of its window is before the current piece, or if the window
// has already passed.
func (e *Events) place(t *Trial) (ok bool) {
	t.end = int64(math.RoundToEven(float64(t.Sample-e.piece)*e.ratio)) + int64(e.Cut.Ends)
	first := t.end - int64(e.Window())
	t.First = e.before + first + int64(e.Cut.Lead)
	return t.Sample >= e.piece && first >= 0 && t.end > e.made
}

// Restart marks a break in the signal after missing samples, which are counted. It returns the waiting trials that
// contain the break, which are lost.
func (e *Events) Restart(missing int) (lost []Trial) {
	e.Stream.Restart(missing)
	e.piece, e.before, e.made = e.came, e.before+e.made, 0
	waiting := e.waiting
	e.waiting = nil
	for _, t := range waiting {
		if e.place(&t) {
			e.waiting = append(e.waiting, t)
		} else {
			lost = append(lost, t)
		}
	}
	return lost
}

// Drop discards the waiting trials, and returns their number.
func (e *Events) Drop() int {
	n := len(e.waiting)
	e.waiting = nil
	return n
}

// Came returns the number of incoming samples so far.
func (e *Events) Came() int64 { return e.came }

// step passes on the trials with a window that ends at sample number made of the current piece.
func (e *Events) step(made int64) error {
	e.made = made
	for i := 0; i < len(e.waiting); i++ {
		t := e.waiting[i]
		if t.end != made {
			continue
		}
		e.waiting = slices.Delete(e.waiting, i, i+1)
		i--
		if err := e.done(t); err != nil {
			return err
		}
	}
	return nil
}
