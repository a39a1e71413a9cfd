// Package asmwriter writes Go assembly. The generators of kernels share it. It defines the instruction sets and their
// registers, and writes functions, instructions, labels, constants and files. Instructions have their amd64 names; for
// NEON, asmwriter writes the equivalent arm64 instructions. What a kernel computes and how it uses registers is up to
// the generators in internal/linalg/dense/gen, internal/linalg/small/gen and internal/linalg/vec/gen. No other package
// imports asmwriter.
package asmwriter

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// Set is an instruction set.
type Set struct {
	Name      string // used in the names of kernels and, in lower case, of files
	Arch      string // GOARCH of the processors that have it
	Bytes     int    // bytes in a vector register
	Registers int    // number of vector registers a kernel may use
	letter    string // first letter of a vector register's name
	half      string // first letter of the name of its lower half
}

// These are the instruction sets. Sets lists them in the order of the generated files.
var (
	AVX512 = Set{Name: "AVX512", Arch: "amd64", Bytes: 64, Registers: 32, letter: "Z", half: "Y"}
	AVX2   = Set{Name: "AVX2", Arch: "amd64", Bytes: 32, Registers: 16, letter: "Y", half: "X"}
	NEON   = Set{Name: "NEON", Arch: "arm64", Bytes: 16, Registers: neonScratch, letter: "V", half: "D"}
	Sets   = []Set{AVX512, AVX2, NEON}
)

// Wide reports whether the set is AVX-512.
func (s Set) Wide() bool { return s.Bytes == 64 }

// ARM reports whether the set is NEON.
func (s Set) ARM() bool { return s.Arch == "arm64" }

// Lanes returns the number of float64 values in a vector register.
func (s Set) Lanes() int { return s.Bytes / 8 }

// Vec returns the name of vector register i.
func (s Set) Vec(i int) string { return fmt.Sprintf("%s%d", s.letter, i) }

// Half returns the name of the lower half of vector register i.
func (s Set) Half(i int) string { return fmt.Sprintf("%s%d", s.half, i) }

// Log2 returns k for n = 2^k. It panics for any other n.
func Log2(n int) int {
	if n <= 0 || n&(n-1) != 0 {
		panic(fmt.Sprintf("asm: %d is no power of two", n))
	}
	return bits.TrailingZeros(uint(n))
}

// Source builds an assembly file for one instruction set.
type Source struct {
	Set
	Function  string   // the current function
	arguments []string // the arguments of the function
	header    string
	data      bytes.Buffer
	known     map[string]int // constants that Data has declared; for NEON, with their offsets in the table
	text      bytes.Buffer
	neon      neon
}

// New returns an empty source. header is the first line of the file: a comment that marks it as generated.
func New(set Set, header string) *Source {
	return &Source{Set: set, header: header, known: map[string]int{}}
}

// Begin opens a function. parameters are written as in its Go declaration, for example "n int, a, b *float64": at
// least one, each of eight bytes.
func (s *Source) Begin(name, parameters string) {
	s.Function, s.arguments = name, strings.Split(parameters, ", ")
	for i, a := range s.arguments {
		s.arguments[i], _, _ = strings.Cut(a, " ")
	}
	fmt.Fprintf(&s.text, "\n// func %s(%s)\nTEXT ·%[1]s(SB), NOSPLIT, $0-%[3]d\n", name, parameters, 8*len(s.arguments))
	s.neon.begin(s.text.Len())
}

// End closes a function.
func (s *Source) End() {
	if s.ARM() {
		s.loadTable()
	} else {
		s.Op("VZEROUPPER")
	}
	s.Op("RET")
}

// Arg returns the address of an argument of the current function.
func (s *Source) Arg(name string) string {
	i := slices.Index(s.arguments, name)
	if i < 0 {
		panic(fmt.Sprintf("asm: %s has no argument %s", s.Function, name))
	}
	return fmt.Sprintf("%s+%d(FP)", name, 8*i)
}

// LoadArg loads an argument into an integer register.
func (s *Source) LoadArg(name, register string) { s.Op("MOVQ %s, %s", s.Arg(name), register) }

// Op writes one amd64 instruction. Operands are in the assembler's order, with the destination last. For NEON it
// writes the equivalent arm64 instructions.
func (s *Source) Op(format string, args ...any) {
	if s.ARM() {
		s.lower(fmt.Sprintf(format, args...))
		return
	}
	s.line(format, args...)
}

// line writes a line without translating it for NEON.
func (s *Source) line(format string, args ...any) { fmt.Fprintf(&s.text, "\t"+format+"\n", args...) }

// Place writes a label. Labels are local to their function.
func (s *Source) Place(label string) {
	s.neon.flags = false
	fmt.Fprintf(&s.text, "\n%s:\n", label)
}

// Countdown runs body n times, where n is the value in register, possibly zero, and leaves zero in register. loop and
// after are the labels of the loop and of the code that follows it.
func (s *Source) Countdown(register, loop, after string, body func()) {
	s.Place(loop)
	s.Op("TESTQ %[1]s, %[1]s", register)
	s.Op("JZ %s", after)
	body()
	s.Op("DECQ %s", register)
	s.Op("JMP %s", loop)
	s.Place(after)
}

// Data returns the address of at least two constant values. It declares the values the first time that their name is
// used. Names are unique within a set.
func (s *Source) Data(name string, values []float64) string {
	name = strings.ToLower(s.Name) + "_" + name
	if s.ARM() {
		return s.tableEntry(name, values)
	}
	if _, known := s.known[name]; !known {
		s.known[name] = 0
		fmt.Fprintf(&s.data, "\n// %v, %v, ...\n", values[0], values[1])
		s.declare(name, 0, values)
		fmt.Fprintf(&s.data, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", name, 8*len(values))
	}
	return name + "<>(SB)"
}

// declare writes values to the symbol name, starting at offset.
func (s *Source) declare(name string, offset int, values []float64) {
	for i, v := range values {
		fmt.Fprintf(&s.data, "DATA %s<>+%d(SB)/8, $0x%016x\n", name, offset+8*i, math.Float64bits(v))
	}
}
