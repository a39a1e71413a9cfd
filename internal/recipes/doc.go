// Package recipes has properties of recipes that packages of the module need, such as the names of
// the rows of matrices.
package recipes
