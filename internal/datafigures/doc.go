// Package datafigures draws figures of a model and of labeled data for the pages of the tool.
package datafigures
