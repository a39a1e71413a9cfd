package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"rao/internal/testkit"
)

// A name from a file must not send control characters to the terminal.
func TestNamesOnATerminal(t *testing.T) {
	var b bytes.Buffer
	a := &App{Out: &b, Err: &b}
	a.Note("class %s", "x\x1b[31m\ny")
	a.Table([]string{"name"}, [][]string{{"x\x1b[31m\ty"}})
	if s := b.String(); strings.Contains(s, "\x1b") || strings.Count(s, "\n") != 3 {
		t.Errorf("printed %q", s)
	}
}

// Input that never comes must not keep the program from ending.
func TestReadEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, feed := io.Pipe()
	r := Interruptible(ctx, in)
	go feed.Write([]byte("1,2\n"))
	b := make([]byte, 10)
	if n, err := r.Read(b); err != nil || string(b[:n]) != "1,2\n" {
		t.Fatalf("read %q, %v", b[:n], err)
	}
	time.AfterFunc(10*time.Millisecond, cancel)
	if n, err := r.Read(b); !errors.Is(err, context.Canceled) || n != 0 {
		t.Errorf("read %q, %v", b[:n], err)
	}
	testkit.ErrorIs(t, testkit.ErrorOf(r.Read(b)), context.Canceled, "a later read")
}

func TestSpansThatCannotBe(t *testing.T) {
	for _, text := range []string{"", "1", "1:", "5:5", "-1:4", "a:b", "0:99999999999999999999"} {
		testkit.Fails(t, new(DataFlags).parseSpan(text), text, "is a span")
	}
}
