package dataset

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"

	"rao"
	"rao/gaussian"
	"rao/internal/optionvalues"
	"rao/recipe"
)

// Each shard of a table is surveyed where it is stored, and the result is sent as bytes. A first round finds the
// columns and their texts. A second round computes the means that replace missing values.

type shardSurvey struct {
	Form     *recipe.Encoding // form of the first shard, without columns; nil if the files are not tables
	Columns  []shardColumn
	Rows     int
	Columnar bool
	Missing  recipe.Missing

	Sums *shardSums // result of the second round
}

// shardColumn is the [textColumn] of a shard.
type shardColumn struct {
	Name                     string
	Decided, Text, Date, Top bool
	Missing                  int
	Values                   map[string]int
}

// shardSums are the [means] of a shard.
type shardSums struct {
	Names  []string
	Rows   int
	N, Sum []float64
}

func (s *shardSurvey) encode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(s)
	return b.Bytes(), err
}

func decodeSurvey(b []byte) (*shardSurvey, error) {
	s := &shardSurvey{}
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(s); err != nil {
		return nil, fmt.Errorf("the survey of a shard is damaged (%w); survey the shard again", err)
	}
	return s, nil
}

// Survey collects what depends on all rows of a shard of tables, such as the texts in a column and the means that
// replace missing values. Without first, the shard is the first one: Survey also sets opt for reading all shards, with
// the label column, the names of the columns and the form of the first shard; it returns nil if opt.Table.Learn is not
// set, because no other survey is then needed. For the other shards, first is the survey of the first shard. With
// inputs from an earlier [MergeSurveys], Survey sums up the values that are not missing. It returns an error if the
// shard cannot be read, if medians are requested, or if the columns differ from the columns of the first shard.
func Survey(ctx context.Context, spec string, first []byte, inputs *gaussian.Inputs, opt *OpenOptions) ([]byte, error) {
	if inputs != nil {
		known := opt.WithInputs(inputs)
		known.RequireLabels = true
		var sums means
		err := vectorBlocks(ctx, spec, known, func(d *Data) error {
			sums.add(d.X, d.Weights)
			sums.names = d.columns()
			return nil
		})
		if err != nil {
			return nil, err
		}
		return (&shardSurvey{Sums: &shardSums{sums.names, sums.rows, sums.n, sums.sum}}).encode()
	}
	if first == nil {
		return surveyFirst(ctx, spec, opt)
	}
	known, err := decodeSurvey(first)
	if err != nil {
		return nil, err
	}
	if known.Form == nil {
		return first, nil
	}
	opt.RequireLabels = true
	l, files, err := newFormLearner(ctx, spec, opt, noMeans)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, fmt.Errorf("%s: this file is not a table, but the first file is; give only tables", spec)
	}
	l.form, l.at = known.Form, map[string]int{}
	for k, c := range known.Columns {
		l.at[c.Name] = k
		l.columns = append(l.columns, &textColumn{name: c.Name, decided: c.Decided, text: c.Text, date: c.Date,
			top: c.Top})
	}
	if err := l.readAll(ctx, files, false); err != nil {
		return nil, err
	}
	return l.survey().encode()
}

// surveyFirst surveys the first shard.
func surveyFirst(ctx context.Context, spec string, opt *OpenOptions) ([]byte, error) {
	if !opt.Table.Learn || opt.Form != nil {
		return nil, opt.resolve(ctx, spec)
	}
	if opt.Table.Missing == optionvalues.MissingMedian {
		return nil, noMedian(spec)
	}
	opt.RequireLabels = true
	l, files, err := newFormLearner(ctx, spec, opt, noMeans)
	if err != nil {
		return nil, err
	}
	if l == nil {
		if err := opt.resolve(ctx, spec); err != nil {
			return nil, err
		}
		return (&shardSurvey{Missing: opt.Table.Missing}).encode()
	}
	l.settled = opt
	if err := l.readAll(ctx, files, true); err != nil {
		return nil, err
	}
	switch {
	case opt.Y != "" || opt.Labels != "":
	case l.form.Label == "":
		opt.Y = noLabels
	default:
		opt.Y = l.form.Label
	}
	return l.survey().encode()
}

// survey returns the results of the learner as the survey of a shard.
func (l *formLearner) survey() *shardSurvey {
	s := &shardSurvey{Form: l.form, Rows: l.rows, Columnar: l.columnar, Missing: l.form.Missing}
	for _, c := range l.columns {
		values := make(map[string]int, len(c.values))
		for text, n := range c.values {
			values[text] = *n
		}
		s.Columns = append(s.Columns, shardColumn{c.name, c.decided, c.text, c.date, c.top, c.missing, values})
	}
	return s
}

// MergeSurveys merges the surveys of all shards, in the order of the shards. The result is the form of the tables or,
// if inputs already has a form, inputs with the means that replace missing values. The means depend on the split of the
// rows into shards only up to rounding. MergeSurveys returns an error if a survey is damaged, if the columns of the
// shards differ, or if a column has no value.
func MergeSurveys(spec string, inputs *gaussian.Inputs, surveys [][]byte) (*gaussian.Inputs, error) {
	if len(surveys) == 0 {
		return nil, errors.New("there are no shards to merge; give at least one")
	}
	var sum *shardSurvey
	for i, b := range surveys {
		next, err := decodeSurvey(b)
		if err == nil && sum != nil {
			err = sum.add(spec, next)
		}
		if err != nil {
			return nil, fmt.Errorf("shard %d of %d: %w", i+1, len(surveys), err)
		}
		if sum == nil {
			sum = next
		}
	}
	switch {
	case inputs != nil:
		s := sum.Sums
		if s == nil {
			return nil, errors.New("the survey of a shard has no column sums; make the second survey of all shards")
		}
		m := means{names: s.Names, rows: s.Rows, n: s.N, sum: s.Sum}
		fill, err := m.values()
		return &gaussian.Inputs{Table: inputs.Table, Fill: fill}, err
	case sum.Form == nil:
		return &gaussian.Inputs{Table: &recipe.Encoding{Missing: sum.Missing}}, nil
	}
	l := &formLearner{form: sum.Form, rows: sum.Rows, columnar: sum.Columnar}
	for _, c := range sum.Columns {
		values := make(map[string]*int, len(c.Values))
		for text, n := range c.Values {
			values[text] = &n
		}
		l.columns = append(l.columns, &textColumn{name: c.Name, decided: c.Decided, text: c.Text, date: c.Date,
			top: c.Top, missing: c.Missing, values: values})
	}
	form, err := l.finishForm(spec)
	return &gaussian.Inputs{Table: form}, err
}

func (s *shardSurvey) add(spec string, next *shardSurvey) error {
	if s.Sums != nil && next.Sums != nil {
		if len(s.Sums.N) != len(next.Sums.N) {
			return errors.New("the columns differ from those of the first shard; give files with the same columns")
		}
		s.Sums.Rows += next.Sums.Rows
		for j := range s.Sums.N {
			s.Sums.N[j] += next.Sums.N[j]
			s.Sums.Sum[j] += next.Sums.Sum[j]
		}
		return nil
	}
	if len(s.Columns) != len(next.Columns) || (s.Sums == nil) != (next.Sums == nil) {
		return errors.New("the columns differ from those of the first shard; give files with the same columns")
	}
	s.Rows += next.Rows
	for k := range s.Columns {
		if err := s.Columns[k].add(spec, &next.Columns[k]); err != nil {
			return err
		}
	}
	return nil
}

// add adds the column of a later shard. If the first shard has no value in a column, the first value found determines
// its type, and later shards must agree.
func (c *shardColumn) add(spec string, next *shardColumn) error {
	c.Missing += next.Missing
	if !next.Decided {
		return nil
	}
	if !c.Decided {
		c.Decided, c.Text, c.Date = true, next.Text, next.Date
	}
	if c.Text != next.Text || c.Date != next.Date {
		return rao.Optionf("categories", "%s: column %q has texts in one part of the data and numbers or dates in "+
			"another; name it in {categories}, or leave it out with {drop}", spec, c.Name)
	}
	all := textColumn{name: c.Name, text: true, top: c.Top}
	if c.Values == nil {
		c.Values = map[string]int{}
	}
	for text, n := range next.Values {
		c.Values[text] += n
	}
	return all.bounded(len(c.Values))
}

// WithInputs returns the options for data with known inputs, for example from [MergeSurveys].
func (o OpenOptions) WithInputs(in *gaussian.Inputs) OpenOptions {
	if in == nil {
		return o
	}
	if o.inputs, o.fill = in, in.Fill; in.Table.Columns != nil {
		o.Form, o.Columns = in.Table, nil
	}
	return o
}
