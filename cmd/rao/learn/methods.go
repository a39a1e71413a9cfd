package learn

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/method"
)

// methodEntry describes one method in JSON. The names in the JSON are stable.
type methodEntry struct {
	Name     string        `json:"name"`
	Summary  string        `json:"summary"`
	Matrices bool          `json:"matrices"`
	Rows     bool          `json:"rows"`
	Options  []optionEntry `json:"options"`
}

// optionEntry describes one option in JSON.
type optionEntry struct {
	method.Option
	Default any      `json:"default"`           // a number, a boolean, a text, or null if there is none
	Choices []string `json:"choices,omitempty"` // valid values, for a choice
}

func entryOf(o method.Option) optionEntry {
	e := optionEntry{Option: o, Choices: o.Choices()}
	_, err := strconv.ParseFloat(o.Default, 64)
	switch {
	case o.Type == "switch":
		e.Default = o.Default == "true"
	case err == nil:
		e.Default = json.Number(o.Default)
	case o.Default != "":
		e.Default = o.Default
	}
	return e
}

func methodsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "methods [NAME]",
		Short: "List the methods, or the options of one",
		Long: `List the methods and the data they learn from, or the options of one method with their
types and defaults. --json prints the complete declaration for other programs: names,
summaries, and the type, default, range and choices of each option.

` + app.MethodsHelp,
		Example: `  rao methods
  rao methods plrsq
  rao methods --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return app.Usagef("%s accepts at most one name, not %d", cmd.CommandPath(), len(args))
			}
			return nil
		},
		ValidArgs: app.MethodNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := method.Methods()
			if len(args) == 1 {
				m, err := method.Lookup(args[0])
				if err != nil {
					return app.Usagef("%v", err)
				}
				list = []*method.Method{m}
			}
			entries := make([]methodEntry, len(list))
			for i, m := range list {
				entries[i] = methodEntry{Name: m.Name, Summary: m.Summary, Matrices: m.Matrices, Rows: m.Rows}
				for _, o := range m.Options {
					entries[i].Options = append(entries[i].Options, entryOf(o))
				}
			}
			return a.Emit(entries, func() {
				if len(args) == 1 {
					printOptions(a, list[0])
					return
				}
				printMethods(a, list)
			})
		},
	}
}

func printMethods(a *app.App, list []*method.Method) {
	rows := make([][]string, len(list))
	for i, m := range list {
		rows[i] = []string{m.Name, app.LearnsFrom(m), m.Summary}
	}
	a.Table([]string{"method", "learns from", "summary"}, rows)
}

func printOptions(a *app.App, m *method.Method) {
	h := app.NewHelp(a.Out)
	h.Wrapped(m.Name+": "+m.Summary, 0, 0)
	h.Title("Options")
	for _, o := range m.Options {
		words := o.Usage()
		if o.Default != "" {
			words += " (default " + o.Default + ")"
		}
		h.Entry("--"+o.Name+" "+o.Type, words, app.HelpTerm)
	}
	fmt.Fprint(a.Out, h.String())
}
