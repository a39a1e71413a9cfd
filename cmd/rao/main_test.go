package main

import (
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

func TestScripts(t *testing.T) {
	tooltest.Scripts(t, "testdata/script", []string{"demo_again", "guide"}, nil)
}

// TestExternalScripts runs the scripts that need external data.
func TestExternalScripts(t *testing.T) {
	testkit.SkipShort(t, "long: real data sets")
	tooltest.Scripts(t, "testdata/external", nil, nil, "DATA="+testkit.External(t, "data"))
}
