// Package rao is supervised learning with the Fisher-Rao geometry of Gaussian
// distributions.
//
// Two methods are its core. SQFA learns a few linear filters, from the means
// and covariances of the classes alone, so that a quadratic classifier
// separates the classes (Herrera-Esposito and Burge, arXiv 2502.00168). PLRSQ
// learns labeled prototypes on the manifold of symmetric positive definite
// (SPD) matrices and classifies EEG covariances or image descriptors with them
// (Tang, Feng, Tino, Si and Ji, arXiv 2102.00667).
//
// This package holds the words that all the others share: the [Report] of a
// fit, its [Status], and the error of a fit that stopped early. The work is
// done by three calls, which task by task are:
//
//	filters from a table       dataset.Open        gaussian.Estimate    sqfa.Fit
//	filters, many rows         dataset.Stream      gaussian.Accumulator sqfa.Fit
//	a classifier of matrices   dataset.Open        classify.FitMDM      (*MDM).LogPosterior
//	prototypes                 dataset.Open        lvq.FitPLRSQ         (*PLRSQ).LogPosterior
//	EEG to covariances         eeg.OpenRecording   eeg.CutTrials        dataset.WriteFile
//	any method by its name     method.Lookup       (*Method).Fit        (*Model).Save
//	decisions on new data      model.Load          (*Model).Predict     evaluate.Score
//	decisions on a live signal model.Load          stream.NewDecoder    (*Decoder).Push
//	distances and means        dataset.Open        spd.Distances        spd.Mean
//
// The tool, cmd/rao, does the same from the command line. docs/architecture.md
// shows the packages and the ways through them.
//
// # Use from another module
//
// Until the module has a public address, point to a checkout of it:
//
//	require rao v0.0.0
//	replace rao => ../rao
//
// # What stays
//
// Files last: a model or statistics file of any release is read by all later
// ones, or refused with the words of what to do. Names of verbs, flags, methods
// and JSON fields stay within a major version; a renamed flag answers with its
// new name. The same data, seed, version and processor kernel give the same
// bits on any number of cores. The Go interfaces may still change before 1.0;
// the changelog names every change.
package rao

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"rao/internal/limit"
)

// Version is the release.
const Version = "0.1.0"

// Status says why an iterative fit stopped.
type Status int

const (
	// Unset is the status of a fit that has not run.
	Unset Status = iota
	// Converged means that the tolerance asked for was met.
	Converged
	// MaxIterations means that the limit on iterations came first.
	MaxIterations
	// Stalled means that no further progress was possible in floating point
	// although the tolerance was not met.
	Stalled
	// Canceled means that the context ended the fit; the model is the best so far.
	Canceled
	// Closed means that the method has a closed form and nothing iterates.
	Closed
)

var statusNames = [...]string{"unset", "converged", "max_iterations", "stalled", "canceled", "closed_form"}

// String returns the name that reports and JSON use.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("status(%d)", int(s))
	}
	return statusNames[s]
}

// MarshalText implements encoding.TextMarshaler.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Status) UnmarshalText(b []byte) error {
	for i, n := range statusNames {
		if n == string(b) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("unknown status %q", b)
}

// Good reports whether the fit ended as it should: converged or closed form.
func (s Status) Good() bool { return s == Converged || s == Closed }

// Report describes a fit. Fields that have no meaning for a
// method are zero.
type Report struct {
	Status       Status
	Iterations   int           // outer iterations
	Evaluations  int           // evaluations of the objective
	Passes       int           // passes over the statistics or the data
	Objective    float64       // final objective, in the method's own sign and unit
	GradientNorm float64       // norm of the (Riemannian) gradient at the end
	Elapsed      time.Duration // wall time of the fit
	History      []float64     // objective after each iteration, the start first
}

// reportJSON is the stable form of a Report in files and on standard output.
type reportJSON struct {
	Status       Status    `json:"status"`
	Iterations   int       `json:"iterations"`
	Evaluations  int       `json:"evaluations"`
	Passes       int       `json:"passes"`
	Objective    float64   `json:"objective"`
	GradientNorm float64   `json:"gradient_norm"`
	Seconds      float64   `json:"seconds"`
	History      []float64 `json:"history,omitempty"`
}

// MarshalJSON writes the report with its elapsed time in seconds.
func (r Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(reportJSON{r.Status, r.Iterations, r.Evaluations, r.Passes,
		r.Objective, r.GradientNorm, r.Elapsed.Seconds(), r.History})
}

// UnmarshalJSON reads what MarshalJSON wrote, and refuses fields that a report does not have.
func (r *Report) UnmarshalJSON(b []byte) error {
	var j reportJSON
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return err
	}
	*r = Report{j.Status, j.Iterations, j.Evaluations, j.Passes, j.Objective, j.GradientNorm,
		time.Duration(math.Round(j.Seconds * float64(time.Second))), j.History}
	return nil
}

// NotConvergedError comes with a usable model when an iterative fit ended before its
// tolerance was met, or when its context ended it ([Canceled]). [IsNotConverged] is true for
// the first alone: errors.Is finds the error of the context in the second, as in the error of
// a fit whose context ends before there is any model.
type NotConvergedError struct {
	Method string
	Report Report
	Remedy string // what to try, such as "raise max-iter or loosen tol"
	Cause  error  // error of the context that ended the fit; nil: context.Canceled
}

// Unwrap returns the error of the context that ended the fit, nil when none did.
func (e *NotConvergedError) Unwrap() error {
	switch {
	case e.Report.Status != Canceled:
		return nil
	case e.Cause == nil:
		return context.Canceled
	}
	return e.Cause
}

// Error implements error.
func (e *NotConvergedError) Error() string {
	unit := "iterations"
	if e.Report.Iterations == 1 {
		unit = "iteration"
	}
	s := fmt.Sprintf("%s did not converge (%s after %d %s, gradient norm %.3g)",
		e.Method, e.Report.Status, e.Report.Iterations, unit, e.Report.GradientNorm)
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// IsNotConverged reports whether err is, or wraps, a NotConvergedError of a fit that ran to
// its end: the model that comes with it is usable. It is false when a context ended the fit.
func IsNotConverged(err error) bool {
	return HasModel(err) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// HasModel reports whether err is, or wraps, a NotConvergedError, also of a fit that its
// context ended: the model that comes with it is the best so far.
func HasModel(err error) bool {
	var e *NotConvergedError
	return errors.As(err, &e)
}

// OptionError is the error of an option that has a value which cannot be used, is missing, or is the
// remedy. Options have the names that methods, model files and the tool share, such as "max-iter". The
// message names them as in the language of methods ("max-iter=500"); [Spell] writes them as a program's
// users know them, such as the flags of the tool.
type OptionError struct {
	Option string // the option to change

	format string
	args   []any
}

// Optionf returns an *OptionError for an option. The format is that of fmt.Errorf, with %w too, and names
// options in braces, {name} or {name=value}:
//
//	rao.Optionf("missing", "row %d has no value; fill it in with {missing=median}", row)
func Optionf(option, format string, args ...any) error {
	return &OptionError{Option: option, format: format, args: args}
}

// Error implements error.
func (e *OptionError) Error() string { return e.text(optionInMethod) }

// Unwrap returns the errors among the arguments.
func (e *OptionError) Unwrap() []error {
	var list []error
	for _, a := range e.args {
		if err, ok := a.(error); ok {
			list = append(list, err)
		}
	}
	return list
}

// text writes the message with options as spell writes them.
func (e *OptionError) text(spell func(option, value string) string) string {
	args := slices.Clone(e.args)
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = errors.New(Spell(err, spell))
		}
	}
	var b strings.Builder
	write := func(format string) string { // with as many of the arguments as the format has verbs
		n := min(len(args), strings.Count(strings.ReplaceAll(format, "%%", ""), "%"))
		defer func() { args = args[n:] }()
		return fmt.Errorf(format, args[:n]...).Error()
	}
	from := 0
	for _, mark := range optionMark.FindAllStringIndex(e.format, -1) {
		b.WriteString(write(e.format[from:mark[0]]))
		name, value, _ := strings.Cut(e.format[mark[0]+1:mark[1]-1], "=")
		b.WriteString(spell(name, write(value)))
		from = mark[1]
	}
	b.WriteString(write(e.format[from:]))
	return b.String()
}

// optionMark is an option in the format of an OptionError.
var optionMark = regexp.MustCompile(`\{[a-z][a-z0-9-]*(=[^{}]*)?\}`)

// optionInMethod writes an option as the language of methods does.
func optionInMethod(option, value string) string {
	if value == "" {
		return "option " + option
	}
	return option + "=" + value
}

// Spell returns the message of an error with the options of every [OptionError] that it is or wraps written
// by spell. The value is empty where the message names the option alone.
func Spell(err error, spell func(option, value string) string) string {
	if e, ok := err.(*OptionError); ok {
		return e.text(spell)
	}
	var inner []error
	switch w := err.(type) {
	case interface{ Unwrap() error }:
		inner = []error{w.Unwrap()}
	case interface{ Unwrap() []error }:
		inner = w.Unwrap()
	}
	text := err.Error()
	for _, e := range inner {
		if e != nil {
			text = strings.Replace(text, e.Error(), Spell(e, spell), 1)
		}
	}
	return text
}

// Progress receives news of a long run. It is called from one goroutine at a
// time and must return quickly.
type Progress func(Event)

// Event is one piece of news.
type Event struct {
	Stage     string  // what runs, such as "statistics" or "fit"
	Done      int     // units done
	Total     int     // units in all; 0 when unknown
	Objective float64 // current objective, where there is one
}

// Send calls p if it is not nil.
func (p Progress) Send(e Event) {
	if p != nil {
		p(e)
	}
}

// SetParallelism limits every parallel loop of the process to n goroutines, the caller among them, and
// returns the limit before. 0, the default, means GOMAXPROCS, which no limit exceeds. 1 runs all loops on the
// goroutine that calls, which is best for a service that answers many small requests at once. The goroutines
// of all callers together are bounded in any case: a call that finds the processors taken works alone.
// Results are the same bits with any limit. It may be called at any time. [WithParallelism] limits one call.
func SetParallelism(n int) (before int) { return limit.SetProcess(n) }

// WithParallelism runs f, and at most n goroutines work for f at a time, the caller among them: with 1, f runs on
// this goroutine alone. The limit holds for every call of this module within f, but not for goroutines that f
// starts, nor for the one that decodes a Parquet or gzip file ahead of its reader. The limits of the process and of
// an outer WithParallelism still hold, and n < 1 adds none. Results are the same bits with any limit.
//
//	rao.WithParallelism(1, func() { p, err = m.PredictInto(ctx, logp, batch) })
func WithParallelism(n int, f func()) { limit.New(n).Do(f) }

// Parallelism returns on how many goroutines a parallel loop of this goroutine runs at most: GOMAXPROCS, or fewer by
// [SetParallelism] and [WithParallelism].
func Parallelism() int { return limit.Current().Parallelism() }
