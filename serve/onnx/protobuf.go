package onnx

import (
	"encoding/binary"
	"maps"
	"rao/internal/linalg/vec"
	"slices"
)

// message is an encoded protocol buffer. The field numbers are defined in onnx.proto.
type message []byte

func (m *message) tag(field, wire int) { *m = binary.AppendUvarint(*m, uint64(field<<3|wire)) }

func (m *message) number(field int, v int64) {
	m.tag(field, 0)
	*m = binary.AppendUvarint(*m, uint64(v))
}

func (m *message) bytes(field int, v []byte) {
	m.tag(field, 2)
	*m = binary.AppendUvarint(*m, uint64(len(v)))
	*m = append(*m, v...)
}

func (m *message) text(field int, v string) { m.bytes(field, []byte(v)) }

const (
	irVersion = 8
	opset     = 13
	mlDomain  = "ai.onnx.ml" // domain of operations on texts
	mlOpset   = 2
)

func (g *graph) encode(version string) []byte {
	var body message
	for _, n := range g.nodes {
		body.bytes(1, n.encode())
	}
	body.text(2, "rao")
	for _, name := range g.order {
		body.bytes(5, g.constants[name].encode(name, g.float))
	}
	for _, v := range g.inputs {
		body.bytes(11, v.encode())
	}
	for _, v := range g.outputs {
		body.bytes(12, v.encode())
	}
	var m message
	m.number(1, irVersion)
	m.text(2, "rao")
	m.text(3, version)
	m.bytes(7, body)
	var set message
	set.number(2, opset)
	m.bytes(8, set)
	if slices.ContainsFunc(g.nodes, func(n node) bool { return n.domain != "" }) {
		var ml message
		ml.text(1, mlDomain)
		ml.number(2, mlOpset)
		m.bytes(8, ml)
	}
	for _, kv := range g.metadata {
		var e message
		e.text(1, kv[0])
		e.text(2, kv[1])
		m.bytes(14, e)
	}
	return m
}

func (n *node) encode() []byte {
	var m message
	for _, in := range n.inputs {
		m.text(1, in)
	}
	if n.values != "" {
		m.text(2, n.values)
	}
	m.text(2, n.output)
	m.text(3, n.op+"_"+n.output)
	m.text(4, n.op)
	for _, name := range slices.Sorted(maps.Keys(n.one)) {
		var a message
		a.text(1, name)
		a.number(3, n.one[name])
		a.number(20, 2) // INT
		m.bytes(5, a)
	}
	for _, name := range slices.Sorted(maps.Keys(n.ints)) {
		var a message
		a.text(1, name)
		for _, v := range n.ints[name] {
			a.number(8, v)
		}
		a.number(20, 7) // INTS
		m.bytes(5, a)
	}
	if n.texts != nil {
		var a message
		a.text(1, "keys_strings")
		for _, v := range n.texts {
			a.text(9, v)
		}
		a.number(20, 8) // STRINGS
		m.bytes(5, a)
	}
	if n.domain != "" {
		m.text(7, n.domain)
	}
	return m
}

func (t *tensor) encode(name string, float kind) []byte {
	var m message
	for _, d := range t.shape {
		m.number(1, int64(d))
	}
	var raw []byte
	switch {
	case t.texts != nil:
		m.number(2, int64(textKind))
		for _, s := range t.texts {
			m.text(6, s)
		}
		m.text(8, name)
		return m
	case t.ints != nil:
		m.number(2, int64(int64Kind))
		raw, _ = binary.Append(nil, binary.LittleEndian, t.ints)
	case float == float32Kind:
		m.number(2, int64(float32Kind))
		raw, _ = binary.Append(nil, binary.LittleEndian, vec.Converted[float32](t.values))
	default:
		m.number(2, int64(float64Kind))
		raw, _ = binary.Append(nil, binary.LittleEndian, t.values)
	}
	m.text(8, name)
	m.bytes(9, raw)
	return m
}

func (v *value) encode() []byte {
	var shape message
	for _, d := range v.shape {
		var dim message
		if d < 0 {
			dim.text(2, "N")
		} else {
			dim.number(1, int64(d))
		}
		shape.bytes(1, dim)
	}
	var tensorType message
	tensorType.number(1, int64(v.kind))
	tensorType.bytes(2, shape)
	var typ message
	typ.bytes(1, tensorType)
	var m message
	m.text(1, v.name)
	m.bytes(2, typ)
	return m
}
