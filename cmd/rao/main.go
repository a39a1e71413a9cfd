// Command rao is supervised learning with the Fisher-Rao geometry from files: data go in; a
// model, an accuracy, a picture come out.
//
// The rules of the tool, which every verb keeps:
//
//   - Results go to standard output; progress and messages go to standard error.
//   - With --json, standard output is one JSON value and nothing else.
//   - Messages start in lower case, name the place and the remedy, and end
//     without a full stop.
//   - The exit status is 0; 1 when the work failed, with one line that says why
//     and what to try; 2 when the command line is wrong.
//   - An output file is written whole or not at all, is never an input, and
//     replaces only a file of the form that rao writes there, unless --force is given.
//   - Ctrl-C, SIGTERM and the end of the terminal leave the old files and end the program
//     with exit status 130, 143 and 129; fit --keep-partial keeps the best model so far.
//   - A --log is written where it stays from the first sample on, and never replaced.
package main

import (
	"os"

	_ "rao/cmd/rao/compare"
	_ "rao/cmd/rao/data"
	_ "rao/cmd/rao/decide"
	_ "rao/cmd/rao/demo"
	"rao/cmd/rao/internal/app"
	_ "rao/cmd/rao/learn"
	_ "rao/cmd/rao/show"
	_ "rao/cmd/rao/spd"
	_ "rao/dataset/parquet" // a format of the tool
)

func main() {
	os.Exit(app.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
