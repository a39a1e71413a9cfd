package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/app"
)

// The guide shows the files of docs/deploy as they are, and every flag in them is one.
func TestDeployment(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/guide-serve.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../../docs/deploy/*")
	if err != nil || len(files) != 4 {
		t.Fatalf("%q, %v", files, err)
	}
	flags := serveCommand(&app.App{}).Flags()
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(guide), "\n"+string(b)+"```\n") {
			t.Errorf("the guide does not show %s", f)
		}
		for _, word := range strings.FieldsFunc(string(b),
			func(r rune) bool { return strings.ContainsRune(" \n\",[]", r) }) {
			name, ok := strings.CutPrefix(word, "--")
			if ok && !strings.Contains(name, "=") && flags.Lookup(name) == nil {
				t.Errorf("%s: rao serve has no flag --%s", f, name)
			}
		}
	}
}
