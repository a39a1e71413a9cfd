package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"rao/internal/format/archive"
)

// grace is how long a verb may take to end by itself after a signal. One that does
// not is left behind: a loop deep in a fit keeps nobody waiting.
const grace = 150 * time.Millisecond

// Interruption is the cause of a context that a signal canceled.
type Interruption struct{ Signal os.Signal }

func (i *Interruption) Error() string { return "interrupted by a signal: " + i.Signal.String() }

// status is the exit status that a shell expects of a program ended by the signal.
func (i *Interruption) status() int {
	switch i.Signal {
	case syscall.SIGTERM:
		return 143
	case syscall.SIGHUP:
		return 129
	}
	return 130
}

// InterruptedByHand reports whether the cause of a context's end is Ctrl-C.
func InterruptedByHand(cause error) bool {
	var i *Interruption
	return errors.As(cause, &i) && i.Signal == os.Interrupt
}

// interrupted returns what canceled ctx, nil if nothing did.
func interrupted(ctx context.Context) *Interruption {
	var i *Interruption
	if errors.As(context.Cause(ctx), &i) {
		return i
	}
	return nil
}

// untilSignal returns a context that Ctrl-C, SIGTERM or the end of the terminal cancels. A
// second signal ends the program. Under nohup the end of the terminal changes nothing.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&Interruption{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// ErrAbandoned means that a verb did not end in time after a signal.
var ErrAbandoned = fmt.Errorf("abandoned: %w", context.Canceled)

// await runs work. When a signal comes it waits for it no longer than grace, unless
// the verb asked for patience, and leaves no temporary file behind.
func (a *App) await(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	if a.Patient.Load() {
		return <-done
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
	}
	for _, o := range a.outputs {
		if !o.kind.Folder() {
			archive.Abandon(o.path)
		}
	}
	return ErrAbandoned
}

// Interruptible returns a reader whose reads end with the context, even if the underlying reader, such as standard
// input, blocks. After that it must not be used.
func Interruptible(ctx context.Context, r io.Reader) io.Reader {
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
