// Package scoring implements the measures, tests and folds of package evaluate, and more that only this module uses.
// [Scorer] and [Measurer] collect blocks of observations.
package scoring
