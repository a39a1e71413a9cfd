package method

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rao"
	"rao/internal/suggest"
	"rao/model"
)

// Method is a learning method with a name. [New] makes one.
type Method struct {
	Traits
	Name    string
	Summary string   // one line
	Options []Option // in the order of their declaration
	// After is the name of the method that precedes this one in lists; empty: this one is the last of its kind.
	After string

	options reflect.Type // options struct that the fit receives
	fit     func(ctx context.Context, src Source, options any, progress rao.Progress) (*model.Model, error)
}

// Traits describe the input of a method.
type Traits struct {
	Matrices bool // SPD matrices, else vectors
	Trials   bool // vectors are signals of trials: count × channels × samples
	Rows     bool // needs the observations: statistics are not enough
	// Span: filters of vectors are in the span of the observations and the method is rotation-invariant, so few
	// observations with many columns do not need the covariance of the columns.
	Span bool
	// Pooled: of the statistics, only the covariance of all observations together is needed.
	Pooled   bool
	Memory   Copies
	Mixtures bool // statistics of sub-classes replace data
	Batches  bool // rows may stay in their files: statistics and random batches are enough
	Streams  bool // covariances may stay in their file if the fit is in a subspace
}

// New returns a method whose fit receives its options as a struct O. Each exported field of O that is an option has
// the tags opt (its name), default and help, and optionally min, max and choices. Embedded structs add the options
// that methods share. It panics if a declaration is incomplete.
//
// The model that fit returns is validated. fit may leave its Method, Options and Classes unset. It may return a usable
// model with a *rao.NotConvergedError.
func New[O any](name, summary string, traits Traits,
	fit func(ctx context.Context, src Source, options *O, progress rao.Progress) (*model.Model, error)) *Method {
	t := reflect.TypeFor[O]()
	return &Method{Traits: traits, Name: name, Summary: summary, Options: declare(t), options: t,
		fit: func(ctx context.Context, src Source, options any, progress rao.Progress) (*model.Model, error) {
			return fit(ctx, src, options.(*O), progress)
		}}
}

// Register adds a method, which is then available by name like the methods of this package. Call it from an init
// function. It panics if the name is taken or is not one word, or if a default is not a valid value of its option.
func Register(m *Method) {
	if m.Name == "" || strings.ContainsAny(m.Name, " \t\n,:=") {
		panic(fmt.Sprintf("method: %q is not a name", m.Name))
	}
	if slices.Contains(Names(), m.Name) {
		panic("method: " + m.Name + " is registered twice")
	}
	if _, err := m.With(nil); err != nil {
		panic(fmt.Sprintf("method: %s: default: %v", m.Name, err))
	}
	at := slices.IndexFunc(table, func(other *Method) bool { return m.After != "" && other.Name == m.After }) + 1
	if at == 0 {
		at = len(table)
	}
	table = slices.Insert(table, at, m)
}

// Methods returns all methods, those on vectors first.
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

// Names returns the names of all methods in their order.
func Names() []string {
	all := Methods()
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.Name
	}
	return names
}

// Lookup returns the method with the given name; the error for an unknown name suggests the nearest one.
func Lookup(name string) (*Method, error) {
	for _, m := range table {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, suggest.Unknown("method", name, Names())
}

// Option returns the declaration of the named option; the error for an unknown name suggests the nearest one.
func (m *Method) Option(name string) (*Option, error) {
	names := make([]string, len(m.Options))
	for i := range m.Options {
		if m.Options[i].Name == name {
			return &m.Options[i], nil
		}
		names[i] = m.Options[i].Name
	}
	return nil, suggest.Unknown("option of "+m.Name, name, names)
}

// CheckValue returns an error if the method has no such option or the value is invalid.
func (m *Method) CheckValue(name, value string) error {
	o, err := m.Option(name)
	if err != nil {
		return err
	}
	return o.set(reflect.New(m.options).Elem(), value)
}

// Only returns the settings that the method uses: its own options that apply given the other settings.
func (m *Method) Only(set Settings) Settings {
	var out Settings
	for _, s := range set {
		if o, err := m.Option(s.Name); err == nil && m.meaning(o, set) == nil {
			out = append(out, s)
		}
	}
	return out
}

// meaning returns an error when the option has no meaning next to the other settings.
func (m *Method) meaning(o *Option, set Settings) error {
	for _, n := range m.Needs(o) {
		now, given := set.Get(n.Option)
		if !given {
			other, _ := m.Option(n.Option)
			now = other.Default
		}
		if !slices.Contains(n.Values, now) {
			return fmt.Errorf("%s has a meaning only with %s, not %s", o.Name, n, now)
		}
	}
	return nil
}

// Count returns the value of an integer option: as set, or its default; 0 if the method does not have it.
func (m *Method) Count(set Settings, option string) int {
	text, ok := set.Get(option)
	if !ok {
		o, err := m.Option(option)
		if err != nil {
			return 0
		}
		text = o.Default
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// parse returns a pointer to the options: the defaults with the settings on top.
func (m *Method) parse(set Settings) (any, error) {
	v := reflect.New(m.options)
	for i := range m.Options {
		o := &m.Options[i]
		if err := o.set(v.Elem(), o.Default); err != nil {
			return nil, err
		}
	}
	for _, s := range set {
		o, err := m.Option(s.Name)
		if err != nil {
			return nil, err
		}
		if err := o.set(v.Elem(), s.Value); err != nil {
			return nil, err
		}
		if err := m.meaning(o, set); err != nil {
			return nil, err
		}
	}
	return v.Interface(), nil
}

// changed returns the settings that differ from the defaults, by name: what a model file
// keeps.
func (m *Method) changed(set Settings) []model.Option {
	var out []model.Option
	for _, s := range set {
		if o, err := m.Option(s.Name); err == nil && o.Default != s.Value {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b model.Option) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Fit is [Spec.Fit] with the settings.
func (m *Method) Fit(ctx context.Context, src Source, set Settings, progress rao.Progress) (*model.Model, error) {
	return Spec{Method: m, Settings: set}.Fit(ctx, src, progress)
}

// job is one fit of a method of this package on its way: the source and the model that
// grows.
type job struct {
	src      Source
	progress rao.Progress
	model    *model.Model
	noted    error // a NotConvergedError that came with a usable model
}

// newMethod returns a method whose fit fills the model of a job.
func newMethod[O any](name, summary string, traits Traits, fit func(ctx context.Context, j *job, o *O) error) *Method {
	return New(name, summary, traits, func(ctx context.Context, src Source, o *O, progress rao.Progress) (*model.Model,
		error) {
		j := &job{src: src, progress: progress, model: &model.Model{Method: name}}
		if err := fit(ctx, j, o); err != nil {
			return nil, err
		}
		return j.model, j.noted
	})
}

// note keeps a NotConvergedError for the end and passes any other error on.
func (j *job) note(err error) error {
	if rao.HasModel(err) {
		j.noted = errors.Join(j.noted, err)
		return nil
	}
	return err
}

// warn notes what makes the model worse than it could be, with what a user can do about it.
func (j *job) warn(notes ...string) {
	j.model.Notes = append(j.model.Notes, notes...)
	j.model.Warnings = append(j.model.Warnings, notes...)
}

// closed is the report of a method that does not iterate.
var closed = rao.Report{Status: rao.Closed}
