package app

import (
	"github.com/spf13/pflag"
)

// TextVar registers a text flag. form is the placeholder in the help: words in capitals are filled in by the user,
// others are typed literally.
func TextVar(f *pflag.FlagSet, value *string, name, form, preset, usage string) {
	f.StringVar(value, name, preset, usage)
	shape(f, name, form)
}

// ListVar registers a flag that accepts comma-separated texts and may be repeated.
func ListVar(f *pflag.FlagSet, value *[]string, name, form, usage string) {
	f.StringSliceVar(value, name, nil, usage)
	shape(f, name, form)
}

// LinesVar registers a flag that accepts one text and may be repeated.
func LinesVar(f *pflag.FlagSet, value *[]string, name, form, usage string) {
	f.StringArrayVar(value, name, nil, usage)
	shape(f, name, form)
}

// SeedVar registers --seed.
func SeedVar(f *pflag.FlagSet, value *uint64, usage string) {
	f.Uint64Var(value, "seed", 1, usage)
	shape(f, "seed", "number")
}

// Annotations of a flag for the help.
const (
	formAnnotation  = "rao_form"  // the syntax of its values
	groupAnnotation = "rao_group" // the title above it
)

// shape sets the syntax of a flag's values in the help.
func shape(f *pflag.FlagSet, name, form string) { annotate(f, name, formAnnotation, form) }

func annotate(f *pflag.FlagSet, name, key, value string) {
	if err := f.SetAnnotation(name, key, []string{value}); err != nil {
		panic(err) // cannot happen: the flag is registered
	}
}

// InGroup registers flags that the help lists together below the title.
func InGroup(f *pflag.FlagSet, title string, register func(*pflag.FlagSet)) {
	group := pflag.NewFlagSet(title, pflag.ContinueOnError)
	register(group)
	group.VisitAll(func(flag *pflag.Flag) {
		annotate(group, flag.Name, groupAnnotation, title)
	})
	f.AddFlagSet(group)
}

// ParsedVar registers a flag whose value parses itself from text.
func ParsedVar(f *pflag.FlagSet, value interface{ UnmarshalText([]byte) error }, name, form, usage string) {
	f.Var(textFlag{value, form}, name, usage)
}

// textFlag makes a flag of a value that parses itself from text.
type textFlag struct {
	value interface{ UnmarshalText([]byte) error }
	kind  string
}

func (f textFlag) Set(s string) error { return f.value.UnmarshalText([]byte(s)) }
func (f textFlag) String() string     { return "" }
func (f textFlag) Type() string       { return f.kind }
