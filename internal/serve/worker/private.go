package worker

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao/internal/privacy"
	"rao/internal/statsource"
	"rao/internal/subclasses"
	"rao/method"
)

// privateRequest contains the settings of private statistics. The arrays are the vectors "X" with the labels "y", which
// are indices into Classes of the request. For a later round with several sites, "after" is the merged file of the
// previous round.
type privateRequest struct {
	privacy.Guarantee
	Classes []string          `json:"classes"` // all classes to count; rows of other classes are left out
	Low     []float64         `json:"low"`
	High    []float64         `json:"high"`
	Clip    float64           `json:"clip"`
	Pooled  bool              `json:"pooled"`
	Dim     int               `json:"dim"`
	Ledger  string            `json:"ledger"`
	Budget  privacy.Guarantee `json:"budget"`
	Start   bool              `json:"start"`
	// If units are protected, the array "units" has the number of the unit of each row.
	UnitRows int `json:"unit_rows"`
}

// privateInfo accompanies the array "file" of private statistics. Every number is public or contains noise.
type privateInfo struct {
	Classes  []string `json:"classes"`
	Counts   []int64  `json:"counts"`
	Columns  []string `json:"columns"`
	Features int      `json:"features"` // columns of the rows
	Dim      int      `json:"dim"`
	Kind     string   `json:"kind"`
	Round    string   `json:"round"`
	Complete bool     `json:"complete"`
	Sites    int      `json:"sites"`
	privacy.Guarantee
	Attack float64 `json:"attack"` // largest fraction of pairs in which an attacker can be right
}

// private adds noise to the statistics of the rows of "X" and "y" and returns the private release.
func private(ctx context.Context, s *server, q *Request) (*Reply, error) {
	p := q.Private
	if p == nil || q.optional("y") == nil {
		return nil, fmt.Errorf("the request private has no field %q or no array %q", "private", "y")
	}
	d, err := q.data(ctx)
	if err != nil {
		return nil, err
	}
	if d.X == nil {
		return nil, fmt.Errorf("array \"X\" contains matrices, but private statistics need vectors, because a " +
			"person has many matrices, which a guarantee for single rows does not protect; send one vector per person")
	}
	opt := privacy.PublishOptions{Options: privacy.Options{Guarantee: p.Guarantee, Classes: p.Classes,
		Columns: q.Columns, Domain: privacy.Domain{Low: p.Low, High: p.High, Clip: p.Clip}, Dim: p.Dim},
		Ledger: p.Ledger, Budget: p.Budget, Start: p.Start}
	if p.Pooled {
		opt.Kind = privacy.Pooled
	}
	if opt.UnitRows = p.UnitRows; p.Unit != "" {
		units, err := q.units(len(d.Labels))
		if err != nil {
			return nil, err
		}
		opt.Units = &units
	}
	if after := q.optional("after"); after != nil {
		path, done, err := asFile(after)
		if err != nil {
			return nil, err
		}
		defer done()
		opt.After = path
	}
	show, done := s.progress(q)
	opt.Progress = show
	defer done()
	r, err := privacy.Publish(ctx, func(columns *[]string) subclasses.Rows {
		if *columns != nil && q.Columns != nil && !slices.Equal(*columns, q.Columns) {
			return func(func(mat.Matrix, []int, []string) error) error {
				return fmt.Errorf("the columns or their order differ from the previous round; give the same columns " +
					"in the same order")
			}
		}
		if *columns == nil {
			*columns = q.Columns
		}
		return subclasses.RowsOf(d.X.Matrix(), d.Labels, d.Classes)
	}, opt)
	if err != nil {
		return nil, err
	}
	reply, err := privateReply(r)
	if total := float64(r.Total()); err == nil && total > 0 && p.Delta > 1/total {
		reply.Warnings = []string{fmt.Sprintf("delta %g is larger than 1/%.0f, one over the number of rows, so some "+
			"rows could be revealed; choose a smaller delta", p.Delta, total)}
	}
	if advice := r.Advice(); err == nil && advice != "" {
		reply.Warnings = append(reply.Warnings, advice)
	}
	return reply, err
}

// units returns the names of the units of n rows, from the array "units".
func (q *Request) units(n int) ([]string, error) {
	a, err := q.array("units")
	if err != nil {
		return nil, err
	}
	numbers, err := a.oneOf("row", n, math.MinInt, math.MaxInt)
	if err != nil {
		return nil, err
	}
	units := make([]string, n)
	for i, v := range numbers {
		units[i] = strconv.Itoa(v)
	}
	return units, nil
}

// mergePrivate merges the releases in the arrays "0", "1" and so on.
func mergePrivate(_ context.Context, _ *server, q *Request) (*Reply, error) {
	parts := make([]*privacy.Release, len(q.Arrays))
	for i := range parts {
		var err error
		if parts[i], err = q.release(fmt.Sprint(i)); err != nil {
			return nil, err
		}
	}
	r, err := privacy.Merge(parts...)
	if err != nil {
		return nil, err
	}
	return privateReply(r)
}

// loadPrivate reads the release in the array "file".
func loadPrivate(_ context.Context, _ *server, q *Request) (*Reply, error) {
	r, err := q.release("file")
	if err != nil {
		return nil, err
	}
	return privateReply(r)
}

// release reads a file of private statistics from the named array.
func (q *Request) release(name string) (*privacy.Release, error) {
	a, err := q.array(name)
	if err != nil {
		return nil, err
	}
	return privacy.Read(bytes.NewReader(a.Data), int64(len(a.Data)), cmp.Or(q.Path, "private statistics"))
}

// asFile writes an array of bytes to a temporary file. done removes the file.
func asFile(a *Array) (path string, done func(), err error) {
	dir, err := os.MkdirTemp("", "rao-")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(dir, "private.npz")
	if err := os.WriteFile(path, a.Data, 0o600); err != nil {
		os.RemoveAll(dir)
		return "", nil, err
	}
	return path, func() { os.RemoveAll(dir) }, nil
}

func privateReply(r *privacy.Release) (*Reply, error) {
	file, err := fileArray("file", r)
	if err != nil {
		return nil, err
	}
	p, g := &r.Plan, r.Guarantee()
	return &Reply{Info: privateInfo{p.Classes, r.Counts, p.Columns, len(p.Center), p.Dim, p.Kind.String(),
		p.Round.String(), r.Complete(), r.Contributors(), g, privacy.AttackAUC(g.Rho())},
		Arrays: []Array{file}}, nil
}

// privateSource returns the source for fitting the release in the array "release", and its guarantee.
func (q *Request) privateSource(m *method.Method) (src method.TrainingData, g privacy.Guarantee, err error) {
	r, err := q.release("release")
	if err != nil {
		return nil, g, err
	}
	src, err = statsource.Private(m, r)
	return src, r.Guarantee(), err
}
