package app

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/internal/suggest"
	"rao/method"
)

// american replaces the British spelling of an option.
var american = strings.NewReplacer("ise", "ize", "our", "or", "centre", "center")

// errUnknownVerb marks an error that is printed without a usage line.
var errUnknownVerb = errors.New("")

// misspelled returns an error if the first argument should be a subcommand but is not. It returns nil if the command
// has no subcommands or there are no arguments.
func misspelled(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0 || !cmd.HasAvailableSubCommands():
		return nil
	case cmd.Args != nil && cmd.Runnable():
		return cmd.Args(cmd, args)
	}
	return unknownCommand(cmd, args[0])
}

// unknownCommand returns the error for a name that is not a subcommand of cmd.
func unknownCommand(cmd *cobra.Command, name string) error {
	names := below(cmd)
	if cmd.HasParent() {
		return Usagef("unknown command %q; %s", name, choices(cmd, name))
	}
	if path := nested(cmd, name); path != "" {
		return fmt.Errorf("%wunknown command %q; did you mean %s?", errUnknownVerb, name, path)
	}
	if near := suggest.Nearest(name, append(names, "help")); len(near) > 0 {
		return fmt.Errorf("%wunknown command %q; did you mean %s? (rao --help shows the commands)", errUnknownVerb,
			name,
			suggest.Or(near))
	}
	return fmt.Errorf("%wunknown command %q; rao --help shows the commands", errUnknownVerb, name)
}

// nested returns the full name of a command with this current or former name, at most two levels below rao.
func nested(root *cobra.Command, name string) string {
	for _, c := range root.Commands() {
		if slices.Contains(c.SuggestFor, name) {
			return c.CommandPath()
		}
		for _, sub := range c.Commands() {
			if sub.Name() == name && sub.IsAvailableCommand() || slices.Contains(sub.SuggestFor, name) {
				return sub.CommandPath()
			}
		}
	}
	return ""
}

// choices suggests subcommands with similar names.
func choices(cmd *cobra.Command, name string) string {
	names := below(cmd)
	if near := suggest.Nearest(name, names); len(near) > 0 {
		return fmt.Sprintf("did you mean %s %s?", cmd.CommandPath(), suggest.Or(near))
	}
	return fmt.Sprintf("%s has %s", cmd.CommandPath(), strings.Join(names, ", "))
}

func below(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// flagError rewrites an error that pflag reports for the flags of a command.
func flagError(cmd *cobra.Command, args []string, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, args, unknown.GetSpecifiedName(), err)
	case errors.As(err, &invalid):
		return invalidFlag(invalid.GetFlag().Name, invalid.GetValue(), errors.Unwrap(invalid))
	}
	return err
}

// synonyms are groups of flag names for the same setting, from other commands and other programs.
var synonyms = [][]string{
	{"data", "train", "input"}, {"cv", "folds"}, {"out", "output"}, {"y", "label", "label-column", "target"},
	{"groups", "by"}, {"publish", "lsl", "name"}, {"find-streams", "lsl"}, {"window-step", "step"},
}

// synonym returns a flag of the command with a synonymous name, or "" if there is none.
func synonym(cmd *cobra.Command, name string) string {
	for _, group := range synonyms {
		if !slices.Contains(group, name) {
			continue
		}
		for _, other := range group {
			if f := cmd.Flags().Lookup(other); f != nil && !f.Hidden {
				return other
			}
		}
	}
	return ""
}

// fileFlag returns the flag to which a file given as an argument probably belongs: --model for a model, otherwise
// --data. It returns "" if the command has no such flag or the flag is already set.
func fileFlag(cmd *cobra.Command, file string) string {
	name := "data"
	if strings.HasSuffix(file, ".rao") {
		name = "model"
	}
	if f := cmd.Flags().Lookup(name); f != nil && !f.Hidden && !f.Changed {
		return name
	}
	return ""
}

// unknownFlag returns the error for a flag that the command does not have. The error suggests the American spelling, a
// synonym or the most similar name.
func unknownFlag(cmd *cobra.Command, args []string, name string, err error) error {
	if other := american.Replace(name); other != name && cmd.Flags().Lookup(other) != nil {
		return Usagef("--%s is spelled --%s", name, other)
	}
	if slices.Contains(below(cmd), name) {
		return Usagef("--%s is not a flag; %s %s is a command", name, cmd.CommandPath(), name)
	}
	if name == "stats" && cmd.HasParent() && cmd.Parent().Name() == "fit" {
		return Usagef("%s needs rows: use --data instead of --stats", cmd.Name())
	}
	if words := strings.Fields(cmd.Use); len(words) > 1 && slices.Contains([]string{"model", "data", "in"}, name) &&
		words[1] == strings.ToUpper(words[1]) {
		return Usagef("--%s is not a flag of this command; write %s %s", name, cmd.CommandPath(), words[1])
	}
	if other := synonym(cmd, name); other != "" {
		return Usagef("%v; did you mean --%s?", err, other)
	}
	if e := optionElsewhere(cmd, name, valueOf(args, name)); e != nil {
		return e
	}
	var flags []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
	if near := suggest.Nearest(name, flags); len(name) >= 3 && len(near) > 0 {
		return Usagef("%v; did you mean --%s?", err, near[0])
	}
	if others := commandsWith(cmd.Root(), name); len(others) > 0 {
		return Usagef("%s has no flag --%s; it is a flag of %s", cmd.CommandPath(), name, suggest.Some(others, 3))
	}
	return err
}

// optionElsewhere returns an error if the unknown flag is an option of some methods, and nil otherwise. If cmd has a
// flag for methods, the error shows how to add the option to the name of a method.
func optionElsewhere(cmd *cobra.Command, name, value string) error {
	var methods []string
	for _, m := range method.Methods() {
		for _, o := range m.Options {
			if o.Name == name {
				methods = append(methods, m.Name)
			}
		}
	}
	if methods == nil {
		return nil
	}
	setting := methods[0] + ":" + name
	if value != "" {
		setting += "=" + value
	}
	for _, flag := range []string{"methods", "method"} {
		if cmd.Flags().Lookup(flag) != nil {
			return Usagef("--%s is an option of methods: write it after the name of the method, such as --%s %s", name,
				flag, setting)
		}
	}
	return Usagef("%s has no flag --%s; it is an option of %s (rao methods METHOD lists the options of a method)",
		cmd.CommandPath(), name, suggest.Some(methods, 3))
}

// valueOf returns the value of a flag on the command line, or "" if it has none.
func valueOf(args []string, name string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
		if arg == "--"+name && i+1 < len(args) && !strings.HasPrefix(args[i+1], "--") {
			return args[i+1]
		}
	}
	return ""
}

// commandsWith lists the commands below cmd that have a flag with the given name.
func commandsWith(cmd *cobra.Command, name string) (found []string) {
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		if f := c.Flags().Lookup(name); f != nil && !f.Hidden {
			found = append(found, c.CommandPath())
		}
		found = append(found, commandsWith(c, name)...)
	}
	return found
}

// invalidFlag returns the error for an invalid value of a flag. why may already contain the value, which the message
// must not repeat.
func invalidFlag(name, value string, why error) error {
	if why == nil {
		return Usagef("--%s %q is not valid", name, value)
	}
	var number *strconv.NumError
	if errors.As(why, &number) {
		why = errors.New(mustBe(number))
	}
	given := fmt.Sprintf("%q", value)
	text := strings.TrimPrefix(why.Error(), fmt.Sprintf("%s %s: ", name, given))
	text = strings.TrimPrefix(text, fmt.Sprintf("%s %s: ", name, value))
	if strings.Contains(text, given) {
		return Usagef("--%s: %s", name, text)
	}
	return Usagef("--%s %s: %s", name, given, text)
}

// mustBe describes the values of a flag whose value the package strconv could not parse.
func mustBe(err *strconv.NumError) string {
	switch err.Func {
	case "ParseBool":
		return "the value must be true or false"
	case "ParseUint":
		return "the value must be a whole number of 0 or more, below 2^64"
	}
	return "the value must be a number"
}

// refuseRepeated returns an error if a flag is given twice with different values. A flag for a list may be repeated.
func (a *App) refuseRepeated(cmd *cobra.Command) error {
	if cmd.DisableFlagParsing {
		return nil // the arguments are a line to complete
	}
	again := pflag.NewFlagSet("", pflag.ContinueOnError) // parsing with the flags of cmd would repeat its arguments
	again.AddFlagSet(cmd.Flags())
	values := map[string]string{}
	return again.ParseAll(Completed(a.args), func(f *pflag.Flag, value string) error {
		if _, list := f.Value.(pflag.SliceValue); list {
			return nil
		}
		if first, ok := values[f.Name]; ok && first != value {
			again := "give it once"
			if form := FlagName(f); strings.Contains(form, ",...") || strings.HasSuffix(form, "DATA") {
				again += ", with commas between the values"
			}
			return Usagef("--%s is given twice, as %q and as %q; %s", f.Name, first, value, again)
		}
		values[f.Name] = value
		return nil
	})
}
