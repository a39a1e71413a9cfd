package fileform

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// Validate returns an error unless value, as decoded by package json, is valid according to the schema. It supports
// the keywords that [Check] writes. References are resolved in root.
func Validate(schema, root map[string]any, value any, path string) error {
	if ref, ok := schema["$ref"].(string); ok {
		defs, _ := root["$defs"].(map[string]any)
		schema, _ = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if list, ok := schema["anyOf"].([]any); ok {
		var err error
		for _, one := range list {
			if err = Validate(one.(map[string]any), root, value, path); err == nil {
				return nil
			}
		}
		return fmt.Errorf("%s: none of %d forms fits; the last does not because of %w", path, len(list), err)
	}
	if want, ok := schema["const"]; ok && value != want {
		return fmt.Errorf("%s: %v, want %v", path, value, want)
	}
	if words, ok := schema["enum"].([]any); ok && !slices.Contains(words, value) {
		return fmt.Errorf("%s: %v, want one of %v", path, value, words)
	}
	have := typeOf(value)
	if name, ok := schema["type"].(string); ok && name != have && !(name == "number" && have == "integer") {
		return fmt.Errorf("%s: %s, want %s", path, have, name)
	}
	switch v := value.(type) {
	case []any:
		return validateList(schema, root, v, path)
	case map[string]any:
		return validateObject(schema, root, v, path)
	}
	return nil
}

func validateList(schema, root map[string]any, list []any, path string) error {
	if n, ok := schema["minItems"].(float64); ok && float64(len(list)) != n {
		return fmt.Errorf("%s: the number of items is %d, but must be %v", path, len(list), n)
	}
	items, _ := schema["items"].(map[string]any)
	for i, v := range list {
		if err := Validate(items, root, v, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func validateObject(schema, root map[string]any, object map[string]any, path string) error {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := object[name.(string)]; !ok {
			return fmt.Errorf("%s: the field %v is missing", path, name)
		}
	}
	for name, v := range object {
		s, ok := properties[name].(map[string]any)
		if !ok && schema["additionalProperties"] == false {
			return fmt.Errorf("%s.%s is not in the schema", path, name)
		}
		if ok {
			if err := Validate(s, root, v, path+"."+name); err != nil {
				return err
			}
		}
	}
	return nil
}

func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}

// ValidateFile validates rao.json of an archive against the published schema of its kind.
func ValidateFile(t *testing.T, kind, path string) {
	t.Helper()
	z := testkit.Must(zip.OpenReader(path))(t)
	defer z.Close()
	text := testkit.Must(fs.ReadFile(z, "rao.json"))(t)
	published := testkit.Must(os.ReadFile(filepath.Join(Root(), "docs", "schema", kind+".schema.json")))(t)
	var schema map[string]any
	var value any
	testkit.NoError(t, json.Unmarshal(published, &schema))
	testkit.NoError(t, json.Unmarshal(text, &value))
	testkit.NoError(t, Validate(schema, schema, value, "rao.json"), filepath.Base(path), "is not valid")
}
