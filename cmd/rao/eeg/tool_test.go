package eeg

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	_ "rao/cmd/rao/compare"
	_ "rao/cmd/rao/data"
	_ "rao/cmd/rao/decide"
	_ "rao/cmd/rao/demo"
	"rao/cmd/rao/internal/app"
	_ "rao/cmd/rao/learn"
	_ "rao/cmd/rao/show"
	_ "rao/cmd/rao/spd"
	"rao/internal/testkit"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rao": func() {
		os.Exit(app.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}})
}

func runTool(t *testing.T, args ...string) (status int, out, said string) {
	t.Helper()
	var o, e bytes.Buffer
	status = app.Run(args, nil, &o, &e)
	return status, o.String(), e.String()
}

// TestScripts runs the verbs as a user would: every file of testdata/script is one story.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPO", root) // for the fixtures of readers
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status":    testkit.ExitStatus,
			"recording": makeRecording,
		},
	})
}
