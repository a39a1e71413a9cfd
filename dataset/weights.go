package dataset

import (
	"fmt"
	"strconv"
	"strings"

	"rao"
	"rao/internal/linalg/vec"
)

// variables returns the columns that are not features: requested ones, and the column of the weights.
func (o *OpenOptions) variables() []string {
	if o.Weights == "" {
		return o.Table.Variables
	}
	return append(append([]string(nil), o.Table.Variables...), o.Weights)
}

// weighing returns a function that sets the weights of each block before it calls fn.
func weighing(name string, fn func(d *Data, total int) error) func(d *Data, total int) error {
	return func(d *Data, total int) error {
		if err := d.weigh(name); err != nil {
			return err
		}
		return fn(d, total)
	}
}

// weigh sets the weights from a variable of the data. "" sets none.
func (d *Data) weigh(name string) (err error) {
	if name == "" {
		return nil
	}
	v := d.Vars[name]
	switch {
	case v == nil:
		return rao.Optionf("weight-column", "%s: the data have no variable or column %q for the weights; name another "+
			"with {weight-column}", d.Source, name)
	case v.Len() != d.N():
		return fmt.Errorf("%s: variable %q: the number of values is %d, but the number of rows is %d; every row needs "+
			"one weight",
			d.Source, name, v.Len(),
			d.N())
	case v.Strings != nil:
		d.Weights, err = parseWeights(d.Source, name, d.First, v.Strings)
		return err
	}
	if d.Weights, err = v.ToFloat64(); err != nil {
		return fmt.Errorf("%s: weights %q: %w", d.Source, name, err)
	}
	d.Weights = append([]float64(nil), d.Weights...)
	for i, w := range d.Weights {
		if !vec.NotNegative(w) {
			return badWeight(d.Source, name, d.First+i, strconv.FormatFloat(w, 'g', -1, 64))
		}
	}
	return nil
}

// parseWeights parses the weights of rows. first is the index of the first row.
func parseWeights(source, name string, first int, texts []string) ([]float64, error) {
	out := make([]float64, len(texts))
	for i, text := range texts {
		w, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(text), ",", ".", 1), 64)
		if err != nil || !vec.NotNegative(w) {
			return nil, badWeight(source, name, first+i, text)
		}
		out[i] = w
	}
	return out, nil
}

func badWeight(source, name string, row int, text string) error {
	return fmt.Errorf("%s: row %d, column %q: %.40q is not a weight; give a number of 0 or more", source, row, name,
		text)
}

// noWeights returns the error for weights where they are not supported.
func noWeights(what string) error {
	return rao.Optionf("weight-column", "%s do not support weights of rows; leave out {weight-column}, or compute "+
		"full statistics of classes", what)
}
