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

// grace is how long the program waits for a command to end after a signal. Then the program exits, so a long loop in a
// fit does not delay the user.
const grace = 150 * time.Millisecond

// Interruption is the cancellation cause of a context that a signal canceled.
type Interruption struct{ Signal os.Signal }

func (i *Interruption) Error() string { return "interrupted by a signal: " + i.Signal.String() }

// status returns the exit status that shells expect from a program that the signal ended.
func (i *Interruption) status() int {
	switch i.Signal {
	case syscall.SIGTERM:
		return 143
	case syscall.SIGHUP:
		return 129
	}
	return 130
}

// InterruptedByHand reports whether Ctrl-C is the cause of a cancellation.
func InterruptedByHand(cause error) bool {
	var i *Interruption
	return errors.As(cause, &i) && i.Signal == os.Interrupt
}

// interrupted returns the interruption that canceled ctx, or nil if there was none.
func interrupted(ctx context.Context) *Interruption {
	var i *Interruption
	if errors.As(context.Cause(ctx), &i) {
		return i
	}
	return nil
}

// untilSignal returns a context that is canceled by Ctrl-C, SIGTERM or the end of the terminal. A second signal ends
// the program. Under nohup the end of the terminal has no effect.
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

// ErrAbandoned is the error of a command that did not end soon enough after a signal.
var ErrAbandoned = fmt.Errorf("abandoned: %w", context.Canceled)

// await runs work and returns its error. After a signal, await waits for grace, or until work ends if Patient is set.
// When the wait is over, await removes temporary files and returns ErrAbandoned.
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
	if dir := a.scratch.Load(); dir != nil {
		os.RemoveAll(*dir) // best effort
	}
	return ErrAbandoned
}

// TempDir creates a folder for temporary files; a command calls it once. The command removes it with the returned
// function. If a signal ends the command before that, the tool removes the folder.
func (a *App) TempDir(pattern string) (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp("", pattern); err != nil {
		return "", nil, err
	}
	a.scratch.Store(&dir)
	return dir, func() { os.RemoveAll(dir) }, nil
}

// Interruptible returns a reader that stops reading when the context ends, even if a read from r blocks, as a read from
// standard input may. After that, r must not be used.
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
