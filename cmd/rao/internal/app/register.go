package app

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

// The titles that the help shows verbs under, in its order.
const (
	GroupBegin   = "Start here"
	GroupLearn   = "Learn"
	GroupDecide  = "Decide"
	GroupSee     = "Inspect"
	GroupData    = "Data, matrices and signals"
	GroupProgram = "This program"
)

var verbGroups = []string{GroupBegin, GroupLearn, GroupDecide, GroupSee, GroupData, GroupProgram}

// verb is a command as it is registered.
type verb struct {
	group   string
	order   int
	command func(*App) *cobra.Command
}

var registered []verb

// Register adds a command before the tool runs, so that no list names all commands: under a title
// of the help, or below another command if group is the name of one, such as "spd". The order is
// among the commands of the group.
func Register(group string, order int, command func(*App) *cobra.Command) {
	registered = append(registered, verb{group, order, command})
}

// addVerbs adds the registered commands: those of the groups, then those below other commands.
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
			panic(fmt.Sprintf("a command is registered below %s, which is none", v.group)) // a fault of the program
		}
		parent.AddCommand(v.command(a))
	}
}
