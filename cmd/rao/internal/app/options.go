package app

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rao/method"
)

// optionFlag is the flag for an option that one or more methods have.
type optionFlag struct {
	settings *method.Settings
	option   method.Option
	methods  []*method.Method // the methods that have the option
}

// Set accepts a value if it is valid for at least one of the methods.
func (f optionFlag) Set(v string) error {
	var err error
	for _, m := range f.methods {
		if err = m.CheckValue(f.option.Name, v); err == nil {
			f.settings.Set(f.option.Name, v)
			return nil
		}
	}
	return err
}

func (f optionFlag) IsBoolFlag() bool { return f.option.Type == "switch" }

func (f optionFlag) String() string {
	if f.settings == nil {
		return ""
	}
	if v, ok := f.settings.Get(f.option.Name); ok {
		return v
	}
	return f.option.Default
}

func (f optionFlag) Type() string {
	if f.IsBoolFlag() {
		return "bool"
	}
	return f.option.Type
}

// Completed adds the implied value to every option that is given without a value, that is, as the last argument or
// before another flag. pflag does not support an optional value in a separate argument.
func Completed(args []string) []string {
	bare := map[string]string{}
	for _, m := range method.Methods() {
		for _, o := range m.Options {
			if o.Bare != "" {
				bare["--"+o.Name] = o.Bare
			}
		}
	}
	out := slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if value, ok := bare[arg]; ok && (i+1 == len(args) || strings.HasPrefix(args[i+1], "-")) {
			out[i] = arg + "=" + value
		}
	}
	return out
}

// AddOptions registers the options of the methods as flags, and returns the settings that the flags fill in. The help
// omits the default of an option if it differs between the methods.
func AddOptions(cmd *cobra.Command, methods ...*method.Method) *method.Settings {
	s := new(method.Settings)
	var flags []*optionFlag
	for _, m := range methods {
		for _, o := range m.Options {
			i := slices.IndexFunc(flags, func(f *optionFlag) bool { return f.option.Name == o.Name })
			if i < 0 {
				flags = append(flags, &optionFlag{s, o, []*method.Method{m}})
				continue
			}
			f := flags[i]
			f.methods = append(f.methods, m)
			if f.option.Default != o.Default {
				f.option.Default = ""
			}
		}
	}
	for _, f := range flags {
		flag := cmd.Flags().VarPF(*f, f.option.Name, "", f.option.Usage())
		if f.IsBoolFlag() {
			flag.NoOptDefVal = "true"
		}
	}
	return s
}
