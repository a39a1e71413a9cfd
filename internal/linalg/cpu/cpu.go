// Package cpu chooses which implementation of the kernels runs: portable Go,
// AVX2 with FMA, or AVX-512. The choice is made once, from what the processor
// offers; the environment variable RAO_KERNEL=portable|avx2|avx512 lowers it.
package cpu

import (
	"fmt"
	"os"
	"sync"
)

// Path names an implementation of the kernels. A larger one needs more of the
// processor.
type Path int

const (
	Portable Path = iota
	AVX2          // AVX2 and FMA
	AVX512        // AVX-512 F, DQ, BW and VL
)

var names = [...]string{"portable", "avx2", "avx512"}

// String returns the name that RAO_KERNEL takes.
func (p Path) String() string { return names[p] }

// Available returns the paths this processor can run, Portable first.
func Available() []Path {
	paths := []Path{Portable}
	for p := AVX2; p <= detect(); p++ {
		paths = append(paths, p)
	}
	return paths
}

// Selected returns the path in use: the best available, unless RAO_KERNEL names
// a lesser one. An unknown or unavailable name is an error beside the best path.
var Selected = sync.OnceValues(func() (Path, error) {
	return choose(detect(), os.Getenv("RAO_KERNEL"))
})

// choose returns the path that want names, best when it is empty.
func choose(best Path, want string) (Path, error) {
	if want == "" {
		return best, nil
	}
	for p, n := range names {
		if n == want {
			if Path(p) > best {
				return best, fmt.Errorf("RAO_KERNEL=%s: this processor offers only %s", want, best)
			}
			return Path(p), nil
		}
	}
	return best, fmt.Errorf("RAO_KERNEL=%s: want portable, avx2 or avx512", want)
}

// Use returns the path in use, ignoring a bad RAO_KERNEL: the tool reports that
// through Selected.
func Use() Path {
	p, _ := Selected()
	return p
}
