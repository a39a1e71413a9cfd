package method

import (
	"context"
	"fmt"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/suggest"
	"rao/model"
)

// Method is one way to learn, known by name.
type Method struct {
	Name     string
	Summary  string   // one line
	Matrices bool     // learns on SPD matrices, else on vectors
	Rows     bool     // needs the observations; statistics alone do not do
	Options  []string // the options it reads, by name
	fit      func(ctx context.Context, j *job) error
}

// Source is what a method learns from: data, or, where Rows is false, statistics
// alone. When both are given the statistics must be those of the data.
type Source struct {
	Data  *dataset.Data
	Stats *gaussian.Statistics
}

// job is one fit on its way: the source, the settings, and the model that grows.
type job struct {
	src      Source
	set      Settings
	progress rao.Progress
	model    *model.Model
	noted    error // a NotConvergedError that came beside a usable model
}

// Methods returns all methods, those on vectors first.
func Methods() []*Method {
	all := make([]*Method, len(table))
	for i := range table {
		all[i] = &table[i]
	}
	return all
}

// Names returns the names of all methods in their order.
func Names() []string {
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].Name
	}
	return names
}

// Lookup returns the method of the given name; for an unknown one the error offers
// the nearest.
func Lookup(name string) (*Method, error) {
	for i := range table {
		if table[i].Name == name {
			return &table[i], nil
		}
	}
	return nil, suggest.Unknown("method", name, Names())
}

// Fit learns from src and returns a whole model: preprocessing, fitted parts and
// the names of the classes. A rao.NotConvergedError comes beside a usable model.
// When ctx is cancelled the model is the best so far, with status Cancelled.
func (m *Method) Fit(ctx context.Context, src Source, set Settings, progress rao.Progress) (*model.Model, error) {
	j := &job{src: src, set: set, progress: progress, model: &model.Model{Method: m.Name, Options: set.Changed()}}
	if err := m.accepts(src); err != nil {
		return nil, err
	}
	if err := m.fit(ctx, j); err != nil {
		return nil, err
	}
	if err := j.model.Validate(); err != nil {
		return nil, fmt.Errorf("%s: the fit is not valid: %w", m.Name, err)
	}
	return j.model, j.noted
}

// accepts checks that the source is of the kind that the method learns from.
func (m *Method) accepts(src Source) error {
	d := src.Data
	switch {
	case d == nil && src.Stats == nil:
		return fmt.Errorf("%s: there is nothing to learn from", m.Name)
	case d == nil && m.Matrices:
		return fmt.Errorf("%s learns from matrices; statistics of vectors do not do", m.Name)
	case d == nil && m.Rows:
		return fmt.Errorf("%s needs the observations themselves, not their statistics; give --data", m.Name)
	case d == nil:
		return nil
	case m.Matrices && d.Stack == nil:
		return fmt.Errorf("%s learns from SPD matrices, %s holds vectors; make covariances first (rao cov)", m.Name, d.Source)
	case !m.Matrices && d.X == nil:
		return fmt.Errorf("%s learns from vectors, %s holds matrices; methods on matrices: see rao fit --help", m.Name, d.Source)
	case d.Labels == nil:
		return fmt.Errorf("%s holds no labels; name them with --y or --labels", d.Source)
	case len(d.Labels) != d.N():
		return fmt.Errorf("%s has %d labels for %d observations", d.Source, len(d.Labels), d.N())
	}
	return nil
}

// note keeps a NotConvergedError for the end and passes any other error on.
func (j *job) note(err error) error {
	if rao.IsNotConverged(err) {
		j.noted = err
		return nil
	}
	return err
}
