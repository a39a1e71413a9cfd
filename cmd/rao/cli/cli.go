// Package cli is the command line of rao. To extend the tool, write a program that registers a method, metric, format
// or set and then calls [Main]. The addition is available in rao fit NAME, rao compare, help and completion.
//
//	package main
//
//	import (
//		_ "example.org/mymethod" // calls method.Register when it is initialized
//		"rao/cmd/rao/cli"
//		_ "rao/cmd/rao/serve" // the optional parts to include: serve, eeg, paper
//	)
//
//	func main() { cli.Main() }
//
// All commands follow these rules:
//
//   - Results go to standard output; progress and messages go to standard error.
//   - With --json, standard output is one JSON value and nothing else.
//   - Messages start in lower case, name the place and the remedy, and do not end with a period.
//   - Exit status: 0 on success. 2 if the command line alone shows the error: an unknown command or flag, a
//     missing or invalid value, flags that contradict each other. 1 for every other failure, such as a missing
//     file or a column that the data do not have. Commands with --limit or --max-share exit with 3 if a value
//     exceeds it. A failure prints one line that explains what went wrong and what to try.
//   - A flag may be repeated only if it is a list.
//   - An output file is written completely or not at all. It is never an input. Unless --force is given, it
//     replaces only a file of the kind that rao writes there.
//   - On Ctrl-C, SIGTERM or the end of the terminal, the program leaves old files unchanged and exits with
//     status 130, 143 or 129. fit --keep-partial saves the best model found before the signal.
//   - A --log is written as the samples arrive. An existing log is never replaced.
package cli

import (
	"io"
	"os"

	_ "rao/cmd/rao/compare"
	_ "rao/cmd/rao/data"
	_ "rao/cmd/rao/demo"
	"rao/cmd/rao/internal/app"
	_ "rao/cmd/rao/learn"
	_ "rao/cmd/rao/predict"
	_ "rao/cmd/rao/show"
	_ "rao/cmd/rao/spd"
	_ "rao/dataset/parquet" // registers the format with the tool
)

// Main runs the tool with the arguments of the program and ends the program with the exit status of the tool.
func Main() { os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// Run runs the tool and returns its exit status. args starts with the name of a command, such as fit.
func Run(args []string, in io.Reader, out, errOut io.Writer) int {
	return app.Run(args, in, out, errOut)
}
