package serve

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"rao/internal/format/ndarray"
	"rao/internal/text"
)

// tensor is a tensor of the protocol: an array with a name and a type.
type tensor struct {
	Name     string
	Datatype string
	Shape    []int
	Data     []float64 // elements, unless Datatype is BYTES
	Text     []string  // elements if Datatype is BYTES
}

// elems are the elements of each data type of the protocol except BYTES, as little-endian numbers.
var elems = map[string]ndarray.Elem{
	"BOOL": {Kind: 'u', Size: 1}, "FP32": {Kind: 'f', Size: 4}, "FP64": {Kind: 'f', Size: 8},
	"UINT8": {Kind: 'u', Size: 1}, "UINT16": {Kind: 'u', Size: 2}, "UINT32": {Kind: 'u', Size: 4},
	"UINT64": {Kind: 'u', Size: 8},
	"INT8":   {Kind: 'i', Size: 1}, "INT16": {Kind: 'i', Size: 2}, "INT32": {Kind: 'i', Size: 4},
	"INT64": {Kind: 'i', Size: 8},
}

// elements returns the number of elements in a shape. It is an error if there are more than limit.
func elements(shape []int, limit int) (int, error) {
	n := 1
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("shape [%s] has a negative length", join(shape))
		}
		if d > 0 && n > limit/d {
			return 0, fmt.Errorf("shape [%s] has more than %d elements; send fewer observations at a "+
				"time", join(shape), limit)
		}
		n *= d
	}
	return n, nil
}

func (t *tensor) unknownType() error {
	return badRequest("input %q has the type %q; send FP64, FP32, an integer type or BOOL, or BYTES for a text column",
		t.Name, t.Datatype)
}

// fromBytes decodes the elements of a binary tensor. Numbers are little-endian. Each text follows its length, which has
// four bytes.
func (t *tensor) fromBytes(b []byte, limit int, own *share) error {
	n, err := elements(t.Shape, limit)
	if err != nil {
		return badRequest("input %q: %v", t.Name, err)
	}
	if t.Datatype == "BYTES" {
		return t.textsFromBytes(b, n, own)
	}
	e, ok := elems[t.Datatype]
	if !ok {
		return t.unknownType()
	}
	if n*e.Size != len(b) {
		return badRequest("input %q has %d bytes, but shape [%s] of %s needs %d",
			t.Name, len(b), join(t.Shape), t.Datatype, n*e.Size)
	}
	if err := own.reserveEach(n, 8); err != nil {
		return err
	}
	t.Data = make([]float64, n)
	e.DecodeFloat64(t.Data, b)
	return nil
}

func (t *tensor) textsFromBytes(b []byte, n int, own *share) error {
	if n > len(b)/4 {
		return badRequest("input %q has %d bytes, too few for %d texts; send four bytes for the length of each "+
			"text before the text", t.Name, len(b), n)
	}
	if err := own.reserve(16*int64(n) + int64(len(b))); err != nil {
		return err
	}
	t.Text = make([]string, n)
	for i := range t.Text {
		if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
			return badRequest("input %q: text %d is truncated", t.Name, i)
		}
		end := 4 + int(binary.LittleEndian.Uint32(b))
		t.Text[i], b = string(b[4:end]), b[end:]
	}
	if len(b) > 0 {
		return badRequest("input %q: %d bytes follow the last text", t.Name, len(b))
	}
	return nil
}

// writeBytes writes the elements in the form of the binary extension. Numbers are little-endian. Each text follows its
// length, which has four bytes.
func (t *tensor) writeBytes(to *sink) {
	le := binary.LittleEndian
	switch t.Datatype {
	case "BYTES":
		for _, s := range t.Text {
			if to.b = append(le.AppendUint32(to.b, uint32(len(s))), s...); !to.spill() {
				return
			}
		}
	case "BOOL":
		for _, v := range t.Data {
			if to.b = append(to.b, byte(v)); !to.spill() {
				return
			}
		}
	default:
		for part := range slices.Chunk(t.Data, sinkFrom/8) {
			to.b = slices.Grow(to.b, 8*len(part))
			for _, v := range part {
				to.b = le.AppendUint64(to.b, math.Float64bits(v))
			}
			if !to.spill() {
				return
			}
		}
	}
}

// bytesLen returns the number of bytes that writeBytes writes.
func (t *tensor) bytesLen() int {
	switch t.Datatype {
	case "BYTES":
		n := 4 * len(t.Text)
		for _, s := range t.Text {
			n += len(s)
		}
		return n
	case "BOOL":
		return len(t.Data)
	}
	return 8 * len(t.Data)
}

// writeJSON writes the elements as a flat JSON array.
func (t *tensor) writeJSON(to *sink) {
	to.list(max(len(t.Data), len(t.Text)), func(dst []byte, i int) []byte {
		switch t.Datatype {
		case "BYTES":
			return text.AppendString(dst, t.Text[i])
		case "BOOL":
			return strconv.AppendBool(dst, t.Data[i] != 0)
		}
		return text.AppendNumber(dst, t.Data[i])
	})
}
