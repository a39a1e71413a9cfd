// Package gallery contains the programs of the gallery as tests. The pages show their source.
package gallery
