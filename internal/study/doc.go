// Package study compares how well methods decide on labeled data.
//
// A [Comparison] learns on one part of the data and decides on another. A [LeaveOut] leaves out
// groups of observations, such as people, and learns from the others. A [Study] runs methods on
// several data sets within sessions, across sessions and across subjects; what one run has scored,
// the next reads from the study's folder. The results are rows with scores, which marshal to JSON,
// tables and pages.
package study

import (
	"fmt"

	"rao"
	"rao/internal/text"
)

// Number is a float64 that JSON writes as null when it is not finite.
type Number = text.Number

// Monitor receives what happens during a run. Its functions may be nil.
type Monitor struct {
	// Progress starts a task; the function that it returns ends it.
	Progress func(task string) (rao.Progress, func())
	// Note takes a message of one line.
	Note func(message string)
	// Message words an error; without it, the error does so itself.
	Message func(error) string
}

func (m *Monitor) message(err error) string {
	if m.Message == nil {
		return err.Error()
	}
	return m.Message(err)
}

func (m *Monitor) start(task string) (rao.Progress, func()) {
	if m.Progress == nil {
		return nil, func() {}
	}
	return m.Progress(task)
}

func (m *Monitor) note(format string, args ...any) {
	if m.Note != nil {
		m.Note(fmt.Sprintf(format, args...))
	}
}
