// Package gallery contains the programs of the gallery as tests. The pages of the gallery show the source of these
// programs.
package gallery
