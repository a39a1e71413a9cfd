package eeg

import (
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

func TestScripts(t *testing.T) {
	commands := map[string]tooltest.Command{"recording": makeRecording}
	tooltest.Scripts(t, "testdata/script", []string{"demo_eeg", "demo_eeg_json"}, commands)
}

// TestExternalScripts runs the scripts that need recordings from outside the project.
func TestExternalScripts(t *testing.T) {
	testkit.SkipShort(t, "long: real recordings")
	tooltest.Scripts(t, "testdata/external", nil, nil, "DATA="+testkit.External(t, "data"))
}
