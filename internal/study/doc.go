// Package study compares the decisions of methods on labeled data.
//
// A [Comparison] fits methods on one part of the data and classifies another part. A [LeaveOut] leaves out groups of
// observations, such as people, and fits methods on the other groups. A [Study] runs methods on several data sets
// within sessions, across sessions and across subjects. It stores the scores in a folder, where the next run finds
// them. The results are rows with scores, which can be written as JSON, tables and pages.
package study

import (
	"fmt"

	"rao"
	"rao/internal/text"
)

// Number is a float64 that JSON writes as null if it is not finite.
type Number = text.Number

// Monitor receives the events of a run. A nil function ignores its events.
type Monitor struct {
	// Progress starts a task. The function that it returns ends the task.
	Progress func(task string) (rao.Progress, func())
	// Note receives a one-line message.
	Note func(message string)
	// Message returns the message to report for an error. If Message is nil, this is err.Error().
	Message func(error) string
	// Abandon is for programs that exit after an interruption: a run does not wait for a method that does not end soon
	// after the context. The method continues without effect.
	Abandon bool
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
