// Command rao learns from files with the Fisher-Rao geometry: it turns data into models, accuracies and figures.
// Package cli describes its rules. Each optional part has a file here that imports it.
package main

import "rao/cmd/rao/cli"

func main() { cli.Main() }
