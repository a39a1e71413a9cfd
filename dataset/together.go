package dataset

import (
	"fmt"
	"slices"

	"rao/recipe"
	"rao/spd"
)

// Together joins sets of observations of one kind and size, one after the other. The
// variable "source" of the result holds, for each observation, the name of its set.
// Classes are matched by name. Of the other variables those remain, as text, that each
// set has with one value an observation. Names of columns or channels, and recipes, that
// contradict each other are errors, and so is a set without labels beside ones with.
func Together(sets []*Data, names []string) (*Data, error) {
	if len(sets) == 0 || len(names) != len(sets) {
		return nil, fmt.Errorf("%d names for %d sets of observations to join", len(names), len(sets))
	}
	first := sets[0]
	out := &Data{Source: fmt.Sprintf("%s and %d more", first.Source, len(sets)-1), Image: first.Image,
		Recipe: first.Recipe,
		Vars:   map[string]*Array{"source": {Name: "source"}}}
	var labels []string
	for i, d := range sets {
		if err := first.joins(d); err != nil {
			return nil, fmt.Errorf("%s beside %s: %w", d.Source, first.Source, err)
		}
		for _, l := range d.Labels {
			labels = append(labels, d.Classes[l])
		}
		source := out.Vars["source"]
		source.Strings = append(source.Strings, slices.Repeat([]string{names[i]}, d.N())...)
	}
	out.Vars["source"].Shape = []int{len(out.Vars["source"].Strings)}
	if first.Labels != nil {
		out.Labels, out.Classes = indexClasses(labels)
	}
	if first.Stack != nil {
		out.Stack = spd.NewStack(0, first.Stack.Dim)
		for _, d := range sets {
			out.Stack.Data = append(out.Stack.Data, d.Stack.Contiguous()...)
			out.Stack.Count += d.Stack.Count
		}
	} else {
		_, cols := first.X.Dims()
		var x []float64
		for _, d := range sets {
			for i := range d.N() {
				for j := range cols {
					x = append(x, d.X.At(i, j))
				}
			}
		}
		out.X = NewTable64(len(x)/max(1, cols), cols, x)
	}
	out.joinVars(sets)
	return out, nil
}

// joins returns an error unless the observations of other may stand beside those of d.
func (d *Data) joins(other *Data) error {
	switch {
	case (d.Stack == nil) != (other.Stack == nil):
		return fmt.Errorf("matrices and vectors do not go together")
	case (d.Labels == nil) != (other.Labels == nil):
		return fmt.Errorf("only one of the two has labels")
	case d.Stack != nil && d.Stack.Dim != other.Stack.Dim:
		return fmt.Errorf("matrices of order %d and of order %d", other.Stack.Dim, d.Stack.Dim)
	case d.X != nil && d.X.cols != other.X.cols:
		return fmt.Errorf("vectors of %d and of %d values", other.X.cols, d.X.cols)
	}
	for _, name := range []string{"columns", "channels"} {
		a, b := d.Vars[name], other.Vars[name]
		if a != nil && b != nil && !slices.Equal(a.Strings, b.Strings) {
			return fmt.Errorf("the %s have other names, or another order", name)
		}
	}
	return recipe.Check(d.Recipe, other.Recipe)
}

// joinVars joins the variables that all sets have.
func (d *Data) joinVars(sets []*Data) {
	for name, v := range sets[0].Vars {
		switch {
		case name == "source":
		case name == "columns" || name == "channels":
			d.Vars[name] = v
		case !slices.ContainsFunc(sets, func(s *Data) bool {
			return s.Vars[name] == nil || s.Vars[name].Len() != s.N()
		}):
			joined := &Array{Name: name}
			for _, s := range sets {
				for i := range s.N() {
					joined.Strings = append(joined.Strings, s.Vars[name].Text(i))
				}
			}
			joined.Shape = []int{len(joined.Strings)}
			d.Vars[name] = joined
		}
	}
}
