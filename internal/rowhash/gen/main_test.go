package main

import (
	"testing"

	"rao/internal/linalg/asm"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	if err := asm.Check("..", generate()); err != nil {
		t.Error(err)
	}
}
