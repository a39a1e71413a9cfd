package main

import (
	"testing"

	"rao/internal/linalg/asmwriter"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	if err := asmwriter.Check("..", generate()); err != nil {
		t.Error(err)
	}
}
