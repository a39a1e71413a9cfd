// Command rao is supervised learning with the Fisher-Rao geometry on files: it turns data into models, accuracies and
// figures. Package cli has its rules; each wing has a file here.
package main

import "rao/cmd/rao/cli"

func main() { cli.Main() }
