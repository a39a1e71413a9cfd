// Package evaluation reads the candidates of a search from text, and compares classes in pairs by package evaluate.
package evaluation
