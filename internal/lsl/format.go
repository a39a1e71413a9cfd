package lsl

import (
	"fmt"
	"rao/internal/format/ndarray"
	"slices"
	"strings"
)

// Format is the type of a stream's values.
type Format int

// These are the formats, with the names that String returns.
const (
	Float32 Format = iota // float32
	Float64               // double64
	Text                  // string
	Int32                 // int32
	Int16                 // int16
	Int8                  // int8
	Int64                 // int64
)

var (
	formatNames = [...]string{"float32", "double64", "string", "int32", "int16", "int8", "int64"}
	formatElems = [...]ndarray.Elem{{Kind: 'f', Size: 4}, {Kind: 'f', Size: 8}, {}, {Kind: 'i', Size: 4},
		{Kind: 'i', Size: 2}, {Kind: 'i', Size: 1}, {Kind: 'i', Size: 8}}
)

// String returns the name of the format in the protocol.
func (f Format) String() string {
	if f < 0 || int(f) >= len(formatNames) {
		return fmt.Sprintf("format(%d)", int(f))
	}
	return formatNames[f]
}

// parseFormat parses float32, double64, string, int32, int16, int8 or int64.
func parseFormat(name string) (Format, error) {
	if i := slices.Index(formatNames[:], name); i >= 0 {
		return Format(i), nil
	}
	return 0, fmt.Errorf("unknown channel format %.40q; use %s", name, strings.Join(formatNames[:], ", "))
}

func (f Format) valid() bool { return f >= 0 && int(f) < len(formatNames) }
