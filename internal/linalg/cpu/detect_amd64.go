package cpu

import "golang.org/x/sys/cpu"

func detect() Path {
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA {
		return Portable
	}
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL {
		return AVX512
	}
	return AVX2
}
