// Command rao learns from files with the Fisher-Rao geometry: it turns data into models, accuracies and figures.
// Package cli describes the rules that all commands follow. Each optional part is imported by one file of this package.
package main

import "rao/cmd/rao/cli"

func main() { cli.Main() }
