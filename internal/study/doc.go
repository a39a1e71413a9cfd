// Package study compares the decisions of methods on labeled data.
//
// A [Comparison] fits one part of the data and classifies another. A [LeaveOut] leaves out groups of observations, such
// as people, and fits the others. A [Study] runs methods on several data sets within sessions, across sessions and
// across subjects. Scores are kept in the study's folder, where the next run finds them. The results are rows with
// scores, which marshal to JSON, tables and pages.
package study

import (
	"fmt"

	"rao"
	"rao/internal/text"
)

// Number is a float64 that JSON writes as null if it is not finite.
type Number = text.Number

// Monitor receives the events of a run. Its functions may be nil.
type Monitor struct {
	// Progress starts a task. The function that it returns ends the task.
	Progress func(task string) (rao.Progress, func())
	// Note receives a one-line message.
	Note func(message string)
	// Message returns the message of an error. If it is nil, the error's own message is used.
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
