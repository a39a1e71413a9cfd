// Command rename changes the path of the module, for example to the place where it is published.
//
//	go run ./internal/tools/rename example.org/me/rao
//
// Run it in the root of a clean checkout. It changes the go.mod files, the imports of every Go file, and mentions of
// package paths in comments, documents, scripts and generators. Similar names, such as the tool rao and files *.rao, do
// not change.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	dir := flag.String("dir", ".", "root of the module")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./internal/tools/rename [-dir ROOT] NEWPATH")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	changed, err := rename(*dir, flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
	fmt.Printf("%d files changed\n", changed)
}
