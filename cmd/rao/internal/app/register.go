package app

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

// These are the titles of the groups of commands, in the order of the help.
const (
	GroupBegin   = "Start here"
	GroupLearn   = "Learn"
	GroupDecide  = "Decide"
	GroupSee     = "Inspect"
	GroupData    = "Data, matrices and signals"
	GroupProgram = "This program"
)

var verbGroups = []string{GroupBegin, GroupLearn, GroupDecide, GroupSee, GroupData, GroupProgram}

// verb is a command and its place in the help.
type verb struct {
	group   string
	order   int
	command func(*App) *cobra.Command
}

var registered []verb

// Register adds a command to the tool. It must be called during initialization. group is a title in the help, or the
// name of the parent command, such as "demo". The commands of a group are sorted by order.
func Register(group string, order int, command func(*App) *cobra.Command) {
	registered = append(registered, verb{group, order, command})
}

// addVerbs adds the registered commands. Parent commands are added before their subcommands.
func (a *App) addVerbs(root *cobra.Command) {
	sorted := slices.Clone(registered)
	slices.SortStableFunc(sorted, func(v, w verb) int { return v.order - w.order })
	for _, group := range verbGroups {
		root.AddGroup(&cobra.Group{ID: group, Title: group})
		for _, v := range sorted {
			if v.group == group {
				cmd := v.command(a)
				cmd.GroupID = group
				root.AddCommand(cmd)
			}
		}
	}
	for _, v := range sorted {
		if slices.Contains(verbGroups, v.group) {
			continue
		}
		parent, _, err := root.Find([]string{v.group})
		if err != nil || parent == root {
			// a bug in the program
			panic(fmt.Sprintf("a command is registered below %s, which is not a command", v.group))
		}
		parent.AddCommand(v.command(a))
	}
}
