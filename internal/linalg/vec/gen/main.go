// Command gen writes the assembly of package vec. Run it with go generate in the package's folder. It has no input, so
// its output depends only on the program.
package main

import (
	"log"

	"rao/internal/linalg/asmwriter"
)

// shortest has the value of vec.shortest, the smallest number of values that a kernel receives.
const shortest = 16

// source builds the file of an instruction set.
type source struct {
	*asmwriter.Source
	strands int // vectors per turn of a loop, at least eight numbers
	sums    int // vectors of independent sums: the same number of values for all amd64 sets
}

// begin opens a function that package vec declares in kernels_simd.go. On amd64 it is the function for AVX2, which
// continues as the function for AVX-512 if that is in use.
func (s source) begin(name, parameters string) {
	if s.Wide() {
		s.Begin(name+s.Name, parameters)
		return
	}
	s.Begin(name, parameters)
	if !s.ARM() {
		s.Op("CMPB ·haveAVX512(SB), $0")
		s.Op("JEQ narrower")
		s.Op("JMP ·%s%s(SB)", name, asmwriter.AVX512.Name)
		s.Place("narrower")
	}
}

// turns emits a loop that processes step values at a time while AX, the number of remaining values, is at least step.
func (s source) turns(name string, step int, body func()) {
	s.Place(name)
	s.Op("CMPQ AX, $%d", step)
	s.Op("JLT %sEnd", name)
	body()
	s.Op("SUBQ $%d, AX", step)
	s.Op("JMP %s", name)
	s.Place(name + "End")
}

// total emits the inner product of two vectors of n values or, with difference, the squared norm of their difference;
// n is a multiple of 8. The caller adds the lanes of the sum.
func (s source) total(kernel string, difference bool) {
	s.begin(kernel, "n int, a, b *float64, lanes *[8]float64")
	s.LoadArg("n", "AX")
	s.LoadArg("a", "SI")
	s.LoadArg("b", "DI")
	s.LoadArg("lanes", "DX")
	s.sumStrands(0, func(count int) {
		for i := range count {
			at, x := i*s.Bytes, s.Vec(s.sums+i)
			s.Op("VMOVUPD %d(SI), %s", at, x)
			if difference {
				s.Op("VSUBPD %d(DI), %s, %s", at, x, x)
				s.Op("VFMADD231PD %s, %s, %s", x, x, s.Vec(i))
			} else {
				s.Op("VFMADD231PD %d(DI), %s, %s", at, x, s.Vec(i))
			}
		}
		s.Op("ADDQ $%d, SI", count*s.Bytes)
		s.Op("ADDQ $%d, DI", count*s.Bytes)
	})
}

// sumStrands emits the summation of AX values. add emits the addition of the next values to count sums, from register
// first on. The total is written to DX as eight lanes. Short vectors use only eight sums.
func (s source) sumStrands(first int, add func(count int)) {
	wide, parts := s.sums*s.Lanes(), 64/s.Bytes
	empty := func(from, to int) {
		for i := from; i < to; i++ {
			s.Op("VXORPD %[1]s, %[1]s, %[1]s", s.Vec(first+i))
		}
	}
	store := func() {
		for i := range parts {
			s.Op("VMOVUPD %s, %d(DX)", s.Vec(first+i), i*s.Bytes)
		}
		s.End()
	}
	few := wide > shortest
	empty(0, parts)
	if few {
		s.Op("CMPQ AX, $%d", wide)
		s.Op("JLT few")
	}
	empty(parts, s.sums)
	s.turns("wide", wide, func() { add(s.sums) })
	s.turns("eight", 8, func() { add(parts) })
	for apart := parts; apart < s.sums; apart *= 2 {
		for i := 0; i+apart < s.sums; i += 2 * apart {
			for part := range parts {
				to, from := s.Vec(first+i+part), s.Vec(first+i+part+apart)
				s.Op("VADDPD %s, %[2]s, %[2]s", from, to)
			}
		}
	}
	store()
	if few {
		s.turns("few", 8, func() { add(parts) })
		store()
	}
}

// axpy emits y += alpha x for n values; n is a multiple of 8.
func (s source) axpy() {
	s.begin("axpyEights", "n int, alpha float64, x, y *float64")
	s.LoadArg("n", "AX")
	s.Op("VBROADCASTSD %s, %s", s.Arg("alpha"), s.Vec(0))
	s.LoadArg("x", "SI")
	s.LoadArg("y", "DI")
	add := func(count int) {
		for i := range count {
			s.Op("VMOVUPD %d(SI), %s", i*s.Bytes, s.Vec(1+i))
			s.Op("VFMADD213PD %d(DI), %s, %s", i*s.Bytes, s.Vec(0), s.Vec(1+i))
			s.Op("VMOVUPD %s, %d(DI)", s.Vec(1+i), i*s.Bytes)
		}
		s.Op("ADDQ $%d, SI", count*s.Bytes)
		s.Op("ADDQ $%d, DI", count*s.Bytes)
	}
	s.turns("wide", s.strands*s.Lanes(), func() { add(s.strands) })
	s.turns("eight", 8, func() { add(64 / s.Bytes) })
	s.End()
}

// products emits, for blocks of n values (n a multiple of 8), c += a b value by value. The pointers move from block to
// block by steps given in bytes. With a step of zero for c, all blocks are summed; with a step of zero for a or b, all
// blocks are multiplied by the same values.
func (s source) products() {
	s.begin("productBlocks", "blocks, n int, a, b, c *float64, stepA, stepB, stepC int")
	s.LoadArg("blocks", "CX")
	s.LoadArg("n", "R8")
	s.LoadArg("a", "SI")
	s.LoadArg("b", "DI")
	s.LoadArg("c", "DX")
	s.LoadArg("stepA", "R9")
	s.LoadArg("stepB", "R10")
	s.LoadArg("stepC", "R11")
	s.Op("SHLQ $3, R8") // bytes in a block
	s.Countdown("CX", "block", "done", func() {
		s.Op("XORQ AX, AX")
		s.Place("eight")
		for at := 0; at < 64; at += s.Bytes {
			s.Op("VMOVUPD %d(SI)(AX*1), %s", at, s.Vec(0))
			s.Op("VMOVUPD %d(DX)(AX*1), %s", at, s.Vec(1))
			s.Op("VFMADD231PD %d(DI)(AX*1), %s, %s", at, s.Vec(0), s.Vec(1))
			s.Op("VMOVUPD %s, %d(DX)(AX*1)", s.Vec(1), at)
		}
		s.Op("ADDQ $64, AX")
		s.Op("CMPQ AX, R8")
		s.Op("JLT eight")
		s.Op("ADDQ R9, SI")
		s.Op("ADDQ R10, DI")
		s.Op("ADDQ R11, DX")
	})
	s.End()
}

func main() {
	if err := asmwriter.Write(".", generate()); err != nil {
		log.Fatal(err)
	}
}

// generate returns the generated files. Their bytes are the same in every run.
func generate() []asmwriter.File {
	var files []asmwriter.File
	for _, set := range asmwriter.Sets {
		s := source{asmwriter.New(set, "// Code generated by go run ./gen; DO NOT EDIT."), 4, 4 * 64 / set.Bytes}
		if set.ARM() {
			s.strands, s.sums = 8, 8
		}
		s.total("dotEights", false)
		s.total("distanceEights", true)
		s.axpy()
		s.products()
		s.exps()
		s.times()
		s.larger()
		s.standardize()
		s.dotNarrow()
		s.timesNarrow()
		s.axpyNarrow()
		s.narrow()
		s.widened()
		s.rotate()
		s.addRows()
		s.halfSquares()
		files = append(files, s.File("vec"))
	}
	return files
}
