package app

import (
	"github.com/spf13/pflag"
)

// TextVar registers a text flag. form is the placeholder in the help. The user replaces the words in capitals and types
// the others literally.
func TextVar(f *pflag.FlagSet, value *string, name, form, preset, usage string) {
	f.StringVar(value, name, preset, usage)
	shape(f, name, form)
}

// ListVar registers a flag for comma-separated texts. The flag may be repeated.
func ListVar(f *pflag.FlagSet, value *[]string, name, form, usage string) {
	f.StringSliceVar(value, name, nil, usage)
	shape(f, name, form)
}

// LinesVar registers a flag for one text, which may contain commas. The flag may be repeated.
func LinesVar(f *pflag.FlagSet, value *[]string, name, form, usage string) {
	f.StringArrayVar(value, name, nil, usage)
	shape(f, name, form)
}

// SeedVar registers --seed with the default 1.
func SeedVar(f *pflag.FlagSet, value *uint64, usage string) {
	f.Uint64Var(value, "seed", 1, usage)
	shape(f, "seed", "number")
}

// These annotations of a flag control how the help shows it.
const (
	formAnnotation  = "rao_form"  // the syntax of the value
	groupAnnotation = "rao_group" // the title of the group that lists the flag
)

func shape(f *pflag.FlagSet, name, form string) { annotate(f, name, formAnnotation, form) }

func annotate(f *pflag.FlagSet, name, key, value string) {
	if err := f.SetAnnotation(name, key, []string{value}); err != nil {
		panic(err) // impossible, because the flag is registered
	}
}

// InGroup calls register and lists the flags that it registers below a title in the help.
func InGroup(f *pflag.FlagSet, title string, register func(*pflag.FlagSet)) {
	group := pflag.NewFlagSet(title, pflag.ContinueOnError)
	register(group)
	group.VisitAll(func(flag *pflag.Flag) {
		annotate(group, flag.Name, groupAnnotation, title)
	})
	f.AddFlagSet(group)
}

// ParsedVar registers a flag for a value with an UnmarshalText method.
func ParsedVar(f *pflag.FlagSet, value interface{ UnmarshalText([]byte) error }, name, form, usage string) {
	f.Var(textFlag{value, form}, name, usage)
}

// textFlag makes a flag from a value with an UnmarshalText method.
type textFlag struct {
	value interface{ UnmarshalText([]byte) error }
	kind  string
}

func (f textFlag) Set(s string) error { return f.value.UnmarshalText([]byte(s)) }
func (f textFlag) String() string     { return "" }
func (f textFlag) Type() string       { return f.kind }
