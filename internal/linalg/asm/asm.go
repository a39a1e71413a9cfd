// Package asm writes Go assembly. It is what the generators of
// kernels have in common: instruction sets and their registers, functions and their
// arguments, instructions, labels, constants and the files. Instructions are named as
// amd64 names them; for NEON each becomes what arm64 has in its place. What a kernel computes,
// and how it uses the registers, is the generators' affair: internal/linalg/dense/gen,
// internal/linalg/small/gen and internal/linalg/vec/gen. Nothing else imports the package.
package asm

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
	Name      string // as in the names of kernels; in those of files, in lower case
	Arch      string // the processors that have it, as Go calls them
	Bytes     int    // of a vector register
	Registers int    // how many of them a kernel may use
	letter    string // of the vector registers
	half      string // of their lower halves
}

// The instruction sets. Sets has all of them, in the order of generated files.
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

// Lanes is the number of float64 in a vector register.
func (s Set) Lanes() int { return s.Bytes / 8 }

// Vec names vector register i.
func (s Set) Vec(i int) string { return fmt.Sprintf("%s%d", s.letter, i) }

// Half names the lower half of vector register i.
func (s Set) Half(i int) string { return fmt.Sprintf("%s%d", s.half, i) }

// Log2 returns k for n = 2^k and panics for any other n.
func Log2(n int) int {
	if n <= 0 || n&(n-1) != 0 {
		panic(fmt.Sprintf("asm: %d is no power of two", n))
	}
	return bits.TrailingZeros(uint(n))
}

// Source is an assembly file in the making, for one instruction set.
type Source struct {
	Set
	Function  string   // the function begun last
	arguments []string // its arguments
	header    string
	data      bytes.Buffer
	known     map[string]int // what data declares, and for NEON where in its table
	text      bytes.Buffer
	neon      neon
}

// New returns an empty source. header is the first line of its file, a comment that
// says that the file is generated.
func New(set Set, header string) *Source {
	return &Source{Set: set, header: header, known: map[string]int{}}
}

// Begin opens a function. Its parameters, one or more of eight bytes each, are as in
// its Go declaration, such as "n int, a, b *float64".
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

// Arg is the address of an argument of the function.
func (s *Source) Arg(name string) string {
	i := slices.Index(s.arguments, name)
	if i < 0 {
		panic(fmt.Sprintf("asm: %s has no argument %s", s.Function, name))
	}
	return fmt.Sprintf("%s+%d(FP)", name, 8*i)
}

// LoadArg loads an argument into an integer register.
func (s *Source) LoadArg(name, register string) { s.Op("MOVQ %s, %s", s.Arg(name), register) }

// Op writes one instruction of amd64, operands in the assembler's order: destination
// last. For NEON it writes what does the same.
func (s *Source) Op(format string, args ...any) {
	if s.ARM() {
		s.lower(fmt.Sprintf(format, args...))
		return
	}
	s.line(format, args...)
}

// line writes a line as it is.
func (s *Source) line(format string, args ...any) { fmt.Fprintf(&s.text, "\t"+format+"\n", args...) }

// Place puts a label here. Labels are local to their function.
func (s *Source) Place(label string) {
	s.neon.flags = false
	fmt.Fprintf(&s.text, "\n%s:\n", label)
}

// Countdown runs body as many times as register says, which may be none, and counts
// the register down to zero. The labels are those of the loop and of what follows.
func (s *Source) Countdown(register, loop, after string, body func()) {
	s.Place(loop)
	s.Op("TESTQ %[1]s, %[1]s", register)
	s.Op("JZ %s", after)
	body()
	s.Op("DECQ %s", register)
	s.Op("JMP %s", loop)
	s.Place(after)
}

// Data returns the address of constant values, two or more. They are declared when
// their name is first used; names are unique within a set.
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

// declare writes values to the symbol name, from an offset on.
func (s *Source) declare(name string, offset int, values []float64) {
	for i, v := range values {
		fmt.Fprintf(&s.data, "DATA %s<>+%d(SB)/8, $0x%016x\n", name, offset+8*i, math.Float64bits(v))
	}
}
