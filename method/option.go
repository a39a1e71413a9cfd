package method

import (
	"cmp"
	"encoding"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rao"
	"rao/evaluate"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
)

// Settings are the options that are set. A nil value leaves every option at its default.
type Settings []evaluate.Setting

// With returns a copy of the settings with the named option set to value.
func (s Settings) With(name, value string) Settings {
	out := slices.Clone(s)
	for i := range out {
		if out[i].Name == name {
			out[i].Value = value
			return out
		}
	}
	return append(out, evaluate.Setting{Name: name, Value: value})
}

// Get returns the value of the named option and whether it was set.
func (s Settings) Get(name string) (string, bool) {
	return evaluate.Candidate(s).Get(name)
}

// Option is the declaration of one option of a method: a field of the struct that the fit receives. Flags, help,
// ranges, completion and JSON are derived from it.
type Option struct {
	Name    string   `json:"name"`            // as in a setting
	Type    string   `json:"type"`            // such as "number", "count", "switch", "choice", "number|auto"
	Default string   `json:"default"`         // default value as text
	Help    string   `json:"help"`            // one line
	Min     *float64 `json:"min,omitempty"`   // smallest value allowed
	Above   *float64 `json:"above,omitempty"` // the value must be above this
	Max     *float64 `json:"max,omitempty"`   // largest value allowed
	// With lists conditions for the option to apply, such as "metric=riemann|logdet", separated by commas.
	With string `json:"with,omitempty"`
	Bare string `json:"bare,omitempty"` // value if the option is given without one; empty: a value is required

	index []int           // index of the field in the struct
	now   func() []string // returns the choices, including any that other packages have added; nil: not a choice
	with  func() string   // returns With for the current choices of other options; may be nil
}

// chooser is implemented by option types with a list of names as their values.
type chooser interface{ Choices() []string }

// syntax is implemented by option types that describe the text they accept, such as "number|auto".
type syntax interface{ Syntax() string }

// conditional is implemented by option types that apply only to some values of other options; see [Option.With].
type conditional interface{ With() string }

// declare returns the options declared by a struct: every exported field with an opt tag, including the fields of
// embedded structs. The "with" tag of an embedded struct applies to its fields. It panics if two options have the same
// name or a bound is not a number.
func declare(t reflect.Type) []Option {
	var list []Option
	var walk func(t reflect.Type, index []int, with string)
	walk = func(t reflect.Type, index []int, with string) {
		for i := range t.NumField() {
			f := t.Field(i)
			at := append(slices.Clone(index), i)
			if f.Anonymous && f.Type.Kind() == reflect.Struct {
				walk(f.Type, at, cmp.Or(f.Tag.Get("with"), with))
				continue
			}
			if name := f.Tag.Get("opt"); name != "" {
				o := declareField(f, name, at)
				o.With = cmp.Or(o.With, with)
				list = append(list, o)
			}
		}
	}
	walk(t, nil, "")
	seen := map[string]bool{}
	for _, o := range list {
		if seen[o.Name] {
			panic(fmt.Sprintf("method: %s declares option %s twice", t, o.Name))
		}
		seen[o.Name] = true
	}
	for i := range list {
		var with []string
		for name, values := range list[i].conditions(list) {
			with = append(with, name+"="+strings.Join(values, "|"))
		}
		list[i].With = strings.Join(with, ",")
	}
	return list
}

func declareField(f reflect.StructField, name string, index []int) Option {
	o := Option{Name: name, Default: f.Tag.Get("default"), Help: f.Tag.Get("help"),
		With: f.Tag.Get("with"), Bare: f.Tag.Get("bare"), index: index}
	o.Min, o.Above, o.Max = bound(f, "min"), bound(f, "above"), bound(f, "max")
	if s := f.Tag.Get("choices"); s != "" {
		o.now = func() []string { return strings.Split(s, ",") }
	}
	v := reflect.New(f.Type).Interface()
	if c, ok := v.(chooser); ok {
		o.now = c.Choices
	}
	if c, ok := v.(conditional); ok {
		o.With, o.with = c.With(), c.With
	}
	switch s, ok := v.(syntax); {
	case ok:
		o.Type = s.Syntax()
	case o.now != nil:
		o.Type = "choice"
	case f.Type.Kind() == reflect.Bool:
		o.Type = "switch"
	case f.Type.Kind() == reflect.Int, f.Type.Kind() == reflect.Uint64:
		o.Type = "count"
	case f.Type.Kind() == reflect.Float64:
		o.Type = "number"
	default:
		o.Type = cmp.Or(f.Tag.Get("form"), "text")
	}
	return o
}

func bound(f reflect.StructField, tag string) *float64 {
	text := f.Tag.Get(tag)
	if text == "" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("method: %s of %s is %q", tag, f.Name, text))
	}
	return &v
}

// Choices returns the valid values of a choice, including any that other packages have added, otherwise nil.
func (o *Option) Choices() []string {
	if o.now == nil {
		return nil
	}
	return o.now()
}

// set parses the text and stores it in the option's field of the struct v.
func (o *Option) set(v reflect.Value, text string) error {
	if choices := o.Choices(); choices != nil && !slices.Contains(choices, text) {
		return &rao.UnknownError{Kind: o.Name, Name: text, Known: choices}
	}
	field := v.FieldByIndex(o.index)
	if u, ok := field.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := u.UnmarshalText([]byte(text)); err != nil {
			return rao.Optionf(o.Name, "%s %q: %w", o.Name, text, err)
		}
		if n, ok := field.Addr().Interface().(interface{ Number() (float64, bool) }); ok {
			if x, ok := n.Number(); ok {
				kind := "number"
				if field.Kind() == reflect.Int {
					kind = "whole number"
				}
				return o.within(x, text, kind)
			}
		}
		return nil
	}
	switch field.Kind() {
	case reflect.String:
		field.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return rao.Optionf(o.Name, "%s %q: the value must be true or false", o.Name, text)
		}
		field.SetBool(b)
	case reflect.Int:
		n, err := strconv.ParseInt(text, 10, strconv.IntSize)
		if err != nil {
			return rao.Optionf(o.Name, "%s %q: the value must be a whole number%s", o.Name, text, o.bounds(text))
		}
		if err := o.within(float64(n), text, "whole number"); err != nil {
			return err
		}
		field.SetInt(n)
	case reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return rao.Optionf(o.Name, "%s %q: the value must be a whole number of 0 or more", o.Name, text)
		}
		field.SetUint(n)
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !vec.Finite(x) {
			return rao.Optionf(o.Name, "%s %q: the value must be a number%s", o.Name, text, o.bounds(text))
		}
		if err := o.within(x, text, "number"); err != nil {
			return err
		}
		field.SetFloat(x)
	default:
		panic("method: an option cannot be a " + field.Kind().String())
	}
	return nil
}

// within returns an error if x is out of range. kind is the kind of number that the option needs.
func (o *Option) within(x float64, text, kind string) error {
	if o.Min != nil && x < *o.Min || o.Above != nil && x <= *o.Above || o.Max != nil && x > *o.Max {
		return rao.Optionf(o.Name, "%s %s: the value must be a %s%s", o.Name, text, kind, o.bounds(text))
	}
	return nil
}

// conditions iterates over the conditions for the option to apply: the name of another option of the list, and the
// values of that option. It leaves out options that the list does not have and values that they do not accept.
func (o *Option) conditions(list []Option) iter.Seq2[string, []string] {
	with := o.With
	if o.with != nil {
		with = o.with()
	}
	return func(yield func(name string, values []string) bool) {
		for one := range strings.SplitSeq(with, ",") {
			name, text, _ := strings.Cut(one, "=")
			i := slices.IndexFunc(list, func(other Option) bool { return other.Name == name })
			if i < 0 {
				continue
			}
			values := strings.Split(text, "|")
			if choices := list[i].Choices(); choices != nil {
				values = slices.DeleteFunc(values, func(v string) bool { return !slices.Contains(choices, v) })
			}
			if !yield(name, values) {
				return
			}
		}
	}
}

// bounds describes the range of a number, such as " from 0 to 1"; it is empty if there is none. It leaves out a large
// upper bound, which only excludes what no machine can process, unless the value is above it.
func (o *Option) bounds(value string) string {
	text := func(x *float64) string { return strconv.FormatFloat(*x, 'f', -1, 64) }
	x, _ := strconv.ParseFloat(value, 64)
	limited := o.Max != nil && (*o.Max < 1e6 || x > *o.Max)
	switch {
	case o.Min != nil && limited:
		return " from " + text(o.Min) + " to " + text(o.Max)
	case o.Above != nil && limited:
		return " above " + text(o.Above) + " and up to " + text(o.Max)
	case o.Min != nil:
		return " of " + text(o.Min) + " or more"
	case o.Above != nil:
		return " above " + text(o.Above)
	}
	return ""
}

// Usage returns the help text, followed by the choices or by the range. It leaves out a range that has only a smallest
// value.
func (o *Option) Usage() string {
	if choices := o.Choices(); choices != nil { // other modules may have added some
		words := o.Help + ": " + strings.Join(choices, ", ")
		if o.Bare != "" {
			words += "; alone it means " + o.Bare
		}
		return words
	}
	if bounds := o.bounds(""); !strings.HasSuffix(bounds, " or more") && bounds != "" {
		return o.Help + ";" + bounds
	}
	return o.Help
}

// A struct of shared options has one of these methods. An options struct that embeds it inherits the method, and the
// functions below use it to find the embedded struct. They return nil if it is not embedded.

func (o *scaling) scalingOptions() *scaling                       { return o }
func (o *filters) filtersOptions() *filters                       { return o }
func (o *classifying) classifierOptions() *classifying            { return o }
func (o *discriminantOptions) discriminant() *discriminantOptions { return o }
func (o *OnManifold) preprocessing() *manifoldOptions             { return &o.manifoldOptions }

func scalingOf(options any) *scaling {
	if o, ok := options.(interface{ scalingOptions() *scaling }); ok {
		return o.scalingOptions()
	}
	return nil
}

func filtersOf(options any) *filters {
	if o, ok := options.(interface{ filtersOptions() *filters }); ok {
		return o.filtersOptions()
	}
	return nil
}

func classifierOf(options any) *classifying {
	if o, ok := options.(interface{ classifierOptions() *classifying }); ok {
		return o.classifierOptions()
	}
	return nil
}

func manifoldOf(options any) *manifoldOptions {
	if o, ok := options.(interface{ preprocessing() *manifoldOptions }); ok {
		return o.preprocessing()
	}
	return nil
}

// wantsMoments reports whether the options use a shrinkage that needs third and fourth moments.
func wantsMoments(options any) bool {
	o, ok := options.(interface{ discriminant() *discriminantOptions })
	return ok && o.discriminant().Shrinkage.Kind == optionvalues.ShrinkageLedoitWolf
}
