package dense

import (
	"sync"

	"rao/internal/par"
)

// view is a matrix with k along its rows: element (p, i) is at data[p*ld+i], or at data[i*ld+p] if the view is
// transposed.
type view[T float32 | float64] struct {
	data   []T
	ld     int
	turned bool
	n      int // number of values of i
}

// packPanel packs rows p0 to p0+k-1 of columns lo to hi-1 of x, at most a panel's columns, and pads the panel with
// zeros.
func packPanel[T float32 | float64](g *kernels[T], x view[T], lo, hi, p0, k int, dst []T) {
	width := hi - lo
	if x.turned {
		if width < g.cols {
			clear(dst)
		}
		for i := range width {
			src := x.data[(lo+i)*x.ld+p0 : (lo+i)*x.ld+p0+k]
			for p, v := range src {
				dst[p*g.cols+i] = v
			}
		}
		return
	}
	if width == g.cols {
		g.pack(k, &x.data[p0*x.ld+lo], x.ld, &dst[0])
		return
	}
	for p := range k {
		row := dst[p*g.cols : (p+1)*g.cols]
		copy(row, x.data[(p0+p)*x.ld+lo:(p0+p)*x.ld+hi])
		clear(row[width:])
	}
}

// scratch is the memory of one call. Later calls reuse it.
type scratch[T float32 | float64] struct {
	panels []T
	tiles  []float64 // one tile per worker
	blocks []block
	gates  []par.Gate
	packed projection

	pipeline pipeline[T]
}

var (
	pool64 = sync.Pool{New: func() any { return new(scratch[float64]) }}
	pool32 = sync.Pool{New: func() any { return new(scratch[float32]) }}
)

func poolOf[T float32 | float64]() *sync.Pool {
	var x any = *new(T)
	if _, ok := x.(float64); ok {
		return &pool64
	}
	return &pool32
}

// borrow returns scratch memory of at least the given sizes.
func borrow[T float32 | float64](panels, tiles int) *scratch[T] {
	s := poolOf[T]().Get().(*scratch[T])
	s.grow(panels, tiles)
	return s
}

// grow makes the memory at least as large as the given sizes.
func (s *scratch[T]) grow(panels, tiles int) {
	if cap(s.panels) < panels {
		s.panels = make([]T, panels)
	}
	if cap(s.tiles) < tiles {
		s.tiles = make([]float64, tiles)
	}
	s.panels, s.tiles = s.panels[:panels], s.tiles[:tiles]
}

func giveBack[T float32 | float64](s *scratch[T]) {
	s.pipeline = pipeline[T]{} // release the caller's memory
	poolOf[T]().Put(s)
}
