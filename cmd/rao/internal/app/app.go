// Package app contains the code that commands share: flags, data, messages, results, and the protection of outputs.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"rao"
	"rao/dataset"
	"rao/internal/linalg/cpu"
	"rao/internal/provenance"
	"rao/internal/text"
)

// Version is the version of the tool, such as 0.1.0.
const Version = rao.Version

// App is the state that commands share.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	JSON     bool
	Quiet    bool
	running  atomic.Bool // the command line was accepted and the command has started

	opened       atomic.Bool        // an input was opened; from here on, errors depend on its content
	InputRead    bool               // standard input was read as data
	readings     []*dataset.Reading // choices made while reading data, such as how missing values are handled
	provenance   runRecord
	AllowOverlap bool               // the value of --allow-overlap of rao compare
	Hashing      provenance.Hashing // how row hashes are computed for files that record their rows
	hashes       string             // the value of --hashes

	bar     atomic.Pointer[bar]           // the progress bar; nil if standard error is not a terminal
	outputs []output                      // outputs of the command, which Guard found
	Patient atomic.Bool                   // after a signal, the tool waits for the command to end
	command atomic.Pointer[cobra.Command] // the command that ran; set when it has ended
	scratch atomic.Pointer[string]        // folder that TempDir created

	misspelled error    // help was requested for an unknown command
	args       []string // the command line; nil if only the command tree is needed
}

// Mentions reports whether name is an argument on the command line. To start faster, a command with many subcommands
// registers flags only for the subcommands that are mentioned.
func (a *App) Mentions(name string) bool { return a.args == nil || slices.Contains(a.args, name) }

// InputOpened records that an input was opened. Errors from here on depend on its content.
func (a *App) InputOpened() { a.opened.Store(true) }

// Run executes the tool and returns its exit status.
func Run(args []string, in io.Reader, out, errOut io.Writer) int {
	a := &App{In: in, Err: errOut, args: args}
	results := &checkedWriter{w: out, a: a}
	a.Out = results
	ctx, stop := untilSignal()
	defer stop()
	root := a.Root()
	root.SetArgs(Completed(args))
	root.SetIn(in)
	root.SetOut(results)
	root.SetErr(errOut)
	err := a.await(ctx, func() error {
		cmd, err := root.ExecuteContextC(ctx)
		a.command.Store(cmd)
		return cmp.Or(err, a.misspelled)
	})
	a.hideBar()
	if err == nil && results.err != nil {
		err = fmt.Errorf("the results could not be written to standard output: %w", cause(results.err))
	}
	return a.Status(ctx, err)
}

// Status prints the error of a command and returns the exit status: 2 if the command line alone shows the error, the
// status of the signal or of the error if it has one, and 1 for any other error.
func (a *App) Status(ctx context.Context, err error) int {
	if err == nil {
		return 0
	}
	var usage *UsageError
	var own interface{ ExitStatus() int } // an error with a special exit status
	signal := interrupted(ctx)
	switch {
	case signal != nil && errors.Is(err, context.Canceled):
		words := "rao: interrupted"
		if s := a.outcome(); s != "" {
			words += "; " + s
		}
		fmt.Fprintln(a.Err, words)
		return signal.status()
	case errors.As(err, &usage) && !a.opened.Load() || !a.running.Load():
		fmt.Fprintf(a.Err, "rao: %s\n", oneLine(err))
		if usage != nil {
			listNames(a.Err, usage.Names)
		}
		if !errors.Is(err, errUnknownVerb) {
			fmt.Fprintf(a.Err, "%s --help shows the usage\n", a.path())
		}
		return 2
	case errors.As(err, &own):
		fmt.Fprintf(a.Err, "rao: %s\n", oneLine(err))
		return own.ExitStatus()
	default:
		fmt.Fprintf(a.Err, "rao: %s\n", oneLine(err))
		if signal != nil {
			return signal.status()
		}
		return 1
	}
}

// path returns the full name of the running command, such as "rao spd mean".
func (a *App) path() string {
	if cmd := a.command.Load(); cmd != nil {
		return cmd.CommandPath()
	}
	return "rao"
}

// oneLine returns an error message on one line, with control characters escaped.
func oneLine(err error) string {
	return text.Visible(strings.ReplaceAll(Message(err), "\n", "; "))
}

// Message returns the message of an error. It writes options of the library as flags and adds a command that helps, if
// there is one.
func Message(err error) string {
	return withRemedy(withoutSystemText(rao.Spell(err, flagOfOption), err), err)
}

// withoutSystemText replaces the message of an operating system about a file, such as "open x: permission denied".
func withoutSystemText(message string, err error) string {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		message = strings.Replace(message, fault.Path+": "+fault.Error(), fault.Error(), 1)
		message = strings.Replace(message, fault.Error(), fault.Path+": "+fault.Err.Error(), 1)
	}
	var code syscall.Errno
	if !errors.As(err, &code) {
		return message
	}
	what, remedy := "", ""
	switch {
	case errors.Is(code, fs.ErrNotExist):
		what, remedy = "no such file or folder", "check the name"
	case errors.Is(code, fs.ErrPermission):
		what, remedy = "permission denied", "check who owns it and its mode"
	case errors.Is(code, syscall.EISDIR):
		what, remedy = "it is a folder, but a file is needed", "name a file"
	case errors.Is(code, syscall.ENOSPC):
		what, remedy = "no space left on the device", "delete files, or use another device"
	default:
		return message
	}
	if before, found := strings.CutSuffix(message, code.Error()); found {
		return before + what + "; " + remedy
	}
	return strings.Replace(message, code.Error(), what, 1) // the message has its own remedy
}

func withRemedy(message string, err error) string {
	if verb := remedy(err); verb != "" {
		return message + "; " + verb
	}
	return message
}

func flagOfOption(option, value string) string {
	if value == "" || value == "true" { // the option is a switch
		return "--" + option
	}
	return "--" + option + " " + value
}

// checkedWriter passes data on to w, above the progress bar, and stores the first error in err.
type checkedWriter struct {
	w   io.Writer
	a   *App
	err error
}

func (c *checkedWriter) Write(p []byte) (n int, err error) {
	c.a.aboveBar(func() { n, err = c.w.Write(p) })
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// UsageError is an error of the command line that is found after parsing.
type UsageError struct {
	Msg   string
	Names []NameGroup // valid names, listed below the message
}

// NameGroup is a list of names with a title, such as the names of the methods of one kind.
type NameGroup struct {
	Title string
	Names []string
}

func (e *UsageError) Error() string { return e.Msg }

// Usagef returns a UsageError. If an argument is an error of the library, options in its message are written as flags.
func Usagef(format string, args ...any) error {
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = Message(err)
		}
	}
	return &UsageError{Msg: fmt.Sprintf(format, args...)}
}

// AsUsage returns an error about an option of the library as a UsageError, and any other error unchanged.
func AsUsage(err error) error {
	if e := (*rao.OptionError)(nil); errors.As(err, &e) {
		return Usagef("%v", err)
	}
	return err
}

func listNames(out io.Writer, groups []NameGroup) {
	h := NewHelp(out)
	for _, g := range groups {
		h.Entry(g.Title, strings.Join(g.Names, " "), helpTitle)
	}
	_, _ = io.WriteString(out, h.String())
}

// Root returns the command rao with all registered commands.
func (a *App) Root() *cobra.Command {
	root := &cobra.Command{
		Use:   "rao",
		Short: "Learn with the Fisher-Rao geometry of Gaussians and SPD matrices",
		Long: `Learn filters that separate classes (SQFA) and prototypes of SPD matrices
(PLRSQ). Data are files, folders of images, or sets (rao data list); the name - means
standard input or output.`,
		Example: `  rao demo
  rao fit sqfa --data train.npz --filters 9 --out model.rao
  rao evaluate --model model.rao --data test.npz`,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			a.running.Store(true)
			a.showCommand(cmd)
			if _, err := cpu.Selected(); err != nil {
				return err // RAO_KERNEL has an invalid value
			}
			a.provenance = newRunRecord()
			if err := a.refuseRepeated(cmd); err != nil {
				return err
			}
			if err := a.Guard(cmd, args); err != nil {
				return err
			}
			return a.readHashes()
		},
	}
	root.PersistentFlags().BoolVar(&a.JSON, "json", false, "print one JSON value on standard output")
	root.PersistentFlags().BoolVar(&a.Quiet, "quiet", false, "no progress and no messages")
	a.addVerbs(root)
	root.SetHelpCommand(helpCommand(root))
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		if a.misspelled = misspelled(cmd, cmd.Flags().Args()); a.misspelled == nil {
			printHelp(cmd)
		}
	})
	root.SetHelpCommandGroupID(GroupProgram)
	root.SetCompletionCommandGroupID(GroupProgram)
	if a.Mentions(cobra.ShellCompRequestCmd) || a.Mentions(cobra.ShellCompNoDescRequestCmd) {
		completeFlags(root)
	}
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownCommand(cmd, args[0])
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if e := misspelled(cmd, cmd.Flags().Args()); e != nil {
			return e // the flag followed an unknown command
		}
		return flagError(cmd, a.args, err)
	})
	return root
}
