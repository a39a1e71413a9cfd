// Package descriptors maps images to covariance descriptors: symmetric positive definite (SPD) matrices for
// classification.
//
// [Describe] gives the covariance of pixel features of each image, or of each window of each image:
//
//	stack, err := descriptors.Describe(ctx, x, descriptors.Shape{Rows: 128, Cols: 128, Channels: 1},
//		descriptors.Options{})
//
// A [Describer] applies a recipe that is stored in a file or a model. The recipe may contain filters learned from
// patches ([LearnPatches]).
//
// # Caveats
//
// The descriptor of a flat patch is singular. The default ridge makes it positive definite and hardly changes other
// results. If a gray image is stored in color, its channels are equal and their covariance is singular; use the gray
// features for such images.
package descriptors
