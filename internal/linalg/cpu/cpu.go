// Package cpu chooses the implementation of the kernels: portable Go, AVX2 with FMA, AVX-512, or NEON. It chooses the
// best one that the processor supports, once per process. The environment variable RAO_KERNEL=portable|avx2|avx512|neon
// selects another supported implementation.
package cpu

import (
	"fmt"
	"os"
	"slices"
	"sync"
)

// Path identifies an implementation of the kernels. Within one architecture, a larger value requires a more capable
// processor.
type Path int

const (
	Portable Path = iota
	AVX2          // AVX2 and FMA
	AVX512        // AVX-512 F, DQ, BW and VL
	NEON          // available on every arm64 processor
)

var names = [...]string{"portable", "avx2", "avx512", "neon"}

// String returns the path's name, as in RAO_KERNEL.
func (p Path) String() string { return names[p] }

// Sums returns the path that adds in the same order as p, and therefore computes the same bits.
func (p Path) Sums() Path {
	if p == AVX512 {
		return AVX2
	}
	return p
}

// Available returns the paths this processor can run, from Portable to the best.
func Available() []Path { return append([]Path{Portable}, detect()...) }

// Selected returns the path in use: the one that RAO_KERNEL names, or the best available. If the name is unknown or the
// path is unavailable, it returns the best path and an error.
var Selected = sync.OnceValues(func() (Path, error) {
	return choose(Available(), os.Getenv("RAO_KERNEL"))
})

// choose returns the path named want, or the best if want is empty.
func choose(available []Path, want string) (Path, error) {
	best := available[len(available)-1]
	if want == "" {
		return best, nil
	}
	p := Path(slices.Index(names[:], want))
	switch {
	case p < 0:
		return best, fmt.Errorf("RAO_KERNEL=%s is unknown; use portable, avx2, avx512 or neon", want)
	case !slices.Contains(available, p):
		return best, fmt.Errorf("RAO_KERNEL=%s is not supported by this processor; use %s", want, best)
	}
	return p, nil
}

// Use returns the path in use and ignores an invalid RAO_KERNEL; the tool reports that error through Selected.
func Use() Path {
	p, _ := Selected()
	return p
}
