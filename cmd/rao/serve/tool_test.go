package serve

import (
	"bytes"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	_ "rao/cmd/rao/compare"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/method"
	_ "rao/sets"
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

// fit saves a model of three filters or of none.
func fit(t *testing.T, name, data, path string) {
	t.Helper()
	d, err := dataset.Open(t.Context(), data, dataset.OpenOptions{RequireLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	how, err := method.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	var set method.Settings
	if name == "pca" {
		set = method.Settings{{Name: "filters", Value: "3"}}
	}
	m, err := how.Fit(t.Context(), method.Source{Data: d}, set, nil)
	if err == nil {
		err = m.Save(path)
	}
	if err != nil {
		t.Fatal(err)
	}
}
