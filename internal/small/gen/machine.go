package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// machine writes the code of one instruction set. A vec is a register with one
// float64 of each lane, a gpr an integer register; both are the assembler's names.
// Operands are in reading order, destination first, unlike the assembler's.
type machine struct {
	name   string // of the instruction set, in file names
	lanes  int
	letter string // of the vector registers
	vecs   int    // how many there are
	text   bytes.Buffer
	stubs  bytes.Buffer
	consts []string // declarations of constants, in order of first use
	known  map[string]bool
	labels int

	function  string
	arguments []string
	usedVecs  int
	usedGprs  int
	usedMasks int
}

type (
	vec  = string
	gpr  = string
	mask = string
)

func newAVX512() *machine {
	return &machine{name: "avx512", lanes: 8, letter: "Z", vecs: 32, known: map[string]bool{}}
}

func newAVX2() *machine {
	return &machine{name: "avx2", lanes: 4, letter: "Y", vecs: 16, known: map[string]bool{}}
}

// wide reports whether the machine has AVX-512.
func (m *machine) wide() bool { return m.lanes == 8 }

// width is the size of a vector in bytes.
func (m *machine) width() int { return 8 * m.lanes }

// integers are the registers that a kernel may use. Those of the Go runtime and
// the frame pointer are left alone.
var integers = []gpr{"AX", "BX", "CX", "DX", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13"}

// begin opens a function. Arguments whose name ends in * are pointers to float64,
// but args* to product arguments and offsets* to int64; the others are ints.
func (m *machine) begin(name, doc string, arguments ...string) {
	m.function, m.arguments = fmt.Sprintf("%s%d", name, m.lanes), arguments
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
	signature := fmt.Sprintf("func %s(%s)", m.function, strings.Join(declared, ", "))
	fmt.Fprintf(&m.stubs, "\n// %s %s\n//\n//go:noescape\n%s\n", m.function, doc, signature)
	fmt.Fprintf(&m.text, "\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", signature, m.function, 8*len(arguments))
}

// end closes a function.
func (m *machine) end() {
	m.op("VZEROUPPER")
	m.op("RET")
}

// argument loads an argument into a new register.
func (m *machine) argument(name string) gpr {
	r := m.gpr()
	for i, a := range m.arguments {
		if strings.TrimSuffix(a, "*") == name {
			m.op("MOVQ", fmt.Sprintf("%s+%d(FP)", name, 8*i), r)
			return r
		}
	}
	panic("no argument " + name + " in " + m.function)
}

func (m *machine) gpr() gpr {
	if m.usedGprs == len(integers) {
		panic("integer registers exhausted in " + m.function)
	}
	m.usedGprs++
	return integers[m.usedGprs-1]
}

func (m *machine) vec() vec {
	if m.usedVecs == m.vecs {
		panic("vector registers exhausted in " + m.function)
	}
	m.usedVecs++
	return fmt.Sprintf("%s%d", m.letter, m.usedVecs-1)
}

func (m *machine) several(n int) []vec {
	v := make([]vec, n)
	for i := range v {
		v[i] = m.vec()
	}
	return v
}

// release gives back the vector registers taken since used was m.usedVecs.
func (m *machine) release(used int) { m.usedVecs = used }

// op writes one instruction, operands in the assembler's order.
func (m *machine) op(name string, operands ...string) {
	fmt.Fprintf(&m.text, "\t%s", name)
	if len(operands) > 0 {
		fmt.Fprintf(&m.text, " %s", strings.Join(operands, ", "))
	}
	m.text.WriteByte('\n')
}

// comment writes a line of comment.
func (m *machine) comment(s string) { fmt.Fprintf(&m.text, "\t// %s\n", s) }

// label returns a new label; place puts it here.
func (m *machine) label(name string) string {
	m.labels++
	return fmt.Sprintf("%s%d", name, m.labels)
}

func (m *machine) place(label string) { fmt.Fprintf(&m.text, "\n%s:\n", label) }

// imm is an immediate operand.
func imm(i int) string { return fmt.Sprintf("$%d", i) }

// at is the vector number i after the address in base.
func (m *machine) at(base gpr, i int) string {
	if i == 0 {
		return "(" + base + ")"
	}
	return fmt.Sprintf("%d(%s)", i*m.width(), base)
}

// indexed is the vector number i after the address base + index.
func (m *machine) indexed(base, index gpr, i int) string {
	if i == 0 {
		return fmt.Sprintf("(%s)(%s*1)", base, index)
	}
	return fmt.Sprintf("%d(%s)(%s*1)", i*m.width(), base, index)
}

// strided returns the addresses base + r*stride for r = 0..3; triple holds three
// times the stride.
func strided(base, stride, triple gpr) []string {
	return []string{"(" + base + ")", fmt.Sprintf("(%s)(%s*1)", base, stride),
		fmt.Sprintf("(%s)(%s*2)", base, stride), fmt.Sprintf("(%s)(%s*1)", base, triple)}
}

// copyTo sets dst to src.
func (m *machine) copyTo(dst, src gpr) { m.op("MOVQ", src, dst) }

// scaled sets dst to the size in bytes of n vectors.
func (m *machine) scaled(dst, n gpr) {
	m.op("MOVQ", n, dst)
	shift := 5
	if m.wide() {
		shift = 6
	}
	m.op("SHLQ", imm(shift), dst)
}

// count runs body n times, n being positive; n is destroyed.
func (m *machine) count(n gpr, body func()) {
	top := m.label("loop")
	m.place(top)
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
	m.place(done)
}

// constant returns the address of a vector that holds v in every lane.
func (m *machine) constant(v float64) string { return m.bits(math.Float64bits(v)) }

// bits returns the address of a vector that holds the 64 bits in every lane.
func (m *machine) bits(b uint64) string {
	values := make([]float64, m.lanes)
	for i := range values {
		values[i] = math.Float64frombits(b)
	}
	return m.vectorOf(fmt.Sprintf("%016x", b), values)
}

// vectorOf returns the address of a vector of the given values, declared under
// name on its first use.
func (m *machine) vectorOf(name string, values []float64) string {
	name = m.name + "_" + name + "<>"
	if !m.known[name] {
		m.known[name] = true
		var s strings.Builder
		fmt.Fprintf(&s, "// %v, %v, ...\n", values[0], values[1])
		for i, v := range values {
			fmt.Fprintf(&s, "DATA %s+%d(SB)/8, $0x%016x\n", name, 8*i, math.Float64bits(v))
		}
		fmt.Fprintf(&s, "GLOBL %s(SB), RODATA|NOPTR, $%d\n", name, m.width())
		m.consts = append(m.consts, s.String())
	}
	return name + "(SB)"
}

// assembly returns the file.
func (m *machine) assembly() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n#include \"textflag.h\"\n", header)
	for _, c := range m.consts {
		fmt.Fprintf(&b, "\n%s", c)
	}
	b.Write(m.text.Bytes())
	return b.Bytes()
}
