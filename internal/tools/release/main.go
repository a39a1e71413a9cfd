// Command release builds the archives of a release.
//
//	go run ./internal/tools/release 0.1.0
//
// Run it in the root of a checkout. It writes an archive for each system to the folder dist. Each archive contains the
// program rao, README.md, CITATION.cff, the changelog of the version, the license, the licenses of all modules in the
// program, and sbom.cdx.json, which lists the modules. SHA256SUMS contains the checksums of the archives for `sha256sum
// -c`. The same sources and the same version of Go give the same bytes on every machine.
//
// It fails if the version differs from the version in the sources, if the changelog marks the version as unreleased, or
// if the checkout has uncommitted changes. With -draft it builds the archives anyway, for inspection.
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
	flag.BoolVar(&r.draft, "draft", false, "build even if it is not ready for a release")
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
