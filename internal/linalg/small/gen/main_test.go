package main

import (
	"testing"

	"rao/internal/linalg/asmwriter"
	"rao/internal/testkit"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	testkit.NoError(t, asmwriter.Check("..", generate()))
}
