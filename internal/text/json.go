package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rao/internal/linalg/vec"
)

// JSONError rephrases the errors of package json for unknown fields and for values of the wrong type, without names of
// Go types. It returns other errors unchanged.
func JSONError(err error) error {
	if err == nil {
		return nil
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("the field %s is unknown", strings.Trim(name, `"`))
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		where := "the value"
		path := slices.DeleteFunc(strings.Split(wrong.Field, "."), func(name string) bool {
			return strings.ToLower(name) != name // the Go name of an embedded type
		})
		if field := strings.Join(path, "."); field != "" {
			where = "field " + field
		}
		return fmt.Errorf("%s is a JSON %s, but must be %s", where, wrong.Value, jsonKind(wrong.Type))
	}
	return err
}

// jsonKind returns the name of the JSON values that a type accepts.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "an integer"
}

// AppendString appends s as a JSON string, with the escapes of encoding/json.
func AppendString(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f || c == '<' || c == '>' || c == '&' {
			b, err := json.Marshal(strings.ToValidUTF8(s, "\ufffd"))
			if err != nil {
				return append(dst, `""`...)
			}
			return append(dst, b...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// AppendNumber appends v as a JSON number, or null if it is not finite.
func AppendNumber(dst []byte, v float64) []byte {
	if !vec.Finite(v) {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
