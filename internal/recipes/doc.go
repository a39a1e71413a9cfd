// Package recipes derives properties from recipes, such as the names of matrix rows.
package recipes
