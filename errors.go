package rao

import (
	"fmt"
	"math"

	"rao/internal/suggest"
)

// ValueError is the error for a row with a value that is NaN or infinite, or so large that its square overflows. For
// matrices, package spd has a MatrixError.
type ValueError struct {
	Row, Col int // counted from 0
	Value    float64
}

// Error implements error.
func (e *ValueError) Error() string {
	if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
		return fmt.Sprintf("row %d, column %d is %v (both counted from 0); remove the row or fill the value in", e.Row,
			e.Col, e.Value)
	}
	return fmt.Sprintf("row %d, column %d is %v, so large that its square overflows; rescale the data", e.Row, e.Col,
		e.Value)
}

// ShapeError is the error for data of the wrong shape: vectors in place of matrices, other columns or channels than a
// model was fitted to, or other numbers of labels than rows.
type ShapeError struct {
	Got, Want int // number of columns, channels or labels
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
