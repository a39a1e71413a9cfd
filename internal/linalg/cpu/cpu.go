// Package cpu chooses which implementation of the kernels runs: portable Go,
// AVX2 with FMA or AVX-512, or NEON. The choice is made once, from what the processor
// offers; the environment variable RAO_KERNEL=portable|avx2|avx512|neon lowers it.
package cpu

import (
	"fmt"
	"os"
	"slices"
	"sync"
)

// Path names an implementation of the kernels. Among those of one architecture a
// larger one needs more of the processor.
type Path int

const (
	Portable Path = iota
	AVX2          // AVX2 and FMA
	AVX512        // AVX-512 F, DQ, BW and VL
	NEON          // of arm64, which always has it
)

var names = [...]string{"portable", "avx2", "avx512", "neon"}

// String returns the name that RAO_KERNEL takes.
func (p Path) String() string { return names[p] }

// Available returns the paths this processor can run, Portable first and the best last.
func Available() []Path { return append([]Path{Portable}, detect()...) }

// Selected returns the path in use: the best available, unless RAO_KERNEL names
// a lesser one. An unknown or unavailable name is an error with the best path.
var Selected = sync.OnceValues(func() (Path, error) {
	return choose(Available(), os.Getenv("RAO_KERNEL"))
})

// choose returns the path that want names, the best when it is empty.
func choose(available []Path, want string) (Path, error) {
	best := available[len(available)-1]
	if want == "" {
		return best, nil
	}
	p := Path(slices.Index(names[:], want))
	switch {
	case p < 0:
		return best, fmt.Errorf("RAO_KERNEL=%s: want portable, avx2, avx512 or neon", want)
	case !slices.Contains(available, p):
		return best, fmt.Errorf("RAO_KERNEL=%s: this processor offers only %s", want, best)
	}
	return p, nil
}

// Use returns the path in use, ignoring a bad RAO_KERNEL: the tool reports that
// through Selected.
func Use() Path {
	p, _ := Selected()
	return p
}
