package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rao"
	"rao/internal/format/ndarray"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/suggest"
	"rao/internal/text"
	"rao/recipe"
	"rao/spd"
)

// raw is the content of a file before labels are indexed, rows selected and axes reordered.
type raw struct {
	source string
	x      *Array
	y      []string // one label per observation; nil if there are none
	image  [3]int   // set by readers that know it; x is then N×(rows·columns·channels)
	vars   map[string]*Array
	names  []string // class names in order, if the labels are indices into a fixed list
	recipe *recipe.Recipe
	form   *recipe.Encoding // form with which a table was read
	why    error            // why there are no labels although some could be expected

	reading *Reading // decisions of the reader; nil if there were none
}

func rawOf(d *Data) *raw {
	r := &raw{source: d.Source, image: d.Image, vars: d.Vars, recipe: d.Recipe}
	if d.Stack != nil {
		x := stackArray(d.Stack)
		r.x = &x
	} else {
		r.x = &Array{Shape: []int{d.X.rows, d.X.cols}, Float64: d.X.f64, Float32: d.X.singles()}
	}
	r.x.Name = "X"
	if d.Labels != nil {
		r.names = d.Classes
		r.y = indices.Pick(d.Classes, d.Labels)
	}
	return r
}

func (r *raw) keep(plan *columns, all *rowBlock) {
	if r.vars == nil {
		r.vars = map[string]*Array{}
	}
	for k, name := range plan.keptNames() {
		r.vars[name] = &Array{Name: name, Type: "U", Shape: []int{all.filled}, Strings: all.vars[k]}
	}
}

func assemble(r *raw, opt OpenOptions) (*Data, error) {
	d := &Data{Source: r.source, Vars: r.vars, Image: r.image, Recipe: r.recipe, Form: r.form}
	var err error
	if opt.Labels != "" {
		if r.y, err = readLabels(opt.Labels); err != nil {
			return nil, err
		}
		r.names = nil
	}
	if r.x.Strings != nil {
		return nil, rao.Optionf("x", "%s: the observations %q are text; name a numeric array with {x}", r.source,
			r.x.Name)
	}
	square := opt.Matrices && r.image == [3]int{}
	if square && len(r.x.Shape) == 2 && r.x.Shape[0] == r.x.Shape[1] && r.y == nil {
		one := *ndarray.Contiguous(r.x)
		one.Shape = append([]int{1}, one.Shape...)
		r.x = &one
	}
	x, err := observationsFirst(r, d)
	if err != nil {
		return nil, err
	}
	n := x.Shape[0]
	if n > 0 && x.Len() == 0 {
		return nil, fmt.Errorf("%s: the array %q has shape %s, so its observations have no values; save at least "+
			"one value per observation",
			r.source, r.x.Name, text.Shape(r.x.Shape))
	}
	if r.y != nil {
		if err := miscounted(r.source, r.x.Shape, n, len(r.y), opt.Labels); err != nil {
			return nil, err
		}
	}
	index, err := pickRows(r, n, opt.Where, slices.Collect(maps.Keys(r.vars)))
	if err != nil {
		return nil, err
	}
	if square {
		d.Stack, err = squareStack(x)
	} else {
		d.Stack, err = symmetricStack(r.source, x)
	}
	if err != nil {
		return nil, err
	}
	if d.Stack != nil {
		d.Image = [3]int{}
	} else {
		d.X = tableOf(x)
	}
	if r.y != nil {
		d.Labels, d.Classes = indexLabels(r.y, r.names, index)
		if err := opt.checkClasses(r.source, len(d.Labels), d.Classes); err != nil {
			return nil, err
		}
	}
	if index != nil {
		// These are already the labels of the picked rows.
		labels := d.Labels
		d.Labels = nil
		d = d.Subset(index)
		d.Labels = labels
	}
	if err := finish(d, opt, r.why); err != nil {
		return nil, err
	}
	opt.report(r.reading, d.N(), d.Classes)
	return d, nil
}

// finish checks the requirements of the caller. why explains that there are no labels.
func finish(d *Data, opt OpenOptions, why error) error {
	if opt.RequireLabels && d.Labels == nil {
		if opt.Y == noLabels {
			return rao.Optionf("y", "%s: {y=none} leaves the labels out, but they are needed; leave {y=none} out",
				d.Source)
		}
		if why == nil {
			why = because("")
		}
		if len(opt.Table.Variables) > 0 {
			why = reasonf("%w (%s already defines the groups)", why, strings.Join(opt.Table.Variables, ", "))
		}
		or := reasonf(", or name their variable or column with {y}%s", candidates(d))
		if named, _ := Named(d.Source); !named && len(d.Vars) == 0 {
			or = because("") // an array alone
		}
		return rao.Optionf("labels", "%s: the data have no labels%s; give them with {labels=FILE}%s", d.Source, why, or)
	}
	if d.N() == 0 {
		return fmt.Errorf("%s: the data have no observations; give at least one", d.Source)
	}
	return checkNames(d)
}

// checkNames returns an error if the data name another number of columns or channels than they have, or two columns
// alike. Matrices and trials of several bands repeat their channels. Numbers, such as those of a default index of
// pandas, are read as names, but numbers of channels only if there is one for each.
func checkNames(d *Data) error {
	name, has := "columns", 0
	switch {
	case d.Stack != nil:
		name, has = "channels", d.Stack.Dim
	case d.X == nil:
		return nil
	case d.Image[1] > 0 && d.Image[2] <= 1:
		name, has = "channels", d.Image[0]
	case d.Image[1] == 0:
		_, has = d.X.Dims()
	}
	v := d.Vars[name]
	if v == nil || has == 0 || v.Strings == nil && name == "channels" && v.Len() != has {
		return nil
	}
	if v.Strings == nil {
		named := &Array{Name: name, Type: "U", Shape: []int{v.Len()}, Strings: make([]string, v.Len())}
		for i := range named.Strings {
			named.Strings[i] = v.Text(i)
		}
		v, d.Vars = named, maps.Clone(d.Vars)
		d.Vars[name] = v
	}
	if n := len(v.Strings); n == 0 || n != has && (name == "columns" || has%n != 0) {
		return fmt.Errorf("%s: the array %s has %s, but the observations have %d %s; store one name for each, or "+
			"leave the array out", d.Source, name, text.Plural(n, "name", "names"), has, name)
	}
	if name == "columns" {
		if err := naming.CheckColumns(v.Strings); err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
	}
	return nil
}

// isNames reports whether a variable contains the names of the columns or channels.
func isNames(variable string) bool { return variable == "columns" || variable == "channels" }

// candidates names the variables that have a value for each observation.
func candidates(d *Data) string {
	var names []string
	for name, v := range d.Vars {
		if !isNames(name) && v.Len() == d.N() && d.N() > 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	slices.Sort(names)
	return "; these arrays have a value for each observation: " + suggest.Some(names, shownColumns)
}

// miscounted returns an error unless the number of labels equals n, the number of observations of the given shape.
func miscounted(source string, shape []int, n, labels int, labelFile string) error {
	if labels == n {
		return nil
	}
	from := ""
	if labelFile != "" {
		from = " in " + labelFile
	}
	hint := "every row needs one label"
	if len(shape) == 2 && labels == shape[1] {
		hint = "the observations seem to be in columns, so save the transpose"
	}
	return fmt.Errorf("%s: %s but %s%s; %s", source, text.Plural(n, "row", "rows"),
		text.Plural(labels, "label", "labels"), from, hint)
}

// indexLabels maps the labels of the picked rows (all if rows is nil) to 0..c-1. If names are given, labels must be
// among them, and the index of a label is the index of its name.
func indexLabels(y, names []string, rows []int) ([]int, []string) {
	picked := y
	if rows != nil {
		picked = indices.Pick(y, rows)
	}
	labels, classes := indexClasses(picked)
	if names == nil {
		return labels, classes
	}
	at := indexOf(names)
	for i, s := range picked {
		labels[i] = at[s]
	}
	return labels, names
}

// observationsFirst returns the observations as a C-order array with the observations along its first axis: N×n, or
// N×d×d for arrays of three axes that are square and may be a stack of matrices. It sets d.Image.
func observationsFirst(r *raw, d *Data) (*Array, error) {
	x := r.x
	if r.image != [3]int{} {
		return x, nil
	}
	switch len(x.Shape) {
	case 0:
		return nil, rao.Optionf("x", "%s: variable %q is a single value; name the array of observations with {x}",
			r.source,
			x.Name)
	case 1:
		out := *x
		out.Shape = []int{x.Shape[0], 1}
		return &out, nil
	case 2:
		return ndarray.Contiguous(x), nil
	}
	last := len(x.Shape) - 1
	if observationsLast(x, len(r.y)) {
		x = moveLastFirst(x)
	} else {
		x = ndarray.Contiguous(x)
	}
	if last <= 3 {
		d.Image = [3]int{x.Shape[1], x.Shape[2], 1}
		if last == 3 {
			d.Image[2] = x.Shape[3]
		}
	}
	return x, nil
}

// observationsLast reports whether the observations are along the last axis of an array with three or more axes. The
// axis of the observations is the axis whose length equals the number of labels. If that is not unique, it is the axis
// that is not part of a square. Otherwise it is the last axis in column-major files (the MATLAB convention) and the
// first axis in others.
func observationsLast(x *Array, labels int) bool {
	last := len(x.Shape) - 1
	first, end := x.Shape[0], x.Shape[last]
	if labels > 0 && first != end && (labels == first || labels == end) {
		return labels == end
	}
	if last == 2 {
		leading, trailing := x.Shape[0] == x.Shape[1], x.Shape[1] == x.Shape[2]
		if leading != trailing {
			return leading
		}
	}
	return x.Fortran
}

// moveLastFirst returns the array with its last axis moved to the front, in C order.
func moveLastFirst(x *Array) *Array {
	last := len(x.Shape) - 1
	n := x.Shape[last]
	block := 1
	for _, d := range x.Shape[:last] {
		block *= d
	}
	shape := append([]int{n}, x.Shape[:last]...)
	if !x.Fortran { // (block)×n in C order: a transpose
		out := *x
		out.Shape = []int{n, block}
		out.Fortran = true
		res := *ndarray.Contiguous(&out)
		res.Shape = shape
		return &res
	}
	// Each observation is one block in column-major order.
	out := *x
	out.Shape, out.Fortran = shape, false
	order := columnMajor(x.Shape[:last])
	out.Float64 = reorder(x.Float64, order, n)
	out.Float32 = reorder(x.Float32, order, n)
	out.Int64 = reorder(x.Int64, order, n)
	out.Unsigned = reorder(x.Unsigned, order, n)
	return &out
}

// columnMajor returns, for each index in a row-major block of the given shape, the index of the same element in a
// column-major block.
func columnMajor(shape []int) []int {
	n, _ := ndarray.Count(shape)
	a := &Array{Shape: shape, Fortran: true, Int64: make([]int64, n)}
	for i := range a.Int64 {
		a.Int64[i] = int64(i)
	}
	order := make([]int, n)
	for i, v := range ndarray.Contiguous(a).Int64 {
		order[i] = int(v)
	}
	return order
}

func reorder[T any](src []T, order []int, n int) []T {
	if src == nil {
		return nil
	}
	out := make([]T, len(src))
	for k := range n {
		block := src[k*len(order) : (k+1)*len(order)]
		for i, at := range order {
			out[k*len(order)+i] = block[at]
		}
	}
	return out
}

// tableOf returns a table of a C-order array with one row per index of the first axis.
func tableOf(x *Array) *Table {
	cols := 1
	for _, d := range x.Shape[1:] {
		cols *= d
	}
	if x.Float32 != nil {
		return NewTable(x.Shape[0], cols, x.Float32)
	}
	data, _ := x.ToFloat64()
	return NewTable(x.Shape[0], cols, data)
}

// squares reports whether an array has the shape of square matrices.
func squares(shape []int) bool {
	return len(shape) == 3 && shape[1] == shape[2] && shape[0] > 0 && shape[1] > 0
}

// symmetricStack returns the stack of an N×d×d array of symmetric matrices, and nil for any other array. If most
// matrices are symmetric, it returns an error for one that is not.
func symmetricStack(source string, x *Array) (*spd.Stack, error) {
	if !squares(x.Shape) {
		return nil, nil
	}
	n, d := x.Shape[0], x.Shape[1]
	good, zero, bad := 0, 0, -1
	matrix := make([]float64, d*d)
	for k := range n {
		for i := range matrix {
			matrix[i] = x.Value(k*d*d + i)
		}
		switch diff, _, _, largest := vec.Asymmetry(matrix, d); {
		case largest == 0:
			zero++
		case diff <= ndarray.SymmetryTolerance*largest:
			good++
		case bad < 0:
			bad = k
		}
		if bad >= 0 && good+zero < (k+1)/2 {
			return nil, nil // images
		}
	}
	if good <= (n-zero)/2 {
		return nil, nil
	}
	if bad >= 0 {
		for i := range matrix {
			matrix[i] = x.Value(bad*d*d + i)
		}
		diff, i, j, largest := vec.Asymmetry(matrix, d)
		for _, at := range [2]int{i*d + j, j*d + i} {
			if v := matrix[at]; !vec.Finite(v) {
				return nil, fmt.Errorf("%s: %w", source, notFinite(bad, at, d, v))
			}
		}
		return nil, fmt.Errorf("%s: %d of %d matrices are symmetric, but %w", source, good+zero, n,
			&spd.MatrixError{Role: "matrix", Index: bad, Problem: spd.ProblemNotSymmetric, Row: i, Col: j, Value: diff,
				Largest: largest})
	}
	data, err := x.ToFloat64()
	if err != nil {
		return nil, err
	}
	st := spd.StackOf(n, d, data)
	for k := range n {
		vec.Symmetrize(st.At(k), d)
	}
	return st, nil
}

// squareStack returns the stack of an N×d×d array without checking the matrices, and nil for any other array.
func squareStack(x *Array) (*spd.Stack, error) {
	if !squares(x.Shape) {
		return nil, nil
	}
	data, err := x.ToFloat64()
	if err != nil {
		return nil, err
	}
	return spd.StackOf(x.Shape[0], x.Shape[1], data), nil
}
