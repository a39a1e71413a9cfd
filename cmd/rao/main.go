// Command rao learns from data in files, with the Fisher-Rao geometry. It fits models, measures their accuracy and
// draws figures. Package cli describes the rules that all commands follow. Each optional part is imported by one file
// of this package.
package main

import "rao/cmd/rao/cli"

func main() { cli.Main() }
