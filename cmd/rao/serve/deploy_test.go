package serve

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/cmd/rao/internal/app"
	"rao/internal/testkit"
)

// The pages show the files of docs/deploy as they are, except for the long ones, and every flag in them is one of
// rao serve or rao-serve.
func TestDeployment(t *testing.T) {
	var pages string
	for _, page := range []string{"operating", "guide-serve"} {
		b := testkit.Must(os.ReadFile("../../../docs/" + page + ".md"))(t)
		pages += string(b)
	}
	long := []string{"grafana.json", "Dockerfile.dockerignore"}
	files, err := filepath.Glob("../../../docs/deploy/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	flags := serveCommand(&app.App{}).Flags()
	for _, f := range files {
		b := testkit.Must(os.ReadFile(f))(t)
		if !slices.Contains(long, filepath.Base(f)) && !strings.Contains(pages, "\n"+string(b)+"```\n") {
			t.Errorf("no page shows %s", f)
		}
		for _, word := range strings.FieldsFunc(string(b),
			func(r rune) bool { return strings.ContainsRune(" \n\",[]", r) }) {
			name, ok := strings.CutPrefix(word, "--")
			if ok && name != "-" && name != "grpc-addr" && !strings.Contains(name, "=") && flags.Lookup(name) == nil {
				t.Errorf("%s: rao serve has no flag --%s", f, name)
			}
		}
	}
}
