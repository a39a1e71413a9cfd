package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go/format"

	"rao"
)

// cursor reads the values of a column of a row group in order.
type cursor struct {
	l      *leaf
	pages  *pages
	single bool // numbers are read into f32, otherwise into f64
	text   bool // values are read into places
	table  table

	presentOnly bool // leave out missing values of columns without lists

	f32     []float32 // values of the page, with NaN for missing ones
	f64     []float64
	inPlace bool // the values are in stored, because they need no conversion; otherwise in room32 or room64
	stored  []byte
	room32  []float32
	room64  []float64
	places  []int32 // indices in the table of the texts of the page
	at      int     // number of values of the page that were returned
	inRow   int     // number of values read of a list that continues on the next page
	row     int     // row of the group, for error messages

	dictionary *page // nil before it is found
	known      bool  // the values of the dictionary are in one of the next three fields
	dict32     []float32
	dict64     []float64
	dictPlaces []int32
	index      []int32
}

// slots returns the number of values of the page.
func (c *cursor) slots() int {
	switch {
	case c.text:
		return len(c.places)
	case c.single:
		return len(c.f32)
	}
	return len(c.f64)
}

// bytes returns the size of a value in bytes.
func (c *cursor) bytes() int {
	if c.single {
		return 4
	}
	return 8
}

// more reads pages until there are values, or returns io.EOF.
func (c *cursor) more() error {
	for c.at == c.slots() {
		g, err := c.page()
		if err == io.EOF && c.l.repeated && c.inRow != 0 && c.inRow != c.l.width {
			return c.uneven(c.inRow)
		}
		if err != nil {
			return err
		}
		c.at, c.f32, c.f64, c.places, c.inPlace = 0, c.room32[:0], c.room64[:0], c.places[:0], false
		if err := c.decode(g); err != nil {
			return err
		}
		if !c.inPlace {
			c.room32, c.room64 = c.f32, c.f64
		}
	}
	return nil
}

// page returns the next page of values, or io.EOF. It decodes a dictionary that comes first.
func (c *cursor) page() (*page, error) {
	g, err := c.pages.next()
	for err == nil && g.dictionary {
		if c.dictionary = g; c.text { // the texts may be needed again; see table.full
			g.data = bytes.Clone(g.data)
			c.known = false
		} else {
			err = c.readDictionary()
		}
		if err == nil {
			g, err = c.pages.next()
		}
	}
	return g, err
}

// texts writes the indices of the texts of n rows to dst, and returns the texts.
func (c *cursor) texts(n int, dst []int32) ([]string, error) {
	was := c.table.texts
	for done := 0; done < n; {
		if c.at == c.slots() && c.table.full() {
			c.table.reset()
			c.known = false
			for i, at := range dst[:done] {
				dst[i] = c.table.place(was[at])
			}
		}
		if err := c.more(); err != nil {
			return nil, c.early(err)
		}
		was = c.table.texts
		m := copy(dst[done:n], c.places[c.at:])
		done += m
		c.at += m
	}
	return slices.Clip(c.table.texts), nil
}

// early returns the error for a column that ends before the last row of its group.
func (c *cursor) early(err error) error {
	if err == io.EOF {
		return damaged(fmt.Errorf("column %s has fewer rows than its group", c.l.name))
	}
	return err
}

func (c *cursor) decode(g *page) error {
	defs, err := c.missing(g)
	if err != nil {
		return err
	}
	there := g.n
	if defs != nil {
		there = bytes.Count(defs, []byte{c.l.maxDef})
	}
	if c.l.repeated && g.reps.none() && g.n > 0 {
		return damaged(fmt.Errorf("column %s: a page has fewer repetition levels than values", c.l.name))
	}
	even := defs == nil && (!c.l.repeated || g.reps.rows(c.l.width, c.inRow))
	if even && c.direct(g, there) {
		c.inPlace = true
		c.stored, *g.memory = *g.memory, c.stored // the next page of another column overwrites g.memory
		if data := g.data[:there*c.size()]; c.single {
			c.f32 = numbersIn[float32](data)
		} else {
			c.f64 = numbersIn[float64](data)
		}
	} else if err := c.present(g, there); err != nil {
		return err
	}
	switch {
	case !c.l.repeated:
		c.row += g.n
	case even:
		full := max(1, c.inRow+g.n) - 1
		c.row, c.inRow = c.row+full/c.l.width, c.inRow+g.n-full/c.l.width*c.l.width
	default:
		return c.lists(g, defs)
	}
	if defs == nil || c.presentOnly {
		return nil
	}
	switch {
	case c.text:
		c.places = spread(c.places, defs, c.l.maxDef, 1, 0)
	case c.single:
		c.f32 = spread(c.f32, defs, c.l.maxDef, c.l.width, float32(math.NaN()))
	default:
		c.f64 = spread(c.f64, defs, c.l.maxDef, c.l.width, math.NaN())
	}
	return nil
}

// missing returns the definition levels of a page, or nil if no value is missing.
func (c *cursor) missing(g *page) ([]byte, error) {
	if g.defs.none() || g.defs.all(c.l.maxDef) {
		return nil, nil
	}
	var err error
	c.pages.defs, err = g.defs.expand(c.pages.defs)
	if err != nil {
		return nil, damaged(fmt.Errorf("column %s: %w", c.l.name, err))
	}
	return c.pages.defs, nil
}

// numbersIn returns little-endian numbers without copying, if the machine has this order of bytes. They need not be
// aligned.
func numbersIn[T int32 | int64 | float32 | float64](b []byte) []T {
	n := len(b) / int(unsafe.Sizeof(T(0)))
	switch {
	case n == 0:
		return nil
	case binary.NativeEndian.Uint16([]byte{1, 0}) == 1:
		return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
	}
	out := make([]T, n)
	_, _ = binary.Decode(b, binary.LittleEndian, out)
	return out
}

// size returns the number of bytes of a value of fixed length.
func (c *cursor) size() int {
	if c.l.floats > 0 {
		return c.l.size
	}
	return c.bytes()
}

// direct reports whether n values of a page can be used as stored.
func (c *cursor) direct(g *page, n int) bool {
	if g.encoding != format.Plain || c.text || n > len(g.data)/c.size() {
		return false
	}
	switch c.l.kind {
	case format.Float:
		return c.single
	case format.Double:
		return !c.single
	case format.FixedLenByteArray:
		return c.l.floats == c.bytes()
	}
	return false
}

// present reads the n non-missing values of a page.
func (c *cursor) present(g *page, n int) error {
	//lint:ignore SA1019 files of older writers have the deprecated name of the encoding
	if g.encoding == format.PlainDictionary || g.encoding == format.RLEDictionary {
		return c.indexed(g.data, n)
	}
	if c.direct(g, n) {
		if n *= c.size() / c.bytes(); c.single {
			c.f32 = slices.Grow(c.f32, n)[:n]
			copy(c.f32, numbersIn[float32](g.data))
		} else {
			c.f64 = slices.Grow(c.f64, n)[:n]
			copy(c.f64, numbersIn[float64](g.data))
		}
		return nil
	}
	v, err := c.valuesOf(g.encoding, n, g.data)
	if err != nil {
		return err
	}
	switch {
	case c.text:
		return c.textOf(&c.places, v)
	case c.single:
		return numbersOf(c, &c.f32, v)
	}
	return numbersOf(c, &c.f64, v)
}

// indexed reads n values that are indices in a dictionary.
func (c *cursor) indexed(data []byte, n int) error {
	if err := c.readDictionary(); err != nil {
		return err
	}
	var index []int32
	var err error
	if n > 0 {
		if len(data) == 0 {
			return damaged(fmt.Errorf("column %s: a page is empty", c.l.name))
		}
		if index, err = hybrid(c.index[:0], data[1:], int(data[0]), n); err != nil {
			return damaged(fmt.Errorf("column %s: %w", c.l.name, err))
		}
		c.index = index
	}
	switch {
	case c.text:
		return lookUp(c, &c.places, c.dictPlaces, index)
	case c.single:
		return lookUp(c, &c.f32, c.dict32, index)
	}
	return lookUp(c, &c.f64, c.dict64, index)
}

// readDictionary decodes the values of the dictionary unless they are known.
func (c *cursor) readDictionary() error {
	d := c.dictionary
	switch {
	case d == nil:
		return damaged(fmt.Errorf("column %s: its dictionary is missing", c.l.name))
	case c.known:
		return nil
	case d.n < 0 || d.n > largestValues:
		return damaged(fmt.Errorf("column %s: a dictionary declares %d values, which is impossible", c.l.name, d.n))
	}
	v, err := c.valuesOf(format.Plain, d.n, d.data)
	if err != nil {
		return err
	}
	c.known, c.dict32, c.dict64, c.dictPlaces = true, c.dict32[:0], c.dict64[:0], c.dictPlaces[:0]
	switch {
	case c.text:
		err := c.textOf(&c.dictPlaces, v)
		c.table.base = len(c.table.texts)
		return err
	case c.single:
		return numbersOf(c, &c.dict32, v)
	}
	return numbersOf(c, &c.dict64, v)
}

func lookUp[T any](c *cursor, dst *[]T, dict []T, index []int32) error {
	w := 1
	if c.l.floats > 0 {
		w = c.l.width
	}
	if w == 1 {
		from := len(*dst)
		*dst = slices.Grow(*dst, len(index))[:from+len(index)]
		for i, k := range index {
			if uint(k) >= uint(len(dict)) {
				return damaged(fmt.Errorf("column %s: index %d is outside the dictionary of %d values", c.l.name, k,
					len(dict)))
			}
			(*dst)[from+i] = dict[k]
		}
		return nil
	}
	for _, k := range index {
		if k < 0 || int(k) >= len(dict)/w {
			return damaged(fmt.Errorf("column %s: index %d is outside the dictionary of %d values", c.l.name, k,
				len(dict)/w))
		}
		*dst = append(*dst, dict[int(k)*w:(int(k)+1)*w]...)
	}
	return nil
}

// spread moves the non-missing values, width numbers each, to their positions, and writes missing to the others. A
// value is present if its definition level equals there.
func spread[T any](v []T, defs []byte, there byte, width int, missing T) []T {
	k := len(v)
	v = slices.Grow(v, len(defs)*width-k)[:len(defs)*width]
	if width == 1 {
		for i := len(defs) - 1; i >= k; i-- { // if none is missing, k values fill the positions below k
			if defs[i] == there {
				k--
				v[i] = v[k]
			} else {
				v[i] = missing
			}
		}
		return v
	}
	for i := len(defs) - 1; i >= 0; i-- {
		row := v[i*width : (i+1)*width]
		if defs[i] == there {
			k -= width
			copy(row, v[k:k+width])
			continue
		}
		for j := range row {
			row[j] = missing
		}
	}
	return v
}

// lists checks that every row has as many values as the column is wide, and writes NaN for missing values and rows.
func (c *cursor) lists(g *page, defs []byte) error {
	reps, err := g.reps.expand(c.pages.reps)
	if err != nil {
		return damaged(fmt.Errorf("column %s: %w", c.l.name, err))
	}
	c.pages.reps = reps
	if c.single {
		return ragged(c, reps, defs, &c.f32)
	}
	return ragged(c, reps, defs, &c.f64)
}

// ragged is like lists, for a page with missing values.
func ragged[T float32 | float64](c *cursor, reps, defs []byte, values *[]T) error {
	l := c.l
	given := *values
	out := make([]T, 0, len(reps))
	missing := T(math.NaN())
	for i, r := range reps {
		if r == 0 && c.inRow != 0 && c.inRow != l.width {
			return c.uneven(c.inRow)
		}
		if r == 0 {
			if c.inRow == l.width {
				c.row++
			}
			c.inRow = 0
		}
		def := l.maxDef
		if defs != nil {
			def = defs[i]
		}
		switch {
		case def == l.maxDef:
			if len(given) == 0 {
				return damaged(fmt.Errorf("column %s has fewer values than levels", l.name))
			}
			out = append(out, given[0])
			given = given[1:]
			c.inRow++
		case def >= l.element:
			out = append(out, missing)
			c.inRow++
		case r == 0 && def+1 < l.element: // no list
			for range l.width {
				out = append(out, missing)
			}
			c.inRow = l.width
		default:
			return c.uneven(0)
		}
		if c.inRow > l.width {
			return c.uneven(c.inRow)
		}
	}
	*values = out
	return nil
}

func (c *cursor) uneven(n int) error {
	return rao.Optionf("drop", "column %s: row %d of its group has a list of %d values, but the first list has %d; "+
		"give all lists the same length, or leave the column out with {drop=%s}", c.l.name, c.row, n, c.l.width,
		c.l.name)
}
