// Package linear has what learners of linear filters share: leading eigenvectors, covariances of all classes together,
// checks of options, and the signs of filters.
package linear
