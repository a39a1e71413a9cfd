package model

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/internal/text"
	"rao/recipe"
	"rao/spd"
)

// Kind is the kind of an observation: a vector or a matrix.
type Kind string

// These constants are the kinds of observations.
const (
	KindVectors  Kind = "vectors"
	KindMatrices Kind = "matrices"
)

// Schema describes one observation, as the input of a model or the output of a stage.
type Schema struct {
	Kind Kind `json:"kind"` // kind of an observation
	Dim  int  `json:"dim"`  // length of a vector, or order of a matrix
	// Image contains the rows, columns and channels of an image, or the channels, the samples and 1 for a trial of a
	// signal. It is zero for other vectors.
	Image    [3]int   `json:"image"`
	Columns  []string `json:"columns"`  // names of a vector's values; nil: matched by position
	Channels []string `json:"channels"` // names of the rows of a matrix or trial; nil: matched by position
	// Recipe describes how an observation was computed; nil if unknown.
	Recipe *recipe.Recipe `json:"recipe"`
	// Table describes how the columns of a table become an observation; nil if they are used unchanged.
	Table *recipe.Encoding `json:"table"`
	// Fill contains a replacement for each value of a vector that is NaN. If nil, NaN is an error.
	Fill []float64 `json:"fill"`
}

// Batch contains observations of one kind. Exactly one of X and Stack is set.
type Batch struct {
	X        mat.Matrix     // N×n vectors
	Stack    *spd.Stack     // N matrices n×n
	Columns  []string       // names of the columns of X; nil if unknown
	Channels []string       // names of the rows of the matrices; nil if unknown
	Recipe   *recipe.Recipe // how the observations were computed; nil if unknown
	// Recordings is the recording of each matrix, for stages that adapt per recording. Nil means one recording.
	Recordings []int
	First      int // index of the first observation, for error messages
	// Lacks counts missing and unseen texts of the source table; nil if they were not counted.
	Lacks *dataset.Lacks

	order  []int   // the columns of X in the model's order; nil: unchanged
	memory *memory // for the outputs of stages; nil: new memory
}

// Vectors returns the rows of x as a batch, without copying them.
func Vectors(x mat.Matrix) Batch { return Batch{X: x} }

// Matrices returns the matrices of x as a batch, without copying them.
func Matrices(x *spd.Stack) Batch { return Batch{Stack: x} }

// BatchOf returns the observations of d with their names.
func BatchOf(d *dataset.Data) Batch {
	b := Batch{Stack: d.Stack, Recipe: d.Recipe, Columns: namesOf(d, "columns"), Channels: namesOf(d, "channels"),
		First: d.First, Lacks: d.Lacks}
	if d.X != nil { // a nil table is not a matrix
		b.X = d.X
	}
	b.Recordings = recordingsOf(d)
	return b
}

// recordingsOf numbers the recordings by the variable "recording", in order of first occurrence. It returns nil unless
// the data have this variable with one value per observation.
func recordingsOf(d *dataset.Data) []int {
	v, ok := d.Vars["recording"]
	if !ok || v.Len() != d.N() || d.N() == 0 {
		return nil
	}
	number := map[string]int{}
	out := make([]int, d.N())
	for i := range out {
		name := v.Text(i)
		if _, ok := number[name]; !ok {
			number[name] = len(number)
		}
		out[i] = number[name]
	}
	return out
}

// namesOf returns the names of columns or channels in the data, or nil if there are none.
func namesOf(d *dataset.Data, what string) []string {
	v, ok := d.Vars[what]
	if !ok || len(v.Strings) != dimOf(d) {
		return nil
	}
	return v.Strings
}

func dimOf(d *dataset.Data) int {
	if d.Stack != nil {
		return d.Stack.Dim
	}
	if d.X != nil {
		_, n := d.X.Dims()
		return n
	}
	return 0
}

// SchemaOf describes the observations of d.
func SchemaOf(d *dataset.Data) Schema {
	b := BatchOf(d)
	return Schema{Kind: b.Kind(), Dim: b.Dim(), Image: d.Image, Columns: b.Columns, Channels: b.Channels,
		Recipe: d.Recipe, Table: d.Form}
}

// Kind returns the kind of the observations.
func (b Batch) Kind() Kind {
	if b.Stack != nil {
		return KindMatrices
	}
	return KindVectors
}

// Len returns the number of observations.
func (b Batch) Len() int {
	if b.Stack != nil {
		return b.Stack.Count
	}
	if b.X == nil {
		return 0
	}
	n, _ := b.X.Dims()
	return n
}

// Dim returns the length of a vector, or the order of a matrix.
func (b Batch) Dim() int {
	if b.Stack != nil {
		return b.Stack.Dim
	}
	if b.X == nil {
		return 0
	}
	_, n := b.X.Dims()
	return n
}

// match returns the observations of b in the form of the schema, with named columns and channels in the schema's
// order. It returns a *[rao.ShapeError] for observations of another kind or size and for missing or unknown columns and
// channels, and a *[recipe.ContradictionError] for a recipe that contradicts the schema's. Columns and channels without
// names are matched by position.
func (s Schema) match(b Batch) (Batch, error) {
	switch {
	case b.X == nil && b.Stack == nil || b.Len() == 0:
		return b, faults.Count(0, 1, "there are no observations; give at least one")
	case b.Kind() != s.Kind:
		return b, &rao.ShapeError{Got: b.Dim(), Want: s.Dim, Message: fmt.Sprintf("the model works on %s, but the "+
			"data are %s; give data of the kind it was fitted to", s.Kind, b.Kind())}
	}
	if err := recipe.Check(s.Recipe, b.Recipe); err != nil {
		return b, err
	}
	var err error
	if s.Kind == KindVectors {
		if b.order, err = match("column", s.Columns, b.Columns); err != nil {
			return b, err
		}
		if b.Dim() != s.Dim {
			columns := "columns"
			if b.Dim() == 1 {
				columns = "column"
			}
			return b, &rao.ShapeError{Got: b.Dim(), Want: s.Dim, Message: fmt.Sprintf("the data have %d %s, but the "+
				"model was fitted to %d; give the same columns as in the training data", b.Dim(), columns, s.Dim)}
		}
		if b.order == nil {
			b.order, err = s.trialOrder(b.Recipe)
		}
		return b, err
	}
	order, err := match("channel", s.Channels, b.Channels)
	if err != nil {
		return b, err
	}
	if err := indices.CheckOrder(b.Dim(), s.Dim); err != nil {
		return b, err
	}
	if order != nil {
		b.Stack, b.Channels = reordered(b.Stack, order), s.Channels
	}
	return b, nil
}

// trialOrder returns the column for each value of a trial with its channels in another order. It returns nil if the
// order is the same or unknown.
func (s Schema) trialOrder(here *recipe.Recipe) ([]int, error) {
	if s.Recipe == nil || s.Recipe.Signal == nil || here == nil || here.Signal == nil ||
		s.Recipe.Signal.Estimator != optionvalues.EstimatorNone {
		return nil, nil
	}
	rows, err := match("channel", recipes.Names(s.Recipe.Signal), recipes.Names(here.Signal))
	if rows == nil || s.Dim%len(rows) != 0 {
		return nil, err
	}
	samples := s.Dim / len(rows)
	order := make([]int, 0, s.Dim)
	for _, r := range rows {
		for k := range samples {
			order = append(order, r*samples+k)
		}
	}
	return order, nil
}

// match returns the index in have of each wanted name. It returns nil if the lists are equal or either list is unknown.
func match(what string, want, have []string) ([]int, error) {
	order, bad := naming.Order(want, have)
	if bad == nil {
		return order, nil
	}
	e := &rao.ShapeError{Got: len(have), Want: len(want), Missing: bad.Missing, Unknown: bad.Unknown}
	missing, unknown := text.Listed(what, bad.Missing), text.Listed(what, bad.Unknown)
	switch {
	case bad.Twice != "":
		e.Message = fmt.Sprintf("the data have two %ss named %q, so %ss cannot be matched by name; rename one", what,
			bad.Twice, what)
	case len(bad.Missing) > 0 && len(bad.Unknown) > 0:
		e.Message = fmt.Sprintf("%s missing and %s not in the training data; name the %ss as in the training data",
			missing, unknown, what)
	case len(bad.Missing) > 0:
		e.Message = fmt.Sprintf("%s missing; the model was fitted with %s", missing, strings.Join(want, ", "))
	default:
		e.Message = unknown + " not in the training data; leave out what the model was not fitted to"
	}
	return nil, e
}

// reordered returns the matrices with their rows and columns in another order.
func reordered(x *spd.Stack, order []int) *spd.Stack {
	out := spd.NewStack(x.Count, x.Dim)
	for k := range x.Count {
		vec.Submatrix(out.At(k), x.At(k), x.Dim, order)
	}
	return out
}

// validate returns an error unless the fields are valid and consistent.
func (s Schema) validate() error {
	if s.Kind != KindVectors && s.Kind != KindMatrices {
		return fmt.Errorf("the kind of input is %q; it must be %s or %s", s.Kind, KindVectors, KindMatrices)
	}
	if s.Dim < 1 {
		return fmt.Errorf("the dimension of the input is %d; it must be 1 or more", s.Dim)
	}
	for _, n := range s.Image {
		if n < 0 {
			return fmt.Errorf("the image size %v has a negative number; fit the model again", s.Image)
		}
	}
	if n := len(s.Columns); n > 0 && (n != s.Dim || s.Kind != KindVectors) {
		return fmt.Errorf("there are %d column names for %s of dimension %d", n, s.Kind, s.Dim)
	}
	if n := len(s.Channels); n > 0 && (s.Dim%n != 0 || s.Kind == KindMatrices && n != s.Dim) {
		return fmt.Errorf("there are %d channel names for %s of dimension %d", n, s.Kind, s.Dim)
	}
	if n := len(s.Fill); n > 0 && (n != s.Dim || s.Kind != KindVectors) {
		return fmt.Errorf("there are %d replacements for missing values for %s of dimension %d", n, s.Kind, s.Dim)
	}
	if t := s.Table; t != nil && t.Columns != nil && recipes.TableDim(t) != s.Dim {
		return fmt.Errorf("the table has %d values per row, but the input has dimension %d", recipes.TableDim(t), s.Dim)
	}
	if j := vec.NotFinite(s.Fill); j >= 0 {
		return fmt.Errorf("the replacement for missing values in column %d is %v; it must be a finite number", j,
			s.Fill[j])
	}
	if err := s.Table.Validate(); err != nil {
		return err
	}
	return s.Recipe.Validate()
}

// Wants returns an error unless the schema has the given kind and dimension.
func (s Schema) Wants(kind Kind, dim int) error {
	if s.Kind != kind {
		return fmt.Errorf("it needs %s, but its input is %s", kind, s.Kind)
	}
	if s.Dim != dim {
		return fmt.Errorf("it needs %d dimensions, but its input has %d", dim, s.Dim)
	}
	return nil
}

// fillIn replaces NaN by the values of Fill.
func (s *Schema) fillIn(x *mat.Dense) {
	if s.Fill == nil {
		return
	}
	rows, _ := x.Dims()
	for i := range rows {
		row := x.RawRowView(i)
		for j, v := range row {
			if v != v {
				row[j] = s.Fill[j]
			}
		}
	}
}
