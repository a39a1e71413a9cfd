//go:build unix

package testkit

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Pipe makes a named pipe without a writer, and a folder for it.
func Pipe(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Within fails the test if f takes longer than ten seconds. f goes on then.
func Within(t testing.TB, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for a pipe, or runs on without end")
	}
}
