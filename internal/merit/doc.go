// Package merit has the figures of merit, tests and folds behind package evaluate, and those that only other packages
// of this module need. [Scorer] and [Measurer] collect blocks of observations.
package merit
