package serve

import (
	"errors"
	"io"
	"math"
	"strconv"

	"rao/dataset"
	"rao/internal/format/table"
	"rao/internal/recipes"
	"rao/model"
	"rao/recipe"
)

// form returns the table of the model, or nil if all columns are numbers.
func (e *entry) form() *recipe.Encoding {
	f := e.model.Input.Table
	if f == nil {
		return nil
	}
	for _, c := range f.Columns {
		if recipes.Texts(&c) {
			return f
		}
	}
	return nil
}

// imputes reports whether the model fills in missing values.
func (e *entry) imputes() bool { return e.model.Input.Fill != nil }

// tensorsByForm converts one tensor per column, of texts or numbers, to observations.
func (e *entry) tensorsByForm(inputs []tensor, f *recipe.Encoding, own *share) (model.Batch, error) {
	byName := map[string]*tensor{}
	for i := range inputs {
		if name := inputs[i].Name; byName[name] != nil {
			return model.Batch{}, badRequest("input %q is given twice; send it once", name)
		}
		byName[inputs[i].Name] = &inputs[i]
	}
	n := len(inputs[0].Data) + len(inputs[0].Text)
	for _, c := range f.Columns {
		t := byName[c.Name]
		if t == nil {
			return model.Batch{}, badRequest("input %q is missing; the model needs one for each column", c.Name)
		}
		if len(t.Data)+len(t.Text) != n {
			return model.Batch{}, badRequest("input %q has %d values, but input %q has %d; send the same number of "+
				"values for each column", t.Name, len(t.Data)+len(t.Text), inputs[0].Name, n)
		}
		if !recipes.Texts(&c) && t.Text != nil {
			return model.Batch{}, badRequest("input %q is for a column of numbers; send its values as FP64", c.Name)
		}
		delete(byName, c.Name)
	}
	for name := range byName {
		return model.Batch{}, badRequest("the model has no input %q; leave it out", name)
	}
	for i := range inputs {
		byName[inputs[i].Name] = &inputs[i]
	}
	lacks := &dataset.Lacks{}
	data, err := own.room(nil, n*recipes.TableDim(f))
	if err != nil {
		return model.Batch{}, err
	}
	for i := range n {
		data, err = dataset.AppendRow(data, f, func(k int) []byte {
			t := byName[f.Columns[k].Name]
			if t.Text != nil {
				return []byte(t.Text[i])
			}
			if v := t.Data[i]; !math.IsNaN(v) {
				return strconv.AppendFloat(nil, v, 'g', -1, 64)
			}
			return nil
		}, table.ParseFloat, lacks)
		if err != nil {
			return model.Batch{}, badRequest("row %d, %v", i, err)
		}
	}
	b, err := e.observations([]int{n, recipes.TableDim(f)}, data, e.model.Input.Columns)
	b.Lacks = lacks
	return b, err
}

// byForm parses delimited text as rows of the model's table. It finds the columns by name and ignores others. Without a
// header the names are 0, 1, and so on.
func (e *entry) byForm(t *table.Reader, f *recipe.Encoding, limit int, own *share) (model.Batch, error) {
	names := make([]string, len(f.Columns))
	for k, c := range f.Columns {
		names[k] = c.Name
	}
	at, err := columnsOf(t, names)
	if err != nil {
		return model.Batch{}, err
	}
	var data []float64
	lacks := &dataset.Lacks{}
	for {
		fields, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return model.Batch{}, err
		}
		if data, err = own.room(data, recipes.TableDim(f)); err != nil {
			return model.Batch{}, err
		}
		data, err = dataset.AppendRow(data, f, func(k int) []byte { return fields[at[k]] }, t.Float, lacks)
		if err != nil {
			return model.Batch{}, badRequest("line %d, %v", t.Line(), err)
		}
		if len(data) > limit {
			return model.Batch{}, badRequest("there are more than %d numbers; send fewer observations at a "+
				"time", limit)
		}
	}
	if len(data) == 0 {
		return model.Batch{}, badRequest("there are no rows; send at least one")
	}
	b, err := e.observations([]int{len(data) / recipes.TableDim(f), recipes.TableDim(f)}, data, e.model.Input.Columns)
	b.Lacks = lacks
	return b, err
}

// rowsByForm parses observations as objects of numbers and texts by column. null is a missing value. Other columns are
// ignored, as in [entry.byForm].
func (s *scanner) rowsByForm(f *recipe.Encoding, limit int, lacks *dataset.Lacks) (data []float64, shape []int,
	err error) {
	if err := s.expect('['); err != nil {
		return nil, nil, err
	}
	place := map[string]int{}
	for k, c := range f.Columns {
		place[c.Name] = k
	}
	fields := make([]string, len(f.Columns))
	n := 0
	err = s.list(']', func() error {
		filled := 0
		err := s.object(func(name string) error {
			k, ok := place[name]
			v, err := s.cell()
			if ok {
				filled++
				fields[k] = v
			}
			return err
		})
		if err != nil {
			return err
		}
		if filled != len(fields) {
			return s.errorf("row %d has only %d of the %d columns of the model; send all of "+
				"them", n, filled, len(fields))
		}
		if data, err = s.share.room(data, recipes.TableDim(f)); err != nil {
			return err
		}
		data, err = dataset.AppendRow(data, f, func(k int) []byte { return []byte(fields[k]) }, table.ParseValue, lacks)
		if err != nil {
			return s.errorf("row %d, %v", n, err)
		}
		if n++; len(data) > limit {
			return s.errorf("there are more than %d numbers; send fewer observations at a time", limit)
		}
		return nil
	})
	return data, []int{n, recipes.TableDim(f)}, err
}

// cell parses a string, a number, a boolean or null and returns it as a table cell.
func (s *scanner) cell() (string, error) {
	if s.next() == '"' {
		return s.text()
	}
	start := s.i
	word := s.token()
	switch string(word) {
	case "null":
		return "", nil
	case "true", "false":
		return string(word), nil
	}
	if _, ok := table.ParseFloat(word); !ok || len(word) == 0 {
		s.i = start
		return "", s.errorf("found %s instead of a number, a string or null", s.here())
	}
	return string(word), nil
}
