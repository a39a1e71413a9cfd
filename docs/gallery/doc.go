// Package gallery holds the programs of docs/gallery.md: they are run by its tests, and the
// page shows their text as it is here.
package gallery
