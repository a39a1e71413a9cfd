// Command gen writes the assembly of package vec: run it with go generate in the
// package's folder. It takes no input, so its output never changes unless the
// program does.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
)

// isa is an instruction set.
type isa struct {
	name  string // suffix of the kernels' names
	file  string
	reg   string // prefix of the vector registers
	bytes int    // of a vector register
}

var isas = []isa{
	{name: "AVX512", file: "vec_avx512_amd64.s", reg: "Z", bytes: 64},
	{name: "AVX2", file: "vec_avx2_amd64.s", reg: "Y", bytes: 32},
}

// strands is the number of vectors of sums that run side by side.
const strands = 4

// source is an assembly file in the making.
type source struct {
	isa
	bytes.Buffer
}

// op writes one instruction.
func (s *source) op(format string, args ...any) { fmt.Fprintf(s, "\t"+format+"\n", args...) }

// label writes a label.
func (s *source) label(name string) { fmt.Fprintf(s, "\n%s:\n", name) }

// function starts a function with the given size of arguments.
func (s *source) function(signature, name string, args int) {
	fmt.Fprintf(s, "\n// func %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", signature, name, args)
}

// vec names a vector register.
func (s *source) vec(i int) string { return fmt.Sprintf("%s%d", s.reg, i) }

// zero clears a register.
func (s *source) zero(i int) { s.op("VXORPD %[1]s, %[1]s, %[1]s", s.vec(i)) }

func (s *source) end() {
	s.op("VZEROUPPER")
	s.op("RET")
}

// turns emits a loop that takes step values at a time as long as AX, the number of
// values left, holds that many.
func (s *source) turns(name string, step int, body func()) {
	s.label(name)
	s.op("CMPQ AX, $%d", step)
	s.op("JLT %sEnd", name)
	body()
	s.op("SUBQ $%d, AX", step)
	s.op("JMP %s", name)
	s.label(name + "End")
}

// sums emits the inner product of two vectors of n values, or with difference the
// squared norm of their difference, n a multiple of 8. It leaves the lanes of the
// sum to the caller.
func (s *source) sums(kernel string, difference bool) {
	name := kernel + s.name
	s.function(name+"(n int, a, b *float64, lanes *[8]float64)", name, 32)
	s.op("MOVQ n+0(FP), AX")
	s.op("MOVQ a+8(FP), SI")
	s.op("MOVQ b+16(FP), DI")
	s.op("MOVQ lanes+24(FP), DX")
	for i := range strands {
		s.zero(i)
	}
	add := func(count int) {
		for i := range count {
			at, x := i*s.bytes, s.vec(strands+i)
			s.op("VMOVUPD %d(SI), %s", at, x)
			if difference {
				s.op("VSUBPD %d(DI), %s, %s", at, x, x)
				s.op("VFMADD231PD %s, %s, %s", x, x, s.vec(i))
			} else {
				s.op("VFMADD231PD %d(DI), %s, %s", at, x, s.vec(i))
			}
		}
		s.op("ADDQ $%d, SI", count*s.bytes)
		s.op("ADDQ $%d, DI", count*s.bytes)
	}
	s.turns("wide", strands*s.bytes/8, func() { add(strands) })
	s.turns("eight", 8, func() { add(64 / s.bytes) })
	if s.bytes == 64 {
		s.op("VADDPD %s, %s, %s", s.vec(1), s.vec(0), s.vec(0))
		s.op("VADDPD %s, %s, %s", s.vec(3), s.vec(2), s.vec(2))
		s.op("VADDPD %s, %s, %s", s.vec(2), s.vec(0), s.vec(0))
		s.op("VMOVUPD %s, (DX)", s.vec(0))
	} else { // strands 0 and 2 hold the lower half of eight lanes
		s.op("VADDPD %s, %s, %s", s.vec(2), s.vec(0), s.vec(0))
		s.op("VADDPD %s, %s, %s", s.vec(3), s.vec(1), s.vec(1))
		s.op("VMOVUPD %s, (DX)", s.vec(0))
		s.op("VMOVUPD %s, 32(DX)", s.vec(1))
	}
	s.end()
}

// axpy emits y += alpha x for n values, n a multiple of 8.
func (s *source) axpy() {
	name := "axpy" + s.name
	s.function(name+"(n int, alpha float64, x, y *float64)", name, 32)
	s.op("MOVQ n+0(FP), AX")
	s.op("VBROADCASTSD alpha+8(FP), %s", s.vec(0))
	s.op("MOVQ x+16(FP), SI")
	s.op("MOVQ y+24(FP), DI")
	add := func(count int) {
		for i := range count {
			s.op("VMOVUPD %d(SI), %s", i*s.bytes, s.vec(1+i))
			s.op("VFMADD213PD %d(DI), %s, %s", i*s.bytes, s.vec(0), s.vec(1+i))
			s.op("VMOVUPD %s, %d(DI)", s.vec(1+i), i*s.bytes)
		}
		s.op("ADDQ $%d, SI", count*s.bytes)
		s.op("ADDQ $%d, DI", count*s.bytes)
	}
	s.turns("wide", strands*s.bytes/8, func() { add(strands) })
	s.turns("eight", 8, func() { add(64 / s.bytes) })
	s.end()
}

// products emits, for blocks of n values, n a multiple of 8, c += a b value by
// value. From block to block the pointers move by steps given in bytes: one that
// stays makes the sums of all blocks, or scales all by the same.
func (s *source) products() {
	name := "products" + s.name
	s.function(name+"(blocks, n int, a, b, c *float64, stepA, stepB, stepC int)", name, 64)
	s.op("MOVQ blocks+0(FP), CX")
	s.op("MOVQ n+8(FP), R8")
	s.op("MOVQ a+16(FP), SI")
	s.op("MOVQ b+24(FP), DI")
	s.op("MOVQ c+32(FP), DX")
	s.op("MOVQ stepA+40(FP), R9")
	s.op("MOVQ stepB+48(FP), R10")
	s.op("MOVQ stepC+56(FP), R11")
	s.op("SHLQ $3, R8") // bytes of a block
	s.label("block")
	s.op("TESTQ CX, CX")
	s.op("JZ done")
	s.op("XORQ AX, AX")
	s.label("eight")
	for at := 0; at < 64; at += s.bytes {
		s.op("VMOVUPD %d(SI)(AX*1), %s", at, s.vec(0))
		s.op("VMOVUPD %d(DX)(AX*1), %s", at, s.vec(1))
		s.op("VFMADD231PD %d(DI)(AX*1), %s, %s", at, s.vec(0), s.vec(1))
		s.op("VMOVUPD %s, %d(DX)(AX*1)", s.vec(1), at)
	}
	s.op("ADDQ $64, AX")
	s.op("CMPQ AX, R8")
	s.op("JLT eight")
	s.op("ADDQ R9, SI")
	s.op("ADDQ R10, DI")
	s.op("ADDQ R11, DX")
	s.op("DECQ CX")
	s.op("JMP block")
	s.label("done")
	s.end()
}

func main() {
	log.SetFlags(0)
	for _, set := range isas {
		s := &source{isa: set}
		s.WriteString("// Code generated by go run ./gen; DO NOT EDIT.\n\n#include \"textflag.h\"\n")
		s.sums("dot", false)
		s.sums("distance", true)
		s.axpy()
		s.products()
		if err := os.WriteFile(set.file, s.Bytes(), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
