//go:build unix

package testkit

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Pipe creates a named pipe without a writer. It also creates the folder of the pipe.
func Pipe(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Within fails the test if f takes more than ten seconds. It does not stop f.
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
