package app

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/dataset"
	"rao/gaussian"
	"rao/method"
	"rao/spd"
)

// completeFlags registers completions for the flags of all commands. Flags complete to the values that an option
// declares, or to the names of metrics, methods or sets.
func completeFlags(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		completeFlags(cmd)
	}
	root.Flags().VisitAll(func(f *pflag.Flag) {
		if values := flagValues(f); values != nil {
			_ = root.RegisterFlagCompletionFunc(f.Name, values)
		}
	})
}

// flagValues returns the completion function of a flag, or nil if the flag expects a file.
func flagValues(f *pflag.Flag) cobra.CompletionFunc {
	if o, ok := f.Value.(optionFlag); ok {
		choices := o.option.Choices() // with the metrics of other modules
		switch {
		case choices != nil:
			return Fixed(choices...)
		case strings.HasPrefix(o.option.Type, "METHOD"):
			return Fixed(append(MethodNames(), "none")...)
		case strings.Contains(o.option.Type, "FILE"):
			return nil
		case strings.Contains(o.option.Type, "|"):
			return Fixed(words(o.option.Type)...)
		}
		return Fixed()
	}
	switch f.Name {
	case "metric":
		return Fixed(spd.Metrics()...)
	case "distance":
		return Fixed(gaussian.Dissimilarities()...)
	case "methods":
		return listOf(MethodNames)
	case "data", "test":
		return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return setNames(), cobra.ShellCompDirectiveDefault // files are completed too
		}
	case "format":
		return Fixed("csv", "f32", "f64")
	case "header":
		return Fixed("auto", "yes", "no")
	}
	return nil
}

// words returns the words of a syntax that the user types literally.
func words(syntax string) []string {
	return slices.DeleteFunc(strings.Split(syntax, "|"), func(w string) bool {
		return w == "number" || w == "count" || strings.Contains(w, ",")
	})
}

// setNames returns the known sets in the form that --data accepts.
func setNames() []string {
	var names []string
	for _, s := range dataset.Sets() {
		if len(s.Parts) == 0 || s.PartOptional {
			names = append(names, s.Name)
		}
		for _, part := range s.Parts {
			names = append(names, s.Name+":"+part)
		}
	}
	return names
}

// SetsOf returns the names of the sets of the given kinds.
func SetsOf(kinds ...string) []string {
	var names []string
	for _, s := range dataset.Sets() {
		if slices.Contains(kinds, s.Kind) {
			names = append(names, s.Name)
		}
	}
	return names
}

// Fixed returns a completion with the given values and without files.
func Fixed(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// listOf completes the last name in a comma-separated list.
func listOf(names func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		head := typed[:strings.LastIndexByte(typed, ',')+1]
		var out []string
		for _, n := range names() {
			out = append(out, head+n)
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// MethodNames returns the names of all methods.
func MethodNames() []string {
	var names []string
	for _, m := range method.Methods() {
		names = append(names, m.Name)
	}
	return names
}
