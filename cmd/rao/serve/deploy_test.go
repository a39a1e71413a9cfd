package serve

import (
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/app"
	"rao/internal/testkit"
)

// Every flag in the files of docs/deploy is one of rao serve or rao-serve.
func TestDeployment(t *testing.T) {
	files, err := filepath.Glob("../../../docs/deploy/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	flags := serveCommand(&app.App{}).Flags()
	for _, f := range files {
		for _, word := range strings.FieldsFunc(testkit.Text(t, f),
			func(r rune) bool { return strings.ContainsRune(" \n\",[]", r) }) {
			name, ok := strings.CutPrefix(word, "--")
			if ok && name != "-" && name != "grpc-addr" && !strings.Contains(name, "=") && flags.Lookup(name) == nil {
				t.Errorf("%s: rao serve has no flag --%s", f, name)
			}
		}
	}
}
