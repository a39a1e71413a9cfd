package main

import (
	"strings"
	"testing"
)

// must runs the tool and returns its standard output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	status, out, said := runTool(t, args...)
	if strings.Contains(said, "cannot be offered") || strings.Contains(said, "cannot be looked for") {
		t.Skipf("sockets on the loopback are refused here: %s", said)
	}
	if status != 0 {
		t.Fatalf("%q: exit status %d: %s", args, status, said)
	}
	return out
}
