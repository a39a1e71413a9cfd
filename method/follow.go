package method

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/internal/suggest"
	"rao/model"
)

// Follower names the method that learns on what another gives, with options of its own:
// METHOD[:OPTION=VALUE]..., or none.
type Follower string

// Syntax implements the word that help shows.
func (Follower) Syntax() string { return "METHOD[:OPTION=VALUE]..." }

// short are the names of the classifiers that have no filters of their own.
var short = map[string]string{"qda": "qda-raw", "lda": "lda-raw", "knn": "knn-raw", "svm": "svm-raw",
	"mixture": "mixture-raw"}

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Follower) UnmarshalText(text []byte) error {
	*f = Follower(text)
	if *f == "none" {
		return nil
	}
	m, set, err := f.parse()
	if err != nil {
		return err
	}
	return m.Check(set)
}

func (f Follower) parse() (*Method, Settings, error) {
	parts := strings.Split(string(f), ":")
	name := parts[0]
	if long, ok := short[name]; ok {
		name = long
	}
	m, err := Lookup(name)
	if err != nil {
		return nil, nil, suggest.Unknown("classifier", parts[0],
			append([]string{"qda", "lda", "knn", "svm", "mixture", "none"}, Names()...))
	}
	var set Settings
	for _, p := range parts[1:] {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return nil, nil, fmt.Errorf("%q: want OPTION=VALUE", p)
		}
		set.Set(name, value)
	}
	return m, set, nil
}

// OfMatrices reports whether f names a method of matrices.
func (f Follower) OfMatrices() bool {
	m, _, err := f.parse()
	return err == nil && m.Matrices
}

// Follow fits the method that f names to what the stages of the model make of the
// training data, and appends its stages and classifier to the model's.
func (j *job) Follow(ctx context.Context, f Follower) error {
	if f == "none" {
		return nil
	}
	d := j.src.Data
	b, err := j.model.Transform(ctx, model.BatchOf(d))
	if err != nil {
		return err
	}
	out := &dataset.Data{Source: d.Source, Labels: d.Labels, Classes: d.Classes, Stack: b.Stack}
	if b.X != nil {
		x := mat.DenseCopyOf(b.X)
		rows, cols := x.Dims()
		out.X = dataset.NewTable64(rows, cols, x.RawMatrix().Data)
	}
	return j.followOn(ctx, f, Source{Data: out})
}

// followOn is Follow with the source given.
func (j *job) followOn(ctx context.Context, f Follower, src Source) error {
	m, set, err := f.parse()
	if err != nil {
		return err
	}
	next, err := m.Fit(ctx, src, set, j.progress)
	if next == nil {
		return fmt.Errorf("--classifier %s: %w", f, err)
	}
	if err != nil && rao.HasModel(err) {
		j.noted = errors.Join(j.noted, err)
	}
	j.model.Stages = append(j.model.Stages, next.Stages...)
	j.model.Classifier = next.Classifier
	j.model.Notes = append(j.model.Notes, next.Notes...)
	return nil
}
