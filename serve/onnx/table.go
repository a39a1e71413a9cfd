package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/format/table"
	"rao/internal/linalg/vec"
	"rao/internal/recipes"
	"rao/model"
	"rao/recipe"
)

// takesColumns reports whether a graph of the model has one input per column of a table. This is necessary if some
// columns contain text.
func takesColumns(m *model.Model) bool {
	t := m.Input.Table
	return t != nil && slices.ContainsFunc(t.Columns, func(c recipe.Column) bool { return recipes.Texts(&c) })
}

// observations adds the inputs of a model of vectors and returns the vectors. The input is "X", or one input per column
// of a table with texts. In that case the graph converts categories to numbers. NaN is replaced by the values that the
// model fills in.
func (g *graph) observations(m *model.Model) (string, error) {
	fill := m.Input.Fill
	if !takesColumns(m) {
		g.inputs = []value{{"X", g.float, []int{-1, m.Input.Dim}}}
		if fill == nil {
			return "X", nil
		}
		return g.filled("X", fill), nil
	}
	var parts []string
	at := 0
	for _, c := range m.Input.Table.Columns {
		switch {
		case c.Name == "":
			return "", errors.New("a column has no name, but the inputs of a graph need names; name it and fit again")
		case slices.Contains(outputNames, c.Name) || c.Name == "valid":
			return "", fmt.Errorf("column %q has the name of an output of the graph; rename it and fit again", c.Name)
		case c.Date:
			return "", fmt.Errorf("column %s contains dates, which a graph cannot read; fit without the column, or "+
				"with its days since 1970 as numbers", c.Name)
		case c.Values == nil:
			g.inputs = append(g.inputs, value{c.Name, g.float, []int{-1}})
			x := g.reshape(c.Name, -1, 1)
			if fill != nil {
				x = g.filled(x, fill[at:at+1])
			}
			parts = append(parts, x)
		default:
			g.inputs = append(g.inputs, value{c.Name, textKind, []int{-1}})
			parts = append(parts, g.categories(c.Name, c.Values))
		}
		at += recipes.Width(&c)
	}
	return g.with("Concat", map[string]int64{"axis": 1}, nil, parts...), nil
}

// filled replaces NaN by the values of row.
func (g *graph) filled(x string, row []float64) string {
	return g.op("Where", g.op("IsNaN", x), g.numbers(row, 1, len(row)), x)
}

// categories returns the encoding of a column of texts. Each row contains a one at the position of the category and
// zeros elsewhere. An unknown text gives a row of zeros.
func (g *graph) categories(x string, names []string) string {
	n := len(names)
	place := g.with("LabelEncoder", map[string]int64{"default_int64": int64(n)}, nil, x)
	ints := make([]int64, n)
	for i := range ints {
		ints[i] = int64(i)
	}
	last := &g.nodes[len(g.nodes)-1]
	last.domain, last.texts, last.ints = mlDomain, names, map[string][]int64{"values_int64s": ints}
	rows := append(vec.Identity(n), make([]float64, n)...)
	return g.op("Gather", g.numbers(rows, n+1, n), place)
}

// place implements the operation LabelEncoder. It returns the positions of texts, and a default for unknown texts.
func (n *node) place(t *tensor) *tensor {
	out := &tensor{shape: t.shape, ints: make([]int64, len(t.texts))}
	for i, text := range t.texts {
		if out.ints[i] = n.one["default_int64"]; slices.Contains(n.texts, text) {
			out.ints[i] = n.ints["values_int64s"][slices.Index(n.texts, text)]
		}
	}
	return out
}

// concat joins matrices with equal numbers of rows side by side.
func concat(in []*tensor) (*tensor, error) {
	rows, cols := in[0].shape[0], 0
	for _, t := range in {
		if len(t.shape) != 2 || t.shape[0] != rows {
			return nil, fmt.Errorf("shape %v does not match %d rows", t.shape, rows)
		}
		cols += t.shape[1]
	}
	out := &tensor{shape: []int{rows, cols}}
	for i := range rows {
		for _, t := range in {
			out.values = append(out.values, t.values[i*t.shape[1]:(i+1)*t.shape[1]]...)
		}
	}
	return out, nil
}

func isNaN(t *tensor) *tensor {
	out := &tensor{shape: t.shape, bools: make([]bool, len(t.values))}
	for i, v := range t.values {
		out.bools[i] = v != v
	}
	return out
}

// choose returns the numbers in a where the condition is true, and the numbers in b elsewhere.
func choose(condition, a, b *tensor) (*tensor, error) {
	truth := &tensor{shape: condition.shape, values: make([]float64, len(condition.bools))}
	for i, ok := range condition.bools {
		if ok {
			truth.values[i] = 1
		}
	}
	spread, err := elementwise(truth, a, func(t, a float64) float64 {
		if t == 1 {
			return a
		}
		return math.Inf(1)
	})
	if err != nil {
		return nil, err
	}
	return elementwise(spread, b, func(s, b float64) float64 {
		if math.IsInf(s, 1) {
			return b
		}
		return s
	})
}

// tableProbe returns rows of the model's table, as a batch for the model and as inputs of the graph. x contains their
// numbers. If the model handles missing values and unknown texts, some are included.
func tableProbe(m *model.Model, x *mat.Dense) (model.Batch, map[string]*tensor, error) {
	r := rand.New(rand.NewPCG(3, 4))
	form, n := m.Input.Table, x.RawMatrix().Rows
	inputs := map[string]*tensor{}
	var data []float64
	for i := range n {
		fields := make([]string, len(form.Columns))
		at := 0
		for k, c := range form.Columns {
			t := inputs[c.Name]
			if t == nil {
				t = &tensor{shape: []int{n}}
				inputs[c.Name] = t
			}
			if c.Values == nil {
				v := x.At(i, at)
				if m.Input.Fill != nil && r.IntN(5) == 0 {
					v = math.NaN()
				} else {
					fields[k] = strconv.FormatFloat(v, 'g', -1, 64)
				}
				t.values = append(t.values, v)
			} else {
				all := append(slices.Clone(c.Values), c.Base, "", "a text that no training has")
				fields[k] = all[r.IntN(len(all))]
				t.texts = append(t.texts, fields[k])
			}
			at += recipes.Width(&c)
		}
		var err error
		data, err = dataset.AppendRow(data, form, func(k int) []byte { return []byte(fields[k]) }, number, nil)
		if err != nil {
			return model.Batch{}, nil, err
		}
	}
	return model.Vectors(mat.NewDense(n, m.Input.Dim, data)), inputs, nil
}

// number parses a number. An empty field is NaN.
func number(field []byte) (float64, bool) {
	if len(field) == 0 {
		return math.NaN(), true
	}
	return table.ParseFloat(field)
}

// schema returns the metadata "table": the columns, and the categories of text columns.
func schema(m *model.Model) string {
	if !takesColumns(m) {
		return ""
	}
	b, err := json.Marshal(m.Input.Table.Columns)
	if err != nil {
		return ""
	}
	return string(b)
}
