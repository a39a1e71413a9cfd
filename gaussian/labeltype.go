package gaussian

import (
	"fmt"
	"slices"
)

// LabelType is numpy's name for the type of the class labels, or "text". If it is empty, only the class names are
// known.
type LabelType string

var labelTypes = []LabelType{"", "text", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
	"uint64", "float16", "float32", "float64"}

// Validate returns an error unless the type is one of numpy's, "text" or empty.
func (l LabelType) Validate() error {
	if !slices.Contains(labelTypes, l) {
		return fmt.Errorf("unknown type of labels %q", string(l))
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
