package dataset

import (
	"fmt"
	"slices"

	"rao"
	"rao/gaussian"
	"rao/internal/format/ndarray"
	"rao/internal/indices"
	"rao/recipe"
	"rao/spd"
)

// Array is an n-dimensional array of a file, with its Name, its Shape, and its values in exactly one of Float64, Int64,
// Float32 and Strings. If integers exceed the range of int64, Float64 contains them rounded, and Unsigned contains them
// exactly. The first axis varies fastest if Fortran is set, and otherwise the last.
type Array = ndarray.Array

// Data is a set of observations, with labels if the source has them.
type Data struct {
	Source string // where the data are from, for error messages
	// First is the index of the first observation in the source, for error messages. It is 0 unless this is a block of
	// [Blocks].
	First   int
	X       *Table           // vectors: N×n; exactly one of X and Stack is set
	Stack   *spd.Stack       // symmetric matrices: N of n×n
	Labels  []int            // class of each observation, 0..c-1; nil without labels
	Weights []float64        // weights of the observations, each 0 or more; nil: equal weights
	Classes []string         // class names, in the order of the labels; needed with Labels; see the package comment
	Image   [3]int           // rows, columns and channels of an image, stored in this order; zero otherwise
	Recipe  *recipe.Recipe   // how the observations were computed; nil if unknown
	From    []gaussian.Part  // what the data were computed from, for the provenance of a file
	Form    *recipe.Encoding // how the columns of a table became X; nil if they are unchanged
	Missing recipe.Missing   // how a fit fills in the NaN of X; "" means that it does not
	Lacks   *Lacks           // missing and unknown texts of the table; nil if not counted
	// Vars contains the other variables of the file. The variables "columns" and "channels" are the names of the
	// features and of the channels.
	Vars map[string]*Array

	overwritten bool // X is the memory of a block, which the next block overwrites
}

// N returns the number of observations.
func (d *Data) N() int {
	if d.Stack != nil {
		return d.Stack.Count
	}
	if d.X != nil {
		n, _ := d.X.Dims()
		return n
	}
	return 0
}

// Subset returns a copy of the observations with the given indices, in that order, and of the variables with one value
// per observation. The class names stay the same, even if a class has no observation left.
func (d *Data) Subset(rows []int) *Data {
	out := *d
	out.Vars = subsetVars(d.Vars, d.N(), rows)
	if d.Stack != nil {
		out.Stack = d.Stack.Select(rows)
	}
	if d.X != nil {
		out.X = d.X.selectRows(rows)
	}
	out.Labels = indices.Pick(d.Labels, rows)
	out.Weights = indices.Pick(d.Weights, rows)
	return &out
}

// OfClasses returns a copy of the observations of the named classes, renumbered 0, 1, ... in the order of the names.
// It returns an error if the data lack a class or a name is repeated.
func (d *Data) OfClasses(names ...string) (*Data, error) {
	label := make([]int, len(d.Classes))
	for i := range label {
		label[i] = -1
	}
	for k, name := range names {
		i := slices.Index(d.Classes, name)
		switch {
		case i < 0:
			return nil, fmt.Errorf("%s: %w", d.Source, &rao.UnknownError{Kind: "class", Name: name, Known: d.Classes})
		case label[i] >= 0:
			return nil, fmt.Errorf("%s: class %q is named twice; name it once", d.Source, name)
		}
		label[i] = k
	}
	var rows []int
	for i, l := range d.Labels {
		if label[l] >= 0 {
			rows = append(rows, i)
		}
	}
	out := d.Subset(rows)
	for i, l := range out.Labels {
		out.Labels[i] = label[l]
	}
	out.Classes = slices.Clone(names)
	return out, nil
}

// subsetVars selects from the variables with n values, one per observation. Names of features or channels, and all
// other variables, do not change.
func subsetVars(vars map[string]*Array, n int, rows []int) map[string]*Array {
	if vars == nil {
		return nil
	}
	out := make(map[string]*Array, len(vars))
	for name, v := range vars {
		out[name] = v
		if v.Len() != n || isNames(name) {
			continue
		}
		cut := *v
		cut.Shape, cut.Fortran = []int{len(rows)}, false
		cut.Float64, cut.Float32 = indices.Pick(v.Float64, rows), indices.Pick(v.Float32, rows)
		cut.Int64, cut.Strings = indices.Pick(v.Int64, rows), indices.Pick(v.Strings, rows)
		cut.Unsigned = indices.Pick(v.Unsigned, rows)
		out[name] = &cut
	}
	return out
}

// Counts returns the number of observations of each class.
func (d *Data) Counts() []int {
	return indices.Tally(d.Labels, len(d.Classes))
}

// notFinite is the error for value at of matrix k, of order n.
func notFinite(k, at, n int, v float64) error {
	return &spd.MatrixError{Role: "matrix", Index: k, Problem: spd.ProblemNotFinite, Row: at / n, Col: at % n, Value: v}
}

// Check returns an error that wraps a *[rao.ValueError] for the first value of X that is NaN or infinite, or a
// *[spd.MatrixError] for the first such value of Stack.
func (d *Data) Check() error {
	var err error
	switch {
	case d.Stack != nil:
		n := d.Stack.Dim
		err = NewTable(d.Stack.Count, n*n, d.Stack.Contiguous()).check()
		if e, ok := err.(*rao.ValueError); ok {
			err = notFinite(e.Row, e.Col, n, e.Value)
		}
	case d.X != nil:
		err = d.X.check()
	}
	if err != nil && d.Source != "" {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	return err
}
