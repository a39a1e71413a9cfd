package main

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// The linker leaves out methods that are not called, unless some linked code may look up a method by name at run time.
// Then it keeps all methods, and the tool grows by a third.
func TestLinkerDropsUnusedMethods(t *testing.T) {
	testkit.SkipShort(t, "links the tool")
	out := testkit.Output(t, exec.Command("go", "build", "-ldflags=-dumpdep", "-o", filepath.Join(t.TempDir(), "rao"),
		"."))
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	edges := 0
	for lines.Scan() {
		if strings.Contains(lines.Text(), " -> ") {
			edges++
		}
		if strings.Contains(lines.Text(), "<ReflectMethod>") {
			t.Errorf("a method may be called by its name: %s", lines.Text())
		}
	}
	if err := lines.Err(); err != nil || edges < 1000 {
		t.Errorf("%d lines of dependencies, %v", edges, err)
	}
}
