package par

import (
	"io"
	"sync/atomic"

	"rao/internal/goroutines"
)

// Ahead fills blocks on a separate goroutine and calls use for each, in order. It fills a block while use processes the
// previous block. fill returns io.EOF with the last block, which may be empty. No fill is running when Ahead returns. A
// panic in fill is raised again on the calling goroutine. If only one goroutine may run, Ahead alternates between fill
// and use.
func Ahead[B any](blocks [2]B, fill, use func(B) error) error {
	if goroutines.Current().Parallelism() == 1 {
		return inTurn(blocks[0], fill, use)
	}
	type filled struct {
		block    B
		err      error
		panicked any
	}
	free, full := make(chan B, len(blocks)), make(chan filled, len(blocks))
	for _, b := range blocks {
		free <- b
	}
	var stop atomic.Bool
	go func() {
		defer close(full)
		for b := range free {
			if stop.Load() {
				return
			}
			f := filled{block: b}
			func() {
				defer func() { f.panicked = recover() }()
				f.err = fill(b)
			}()
			full <- f
			if f.err != nil || f.panicked != nil {
				return
			}
		}
	}()
	defer func() {
		stop.Store(true)
		close(free)
		for range full { // until the goroutine has ended
		}
	}()
	for f := range full {
		if f.panicked != nil {
			panic(f.panicked)
		}
		if f.err != nil && f.err != io.EOF {
			return f.err
		}
		if err := use(f.block); err != nil {
			return err
		}
		if f.err == io.EOF {
			return nil
		}
		free <- f.block
	}
	return nil
}

func inTurn[B any](block B, fill, use func(B) error) error {
	for {
		last := fill(block)
		if last != nil && last != io.EOF {
			return last
		}
		if err := use(block); err != nil {
			return err
		}
		if last == io.EOF {
			return nil
		}
	}
}
