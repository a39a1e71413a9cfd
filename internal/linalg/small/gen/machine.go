package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"rao/internal/linalg/asmwriter"
)

// machine writes the code of one instruction set. A vec is a register with one float64 per lane, a gpr an integer
// register; both are the assembler's names. Methods accept operands in reading order, destination first, except op,
// which accepts them in the assembler's order.
type machine struct {
	*asmwriter.Source
	stubs     bytes.Buffer // the Go declarations
	described bool         // another set of the same architecture has comments on the functions
	labels    int          // number of labels so far

	usedVecs, usedGprs, usedMasks int // registers that the function uses so far
}

type (
	vec  = string
	gpr  = string
	mask = string
)

// integers lists the registers that a kernel may use. The Go runtime and the frame pointer need the others.
var integers = []gpr{"AX", "BX", "CX", "DX", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13"}

// begin opens a function. Arguments with names that end in * are pointers to float64, except args* (to productArgs)
// and offsets* (to int64). All others are ints.
func (m *machine) begin(name, doc string, arguments ...string) {
	m.usedVecs, m.usedGprs, m.usedMasks = 0, 0, 0
	var declared []string
	for _, a := range arguments {
		p, pointer := strings.CutSuffix(a, "*")
		switch {
		case a == "args*":
			declared = append(declared, "args *productArgs")
		case a == "offsets*":
			declared = append(declared, "offsets *int64")
		case pointer:
			declared = append(declared, p+" *float64")
		default:
			declared = append(declared, a+" int")
		}
	}
	name, parameters := fmt.Sprintf("%s%d", name, m.Lanes()), strings.Join(declared, ", ")
	text := comment(name + " " + doc)
	if !m.described {
		fmt.Fprintf(&m.stubs, "\n%s//", text)
	}
	fmt.Fprintf(&m.stubs, "\n//go:noescape\nfunc %s(%s)\n", name, parameters)
	m.Begin(name, parameters)
}

// comment returns text as comment lines within 120 columns.
func comment(text string) string {
	var b strings.Builder
	line := "//"
	for _, word := range strings.Fields(text) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > 120 {
			b.WriteString(line + "\n")
			line = "//"
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}

// argument loads an argument into a new register.
func (m *machine) argument(name string) gpr {
	r := m.gpr()
	m.LoadArg(name, r)
	return r
}

func (m *machine) gpr() gpr {
	if m.usedGprs == len(integers) {
		panic("integer registers exhausted in " + m.Function)
	}
	m.usedGprs++
	return integers[m.usedGprs-1]
}

func (m *machine) vec() vec {
	if m.usedVecs == m.Registers {
		panic("vector registers exhausted in " + m.Function)
	}
	m.usedVecs++
	return m.Vec(m.usedVecs - 1)
}

func (m *machine) several(n int) []vec {
	v := make([]vec, n)
	for i := range v {
		v[i] = m.vec()
	}
	return v
}

// release frees the vector registers that were allocated since usedVecs had the value used.
func (m *machine) release(used int) { m.usedVecs = used }

// op writes one instruction, operands in the assembler's order.
func (m *machine) op(name string, operands ...string) {
	m.Op("%s %s", name, strings.Join(operands, ", "))
}

// label returns a new label. Place writes it at the current position.
func (m *machine) label(name string) string {
	m.labels++
	return fmt.Sprintf("%s%d", name, m.labels)
}

func imm(i int) string { return fmt.Sprintf("$%d", i) }

// at returns the address of vector i after the address in base.
func (m *machine) at(base gpr, i int) string {
	if i == 0 {
		return "(" + base + ")"
	}
	return fmt.Sprintf("%d(%s)", i*m.Bytes, base)
}

// indexed returns the address of vector i after base + index.
func (m *machine) indexed(base, index gpr, i int) string {
	if i == 0 {
		return fmt.Sprintf("(%s)(%s*1)", base, index)
	}
	return fmt.Sprintf("%d(%s)(%s*1)", i*m.Bytes, base, index)
}

// strided returns the addresses base + r*stride for r = 0..3. triple holds three times the stride.
func strided(base, stride, triple gpr) []string {
	return []string{"(" + base + ")", fmt.Sprintf("(%s)(%s*1)", base, stride),
		fmt.Sprintf("(%s)(%s*2)", base, stride), fmt.Sprintf("(%s)(%s*1)", base, triple)}
}

func (m *machine) copyTo(dst, src gpr) { m.op("MOVQ", src, dst) }

// scaled sets dst to the size in bytes of n vectors.
func (m *machine) scaled(dst, n gpr) {
	m.copyTo(dst, n)
	m.toBytes(dst)
}

// toBytes converts a number of vectors to their size in bytes; toVectors does the reverse.
func (m *machine) toBytes(n gpr)   { m.op("SHLQ", imm(asmwriter.Log2(m.Bytes)), n) }
func (m *machine) toVectors(n gpr) { m.op("SHRQ", imm(asmwriter.Log2(m.Bytes)), n) }

// count runs body n times for a positive n. It destroys n.
func (m *machine) count(n gpr, body func()) {
	top := m.label("loop")
	m.Place(top)
	body()
	m.op("DECQ", n)
	m.op("JNE", top)
}

// countMaybe is count for an n that may be zero.
func (m *machine) countMaybe(n gpr, body func()) {
	done := m.label("done")
	m.op("TESTQ", n, n)
	m.op("JLE", done)
	m.count(n, body)
	m.Place(done)
}

func (m *machine) constant(v float64) string { return m.bits(math.Float64bits(v)) }

// bits returns the address of a vector with the 64 bits b in every lane.
func (m *machine) bits(b uint64) string {
	values := slices.Repeat([]float64{math.Float64frombits(b)}, m.Lanes())
	return m.Data(fmt.Sprintf("%016x", b), values)
}
