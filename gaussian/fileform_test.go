package gaussian

import (
	"flag"
	"reflect"
	"testing"

	"rao/internal/naming"
	"rao/internal/statsarrays"
	"rao/internal/testkit/fileform"
	"rao/recipe"
)

//go:generate go test -count=1 -run ^TestFormOfFiles$ . -update

var update = flag.Bool("update", false, "write the schema of statistics files and the page of their fields")

// words returns the allowed values of each enumeration.
func words() map[reflect.Type][]string {
	return map[reflect.Type][]string{reflect.TypeFor[LabelType](): naming.LabelTypes,
		reflect.TypeFor[recipe.Missing](): {"", "error", "drop", "median", "mean"}}
}

// The published schema of statistics files and the page of their fields match the json tags.
func TestFormOfFiles(t *testing.T) {
	meta := fileform.Rules{Words: words()}.OfKind(reflect.TypeFor[fileMeta](), statsarrays.FileKind)
	fileform.Check(t, statsarrays.FileKind, "rao.json of a file of "+statsarrays.FileKind, meta, meta.Table(), *update)
}
