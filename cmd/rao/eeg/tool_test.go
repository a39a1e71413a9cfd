package eeg

import (
	"bytes"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	_ "rao/cmd/rao/data"
	_ "rao/cmd/rao/decide"
	_ "rao/cmd/rao/demo"
	"rao/cmd/rao/internal/app"
	_ "rao/cmd/rao/learn"
	_ "rao/cmd/rao/matrices"
	_ "rao/cmd/rao/methods"
	_ "rao/cmd/rao/see"
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
