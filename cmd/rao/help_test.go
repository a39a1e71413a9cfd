package main

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// everyCommand calls f for each command of the tool that the help shows.
func everyCommand(f func(cmd *cobra.Command)) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		f(cmd)
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				walk(c)
			}
		}
	}
	walk((&app.App{Out: io.Discard, Err: io.Discard}).Root())
}

// No line of a help text is too wide, except one long word, an example, or a text with its own line breaks.
func TestHelpFitsTheTerminal(t *testing.T) {
	everyCommand(func(cmd *cobra.Command) {
		for _, width := range []int{40, 60, 80, 100} {
			h := &app.HelpText{Width: width}
			h.Command(cmd)
			examples := strings.Split(cmd.Example+"\n"+cmd.Long, "\n")
			for _, line := range strings.Split(h.String(), "\n") {
				if utf8.RuneCountInString(line) > width && !slices.Contains(examples, line) &&
					strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("%s --help in %d columns: %q", cmd.CommandPath(), width, line)
				}
			}
			if strings.HasPrefix(h.String(), " ") || strings.Contains(h.String(), " \n") {
				t.Errorf(
					"%s --help in %d columns begins with a blank, or has one at the end of a line", cmd.CommandPath(),
					width)
			}
		}
	})
}

// Wrapping keeps every word, in order.
func TestHelpKeepsItsWords(t *testing.T) {
	const words = "one  two three-four, five six"
	for width := range 40 {
		h := &app.HelpText{Width: width}
		h.Wrapped(words, 2, 6)
		testkit.EqualSlices(t, strings.Fields(h.String()), strings.Fields(words), "in", width, "columns", h.String())
	}
}

// Every flag describes its value in its own words, and appears once.
func TestFlagsSayWhatTheyTake(t *testing.T) {
	plain := []string{"string", "strings", "stringArray", "value", "int", "int64", "uint64", "float64", "duration"}
	everyCommand(func(cmd *cobra.Command) {
		h := &app.HelpText{Width: 200}
		h.Command(cmd)
		flags := h.String()
		flags = flags[max(0, strings.LastIndex(flags, "Usage:")):]
		if limit := regexp.MustCompile(`to \d{7,}`).FindString(flags); limit != "" {
			t.Errorf("%s --help shows a limit that only excludes what no machine can process: %s", cmd.CommandPath(),
				limit)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			_, form, _ := strings.Cut(app.FlagName(f), "--"+f.Name+" ")
			if slices.Contains(plain, form) {
				t.Errorf("%s --%s takes a %q: say which", cmd.CommandPath(), f.Name, form)
			}
			name := "  " + app.FlagName(f)
			if n := strings.Count(flags, name+"\n") + strings.Count(flags, name+"  "); n != 1 && !f.Hidden {
				t.Errorf("%s --help tells --%s %d times", cmd.CommandPath(), f.Name, n)
			}
		})
	})
}

// The help starts with the groups of commands, and lists every command.
func TestVerbsHaveTheirGroups(t *testing.T) {
	var out bytes.Buffer
	testkit.Equal(t, app.Run([]string{"--help"}, nil, &out, io.Discard), 0, "exit status")
	if strings.Contains(out.String(), "Others:") {
		t.Errorf("a verb has no group:\n%s", out.String())
	}
	everyCommand(func(cmd *cobra.Command) {
		if cmd.HasParent() && !cmd.Parent().HasParent() && !strings.Contains(out.String(), "\n  "+cmd.Name()+" ") {
			t.Errorf("the help leaves out %s", cmd.Name())
		}
	})
}

// The help of the tool fits on one screen, and the help of a command on two.
func TestHelpFitsTheScreen(t *testing.T) {
	everyCommand(func(cmd *cobra.Command) {
		h := &app.HelpText{Width: 80}
		h.Command(cmd)
		most := 80
		if !cmd.HasParent() {
			most = 40
		}
		if n := strings.Count(h.String(), "\n"); n > most {
			t.Errorf("%s --help has %d lines, want %d at most", cmd.CommandPath(), n, most)
		}
	})
}

// The tables of every command that lists something fit 100 columns.
func TestListsFitAPage(t *testing.T) {
	lists := 0
	everyCommand(func(cmd *cobra.Command) {
		live := cmd.CommandPath() == "rao eeg lsl list" // names of other programs' streams have any length
		if !cmd.Runnable() || cmd.Name() != "list" && cmd.Name() != "methods" || live {
			return
		}
		lists++
		_, out, _ := tooltest.Run(t, strings.Fields(cmd.CommandPath())[1:]...)
		for _, line := range strings.Split(out, "\n") {
			if n := utf8.RuneCountInString(line); n > 100 {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
	})
	if lists < 2 {
		t.Errorf("%d commands list something", lists)
	}
}
