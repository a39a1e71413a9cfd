// Package gallery holds the programs of the gallery as tests. Its pages show the text of the programs.
package gallery
