package main

import (
	"context"
	"io"
)

// interruptible returns a reader whose reads end when the context does, although
// the one behind may wait for ever, as standard input does. After that it is of no
// use.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	return &interruptibleReader{ctx, r, make(chan readResult, 1)}
}

type interruptibleReader struct {
	ctx  context.Context
	r    io.Reader
	done chan readResult
}

type readResult struct {
	n   int
	err error
}

func (r *interruptibleReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	go func() {
		n, err := r.r.Read(p)
		r.done <- readResult{n, err}
	}()
	select {
	case res := <-r.done:
		return res.n, res.err
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}
