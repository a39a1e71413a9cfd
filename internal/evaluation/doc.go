// Package evaluation parses the candidates of a search, and compares pairs of classes with package evaluate.
package evaluation
