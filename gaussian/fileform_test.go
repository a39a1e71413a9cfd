package gaussian

import (
	"flag"
	"reflect"
	"testing"

	"rao/internal/testkit/fileform"
)

//go:generate go test -count=1 -run ^TestFormOfFiles$ . -update

var update = flag.Bool("update", false, "write the schemas of statistics files and the page of their fields")

// The published schemas of statistics files and the page of their fields are what the json tags say.
func TestFormOfFiles(t *testing.T) {
	for kind, typ := range map[string]reflect.Type{fileKind: reflect.TypeFor[fileMeta](),
		subclassesKind: reflect.TypeFor[subclassesMeta](), basisKind: reflect.TypeFor[basisMeta]()} {
		meta := fileform.Rules{}.OfKind(typ, kind)
		fileform.Check(t, kind, "rao.json of a file of "+kind, meta, meta.Table(), *update)
	}
}
