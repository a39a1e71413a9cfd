// Command rao is supervised learning with the Fisher-Rao geometry from files: data go in; a
// model, an accuracy, a picture come out. Package cli has its rules; each wing has a file here.
package main

import "rao/cmd/rao/cli"

func main() { cli.Main() }
