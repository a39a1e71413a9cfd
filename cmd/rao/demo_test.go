package main

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
)

// The demo is what a newcomer runs first: it must do everything it says.
func TestDemoWritesWhatItSays(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	dir := t.TempDir()
	if code := run([]string{"demo", "--out", dir, "--quiet"}, nil, os.Stderr, os.Stderr); code != 0 {
		t.Fatalf("exit status %d", code)
	}
	for _, n := range []string{"index.html", "digits.rao", "filters.svg", "filters.png", "accuracy.svg", "toy.png",
		"prototypes.svg", "confusion.png", "convergence.svg", "textures.svg"} {
		if st, err := os.Stat(dir + "/" + n); err != nil || st.Size() == 0 {
			t.Errorf("%s is missing or empty", n)
		}
	}
}

func TestDemoEndsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a := &app{out: io.Discard, err: io.Discard, json: true}
	d := demo{app: a, dir: t.TempDir()}
	for name, part := range map[string]func(context.Context) error{"digits": d.digits, "matrices": d.matrices,
		"textures": d.textures} {
		if err := part(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want that the context is cancelled", name, err)
		}
	}
}
