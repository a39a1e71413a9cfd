package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// american turns the British spelling of an option's name into the American one.
var american = strings.NewReplacer("ise", "ize", "our", "or", "centre", "center")

// respelled answers an option in British spelling with the one it has here.
func respelled(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	name := unknown.GetSpecifiedName()
	if other := american.Replace(name); other != name && cmd.Flags().Lookup(other) != nil {
		return usagef("--%s is spelled --%s", name, other)
	}
	return err
}
