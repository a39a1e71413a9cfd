package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/internal/suggest"
)

// american turns the British spelling of an option's name into the American one.
var american = strings.NewReplacer("ise", "ize", "our", "or", "centre", "center")

// flagError words what pflag found wrong with the flags of a command.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown.GetSpecifiedName(), err)
	case errors.As(err, &invalid):
		return invalidFlag(invalid.GetFlag().Name, invalid.GetValue(), errors.Unwrap(invalid))
	}
	return err
}

// unknownFlag answers a flag that the command does not have: in British spelling with the
// one it has here, and otherwise with the nearest.
func unknownFlag(cmd *cobra.Command, name string, err error) error {
	if other := american.Replace(name); other != name && cmd.Flags().Lookup(other) != nil {
		return usagef("--%s is spelled --%s", name, other)
	}
	if name == "stats" && cmd.HasParent() && cmd.Parent().Name() == "fit" {
		return usagef("%s learns from the rows, so that it takes no --stats; give it --data", cmd.Name())
	}
	var flags []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
	near := suggest.Nearest(name, flags)
	if len(name) < 3 || len(near) == 0 {
		return err
	}
	return usagef("%v; did you mean --%s?", err, near[0])
}

// invalidFlag says once what a flag was given, and what is wrong with that.
func invalidFlag(name, value string, why error) error {
	if why == nil {
		return usagef("--%s %q", name, value)
	}
	given := fmt.Sprintf("%q", value)
	text := strings.TrimPrefix(why.Error(), fmt.Sprintf("%s %s: ", name, given))
	if strings.Contains(text, given) {
		return usagef("--%s: %s", name, text)
	}
	return usagef("--%s %s: %s", name, given, text)
}
