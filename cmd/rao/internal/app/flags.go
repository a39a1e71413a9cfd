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

// ListVar registers a flag that takes comma-separated texts, or is repeated.
func ListVar(f *pflag.FlagSet, value *[]string, name, form, usage string) {
	f.StringSliceVar(value, name, nil, usage)
	shape(f, name, form)
}

// LinesVar registers a flag that may be repeated, with one text each time.
func LinesVar(f *pflag.FlagSet, value *[]string, name, form, usage string) {
	f.StringArrayVar(value, name, nil, usage)
	shape(f, name, form)
}

// SeedVar registers a seed.
func SeedVar(f *pflag.FlagSet, value *uint64, usage string) {
	f.Uint64Var(value, "seed", 1, usage)
	shape(f, "seed", "number")
}

// What the help says of a flag beyond its usage.
const (
	formAnnotation  = "rao_form"  // the form of its values
	groupAnnotation = "rao_group" // the title that it stands under
)

// shape sets the form of the values of a flag.
func shape(f *pflag.FlagSet, name, form string) { annotate(f, name, formAnnotation, form) }

func annotate(f *pflag.FlagSet, name, key, value string) {
	if err := f.SetAnnotation(name, key, []string{value}); err != nil {
		panic(err) // of the program: there is such a flag
	}
}

// InGroup registers flags that the help lists together under the title.
func InGroup(f *pflag.FlagSet, title string, register func(*pflag.FlagSet)) {
	group := pflag.NewFlagSet(title, pflag.ContinueOnError)
	register(group)
	group.VisitAll(func(flag *pflag.Flag) {
		annotate(group, flag.Name, groupAnnotation, title)
	})
	f.AddFlagSet(group)
}

// ParsedVar registers a flag of a value that reads itself from text.
func ParsedVar(f *pflag.FlagSet, value interface{ UnmarshalText([]byte) error }, name, form, usage string) {
	f.Var(textFlag{value, form}, name, usage)
}

// textFlag adapts a value that reads itself from text to a flag.
type textFlag struct {
	value interface{ UnmarshalText([]byte) error }
	kind  string
}

func (f textFlag) Set(s string) error { return f.value.UnmarshalText([]byte(s)) }
func (f textFlag) String() string     { return "" }
func (f textFlag) Type() string       { return f.kind }
