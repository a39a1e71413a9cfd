package app

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rao/method"
)

// optionFlag is the flag for an option of a method.
type optionFlag struct {
	settings *method.Settings
	option   *method.Option
	method   *method.Method
}

// Set sets the option and checks the value. [method.Method.With] parses it again, after all flags, because whether an
// option applies depends on the others, and for rao tune on every candidate.
func (f optionFlag) Set(v string) error {
	f.settings.Set(f.option.Name, v)
	return f.method.CheckValue(f.option.Name, v)
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

// AddOptions registers the options of a method as flags, and returns the settings that the flags fill in.
func AddOptions(cmd *cobra.Command, m *method.Method) *method.Settings {
	s := new(method.Settings)
	for i := range m.Options {
		f := optionFlag{s, &m.Options[i], m}
		flag := cmd.Flags().VarPF(f, f.option.Name, "", f.option.Usage())
		if f.IsBoolFlag() {
			flag.NoOptDefVal = "true"
		}
	}
	return s
}
