package rao

import (
	"fmt"
	"math"

	"rao/internal/suggest"
)

// ValueError is the error for a value that cannot be used: a value of a row that is NaN or infinite, or so large that
// its square overflows; a label or weight that is out of range; values that cannot be used together, such as rows that
// are all equal; or an invalid field of options. For matrices, package spd has a MatrixError.
type ValueError struct {
	// Row and Col are counted from 0. Col is -1 for labels and weights. Both are -1 for fields of options and for
	// values that cannot be used together.
	Row, Col int
	Value    float64 // value of the row, label or weight
	Message  string  // text of the error; if empty, Error writes one about the row
}

// Error implements error.
func (e *ValueError) Error() string {
	if e.Message != "" {
		return e.Message
	}
	if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
		return fmt.Sprintf("row %d, column %d is %v (both counted from 0); remove the row or fill the value in", e.Row,
			e.Col, e.Value)
	}
	return fmt.Sprintf("row %d, column %d is %v, so large that its square overflows; rescale the data", e.Row, e.Col,
		e.Value)
}

// ShapeError is the error for data of the wrong shape: vectors in place of matrices, columns or channels that differ
// from the columns or channels of the model, different numbers of labels and rows, too few classes, or too few rows or
// matrices of a class.
type ShapeError struct {
	// Got and Want are numbers of columns, channels, labels, rows, matrices or classes. Both are 0 if vectors were
	// given in place of matrices, or the reverse.
	Got, Want int
	// Missing and Unknown list the columns or channels that the data lack, and the ones that they should not have, if
	// both sides have names.
	Missing, Unknown []string
	Message          string
}

// Error returns the message.
func (e *ShapeError) Error() string { return e.Message }

// UnknownError is the error for a name that does not exist. The message has the nearest names.
type UnknownError struct {
	Kind  string   // kind of the name, such as "metric", "method" or "class"
	Name  string   // the unknown name
	Known []string // all names of this kind
}

// Error implements error.
func (e *UnknownError) Error() string {
	choice, _ := suggest.Choice(e.Name, e.Known)
	return fmt.Sprintf("unknown %s %q; %s", e.Kind, e.Name, choice)
}
