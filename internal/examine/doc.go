// Package examine finds faults and artifacts among matrices, and drift of data from the training data of a model.
package examine
