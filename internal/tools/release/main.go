// Command release builds the archives of a release.
//
//	go run ./internal/tools/release 0.1.0
//
// Run it in the root of a checkout. It writes an archive for each system to the folder dist.
// Each holds the program rao, README.md, CITATION.cff and what the changelog says of the version.
// The license is next to those of all modules in the program, and sbom.cdx.json lists the modules.
// SHA256SUMS has the sums of the
// archives, which `sha256sum -c` checks. Equal sources and one version of Go make equal bytes
// on every machine.
//
// A version that the sources do not have, or that the changelog calls unreleased, is refused.
// So are sources with changes that are not committed. With -draft they are built all the
// same, to look at.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	r := release{program: "./cmd/rao"}
	flag.StringVar(&r.root, "dir", ".", "root of the module")
	flag.StringVar(&r.out, "out", "dist", "folder for the archives")
	systems := flag.String("systems", strings.Join(allSystems, ","), "systems to build for")
	flag.BoolVar(&r.draft, "draft", false, "build what is not ready for a release, too")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./internal/tools/release [flags] VERSION")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	r.version = flag.Arg(0)
	r.systems = strings.Split(*systems, ",")
	written, err := r.make()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
	for _, path := range written {
		fmt.Println(path)
	}
}
