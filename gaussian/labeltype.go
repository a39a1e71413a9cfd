package gaussian

import (
	"fmt"
	"slices"
	"strings"
)

// LabelType is numpy's name for the type of the class labels, or "text". If it is empty, only the class names are
// known.
type LabelType string

var labelTypes = []LabelType{"", "text", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
	"uint64", "float16", "float32", "float64"}

// Validate returns an error unless the type is empty, "text", or numpy's name for booleans, integers or floating-point
// numbers.
func (l LabelType) Validate() error {
	if !slices.Contains(labelTypes, l) {
		names := make([]string, len(labelTypes)-1)
		for i, known := range labelTypes[1:] {
			names[i] = string(known)
		}
		return fmt.Errorf("the type of the labels is %q; it must be one of %s, or empty", string(l),
			strings.Join(names, ", "))
	}
	return nil
}

// commonLabels returns the label type that all statistics share, or an empty one if they differ.
func commonLabels(parts []*Statistics) LabelType {
	for _, s := range parts[1:] {
		if s.Labels != parts[0].Labels {
			return ""
		}
	}
	return parts[0].Labels
}
