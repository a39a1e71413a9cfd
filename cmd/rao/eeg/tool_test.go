package eeg

import (
	"testing"

	"rao/cmd/rao/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

func TestScripts(t *testing.T) {
	commands := map[string]tooltest.Command{"recording": makeRecording}
	tooltest.Scripts(t, "testdata/script", []string{"demo_eeg", "demo_eeg_json"}, commands)
}
