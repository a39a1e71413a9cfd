package privacy

import (
	"flag"
	"reflect"
	"testing"

	"rao/internal/testkit/fileform"
)

//go:generate go test -count=1 -run ^TestFormOfFiles$ . -update

var update = flag.Bool("update", false, "write the schema of private statistics and the page of their fields")

// The published schema of private statistics and the page of their fields match the json tags.
func TestFormOfFiles(t *testing.T) {
	meta := fileform.Rules{}.OfKind(reflect.TypeFor[fileMeta](), FileKind)
	fileform.Check(t, FileKind, "rao.json of private statistics", meta, meta.Table(), *update)
}
