package paper

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"rao/cmd/rao/internal/app"
	"rao/internal/testkit"
	_ "rao/sets"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rao": func() {
		os.Exit(app.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}})
}

// TestScripts runs the tool as a user would: every file of testdata/script is one story.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"status": testkit.ExitStatus}})
}

func runTool(args ...string) (status int, said string) {
	var o, e bytes.Buffer
	status = app.Run(args, nil, &o, &e)
	return status, e.String()
}

// A folder of results is filled again; one that rao did not make is not filled.
func TestFoldersOfResults(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("<!doctype html><title>mine</title>"),
		0o600); err != nil {
		t.Fatal(err)
	}
	run := []string{"paper", "run", "sqfa-fig2", "--short", "--quiet", "--out"}
	if status, said := runTool(append(run, dir)...); status != 1 ||
		!strings.Contains(said, "there is a folder that is not empty or made by rao") {
		t.Errorf("exit status %d, %q", status, said)
	}
	out := filepath.Join(t.TempDir(), "res")
	for range 2 {
		if status, said := runTool(append(run, out)...); status != 0 {
			t.Errorf("exit status %d, %s", status, said)
		}
	}
}
