package naming

import (
	"fmt"
	"slices"
	"strings"
)

// LabelTypes are the types of class labels: unknown, "text", and numpy's names for booleans, integers and
// floating-point numbers.
var LabelTypes = []string{"", "text", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
	"float16", "float32", "float64"}

// CheckLabelType returns an error unless the type is one of [LabelTypes].
func CheckLabelType(name string) error {
	if slices.Contains(LabelTypes, name) {
		return nil
	}
	return fmt.Errorf("the type of the labels is %q; it must be one of %s, or empty", name,
		strings.Join(LabelTypes[1:], ", "))
}
