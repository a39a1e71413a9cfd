package asmwriter

import (
	"fmt"
	"strconv"
	"strings"
)

// register returns the number of a vector register from the name of any of its parts.
func register(x string) int {
	n, err := strconv.Atoi(x[1:])
	if err != nil || !strings.ContainsAny(x[:1], "VDX") {
		panic("asm: " + x + " is no vector register of NEON")
	}
	return n
}

// vector returns the register of an operand. It first loads an operand in memory into the scratch register.
func (s *Source) vector(x string, scratch int) int {
	if !inMemory(x) {
		return register(x)
	}
	s.line("FMOVQ %s, F%d", s.address(x), scratch)
	return scratch
}

// binary lists the operations on two vectors that are one instruction on arm64, with their encodings for float32,
// which the assembler lacks. Setting bit 22 gives the float64 instruction.
var binary = map[string]struct {
	name string
	code uint32
}{
	"VADD": {"fadd", 0x4e20d400}, "VSUB": {"fsub", 0x4ea0d400}, "VMUL": {"fmul", 0x6e20dc00},
	"VDIV": {"fdiv", 0x6e20fc00}, "VMAX": {"fmax", 0x4e20f400}, "VMIN": {"fmin", 0x4ea0f400},
	"equal": {"fcmeq", 0x4e20e400}, "atLeast": {"fcmge", 0x6e20e400}, "above": {"fcmgt", 0x6ea0e400},
}

// word writes the encoding of an instruction that the assembler lacks.
func (s *Source) word(code uint32, format string, args ...any) {
	s.line("WORD $0x%08x // %s", code, fmt.Sprintf(format, args...))
}

// arrangement returns the suffix for the type of a vector's elements, in the notation of the Arm manual.
func arrangement(double bool) string {
	if double {
		return "2d"
	}
	return "4s"
}

// binary sets d to the result of an operation on n and m.
func (s *Source) binary(name string, double bool, d, n, m int) {
	op := binary[name]
	s.word(precision(op.code, double)|uint32(m<<16|n<<5|d), "%s v%d.%[3]s, v%[4]d.%[3]s, v%[5]d.%[3]s", op.name, d,
		arrangement(double), n, m)
}

// unary sets d to the result of an operation on n.
func (s *Source) unary(name string, code uint32, double bool, d, n int) {
	s.word(precision(code, double)|uint32(n<<5|d), "%s v%d.%[3]s, v%[4]d.%[3]s", name, d, arrangement(double), n)
}

func precision(code uint32, double bool) uint32 {
	if double {
		code |= 1 << 22
	}
	return code
}

func (s *Source) copyVector(from, to int) {
	if from != to {
		s.line("VMOV V%d.B16, V%d.B16", from, to)
	}
}

// multiplyAdd writes FMLA or FMLS: d plus or minus the product of n and m.
func (s *Source) multiplyAdd(op string, double bool, d, n, m int) {
	t := map[bool]string{true: "D2", false: "S4"}[double]
	s.line("%s V%d.%[3]s, V%[4]d.%[3]s, V%[5]d.%[3]s", op, m, t, n, d)
}

// FMALane adds to d the product of vector n and one lane of m, with elements of 4 or 8 bytes. Only NEON has this
// instruction; it saves a broadcast.
func (s *Source) FMALane(bytes, d, n, m, lane int) {
	code := uint32(0x4f801000)
	at := lane << 11
	if bytes == 4 {
		at = lane>>1<<11 | lane&1<<21
	}
	s.word(precision(code, bytes == 8)|uint32(at|m<<16|n<<5|d), "fmla v%d.%s, v%d.%[2]s, v%[4]d.%[5]c[%[6]d]", d,
		arrangement(bytes == 8), n, m, arrangement(bytes == 8)[1], lane)
}

// arithmetic translates a floating-point operation and reports whether it recognized the instruction.
func (s *Source) arithmetic(name string, x []string) bool {
	if len(name) < 3 {
		return false
	}
	op, double := name[:len(name)-2], strings.HasSuffix(name, "PD")
	if !double && !strings.HasSuffix(name, "PS") {
		return false
	}
	last := x[len(x)-1]
	if _, ok := binary[op]; ok {
		s.binary(op, double, register(last), register(x[1]), s.vector(x[0], neonScratch))
		return true
	}
	switch op {
	case "VSQRT":
		s.unary("fsqrt", 0x6ea1f800, double, register(last), s.vector(x[0], neonScratch))
	case "VFMADD231":
		s.multiplyAdd("VFMLA", double, register(last), register(x[1]), s.vector(x[0], neonScratch))
	case "VFNMADD231":
		s.multiplyAdd("VFMLS", double, register(last), register(x[1]), s.vector(x[0], neonScratch))
	case "VFMSUB231": // product - d is -d + product
		m := s.vector(x[0], neonScratch)
		s.unary("fneg", 0x6ea0f800, double, register(last), register(last))
		s.multiplyAdd("VFMLA", double, register(last), register(x[1]), m)
	case "VFMADD213":
		if inMemory(x[0]) {
			s.vector(x[0], neonScratch)
		} else {
			s.copyVector(register(x[0]), neonScratch)
		}
		s.multiplyAdd("VFMLA", double, neonScratch, register(last), register(x[1]))
		s.copyVector(neonScratch, register(last))
	case "VCMP":
		s.compare(x[0], double, register(last), register(x[2]), s.vector(x[1], neonScratch))
	default:
		return false
	}
	return true
}

// compare sets the lanes of d in which the comparison of n and m is true.
func (s *Source) compare(predicate string, double bool, d, n, m int) {
	switch predicate {
	case "$0x00":
		s.binary("equal", double, d, n, m)
	case "$0x11":
		s.binary("above", double, d, m, n)
	case "$0x12":
		s.binary("atLeast", double, d, m, n)
	case "$0x1d":
		s.binary("atLeast", double, d, n, m)
	case "$0x1e":
		s.binary("above", double, d, n, m)
	default:
		panic("asm: NEON has no comparison " + predicate)
	}
}

// moves translates loads, stores, copies and conversions of vectors, and reports whether it recognized the
// instruction.
func (s *Source) moves(name string, x []string) bool {
	last := x[len(x)-1]
	switch name {
	case "VMOVUPD", "VMOVUPS", "VMOVAPD", "VMOVSD":
		s.moveVector(name == "VMOVSD", x[0], x[1])
	case "VBROADCASTSD":
		s.broadcast(x[0], register(last), "FMOVD", "D")
	case "VBROADCASTSS":
		s.broadcast(x[0], register(last), "FMOVS", "S")
	case "VCVTSI2SDQ":
		s.line("SCVTFD %s, F%d", gpr(x[0]), register(last))
	case "VCVTPS2PD":
		from := neonScratch
		if inMemory(x[0]) {
			s.line("FMOVD %s, F%d", s.address(x[0]), from)
		} else {
			from = register(x[0])
		}
		s.word(0x0e617800|uint32(from<<5|register(last)), "fcvtl v%d.2d, v%d.2s", register(last), from)
	case "VCVTPD2PSY":
		s.word(0x0e616800|uint32(register(x[0])<<5|register(last)), "fcvtn v%d.2s, v%d.2d", register(last),
			register(x[0]))
	case "VEXTRACTF128": // the upper half
		s.line("VDUP V%d.D[1], V%d.D2", register(x[1]), register(last))
	case "VMOVMSKPD":
		s.line("VMOV V%d.D[0], %s", register(x[0]), gpr(last))
		s.line("VMOV V%d.D[1], %s", register(x[0]), scratch)
		s.line("LSR $63, %s", gpr(last))
		s.line("LSR $63, %s", scratch)
		s.line("ORR %s<<1, %s", scratch, gpr(last))
	default:
		return false
	}
	return true
}

// moveVector copies a register, half of one, or a single number, between registers and memory.
func (s *Source) moveVector(single bool, from, to string) {
	name := func(x string) string {
		if x[0] == 'D' || single {
			return "FMOVD"
		}
		return "FMOVQ"
	}
	switch {
	case inMemory(from):
		s.line("%s %s, F%d", name(to), s.address(from), register(to))
	case inMemory(to):
		s.line("%s F%d, %s", name(from), register(from), s.address(to))
	default:
		s.copyVector(register(from), register(to))
	}
}

// broadcast fills a register with copies of one number.
func (s *Source) broadcast(from string, to int, load, size string) {
	source := to
	if inMemory(from) {
		s.line("%s %s, F%d", load, s.address(from), to)
	} else {
		source = register(from)
	}
	s.line("VDUP V%d.%s[0], V%d.%[2]s%[4]d", source, size, to, map[string]int{"D": 2, "S": 4}[size])
}

// lanes translates operations on the bits of vectors or on the order of lanes, and reports whether it recognized the
// instruction.
func (s *Source) lanes(name string, x []string) bool {
	last := x[len(x)-1]
	shift := func(op, t string) {
		s.line("%s %s, V%d.%[4]s, V%[5]d.%[4]s", op, x[0], register(x[1]), t, register(last))
	}
	bits := func(op, t string) {
		m := s.vector(x[0], neonScratch)
		s.line("%s V%d.%[3]s, V%[4]d.%[3]s, V%[5]d.%[3]s", op, m, t, register(x[1]), register(last))
	}
	switch name {
	case "VANDPD", "VANDPS":
		bits("VAND", "B16")
	case "VORPD":
		bits("VORR", "B16")
	case "VXORPD":
		bits("VEOR", "B16")
	case "VPADDQ":
		bits("VADD", "D2")
	case "VPCMPEQD":
		bits("VCMEQ", "S4")
	case "VUNPCKLPD":
		bits("VZIP1", "D2")
	case "VUNPCKHPD":
		bits("VZIP2", "D2")
	case "VPSRLQ":
		shift("VUSHR", "D2")
	case "VPSRLD":
		shift("VUSHR", "S4")
	case "VPSLLQ":
		shift("VSHL", "D2")
	case "VANDNPD": // the second source without the bits of the first
		d, n, m := register(last), s.vector(x[0], neonScratch), register(x[1])
		s.word(0x4e601c00|uint32(m<<16|n<<5|d), "bic v%d.16b, v%d.16b, v%d.16b", d, n, m)
	case "VBLENDVPD":
		s.blend(register(x[0]), s.vector(x[1], neonScratch), register(x[2]), register(last))
	default:
		return false
	}
	return true
}

// blend sets d to yes in the lanes of the mask k and to no in the other lanes.
func (s *Source) blend(k, yes, no, d int) {
	switch d {
	case k:
		s.line("VBSL V%d.B16, V%d.B16, V%d.B16", no, yes, d)
	case yes:
		s.line("VBIF V%d.B16, V%d.B16, V%d.B16", k, no, d)
	default:
		s.copyVector(no, d)
		s.line("VBIT V%d.B16, V%d.B16, V%d.B16", k, yes, d)
	}
}
