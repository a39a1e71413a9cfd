package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

// common lists the options of every command. flagsOf lists the options of single commands. All other options belong to
// Beam.
var common = []string{"data", "out", "x", "y", "where", "drop", "shard"}

var helpBeam = flag.Bool("help-beam", false, "list the options of Beam")

// parseFlags parses the options. It exits if there is an error in the options, or after it has printed the help.
func parseFlags(args []string) {
	flag.CommandLine.Init("rao-beam", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	switch err := flag.CommandLine.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		help(os.Stdout)
		os.Exit(0)
	case err != nil:
		fmt.Fprintf(os.Stderr, "rao-beam: %v\nrun rao-beam --help, or rao-beam --help-beam, for the options\n", err)
		os.Exit(2)
	case *helpBeam:
		printOptions(os.Stdout, func(name string) bool { return !isOurs(name) })
		os.Exit(0)
	}
}

func help(w io.Writer) {
	fmt.Fprint(w, `Compute class statistics, predictions and features of many files on Apache Beam.

Usage:
  rao-beam stats|predict|transform --data FILES --out FILE|FOLDER [options] [options of Beam]

Examples:
  rao-beam stats --data 'part-*.parquet' --y y --out all.npz
  rao-beam predict --data 'part-*.parquet' --model m.rao --out predictions

Options for all verbs:
`)
	printOptions(w, func(name string) bool { return slices.Contains(common, name) })
	fmt.Fprint(w, "\nOptions for stats:\n")
	printOptions(w, func(name string) bool { return slices.Contains(flagsOf["stats"], name) })
	fmt.Fprint(w, "\nOptions for predict and transform:\n")
	printOptions(w, func(name string) bool { return slices.Contains(flagsOf["predict"], name) })
	fmt.Fprint(w, `
By default the pipeline runs in this process. On a cluster, use Beam's options, such as --runner universal
--endpoint HOST:PORT --environment_type PROCESS; --help-beam lists them all.
`)
}

// printOptions prints the options for which keep is true.
func printOptions(w io.Writer, keep func(name string) bool) {
	some := flag.NewFlagSet("", flag.ContinueOnError)
	some.SetOutput(w)
	flag.VisitAll(func(f *flag.Flag) {
		if keep(f.Name) {
			some.Var(f.Value, f.Name, f.Usage)
			some.Lookup(f.Name).DefValue = f.DefValue
		}
	})
	some.PrintDefaults()
}

func isOurs(name string) bool {
	if slices.Contains(common, name) || name == "help-beam" {
		return true
	}
	for _, names := range flagsOf {
		if slices.Contains(names, name) {
			return true
		}
	}
	return false
}
