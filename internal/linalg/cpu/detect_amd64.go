package cpu

import "golang.org/x/sys/cpu"

// detect returns the available paths other than Portable.
func detect() []Path {
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA {
		return nil
	}
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL {
		return []Path{AVX2, AVX512}
	}
	return []Path{AVX2}
}

// ByteProducts reports whether the processor can multiply and add bytes in AVX-512 vectors (VNNI).
func ByteProducts() bool { return cpu.X86.HasAVX512VNNI }

// ByteCompression reports whether the processor can pack selected bytes of an AVX-512 vector together (VBMI2).
func ByteCompression() bool { return cpu.X86.HasAVX512VBMI2 }
