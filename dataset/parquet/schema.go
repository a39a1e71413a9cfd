package parquet

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"rao/dataset"
)

// deepest is the largest nesting depth of the columns of a file.
const deepest = 255

// schema iterates over the elements of a file's schema, which are stored depth first.
type schema struct {
	f        *file
	elements []format.SchemaElement
	leaves   int // number of leaves so far
}

// nest is the position of a column in the schema.
type nest struct {
	names   []string
	depth   int
	levels  int // definition level of a value that is not missing
	lists   int // number of lists that contain it
	element int // the innermost list has an element at this definition level and above
	isMap   bool
}

// describe reads the columns of the file from its schema.
func (f *file) describe() error {
	s := &schema{f: f, elements: f.meta.Schema}
	if err := s.column(nest{}); err != nil {
		return err
	}
	if len(s.elements) > 0 {
		return damaged(fmt.Errorf("its schema has %d elements that belong to no column", len(s.elements)))
	}
	return nil
}

// column reads the next element of the schema and, recursively, the columns within it.
func (s *schema) column(n nest) error {
	if len(s.elements) == 0 || n.depth > deepest {
		return damaged(errors.New("its schema is incomplete"))
	}
	e := &s.elements[0]
	s.elements = s.elements[1:]
	repeated := n.depth > 0 && isRepeated(e) // the root is not repeated
	if repeated {
		n.lists, n.element = n.lists+1, n.levels+1
	}
	if repeated || n.depth > 0 && e.RepetitionType.Valid && e.RepetitionType.V == format.Optional {
		n.levels++
	}
	if isLeaf(e) {
		s.leaves++
		return s.f.addLeaf(s.leaves-1, e, n)
	}
	n.isMap = n.isMap || isMap(e)
	children := 0
	if e.NumChildren.Valid {
		children = int(e.NumChildren.V)
	}
	if children < 0 || children > len(s.elements) {
		return damaged(fmt.Errorf("the number of columns within column %s is %d", e.Name, children))
	}
	for range children {
		next := n
		next.depth++
		// A list x is stored as x.list.element, x.array or x.bag.array_element.
		if len(s.elements) > 0 {
			sub := &s.elements[0]
			if inside := repeated || isRepeated(sub) && n.depth > 0; !inside || children > 1 {
				next.names = append(slices.Clip(n.names), sub.Name)
			}
		}
		if err := s.column(next); err != nil {
			return err
		}
	}
	return nil
}

func isLeaf(e *format.SchemaElement) bool { return e.Type.Valid }

func isRepeated(e *format.SchemaElement) bool {
	return e.RepetitionType.Valid && e.RepetitionType.V == format.Repeated
}

func isMap(e *format.SchemaElement) bool {
	switch e.LogicalType.Value.(type) {
	case *format.MapType:
		return true
	case *format.ListType, *format.VariantType:
		return false
	}
	return e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Map
}

// logicalType returns the meaning of a leaf's values, or nil if it is only their physical type. Older writers have
// converted types instead; the relevant ones are translated.
func logicalType(e *format.SchemaElement) format.LogicalTypeValue {
	if e.LogicalType.Value != nil || !e.ConvertedType.Valid {
		return e.LogicalType.Value
	}
	switch t := e.ConvertedType.V; t {
	case deprecated.Decimal:
		if e.Scale.Valid && e.Precision.Valid {
			return &format.DecimalType{Scale: e.Scale.V, Precision: e.Precision.V}
		}
	case deprecated.Date:
		return &format.DateType{}
	case deprecated.TimeMillis, deprecated.TimeMicros:
		return &format.TimeType{}
	case deprecated.TimestampMillis:
		return &format.TimestampType{IsAdjustedToUTC: true, Unit: format.TimeUnit{Value: &format.MilliSeconds{}}}
	case deprecated.TimestampMicros:
		return &format.TimestampType{IsAdjustedToUTC: true, Unit: format.TimeUnit{Value: &format.MicroSeconds{}}}
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return &format.IntType{BitWidth: 8 << (t - deprecated.Uint8)}
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return &format.IntType{BitWidth: 8 << (t - deprecated.Int8), IsSigned: true}
	}
	return nil
}

func (f *file) addLeaf(index int, e *format.SchemaElement, n nest) error {
	name := strings.Join(n.names, ".")
	l := &leaf{name: name, index: index, kind: e.Type.V, width: 1, repeated: n.lists > 0,
		maxDef: byte(n.levels), element: byte(n.element)}
	why, whole := l.typed(e)
	column := dataset.Column{Name: name, Single: l.single, Integer: whole, Text: l.text, Date: l.tick > 0}
	switch {
	case n.isMap:
		why = "it contains maps"
	case n.lists > 1:
		why = "it contains lists of lists"
	case n.levels > 100:
		why = "it is nested too deeply"
	case why == "" && l.repeated && l.text:
		why = "it contains lists of text"
	case why == "" && l.repeated && l.tick > 0:
		why = "it contains lists of dates"
	}
	if strings.HasPrefix(name, pandasIndex) {
		column.OnRequest = true
	}
	if why != "" {
		column.Why = why
		f.append(l, column)
		return nil
	}
	if l.text || l.tick > 0 {
		l.width = 0
	}
	if l.repeated {
		var err error
		if l.width, err = f.listWidth(l); err != nil {
			column.Why = err.Error()
			l.width = 0
		}
	}
	column.Width, column.Complete = l.width, f.complete(l)
	f.append(l, column)
	if binary := e.LogicalType.Value == nil && !e.ConvertedType.Valid && l.text; binary {
		return f.addVectors(l)
	}
	return nil
}

// complete reports whether the file declares that no value of a column is missing. Row groups without statistics do not
// declare it.
func (f *file) complete(l *leaf) bool {
	if l.maxDef == 0 {
		return true
	}
	for i := range f.meta.RowGroups {
		s := &f.meta.RowGroups[i].Columns[l.index].MetaData.Statistics
		if s.NullCount != 0 || len(s.MinValue) == 0 && len(s.Min) == 0 {
			return false
		}
	}
	return true
}
