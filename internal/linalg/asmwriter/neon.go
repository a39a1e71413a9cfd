package asmwriter

import (
	"fmt"
	"strconv"
	"strings"
)

// Kernels are written with AVX2 instructions. lower replaces each of these instructions by arm64 instructions that have
// the same effect on vectors of 128 bits. On arm64, arithmetic works only on registers, so operands in memory are first
// loaded into the vector registers from neonScratch on and into the integer registers R14 and R15. R16 points to the
// constants.

// neonScratch is the first of four vector registers reserved for lower.
const neonScratch = 28

// These integer registers are reserved for lower.
const (
	scratch      = "R15"
	scratchIndex = "R14"
	tableBase    = "R16"
)

// neon is the state of a Source for NEON.
type neon struct {
	start int  // where the instructions of the current function start
	table bool // whether the function reads constants
	flags bool // whether the instruction that last set the flags on amd64 also set them here
}

func (n *neon) begin(start int) { *n = neon{start: start} }

func (s *Source) table() string { return strings.ToLower(s.Name) + "_constants" }

// tableEntry returns the address of a vector of constants in the table.
func (s *Source) tableEntry(name string, values []float64) string {
	at, known := s.known[name]
	if !known {
		at = s.Bytes * len(s.known)
		s.known[name] = at
		fmt.Fprintf(&s.data, "\n// %v, %v\n", values[0], values[1])
		s.declare(s.table(), at, values)
	}
	s.neon.table = true
	return fmt.Sprintf("%d(%s)", at, tableBase)
}

// loadTable inserts code at the start of the function that loads the address of the table.
func (s *Source) loadTable() {
	if !s.neon.table {
		return
	}
	body := string(s.text.Bytes()[s.neon.start:])
	s.text.Truncate(s.neon.start)
	s.line("MOVD $%s<>(SB), %s", s.table(), tableBase)
	s.text.WriteString(body)
}

func (s *Source) closeTable() {
	if s.ARM() && len(s.known) > 0 {
		fmt.Fprintf(&s.data, "\nGLOBL %s<>(SB), RODATA|NOPTR, $%d\n", s.table(), s.Bytes*len(s.known))
	}
}

// lower translates one amd64 instruction to arm64.
func (s *Source) lower(instruction string) {
	name, rest, _ := strings.Cut(instruction, " ")
	var x []string
	if rest != "" {
		x = strings.Split(rest, ", ")
	}
	switch {
	case name == "//":
		s.line("%s", strings.TrimSpace(instruction))
	case name == "RET" || name == "PCALIGN":
		s.line("%s", instruction)
	case s.integer(name, x) || s.jump(name, x) || s.moves(name, x) || s.arithmetic(name, x) || s.lanes(name, x):
	default:
		panic(fmt.Sprintf("asm: %s: NEON has no %s", s.Function, instruction))
	}
}

var integers = map[string]string{"AX": "R0", "BX": "R1", "CX": "R2", "DX": "R3", "SI": "R4", "DI": "R5"}

// gpr returns the arm64 name of an integer register.
func gpr(name string) string {
	if inMemory(name) {
		panic("asm: " + name + " is no register")
	}
	if r, ok := integers[name]; ok {
		return r
	}
	return name
}

// inMemory reports whether an operand is an address.
func inMemory(x string) bool { return strings.HasSuffix(x, ")") }

// address returns an operand in arm64 syntax: a register with an offset, or an argument. If the operand has an index,
// address adds it in scratchIndex.
func (s *Source) address(x string) string {
	if strings.HasSuffix(x, "(FP)") {
		return x
	}
	offset, rest, _ := strings.Cut(x, "(")
	base, index, _ := strings.Cut(strings.TrimSuffix(rest, ")"), ")(")
	if index == "" {
		return fmt.Sprintf("%s(%s)", offset, gpr(base))
	}
	s.line("ADD %s, %s, %s", shifted(index), gpr(base), scratchIndex)
	return fmt.Sprintf("%s(%s)", offset, scratchIndex)
}

// shifted returns an index register with its scale as a shift.
func shifted(index string) string {
	register, scale, _ := strings.Cut(index, "*")
	n, err := strconv.Atoi(scale)
	if err != nil {
		panic("asm: index " + index)
	}
	if n == 1 {
		return gpr(register)
	}
	return fmt.Sprintf("%s<<%d", gpr(register), Log2(n))
}

// value returns an operand as an integer register or a constant, loading it if necessary.
func (s *Source) value(x string) string {
	if !inMemory(x) {
		return gpr(x)
	}
	s.line("MOVD %s, %s", s.address(x), scratch)
	return scratch
}

// setFlags lists the instructions that also set flags on arm64.
var setFlags = map[string]bool{"SUBQ": true, "ANDQ": true, "DECQ": true, "CMPQ": true, "TESTQ": true, "TESTL": true}

// integer translates an integer instruction and reports whether it recognized it.
func (s *Source) integer(name string, x []string) bool {
	switch name {
	case "MOVQ":
		s.moveInteger(x[0], x[1])
		return true
	case "LEAQ":
		s.loadAddress(x[0], gpr(x[1]))
		return true
	case "PREFETCHT0", "PREFETCHT1":
		s.prefetch(x[0], map[string]string{"PREFETCHT0": "PLDL1KEEP", "PREFETCHT1": "PLDL2KEEP"}[name])
		return true
	case "ADDQ", "SUBQ", "ANDQ", "IMULQ", "SHLQ", "SHRQ":
		op := map[string]string{"ADDQ": "ADD", "SUBQ": "SUBS", "ANDQ": "ANDS", "IMULQ": "MUL", "SHLQ": "LSL",
			"SHRQ": "LSR"}[name]
		s.update(op, x[0], x[1])
	case "INCQ":
		s.update("ADD", "$1", x[0])
	case "DECQ":
		s.update("SUBS", "$1", x[0])
	case "XORQ":
		if x[0] != x[1] {
			return false
		}
		s.line("MOVD ZR, %s", gpr(x[0]))
	case "CMPQ":
		first := s.value(x[0])
		if inMemory(x[0]) && inMemory(x[1]) {
			return false
		}
		s.line("CMP %s, %s", s.value(x[1]), first)
	case "TESTQ", "TESTL":
		s.line("TST %s, %s", gpr(x[0]), gpr(x[1]))
	default:
		return false
	}
	s.neon.flags = setFlags[name]
	return true
}

// update replaces a register or a value in memory by the result of op on it and x.
func (s *Source) update(op, x, to string) {
	if !inMemory(to) {
		s.line("%s %s, %s", op, s.value(x), gpr(to))
		return
	}
	if inMemory(x) {
		panic(fmt.Sprintf("asm: %s: %s of two values in memory", s.Function, op))
	}
	s.line("MOVD %s, %s", s.address(to), scratch)
	s.line("%s %s, %s", op, gpr(x), scratch)
	s.line("MOVD %s, %s", scratch, s.address(to))
}

// moveInteger copies between registers and memory, or writes a constant to either.
func (s *Source) moveInteger(from, to string) {
	switch {
	case !inMemory(to) && inMemory(from):
		s.line("MOVD %s, %s", s.address(from), gpr(to))
	case !inMemory(to):
		s.line("MOVD %s, %s", gpr(from), gpr(to))
	case from == "$0":
		s.line("MOVD ZR, %s", s.address(to))
	case strings.HasPrefix(from, "$"):
		s.line("MOVD %s, %s", from, scratch)
		s.line("MOVD %s, %s", scratch, s.address(to))
	default:
		s.line("MOVD %s, %s", gpr(from), s.address(to))
	}
}

func (s *Source) loadAddress(x, to string) {
	offset, rest, _ := strings.Cut(x, "(")
	base, index, _ := strings.Cut(strings.TrimSuffix(rest, ")"), ")(")
	from := gpr(base)
	if index != "" {
		s.line("ADD %s, %s, %s", shifted(index), from, to)
		from = to
	}
	if offset != "" && offset != "0" {
		s.line("ADD $%s, %s, %s", offset, from, to)
	} else if from != to {
		s.line("MOVD %s, %s", from, to)
	}
}

// prefetch writes a prefetch of a cache line. Offsets must be multiples of eight.
func (s *Source) prefetch(x, how string) {
	offset, rest, _ := strings.Cut(s.address(x), "(")
	n, _ := strconv.Atoi(offset)
	s.line("PRFM %d(%s, %s", n&^7, rest, how)
}

// conditions maps the conditions of amd64 jumps and moves to arm64 conditions.
var conditions = map[string]string{"EQ": "EQ", "Z": "EQ", "NE": "NE", "NZ": "NE", "LT": "LT", "GE": "GE", "GT": "GT",
	"LE": "LE"}

// jump translates a jump or a conditional move and reports whether it recognized the instruction.
func (s *Source) jump(name string, x []string) bool {
	if name == "JMP" {
		s.line("B %s", x[0])
		return true
	}
	text, move := strings.CutPrefix(name, "CMOVQ")
	if !move {
		text = strings.TrimPrefix(name, "J")
	}
	condition, ok := conditions[text]
	if !ok || !move && !strings.HasPrefix(name, "J") {
		return false
	}
	if !s.neon.flags {
		panic(fmt.Sprintf("asm: %s: %s follows what sets no flags with NEON", s.Function, name))
	}
	if move {
		s.line("CSEL %s, %s, %s, %[3]s", condition, gpr(x[0]), gpr(x[1]))
	} else {
		s.line("B%s %s", condition, x[0])
	}
	return true
}
