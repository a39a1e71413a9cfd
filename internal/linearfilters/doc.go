// Package linearfilters contains code that learners of linear filters share: leading eigenvectors, covariances over all
// classes, checks of options, and the signs of filters.
package linearfilters
