package dataset

import (
	"errors"
	"fmt"
	"slices"

	"rao/internal/text"
	"rao/recipe"
	"rao/spd"
)

// Concat concatenates data sets with observations of the same kind and size. The variable "source" of the result
// contains the name of the set of each observation, from names. Classes and named columns are matched by name. Other
// variables are kept if every set has them with one value per observation. It returns an error if the kinds or sizes of
// the observations, the names of columns or channels, or the recipes are inconsistent, or if only some of the sets have
// labels.
func Concat(sets []*Data, names []string) (*Data, error) {
	if len(sets) == 0 || len(names) != len(sets) {
		return nil, fmt.Errorf("%d names for %d data sets; give at least one data set, and one name for each",
			len(names),
			len(sets))
	}
	out, err := join(sets)
	if err != nil {
		return nil, err
	}
	out.Source, out.Form, out.From = fmt.Sprintf("%s and %d more", sets[0].Source, len(sets)-1), nil, nil
	source := &Array{Name: "source", Shape: []int{out.N()}}
	for i, d := range sets {
		source.Strings = append(source.Strings, slices.Repeat(names[i:i+1], d.N())...)
	}
	out.Vars["source"] = source
	return out, nil
}

func join(sets []*Data) (*Data, error) {
	out := *sets[0]
	orders, labels := make([][]int, len(sets)), []string(nil)
	fixed := out.Classes // kept if all sets have the same
	for i, d := range sets {
		var err error
		if orders[i], err = sets[0].joins(d); err != nil {
			return nil, fmt.Errorf("%s and %s: %w", sets[0].Source, d.Source, err)
		}
		for _, l := range d.Labels {
			labels = append(labels, d.Classes[l])
		}
		if !slices.Equal(fixed, d.Classes) {
			fixed = nil
		}
	}
	if out.Labels != nil {
		out.Labels, out.Classes = indexLabels(labels, fixed, nil)
	}
	if out.Stack != nil {
		out.Stack = spd.NewStack(0, out.Stack.Dim)
		for _, d := range sets {
			out.Stack.Data = append(out.Stack.Data, d.Stack.Contiguous()...)
			out.Stack.Count += d.Stack.Count
		}
	} else {
		out.X = joinTables(sets, orders)
	}
	out.Vars = map[string]*Array{}
	for name, v := range sets[0].Vars {
		switch {
		case isNames(name):
			out.Vars[name] = v
		case !slices.ContainsFunc(sets, func(d *Data) bool {
			return d.Vars[name] == nil || d.Vars[name].Len() != d.N()
		}):
			out.Vars[name] = joined(name, sets)
		}
	}
	return &out, nil
}

// joins returns the order of the columns of other that matches d, or nil if it already matches. It returns an error
// if the observations cannot be joined.
func (d *Data) joins(other *Data) ([]int, error) {
	switch {
	case (d.Stack == nil) != (other.Stack == nil):
		return nil, errors.New("matrices and vectors cannot be combined; give only one kind")
	case d.Image != other.Image:
		if d.Image[0] == 0 || other.Image[0] == 0 {
			return nil, errors.New("only one of them has images; give images in both, or in neither")
		}
		return nil, fmt.Errorf("the first has images of shape %s, but the second has images of shape %s; give images "+
			"of one shape", text.Shape(d.Image[:]), text.Shape(other.Image[:]))
	case (d.Labels == nil) != (other.Labels == nil):
		return nil, errors.New("only one of them has labels; give labels to both, or to neither")
	case d.Stack != nil && d.Stack.Dim != other.Stack.Dim:
		return nil, fmt.Errorf("the first has matrices of order %d, but the second has matrices of order %d; give "+
			"the same channels", d.Stack.Dim, other.Stack.Dim)
	}
	if a, b := d.Vars["channels"], other.Vars["channels"]; a != nil && b != nil && !slices.Equal(a.Strings, b.Strings) {
		return nil, errors.New("the channels have different names or a different order; give both the same channels")
	}
	if err := recipe.Check(d.Recipe, other.Recipe); err != nil || d.X == nil {
		return nil, err
	}
	return orderOf(d.columns(), other.columns(), d.X.cols, other.X.cols)
}

// joinTables returns the rows of all sets, with their columns in the given orders.
func joinTables(sets []*Data, orders [][]int) *Table {
	rows, kind := 0, float32s
	for _, d := range sets {
		rows, kind = rows+d.X.rows, max(kind, d.X.kind)
	}
	out := newTable(kind, rows, sets[0].X.cols)
	at := 0
	for i, d := range sets {
		x := d.X.inOrder(orders[i])
		out.setRow(at, x, 0, x.rows)
		at += x.rows
	}
	return out
}

// joined returns a variable joined over all sets.
func joined(name string, sets []*Data) *Array {
	out := &Array{Name: name, Type: sets[0].Vars[name].Type}
	has := func(kind func(v *Array) bool) bool {
		return !slices.ContainsFunc(sets, func(d *Data) bool { return !kind(d.Vars[name]) })
	}
	numbers := has(func(v *Array) bool { return v.Strings == nil })
	whole := has(func(v *Array) bool { return v.Int64 != nil })
	for _, d := range sets {
		v := d.Vars[name]
		for i := range v.Len() {
			switch {
			case whole:
				out.Int64 = append(out.Int64, v.Int64[i])
			case numbers:
				out.Float64 = append(out.Float64, v.Value(i))
			default:
				out.Strings = append(out.Strings, v.Text(i))
			}
		}
	}
	out.Shape = []int{max(len(out.Int64), len(out.Float64), len(out.Strings))}
	return out
}
