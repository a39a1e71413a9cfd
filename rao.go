// Package rao implements supervised learning with the Fisher-Rao geometry of Gaussian distributions.
//
// It has two main methods. SQFA learns a few linear filters from only the means and covariances of the classes. The
// filters let a quadratic classifier separate the classes (Herrera-Esposito and Burge, arXiv 2502.00168). PLRSQ
// learns labeled prototypes on the manifold of symmetric positive definite (SPD) matrices and classifies EEG
// covariances or image descriptors with them (Tang, Feng, Tino, Si and Ji, arXiv 2102.00667).
//
// This package has the types that all other packages share: the [Report] of a fit, its [Status], and the error of a fit
// that stopped early. Package method fits complete models:
//
//	data, err := dataset.Open(ctx, "train.csv", dataset.OpenOptions{})
//	sqfa, err := method.Lookup("sqfa")
//	m, err := sqfa.Fit(ctx, method.InMemory{Data: data}, nil, nil)
//	err = m.Save("model.rao")
//
// Most tasks need three calls:
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
// The command cmd/rao offers the same functions on the command line. docs/architecture.md describes the packages and
// how data flow between them.
//
// # Errors
//
// Functions return an error for every fault of data, options and files, and panic only if an argument contradicts the
// documentation, for example a dst of the wrong shape. A message has the place, the problem and what to try. Use
// errors.As for these types, which can be wrapped, and errors.Is for the variables:
//
//	rao.NotConvergedError          the fit stopped early, and there is a model; see HasModel and IsNotConverged
//	rao.OptionError                an option caused the fault or can fix it
//	rao.ShapeError                 columns, channels or labels that do not fit each other or the model; too few rows
//	rao.UnknownError               a metric, method, option, class or file format that does not exist
//	rao.ValueError                 a value of a row, a label, a weight or a field of options cannot be used
//	spd.MatrixError                a matrix is not finite, not symmetric or not positive definite
//	gaussian.SingularError         the covariance of a class, or of all classes, is not positive definite
//	gaussian.DoubtError            statistics that are merged do not seem to belong together
//	gaussian.FileKindError         the file is not of the kind that the function reads
//	gaussian.ErrNoMoments          the shrinkage needs moments that the statistics do not have
//	recipe.ContradictionError      observations were not computed in the same way as the training data
//	dataset.AbsentError            the files of a known data set are not on this machine
//	dataset.ErrMatricesLackValues  values of matrices cannot be filled in
//	dataset.ErrNotFound            no such file, folder or data set; fs.ErrNotExist matches any missing file
//	dataset.ErrNoRows              no rows are left
//	dataset.ErrUnknownFormat       unknown file format
//	stream.SampleError             samples of a live signal cannot be used; the decoder can continue
//	io.ErrUnexpectedEOF            the file is truncated
//	context.Canceled               the context ended the call; also context.DeadlineExceeded
//
// # Extension
//
// A package extends rao with one call in an init function. Every function, option and file that accepts a name then
// accepts the new name.
//
//	metric of SPD matrices                spd.RegisterMetric              test with rao/spd/spdtest
//	dissimilarity of Gaussians            gaussian.RegisterDissimilarity  test with rao/gaussian/gaussiantest
//	file format                           dataset.RegisterFormat
//	data set with a name                  dataset.Register
//	classifier or stage in model files    model.Register
//	learning method                       method.Register
//
// To build the tool with your additions, import them in a program that calls Main of rao/cmd/rao/cli.
// docs/extending.md has examples.
//
// # Use from another module
//
// Until the module has a public address, point to a checkout of it:
//
//	require rao v0.0.0
//	replace rao => ../rao
//
// # Compatibility
//
// Later releases read the model and statistics files of every earlier release, or reject them with a message that says
// what to do. Names of commands, flags, methods and JSON fields do not change within a major version; for a renamed
// flag, the error names the new flag. The same data, seed, version and processor kernel give the same bits on any
// number of cores. The Go interfaces may still change before 1.0; the changelog lists every change.
package rao

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"rao/internal/goroutines"
)

// Version is the version of this module. Model files record it.
const Version = "0.1.0"

// Status is the reason why a fit ended.
type Status string

const (
	// StatusUnset is the status of a fit that has not run.
	StatusUnset Status = ""
	// StatusConverged means that the requested tolerance was reached.
	StatusConverged Status = "converged"
	// StatusMaxIterations means that the limit on iterations was reached first.
	StatusMaxIterations Status = "max_iterations"
	// StatusStalled means that no further progress was possible in floating point although the tolerance was not
	// reached.
	StatusStalled Status = "stalled"
	// StatusCanceled means that the context ended the fit. The model is the best so far.
	StatusCanceled Status = "canceled"
	// StatusClosed means that the method has a closed form and does not iterate.
	StatusClosed Status = "closed_form"
)

// Good reports whether the fit ended as intended: it converged or has a closed form.
func (s Status) Good() bool { return s == StatusConverged || s == StatusClosed }

// Report describes a fit. Fields that have no meaning for a method are zero.
type Report struct {
	Status       Status        // why the fit ended
	Iterations   int           // outer iterations
	Evaluations  int           // evaluations of the objective
	Passes       int           // passes over the statistics or the data
	Objective    float64       // final objective, in the method's own sign and unit
	GradientNorm float64       // norm of the (Riemannian) gradient at the end
	Elapsed      time.Duration // wall time of the fit
	History      []float64     // objective at the start and after each iteration
}

// unset is StatusUnset in files.
const unset Status = "unset"

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
	return json.Marshal(reportJSON{cmp.Or(r.Status, unset), r.Iterations, r.Evaluations, r.Passes,
		r.Objective, r.GradientNorm, r.Elapsed.Seconds(), r.History})
}

// UnmarshalJSON reads the output of MarshalJSON. It returns an error for unknown fields and for an unknown status.
func (r *Report) UnmarshalJSON(b []byte) error {
	var j reportJSON
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return err
	}
	switch j.Status {
	case unset:
		j.Status = StatusUnset
	case StatusUnset, StatusConverged, StatusMaxIterations, StatusStalled, StatusCanceled, StatusClosed:
	default:
		return fmt.Errorf("unknown status %q", string(j.Status))
	}
	*r = Report{j.Status, j.Iterations, j.Evaluations, j.Passes, j.Objective, j.GradientNorm,
		time.Duration(math.Round(j.Seconds * float64(time.Second))), j.History}
	return nil
}

// NotConvergedError is returned together with a usable model. It means that an iterative fit ended before it reached
// its tolerance, or that the context ended the fit ([StatusCanceled]). [IsNotConverged] is true only in the first case.
// In the second case, errors.Is matches the error of the context. A fit that is canceled before it has a model returns
// no model and an error that wraps the error of the context.
type NotConvergedError struct {
	Method string // name of the method
	Report Report // how the fit ended
	Remedy string // what to try, such as "raise max-iter or loosen tol"
	Cause  error  // error of the context that ended the fit; nil: context.Canceled
}

// Unwrap returns the error of the context that ended the fit, or nil if no context did.
func (e *NotConvergedError) Unwrap() error {
	switch {
	case e.Report.Status != StatusCanceled:
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
	if e.Report.Status == StatusCanceled {
		return fmt.Sprintf("%s was canceled after %d %s; the model is the best so far", e.Method,
			e.Report.Iterations, unit)
	}
	s := fmt.Sprintf("%s did not converge (%s after %d %s, gradient norm %.3g)",
		e.Method, e.Report.Status, e.Report.Iterations, unit, e.Report.GradientNorm)
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// IsNotConverged reports whether err is, or wraps, a NotConvergedError of a fit that was not canceled. The model
// returned with it is usable.
func IsNotConverged(err error) bool {
	return HasModel(err) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// HasModel reports whether err is, or wraps, a NotConvergedError, including the error of a canceled fit. The model
// returned with it is then usable.
func HasModel(err error) bool {
	var e *NotConvergedError
	return errors.As(err, &e)
}

// OptionError is an error that an option caused or can fix. Methods, model files and the command line share the names
// of options, such as "max-iter". The message writes options in the syntax of methods ("max-iter=500"). [Spell] writes
// them in another syntax, for example as flags.
type OptionError struct {
	Option string // the option to change

	format string
	args   []any
}

// Optionf returns an *OptionError about the given option. The format has the verbs of fmt.Errorf, including %w. It
// refers to options in braces, {name} or {name=value}:
//
//	rao.Optionf("missing", "row %d has no value; fill it in with {missing=median}", row)
func Optionf(option, format string, args ...any) error {
	return &OptionError{Option: option, format: format, args: args}
}

// Error implements error.
func (e *OptionError) Error() string { return e.text(optionInMethod) }

// MarshalText returns the message, for JSON.
func (e *OptionError) MarshalText() ([]byte, error) { return []byte(e.Error()), nil }

// Unwrap returns the errors that were passed to [Optionf] as arguments.
func (e *OptionError) Unwrap() []error {
	var list []error
	for _, a := range e.args {
		if err, ok := a.(error); ok {
			list = append(list, err)
		}
	}
	return list
}

// text returns the message with options as spell writes them.
func (e *OptionError) text(spell func(option, value string) string) string {
	args := slices.Clone(e.args)
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = errors.New(Spell(err, spell))
		}
	}
	var b strings.Builder
	write := func(format string) string { // uses as many arguments as the format has verbs
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

// optionMark matches an option in the format of an OptionError.
var optionMark = regexp.MustCompile(`\{[a-z][a-z0-9-]*(=[^{}]*)?\}`)

// optionInMethod writes an option in the syntax of methods.
func optionInMethod(option, value string) string {
	if value == "" {
		return "option " + option
	}
	return option + "=" + value
}

// Spell returns the message of err and calls spell to write the options of every [OptionError] in its chain. The value
// passed to spell is empty if the message contains only the name of the option.
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

// Progress receives the events of a long run. It is called from one goroutine at a time and must return quickly.
type Progress func(Event)

// Event is the current state of a long run.
type Event struct {
	Stage     string  // the current stage, such as "statistics" or "fit"
	Done      int     // units done
	Total     int     // total number of units; 0 if unknown
	Limit     int     // largest number of units, if the total is unknown because the run ends when it converges
	Objective float64 // current objective, if there is one
}

// Send calls p if it is not nil.
func (p Progress) Send(e Event) {
	if p != nil {
		p(e)
	}
}

// SetParallelism limits every parallel loop of the process to n goroutines, including the caller, and returns the
// previous limit. The default, 0, means GOMAXPROCS, which is also the upper limit. A limit of 1 runs all loops on the
// calling goroutine, which is best for a service that answers many small requests at once. The total number of
// goroutines of all callers is always bounded: if all processors are busy, a call uses only its own goroutine. The
// limit does not change results. SetParallelism may be called at any time. [WithParallelism] limits a single call.
func SetParallelism(n int) (before int) { return goroutines.SetProcess(n) }

// WithParallelism runs f with at most n goroutines at a time, including the caller. With n = 1, f runs only on the
// calling goroutine. The limit applies to every call of this module within f, but not to goroutines that f starts, nor
// to the goroutine that decodes a Parquet or gzip file in advance. The limits of the process and of an outer
// WithParallelism also apply. If n < 1, no limit is added. The limit does not change results.
//
//	rao.WithParallelism(1, func() { err = m.PredictInto(ctx, &prediction, batch) })
func WithParallelism(n int, f func()) { goroutines.New(n).Do(f) }

// Parallelism returns the largest number of goroutines for a parallel loop of the calling goroutine: GOMAXPROCS, or
// fewer because of [SetParallelism] and [WithParallelism].
func Parallelism() int { return goroutines.Current().Parallelism() }
