// Package fileform describes the JSON form of a Go type by its json tags, for tests that write and check the published
// descriptions of files: a JSON schema, and a table for readers. The description of a field is its comment.
package fileform

import (
	"encoding"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rao/internal/format/archive"
	"rao/internal/testkit"
)

// Node describes the form of a value.
type Node struct {
	Type   string   // JSON type: object, array, string, integer, number or boolean; "" with Any
	Fields []Field  // fields of an object
	Items  *Node    // form of the elements of an array
	Length int      // length of an array; 0 for any length
	Const  any      // the only value, a string or a number; nil for any value
	Words  []string // the possible values of a string; nil for any value
	Any    []*Node  // alternative forms
	Array  int      // number of axes of the npy array that the value refers to
	Def    string   // name of the form in the schema's definitions; "" if it is written in place
}

// Field is a named value of an object.
type Field struct {
	Name, Doc string
	Required  bool
	*Node
}

// Rules describes how a codec writes types with a special encoding.
type Rules struct {
	// Special returns the form of a type with a special encoding, and nil for other types.
	Special func(t reflect.Type) *Node
	// Words lists the values of types that are words.
	Words map[reflect.Type][]string
	// NotFinite means that numbers that are not finite are written as text.
	NotFinite bool
}

// Text returns the form of a text. Object returns the form of an object with the fields.
func Text() *Node                    { return &Node{Type: "string"} }
func Object(fields ...Field) *Node   { return &Node{Type: "object", Fields: fields} }
func List(items *Node) *Node         { return &Node{Type: "array", Items: items} }
func Constant(value string) *Node    { return &Node{Type: "string", Const: value} }
func (n *Node) Named(s string) Field { return Field{Name: s, Required: true, Node: n} }

// ArrayRef returns the form of a reference to an npy array of the file.
func ArrayRef(dims int) *Node {
	n := Object(Text().Named("array"))
	n.Array, n.Def = dims, "array"
	return n
}

// Of returns the form of a type.
func (r Rules) Of(t reflect.Type) *Node {
	if r.Special != nil {
		if n := r.Special(t); n != nil {
			return n
		}
	}
	if words := r.Words[t]; words != nil {
		return &Node{Type: "string", Words: words}
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return Text()
	}
	if t.Implements(reflect.TypeFor[json.Marshaler]()) {
		panic(fmt.Sprintf("fileform: %v writes its own JSON, and Special does not know it", t))
	}
	switch t.Kind() {
	case reflect.String:
		return Text()
	case reflect.Bool:
		return &Node{Type: "boolean"}
	case reflect.Float32, reflect.Float64:
		n := &Node{Type: "number"}
		if r.NotFinite {
			return &Node{Any: []*Node{n, {Type: "string", Words: []string{"NaN", "+Inf", "-Inf"}}}}
		}
		return n
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &Node{Type: "integer"}
	case reflect.Pointer:
		return r.Of(t.Elem())
	case reflect.Slice:
		return List(r.Of(t.Elem()))
	case reflect.Array:
		n := List(r.Of(t.Elem()))
		n.Length = t.Len()
		return n
	case reflect.Struct:
		return Object(r.fields(t)...)
	}
	panic(fmt.Sprintf("fileform: a %v has no form", t))
}

func (r Rules) fields(t reflect.Type) (fields []Field) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			fields = append(fields, r.fields(f.Type)...)
		case f.IsExported() && name != "-":
			fields = append(fields, Field{Name: name, Doc: docOf(t, f.Name), Node: r.Of(f.Type)})
		}
	}
	return fields
}

// schema returns the form as a JSON schema, and adds the definitions that the schema refers to to defs.
func (n *Node) schema(defs map[string]any) map[string]any {
	if n.Def != "" {
		if _, ok := defs[n.Def]; !ok {
			once := *n
			once.Def = ""
			defs[n.Def] = once.schema(defs)
		}
		return map[string]any{"$ref": "#/$defs/" + n.Def}
	}
	out := map[string]any{}
	if n.Type != "" {
		out["type"] = n.Type
	}
	if n.Const != nil {
		out["const"] = n.Const
	}
	if n.Words != nil {
		out["enum"] = n.Words
	}
	if n.Items != nil {
		out["items"] = n.Items.schema(defs)
	}
	if n.Length > 0 {
		out["minItems"], out["maxItems"] = n.Length, n.Length
	}
	if n.Any != nil {
		var list []any
		for _, one := range n.Any {
			list = append(list, one.schema(defs))
		}
		out["anyOf"] = list
	}
	if n.Fields != nil {
		properties, required := map[string]any{}, []string{}
		for _, f := range n.Fields {
			s := f.schema(defs)
			if f.Doc != "" {
				s["description"] = f.Doc
			}
			properties[f.Name] = s
			if f.Required {
				required = append(required, f.Name)
			}
		}
		out["properties"], out["additionalProperties"] = properties, false
		if len(required) > 0 {
			out["required"] = required
		}
	}
	return out
}

// OfKind returns the form of metadata with a fixed value of the field kind.
func (r Rules) OfKind(t reflect.Type, kind string) *Node {
	n := r.Of(t)
	for i := range n.Fields {
		if n.Fields[i].Name == "kind" {
			n.Fields[i].Node, n.Fields[i].Required = Constant(kind), true
		}
	}
	return n
}

// Root returns the folder of the module.
func Root() string {
	dir, err := os.Getwd()
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			panic("fileform: no go.mod above the working folder")
		}
		dir = filepath.Dir(dir)
	}
	panic(err)
}

// Manifest returns the form of rao.json with the given metadata.
func Manifest(meta *Node) *Node {
	return Object(
		Field{Name: "rao_format", Doc: "version of the format", Required: true,
			Node: &Node{Type: "integer", Const: archive.Format}},
		Field{Name: "meta", Doc: "contents of the file", Required: true, Node: meta},
		Field{Name: "meta_sha256", Doc: "SHA-256 of the text of `meta` without whitespace", Required: true,
			Node: Text()},
		Field{Name: "arrays", Doc: "npy entries of the file", Required: true, Node: List(Object(
			Field{Name: "name", Doc: "name of the entry without .npy", Required: true, Node: Text()},
			Field{Name: "sha256", Doc: "SHA-256 of the npy entry", Required: true, Node: Text()}))})
}

// Check compares the form with the published schema of a kind of files, docs/schema/KIND.schema.json, and with the
// section of docs/formats/fields.md between its marks. With update it writes both.
func Check(t *testing.T, kind, title string, meta *Node, table string, update bool) {
	t.Helper()
	defs := map[string]any{}
	s := Manifest(meta).schema(defs)
	if len(defs) > 0 {
		s["$defs"] = defs
	}
	s["$schema"], s["title"] = "https://json-schema.org/draft/2020-12/schema", title
	text := testkit.Must(json.MarshalIndent(s, "", " "))(t)
	compare(t, filepath.Join(Root(), "docs", "schema", kind+".schema.json"), append(text, '\n'), update)
	CheckTables(t, kind, table, update)
}

// CheckTables compares tables of fields with the section of docs/formats/fields.md between the marks of kind. With
// update it writes the section.
func CheckTables(t *testing.T, kind, table string, update bool) {
	t.Helper()
	for _, name := range goNames(table) {
		t.Errorf("the comment of a field of %s contains %q, which is a name in Go or not at the start of a "+
			"sentence", kind, name)
	}
	page := filepath.Join(Root(), "docs", "formats", "fields.md")
	old := testkit.Must(os.ReadFile(page))(t)
	begin, end := "<!-- fields of "+kind+" -->\n", "<!-- end of "+kind+" -->\n"
	before, rest, found := strings.Cut(string(old), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the fields of %s", page, kind)
	}
	compare(t, page, []byte(before+begin+"\n"+table+"\n"+end+after), update)
}

var (
	goName  = regexp.MustCompile(`\b[a-z]\w*\.[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*`)
	capital = regexp.MustCompile(`[a-z,;:)] \(?([A-Z][a-z]\w+)`)
	proper  = []string{"Butterworth", "Congedo", "Fisher", "Gaussian", "Gaussians", "Hann", "Kalunga", "Lemm",
		"NaN", "Python", "Riemannian", "Welch"}
)

// goNames returns words in a text that look like names of Go: joined words, and capitalized words within a sentence.
func goNames(text string) []string {
	names := goName.FindAllString(strings.ReplaceAll(text, "NaN", ""), -1)
	for _, m := range capital.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(proper, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

func compare(t *testing.T, path string, want []byte, update bool) {
	t.Helper()
	if got, err := os.ReadFile(path); err == nil && string(got) == string(want) {
		return
	}
	if !update {
		t.Errorf("%s is not what the json tags say: run go generate ./... and commit", path)
	} else if err := os.WriteFile(path, want, 0o644); err != nil {
		t.Fatal(err)
	}
}
