package app

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Widths of the help are in terminal columns.
const (
	helpWidth    = 80  // used if the width of the terminal is unknown
	helpWidest   = 110 // limit for readability
	helpNarrow   = 40
	helpIndent   = 2
	HelpTerm     = 18 // after a longer name, the description starts on the same line
	helpTermGap  = 2
	helpTitle    = 10 // width of the titles of names listed in a message
	titleOptions = "Options of "
	titleFlags   = "Flags"
	TitleData    = "Reading the data"
	titleAll     = "Flags of every command"
)

// topic is an argument of rao help that explains the flags below one title. The help of a long command lists only the
// names of these flags.
type topic struct {
	name, title, short, long string
	register                 func(*cobra.Command)
}

var topics []topic

// Topic adds a topic to rao help for the flags below a title. rao help NAME prints short, long and the flags that
// register adds.
func Topic(name, title, short, long string, register func(*cobra.Command)) {
	topics = append(topics, topic{name, title, short, long, register})
}

func init() {
	Topic("reading", TitleData, "How files of data are read", "Flags of every command that reads data. Flags for "+
		"tables are for commands that learn: the model stores them.", func(cmd *cobra.Command) {
		new(DataFlags).AddLearning(cmd, "data", "a file, a folder of class folders, the name of a set, or -")
	})
}

// topicOf returns the name of the topic that explains the flags below a title, or "" if there is none.
func topicOf(title string) string {
	for _, t := range topics {
		if t.title == title {
			return t.name
		}
	}
	return ""
}

func helpCommand(root *cobra.Command) *cobra.Command {
	help := &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "The help of a command",
		Long:  "Show the help of a command, as its flag --help does.",
		Example: `  rao help fit
  rao help fit sqfa
  rao help reading`,
		Args: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			return cmp.Or(err, misspelled(cmd, rest))
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, _, err := root.Find(args)
			if err != nil {
				return err
			}
			return cmd.Help()
		},
	}
	var names []string
	for _, t := range topics {
		names = append(names, t.name)
		cmd := &cobra.Command{Use: t.name, Short: t.short, Long: t.long}
		t.register(cmd)
		help.AddCommand(cmd)
	}
	slices.Sort(names)
	help.Long += "\n\nTopics: " + strings.Join(names, ", ") + "."
	return help
}

// printHelp writes the help of a command, wrapped to the width of the output.
func printHelp(cmd *cobra.Command) {
	out := cmd.OutOrStdout()
	h := NewHelp(out)
	h.Command(cmd)
	_, _ = io.WriteString(out, h.String()) // Flush below returns the error
}

// NewHelp starts a help text that is wrapped to the width of the terminal.
func NewHelp(out io.Writer) *HelpText {
	return &HelpText{Width: min(helpWidest, max(helpNarrow, columnsOf(out)))}
}

// columnsOf returns the width of the terminal, or the value of COLUMNS, or a default.
func columnsOf(out io.Writer) int {
	if w, ok := out.(*checkedWriter); ok {
		out = w.w
	}
	if f, ok := out.(*os.File); ok {
		if n := terminalWidth(f); n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return helpWidth
}

// HelpText builds a help text.
type HelpText struct {
	strings.Builder
	Width   int
	compact bool // omits the empty lines between titles
	brief   bool // lists methods, and flags that a topic explains, only by name
	terse   bool // cuts the descriptions of a method's options at the first semicolon
}

// screens is the number of lines above which the help of a command is shortened.
const screens = 80

// Command writes the help of a command. If the help is too long, it lists only the names of the flags that a topic
// explains. If it is still too long, it cuts the descriptions of a method's options at the first semicolon; rao methods
// METHOD prints the full descriptions.
func (h *HelpText) Command(cmd *cobra.Command) {
	full := HelpText{Width: h.Width}
	full.command(cmd)
	if lines := strings.Count(full.String(), "\n"); lines > screens {
		full = HelpText{Width: h.Width, brief: true}
		full.command(cmd)
	}
	if lines := strings.Count(full.String(), "\n"); lines > screens {
		full = HelpText{Width: h.Width, brief: true, terse: true}
		full.command(cmd)
	}
	h.WriteString(full.String())
}

func (h *HelpText) command(cmd *cobra.Command) {
	if cmd.Long != "" {
		h.paragraphs(cmd.Long)
	} else {
		h.Wrapped(strings.ToUpper(cmd.Short[:1])+cmd.Short[1:]+".", 0, 0)
	}
	h.compact = !cmd.HasParent() // the list of commands fits on one screen
	if !h.compact && (cmd.Runnable() || cmd.HasAvailableSubCommands()) {
		h.Title("Usage")
	}
	if cmd.Runnable() && cmd.HasParent() {
		h.Wrapped(cmd.UseLine(), helpIndent, helpIndent+4)
	}
	word := "COMMAND"
	if strings.HasSuffix(cmd.Use, " METHOD") {
		word = "METHOD"
	} else if cmd.HasAvailableSubCommands() && !h.compact {
		h.Wrapped(cmd.CommandPath()+" COMMAND [flags]", helpIndent, helpIndent+4)
	}
	if cmd.HasExample() {
		h.Title("Examples")
		h.WriteString(strings.TrimRight(cmd.Example, "\n") + "\n")
	}
	h.commands(cmd)
	h.flags(cmd)
	if cmd.HasAvailableSubCommands() {
		if !h.compact {
			h.WriteByte('\n')
		}
		h.Wrapped(fmt.Sprintf("%s %s --help describes a command.", cmd.CommandPath(), word), 0, 0)
	}
}

// commands lists the subcommands by group. A brief help lists a group of many methods only by name.
func (h *HelpText) commands(cmd *cobra.Command) {
	if h.brief && strings.HasSuffix(cmd.Use, " METHOD") {
		for _, g := range cmd.Groups() {
			var names []string
			for _, c := range cmd.Commands() {
				if c.GroupID == g.ID && c.IsAvailableCommand() {
					names = append(names, c.Name())
				}
			}
			h.Title(g.Title + " (rao methods)")
			h.Wrapped(strings.Join(names, ", "), helpIndent, helpIndent)
		}
		return
	}
	for _, g := range append(cmd.Groups(), &cobra.Group{Title: "Others"}) {
		first := true
		for _, c := range cmd.Commands() {
			if c.GroupID != g.ID || !c.IsAvailableCommand() {
				continue
			}
			if first {
				title := g.Title
				if len(cmd.Groups()) == 0 {
					title = "Commands"
				}
				h.Title(title)
				first = false
			}
			h.Entry(c.Name(), c.Short, 14)
		}
	}
}

// flags lists the flags in groups: the options of a method, the flags of the command, the groups with a title, and the
// flags that every command has.
func (h *HelpText) flags(cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	var titles []string
	groups := map[string][]*pflag.Flag{}
	put := func(title string, f *pflag.Flag) {
		if groups[title] == nil {
			titles = append(titles, title)
		}
		groups[title] = append(groups[title], f)
	}
	own, options := []*pflag.Flag{}, []*pflag.Flag{}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		switch _, option := f.Value.(optionFlag); {
		case f.Hidden || f.Name == "help":
		case option:
			options = append(options, f)
		case f.Annotations[groupAnnotation] == nil:
			own = append(own, f)
		default:
			put(f.Annotations[groupAnnotation][0], f)
		}
	})
	h.list(titleFlags, own)
	if p := cmd.Parent(); p != nil && (p.Name() == "fit" || p.Name() == "tune") {
		if h.terse {
			h.Title(titleOptions + cmd.Name() + " (in full: rao methods " + cmd.Name() + ")")
			for _, f := range options {
				usage, _, cut := strings.Cut(f.Usage, ";")
				if cut {
					usage += " ..."
				}
				h.Entry(FlagName(f), described(f, usage), HelpTerm)
			}
		} else {
			h.list(titleOptions+cmd.Name(), options)
		}
	} else {
		h.list(titleOptions+"the methods", options)
	}
	for _, title := range titles {
		if name := topicOf(title); name != "" && h.brief {
			h.names(title+" (rao help "+name+")", groups[title])
			continue
		}
		h.list(title, groups[title])
	}
	var all []*pflag.Flag
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) { all = append(all, f) })
	all = append(all, cmd.Flags().Lookup("help"))
	if h.brief {
		h.names(titleAll+" (rao help)", all)
		return
	}
	h.list(titleAll, all)
}

func (h *HelpText) names(title string, flags []*pflag.Flag) {
	var names []string
	for _, f := range flags {
		names = append(names, "--"+f.Name)
	}
	h.Title(title)
	h.Wrapped(strings.Join(names, ", "), helpIndent, helpIndent)
}

func (h *HelpText) list(title string, flags []*pflag.Flag) {
	if len(flags) == 0 {
		return
	}
	h.Title(title)
	for _, f := range flags {
		h.Entry(FlagName(f), flagWords(f), HelpTerm)
	}
}

// FlagName returns the name of a flag, with the placeholder of its value.
func FlagName(f *pflag.Flag) string {
	form := f.Value.Type()
	if given := f.Annotations[formAnnotation]; given != nil {
		form = given[0]
	}
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if form == "bool" {
		return name
	}
	return name + " " + form
}

// flagWords returns the description of a flag, with its default if that is informative.
func flagWords(f *pflag.Flag) string {
	if f.Name == "help" {
		return "this help"
	}
	return described(f, f.Usage)
}

// described appends the default of a flag to usage if the default is informative.
func described(f *pflag.Flag, usage string) string {
	switch f.DefValue {
	case "", "0", "false", "[]":
		return usage
	}
	return usage + " (default " + f.DefValue + ")"
}

// Title writes a title, with an empty line before it unless the help is compact.
func (h *HelpText) Title(s string) {
	if !h.compact {
		h.WriteByte('\n')
	}
	h.Wrapped(s+":", 0, helpIndent)
}

// paragraphs wraps the paragraphs of a text and separates them with empty lines.
func (h *HelpText) paragraphs(s string) {
	for i, p := range strings.Split(strings.TrimSpace(s), "\n\n") {
		if i > 0 {
			h.WriteByte('\n')
		}
		if strings.HasPrefix(p, " ") { // the paragraph is formatted by hand
			h.WriteString(p + "\n")
			continue
		}
		h.Wrapped(p, 0, 0)
	}
}

// Entry writes a term and its description. The description starts at the given column, or after the term if the term is
// longer.
func (h *HelpText) Entry(term, meaning string, column int) {
	from := helpIndent + column + helpTermGap
	if h.Width < 60 {
		from = 2 * helpIndent
	}
	if helpIndent+utf8.RuneCountInString(term)+helpTermGap > from {
		h.Wrapped(term+strings.Repeat(" ", helpTermGap)+meaning, helpIndent, from)
		return
	}
	h.Wrapped(fmt.Sprintf("%-*s%s", from-helpIndent, term, meaning), helpIndent, from)
}

// Wrapped wraps a text to the width of the help. first and rest are the indents of the first line and of the other
// lines, in columns.
func (h *HelpText) Wrapped(s string, first, rest int) {
	line := strings.Repeat(" ", first)
	used := false
	for len(s) > 0 {
		word := s
		if i := strings.IndexAny(s, " \n"); i >= 0 {
			word = s[:i+1]
		}
		s = s[len(word):]
		word = strings.ReplaceAll(word, "\n", " ")
		if used && utf8.RuneCountInString(line)+utf8.RuneCountInString(strings.TrimRight(word, " ")) > h.Width {
			h.WriteString(strings.TrimRight(line, " ") + "\n")
			line, used = strings.Repeat(" ", rest), false
		}
		line += word
		used = used || strings.TrimSpace(word) != ""
	}
	h.WriteString(strings.TrimRight(line, " ") + "\n")
}
