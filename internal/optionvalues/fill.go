package optionvalues

import (
	"encoding"
	"fmt"
	"reflect"
)

// Fill sets every field of a struct of options that is zero to the value in its tag "default", if it has one. It panics
// if a default is not a value of its field.
func Fill(options any) {
	v := reflect.ValueOf(options).Elem()
	for i := range v.NumField() {
		text, field := v.Type().Field(i).Tag.Get("default"), v.Field(i)
		if text == "" || !field.IsZero() {
			continue
		}
		var err error
		if u, ok := field.Addr().Interface().(encoding.TextUnmarshaler); ok {
			err = u.UnmarshalText([]byte(text))
		} else {
			_, err = fmt.Sscan(text, field.Addr().Interface())
		}
		if err != nil {
			panic(fmt.Sprintf("options: the default of %s: %v", v.Type().Field(i).Name, err))
		}
	}
}
