package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/suggest"
	"rao/model"
)

// Method is a learning method with a name. [New] creates one.
type Method struct {
	Traits
	Name    string   // name for [Lookup]
	Summary string   // description in one line, without a period at the end
	Options []Option // in the order of declaration
	// After is the name of the method that precedes this method in lists. If it is empty, this method is listed last.
	After string

	options reflect.Value // struct of options before any is set; the fit receives a pointer to a copy
	fit     func(ctx context.Context, src TrainingData, options any, progress rao.Progress) (*model.Model, error)
}

// Traits describe what data a method accepts, and how a fit reads and stores them.
type Traits struct {
	Matrices bool // learns from SPD matrices, otherwise from vectors
	Trials   bool // the vectors are trial signals: count × channels × samples
	Rows     bool // needs the observations; statistics are not enough
	// Span is true if the method is rotation-invariant and its filters are in the span of the observations. With few
	// observations of many columns, it then does not need the covariance of the columns.
	Span bool
	// Pooled is true if the method needs only the covariance of all observations together.
	Pooled   bool
	Memory   Copies // arrays of a fit, for the estimate of [Spec.Memory]
	Mixtures bool   // accepts statistics of sub-classes in place of data
	Batches  bool   // rows can stay in their files; statistics and random batches are enough
	Streams  bool   // covariances can stay in their file if the fit is in a subspace
}

// New returns a method. Its fit receives the options as a struct O. Each exported field of O with the tag opt (its
// name) is an option. Other tags are default, help, form, min, above, max, choices, with and bare; see [Option].
// Embedded structs add options that methods share. It panics if two options have the same name or a bound is not a
// number.
//
// fit completes the model of the job, whose classes and input are set if there are observations. It adds stages and a
// classifier, and sets Report.Status; methods without iterations set rao.StatusClosed. The model is validated. fit may
// return a *rao.NotConvergedError along with a usable model.
func New[O any](name, summary string, traits Traits, fit func(ctx context.Context, j *Job, o *O) error) *Method {
	return newMethod(name, summary, traits, func(ctx context.Context, j *Job, o *O) error {
		return j.note(fit(ctx, j, o))
	})
}

// Register makes a method available by name, like the methods of this package. Call it from an init function. It
// panics if the name is in use, is empty or contains a space, comma, colon or equals sign, or if a default is not a
// valid value of its option.
func Register(m *Method) {
	if m.Name == "" || strings.ContainsAny(m.Name, " \t\n,:=") {
		panic(fmt.Sprintf("method: %q is not a valid name", m.Name))
	}
	if slices.Contains(names(), m.Name) {
		panic("method: " + m.Name + " is registered twice")
	}
	if _, err := m.With(nil); err != nil {
		panic(fmt.Sprintf("method: %s: default: %v", m.Name, err))
	}
	at := slices.IndexFunc(table, func(other *Method) bool { return m.After != "" && other.Name == m.After }) + 1
	at = cmp.Or(at, len(table))
	table = slices.Insert(table, at, m)
}

// Methods returns all methods. Methods on vectors come first.
func Methods() []*Method {
	all := slices.Clone(table)
	slices.SortStableFunc(all, func(a, b *Method) int {
		switch {
		case a.Matrices == b.Matrices:
			return 0
		case b.Matrices:
			return -1
		}
		return 1
	})
	return all
}

// names returns the names of all methods, in the order of [Methods].
func names() []string {
	all := Methods()
	list := make([]string, len(all))
	for i, m := range all {
		list[i] = m.Name
	}
	return list
}

// Lookup returns the method with the given name. The error for an unknown name suggests similar names.
func Lookup(name string) (*Method, error) {
	for _, m := range table {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, &rao.UnknownError{Kind: "method", Name: name, Known: names()}
}

// Option returns the declaration of the named option. The error for an unknown name suggests similar names.
func (m *Method) Option(name string) (*Option, error) {
	names := make([]string, len(m.Options))
	for i := range m.Options {
		if m.Options[i].Name == name {
			return &m.Options[i], nil
		}
		names[i] = m.Options[i].Name
	}
	return nil, &rao.UnknownError{Kind: m.optionKind(), Name: name, Known: names}
}

// applies returns an error if the method does not have the named option, or if the option does not apply given the
// settings.
func (m *Method) applies(name string, set Settings) error {
	o, err := m.Option(name)
	if err != nil {
		return err
	}
	for option, values := range o.conditions(m.Options) {
		now, given := set.Get(option)
		if !given {
			other, _ := m.Option(option)
			now = other.Default
		}
		if !slices.Contains(values, now) {
			return rao.Optionf(name, "{"+name+"} is used only with {"+option+"} "+suggest.Or(values)+", not %s", now)
		}
	}
	return nil
}

// copyOf returns a pointer to a copy of a struct of options.
func copyOf(options reflect.Value) reflect.Value {
	p := reflect.New(options.Type())
	p.Elem().Set(options)
	return p
}

// changed returns the settings that differ from the defaults, sorted by name. The model file stores them.
func (m *Method) changed(set Settings) []evaluate.Setting {
	var out []evaluate.Setting
	for _, s := range set {
		if o, err := m.Option(s.Name); err == nil && o.Default != s.Value {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b evaluate.Setting) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// optionKind is the kind of name that an error about an unknown option of the method reports.
func (m *Method) optionKind() string { return m.Name + " option" }

// Fit fits the method once with the given settings. It is short for [Method.With] and [Spec.Fit]. To fit the same
// options several times, or a method and options given as text, make a [Spec] and call its Fit.
func (m *Method) Fit(ctx context.Context, src TrainingData, set Settings, progress rao.Progress) (*model.Model, error) {
	return Spec{Method: m, Settings: set}.Fit(ctx, src, progress)
}

// Job is a fit in progress.
type Job struct {
	Source   TrainingData
	Data     *dataset.Data // observations of the source; nil if they are not in memory
	Model    *model.Model  // the model under construction
	Progress rao.Progress

	noted error // a *rao.NotConvergedError that came with a usable model
}

func newJob(name string, src TrainingData, progress rao.Progress) *Job {
	j := &Job{Source: src, Data: Observations(src), Model: &model.Model{Method: name}, Progress: progress}
	if d := j.Data; d != nil {
		j.Model.Classes, j.Model.Input = d.Classes, model.SchemaOf(d)
	}
	return j
}

// newMethod returns a method with a fit that notes an error that came with a usable model, and returns only others.
func newMethod[O any](name, summary string, traits Traits, fit func(ctx context.Context, j *Job, o *O) error) *Method {
	options := reflect.ValueOf(*new(O))
	return &Method{Traits: traits, Name: name, Summary: summary, Options: declare(options.Type()), options: options,
		fit: func(ctx context.Context, src TrainingData, options any, progress rao.Progress) (*model.Model, error) {
			j := newJob(name, src, progress)
			if err := fit(ctx, j, options.(*O)); err != nil {
				return nil, err
			}
			return j.Model, j.noted
		}}
}

// disk returns the rows that stay in their files, or nil if the source is of another type.
func (j *Job) disk() *dataset.OnDisk {
	s, _ := j.Source.(OnDisk)
	return s.Data
}

// note stores an error that came with a usable model, to be returned at the end. It returns any other error.
func (j *Job) note(err error) error {
	if rao.HasModel(err) {
		j.noted = errors.Join(j.noted, err)
		return nil
	}
	return err
}

// warn adds notes about problems that reduce the quality of the model, with remedies.
func (j *Job) warn(notes ...string) {
	j.Model.Notes = append(j.Model.Notes, notes...)
	j.Model.Warnings = append(j.Model.Warnings, notes...)
}

// closed is the report of a method with a closed-form solution.
var closed = rao.Report{Status: rao.StatusClosed}
