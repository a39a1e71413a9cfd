package gaussian

import (
	"fmt"
	"slices"
)

// LabelType names the type of the labels whose names the classes are, as numpy names it, or is
// "text". Empty, the names alone say what the labels are.
type LabelType string

var labelTypes = []LabelType{"", "text", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
	"uint64", "float16", "float32", "float64"}

// Validate returns an error unless the type is one of numpy's, "text" or empty.
func (l LabelType) Validate() error {
	if !slices.Contains(labelTypes, l) {
		return fmt.Errorf("the labels are of the type %q, which is not known", string(l))
	}
	return nil
}

// commonLabels returns the type that the labels of all statistics have, empty where they differ.
func commonLabels(parts []*Statistics) LabelType {
	for _, s := range parts[1:] {
		if s.Labels != parts[0].Labels {
			return ""
		}
	}
	return parts[0].Labels
}
