package parquet

import (
	"fmt"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"rao/dataset"
)

// leaf is a column of the file that holds values.
type leaf struct {
	name     string
	index    int // among the columns of a row group
	kind     parquet.Kind
	size     int // bytes of a value of fixed length
	width    int // values a row; 0 for text
	repeated bool
	maxDef   byte // definition level of a value that is there
	element  byte // definition level from which on a list has an element

	unsigned bool
	half     bool    // values are float16
	floats   int     // values are bytes that hold floats of so many bytes
	scale    float64 // that decimals are divided by, a power of ten; 0 for others
	single   bool    // values are exactly float32
	text     bool    // values are text
}

// maxRep is the largest repetition level.
func (l *leaf) maxRep() byte {
	if l.repeated {
		return 1
	}
	return 0
}

// largestWidth bounds the length of vectors.
const largestWidth = 1 << 20

// pandasIndex is the column in which pandas keeps the index of its rows.
const pandasIndex = "__index_level_"

// describe lists the columns.
func (f *file) describe() error {
	elements := leafElements(f.f.Metadata().Schema)
	var walk func(c *parquet.Column, n nest) error
	walk = func(c *parquet.Column, n nest) error {
		if c.Repeated() {
			n.lists++
			n.element = byte(c.MaxDefinitionLevel())
		}
		if c.Leaf() {
			if c.Index() >= len(elements) {
				return damaged(fmt.Errorf("%d columns in its schema", len(elements)))
			}
			return f.addLeaf(c, elements[c.Index()], n)
		}
		n.isMap = n.isMap || c.Type().String() == "MAP"
		for _, sub := range c.Columns() {
			next := n
			// A list x is stored as x.list.element, x.array or x.bag.array_element.
			inside := c.Repeated() || sub.Repeated() && c != f.f.Root()
			if !inside || len(c.Columns()) > 1 {
				next.names = append(n.names[:len(n.names):len(n.names)], sub.Name())
			}
			if err := walk(sub, next); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(f.f.Root(), nest{})
}

// nest is where in the schema a column lies.
type nest struct {
	names   []string
	lists   int  // that it lies in
	element byte // definition level from which on the last of them has an element
	isMap   bool
}

// leafElements returns the elements of the schema that hold values, in their order.
func leafElements(schema []format.SchemaElement) []*format.SchemaElement {
	var list []*format.SchemaElement
	for i := range schema {
		if e := &schema[i]; i > 0 && (!e.NumChildren.Valid || e.NumChildren.V == 0) {
			list = append(list, e)
		}
	}
	return list
}

// addLeaf adds the column, or columns, of a leaf.
func (f *file) addLeaf(c *parquet.Column, e *format.SchemaElement, n nest) error {
	name := strings.Join(n.names, ".")
	l := &leaf{name: name, index: c.Index(), kind: c.Type().Kind(), width: 1, repeated: n.lists > 0,
		maxDef: byte(c.MaxDefinitionLevel()), element: n.element}
	if l.kind == parquet.FixedLenByteArray {
		l.size = c.Type().Length()
	}
	why, whole := l.typed(c.Type(), e)
	column := dataset.Column{Name: name, Single: l.single, Whole: whole, Text: l.text}
	switch {
	case n.isMap:
		why = "it holds maps"
	case n.lists > 1:
		why = "it holds lists of lists"
	case c.Index() < 0 || c.MaxDefinitionLevel() > 100:
		why = "it is nested too deeply"
	case why == "" && l.repeated && l.text:
		why = "it holds lists of text"
	}
	if strings.HasPrefix(name, pandasIndex) {
		column.Asked = true
	}
	if why != "" {
		column.Why = why
		f.append(l, column)
		return nil
	}
	if l.text {
		l.width = 0
	}
	if l.repeated {
		var err error
		if l.width, err = f.listWidth(l); err != nil {
			column.Why = err.Error()
			l.width = 0
		}
	}
	column.Width = l.width
	f.append(l, column)
	if binary := e.LogicalType.Value == nil && !e.ConvertedType.Valid && l.text; binary {
		return f.addVectors(l)
	}
	return nil
}

func (f *file) append(l *leaf, c dataset.Column) {
	f.leaves = append(f.leaves, l)
	f.list = append(f.list, c)
}

// addVectors adds the columns of floats that a binary column may be.
func (f *file) addVectors(l *leaf) error {
	size := l.size
	if l.kind == parquet.ByteArray {
		var err error
		if size, err = f.binarySize(l); err != nil {
			return nil // no value to learn the length from: no vectors
		}
	}
	for _, bytes := range []int{4, 8} {
		if size == 0 || size%bytes != 0 || size/bytes > largestWidth {
			continue
		}
		v := *l
		v.floats, v.text, v.size, v.single = bytes, false, size, bytes == 4
		v.width = size / bytes
		v.name = fmt.Sprintf("%s:f%d", l.name, 8*bytes)
		f.append(&v, dataset.Column{Name: v.name, Width: v.width, Single: v.single, Asked: true})
	}
	return nil
}

// typed sets what the type of a leaf says, and returns why it cannot be read, and whether
// it holds whole numbers.
func (l *leaf) typed(t parquet.Type, e *format.SchemaElement) (why string, whole bool) {
	switch t.String() {
	case "DATE":
		return "it holds dates", false
	}
	if s := t.String(); strings.HasPrefix(s, "TIME") {
		return "it holds times", false
	}
	switch lt := e.LogicalType.Value.(type) {
	case *format.Float16Type:
		if l.kind == parquet.FixedLenByteArray && l.size == 2 {
			l.half, l.single = true, true
			return "", false
		}
		return "its type contradicts itself", false
	case *format.UUIDType:
		return "it holds UUIDs", false
	case *format.BsonType:
		return "it holds BSON", false
	case *format.GeometryType, *format.GeographyType:
		return "it holds shapes on a map", false
	case *format.DecimalType:
		l.scale = math.Pow(10, float64(lt.Scale))
	}
	if lt := t.LogicalType(); lt != nil {
		switch v := lt.Value.(type) {
		case *format.DecimalType:
			l.scale = math.Pow(10, float64(v.Scale))
		case *format.IntType:
			l.unsigned = !v.IsSigned
			l.single = v.BitWidth <= 16
		}
	}
	switch l.kind {
	case parquet.Boolean:
		l.single = true
		return "", true
	case parquet.Int32, parquet.Int64:
		return "", l.scale == 0
	case parquet.Float:
		l.single = true
		return "", false
	case parquet.Double:
		return "", false
	case parquet.ByteArray, parquet.FixedLenByteArray:
		if l.scale == 0 {
			l.text = true
		}
		return "", false
	}
	return fmt.Sprintf("it holds values of type %s", t), false
}
