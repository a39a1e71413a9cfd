// Package onnxfile checks the structure of ONNX files, of rao and of other programs, without running them.
package onnxfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"

	"rao/internal/text"
)

// maxBytes is the limit for the size of a protocol buffer.
const maxBytes = 1<<31 - 1

// Describe reads an ONNX file, checks that it is complete, and returns a summary. Every node must use constants, inputs
// or results of earlier nodes, every output must be the result of a node, and every constant must have as many values
// as its shape. Changed values are not detected, because the format has no digests.
func Describe(path string) (string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if st.Size() > maxBytes {
		return "", errors.New("the file is larger than 2 GiB, the limit for ONNX files; export a smaller model")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var g graph
	if err := g.readModel(b); err != nil {
		return "", fmt.Errorf("not a complete ONNX file: %w; export or copy the file again", err)
	}
	return g.String(), nil
}

type graph struct {
	producer, version string
	nodes             int
	inputs, outputs   []string
	known             map[string]bool // names of constants, inputs and results
}

func (g *graph) String() string {
	by := "another program"
	if g.producer != "" {
		by = strings.TrimSpace(g.producer + " " + g.version)
	}
	return fmt.Sprintf("%s, input %s, output %s, written by %s", text.Plural(g.nodes, "node", "nodes"),
		strings.Join(g.inputs, ", "), strings.Join(g.outputs, ", "), by)
}

func (g *graph) readModel(b []byte) error {
	var body []byte
	err := fields(b, func(field int, _ uint64, data []byte) error {
		switch field {
		case 2:
			g.producer = string(data)
		case 3:
			g.version = string(data)
		case 7:
			body = data
		}
		return nil
	})
	if err != nil {
		return err
	}
	if body == nil {
		return errors.New("the file contains no graph")
	}
	return g.readGraph(body)
}

// readGraph reads the names and constants first, because the nodes, which use them, precede them in the file.
func (g *graph) readGraph(b []byte) error {
	g.known = map[string]bool{"": true} // an optional input that is not given
	err := fields(b, func(field int, _ uint64, data []byte) error {
		switch field {
		case 5:
			return g.readConstant(data)
		case 11, 12:
			name, err := textOf(data, 1)
			if field == 12 {
				g.outputs = append(g.outputs, name)
			} else if !g.known[name] {
				g.known[name] = true
				g.inputs = append(g.inputs, name)
			}
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = fields(b, func(field int, _ uint64, data []byte) error {
		if field == 1 {
			return g.readNode(data)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range g.outputs {
		if !g.known[name] {
			return fmt.Errorf("no node computes the output %q", name)
		}
	}
	if g.nodes == 0 || g.outputs == nil {
		return errors.New("the graph is empty")
	}
	return nil
}

func (g *graph) readNode(b []byte) error {
	g.nodes++
	return fields(b, func(field int, _ uint64, data []byte) error {
		switch field {
		case 1:
			if !g.known[string(data)] {
				return fmt.Errorf("node %d uses %q, which no earlier node computes", g.nodes, data)
			}
		case 2:
			g.known[string(data)] = true
		}
		return nil
	})
}

// sizes are the bytes per value of the types of tensors whose values can be in raw data.
var sizes = map[uint64]int{1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8}

const textType = 8

func (g *graph) readConstant(b []byte) error {
	name, count, kind, raw, texts := "", 1, uint64(0), -1, 0
	dim := func(n uint64) error {
		if n > maxBytes || count > 0 && int(n) > maxBytes/count {
			return fmt.Errorf("constant %q is larger than 2 GiB", name)
		}
		count *= int(n)
		return nil
	}
	err := fields(b, func(field int, v uint64, data []byte) error {
		switch field {
		case 1:
			if data == nil {
				return dim(v)
			}
			for len(data) > 0 { // packed
				n, size := binary.Uvarint(data)
				if size <= 0 {
					return errCut
				}
				if err := dim(n); err != nil {
					return err
				}
				data = data[size:]
			}
		case 2:
			kind = v
		case 6:
			texts++
		case 8:
			name = string(data)
		case 9:
			raw = len(data)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if size := sizes[kind]; raw >= 0 && size > 0 && raw != size*count || kind == textType && texts != count {
		return fmt.Errorf("the number of values of constant %q does not match its shape", name)
	}
	g.known[name] = true
	return nil
}

var errCut = errors.New("the file ends in the middle of a value")

// fields calls fn for each field of a message of a protocol buffer: with the value of a varint, or with the bytes of a
// field with a length, which are not nil. For numbers of 4 or 8 bytes, value is 0 and data is nil.
func fields(b []byte, fn func(field int, value uint64, data []byte) error) error {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return errCut
		}
		b = b[n:]
		var value uint64
		var data []byte
		switch tag & 7 {
		case 0:
			if value, n = binary.Uvarint(b); n <= 0 {
				return errCut
			}
			b = b[n:]
		case 1, 5:
			size := 8
			if tag&7 == 5 {
				size = 4
			}
			if len(b) < size {
				return errCut
			}
			b = b[size:]
		case 2:
			length, n := binary.Uvarint(b)
			if n <= 0 || length > uint64(len(b)-n) {
				return errCut
			}
			data, b = b[n:n+int(length)], b[n+int(length):]
		default:
			return errors.New("the file is not a protocol buffer")
		}
		if err := fn(int(tag>>3), value, data); err != nil {
			return err
		}
	}
	return nil
}

// textOf returns the text of a field of a message.
func textOf(b []byte, want int) (found string, err error) {
	err = fields(b, func(field int, _ uint64, data []byte) error {
		if field == want {
			found = string(data)
		}
		return nil
	})
	return found, err
}
