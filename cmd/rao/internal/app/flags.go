package app

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"rao"
	"rao/spd"
)

// TextVar registers a text flag. form is the placeholder in the help. The user replaces the words in capitals and types
// the others literally. If form lists only literal words, such as auto|yes|no, the flag accepts no other value.
func TextVar(f *pflag.FlagSet, value *string, name, form, preset, usage string) {
	if strings.Contains(form, "|") && form == strings.ToLower(form) {
		known := strings.Split(form, "|")
		CheckedVar(f, value, name, form, preset, usage, func(s string) error {
			if !slices.Contains(known, s) {
				return &rao.UnknownError{Kind: "value", Name: s, Known: known}
			}
			return nil
		})
		return
	}
	f.StringVar(value, name, preset, usage)
	shape(f, name, form)
}

// CheckedVar registers a text flag whose value must pass check, such as the name of a metric.
func CheckedVar(f *pflag.FlagSet, value *string, name, form, preset, usage string, check func(string) error) {
	*value = preset
	f.Var(&FlagValue{form, func(s string) error {
		if err := check(s); err != nil {
			return err
		}
		*value = s
		return nil
	}, preset}, name, usage)
}

// MetricVar registers --metric for a metric of SPD matrices.
func MetricVar(f *pflag.FlagSet, value *spd.Metric, preset spd.Metric, usage string) {
	*value = preset
	f.Var(&FlagValue{"METRIC", func(s string) error {
		m, err := spd.ParseMetric(s)
		if err == nil {
			*value = m
		}
		return err
	}, string(preset)}, "metric", usage)
}

// FlagValue is the value of a flag that Parse checks and stores.
type FlagValue struct {
	Form  string // the placeholder in the help
	Parse func(string) error
	text  string // the default, later the given text
}

// Set implements [pflag.Value].
func (v *FlagValue) Set(s string) error {
	err := v.Parse(s)
	if err == nil {
		v.text = s
	}
	return err
}

// String implements [pflag.Value].
func (v *FlagValue) String() string { return v.text }

// Type implements [pflag.Value].
func (v *FlagValue) Type() string { return v.Form }

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
	shape(f, "seed", "count")
}

// These annotations of a flag control how the help shows it.
const (
	formAnnotation  = "rao_form"  // the syntax of the value
	groupAnnotation = "rao_group" // the title of the group that lists the flag
)

func shape(f *pflag.FlagSet, name, form string) { annotate(f, name, formAnnotation, form) }

// Form returns the form of the values of a flag, such as FILE, or "" if it was not given.
func Form(f *pflag.Flag) string { return strings.Join(f.Annotations[formAnnotation], "") }

func annotate(f *pflag.FlagSet, name, key, value string) {
	if err := f.SetAnnotation(name, key, []string{value}); err != nil {
		panic(err) // impossible, because the flag is registered
	}
}

// InGroup calls register and lists the flags that it registers below a title in the help.
func InGroup(f *pflag.FlagSet, title string, register func(*pflag.FlagSet)) {
	group := pflag.NewFlagSet(title, pflag.ContinueOnError)
	group.SortFlags = false // the help sorts them
	register(group)
	group.VisitAll(func(flag *pflag.Flag) {
		annotate(group, flag.Name, groupAnnotation, title)
	})
	f.AddFlagSet(group)
}

// ParsedVar registers a flag for a value with an UnmarshalText method.
func ParsedVar(f *pflag.FlagSet, value interface{ UnmarshalText([]byte) error }, name, form, usage string) {
	f.Var(&FlagValue{Form: form, Parse: func(s string) error { return value.UnmarshalText([]byte(s)) }}, name, usage)
}
