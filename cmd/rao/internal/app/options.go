package app

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rao/evaluate"
	"rao/method"
)

// optionFlag is the flag for an option of a method.
type optionFlag struct {
	spec   *method.Spec
	option *method.Option
}

// Set sets the option. Whether it applies depends on the others, and for rao tune on every candidate.
func (f optionFlag) Set(v string) error {
	return f.spec.Set(evaluate.Setting{Name: f.option.Name, Value: v})
}

func (f optionFlag) IsBoolFlag() bool { return f.option.Type == "switch" }

func (f optionFlag) String() string {
	if f.spec == nil {
		return ""
	}
	if v, ok := f.spec.Settings.Get(f.option.Name); ok {
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

// AddOptions registers the options of a method as flags, and returns the method with the options that the flags set.
func AddOptions(cmd *cobra.Command, m *method.Method) *method.Spec {
	s := &method.Spec{Method: m}
	for i := range m.Options {
		f := optionFlag{s, &m.Options[i]}
		flag := cmd.Flags().VarPF(f, f.option.Name, "", f.option.Usage())
		if f.IsBoolFlag() {
			flag.NoOptDefVal = "true"
		}
	}
	return s
}
