// Package images maps images to covariance descriptors, symmetric positive definite (SPD)
// matrices that tell classes apart.
//
// [Describe] gives the covariance of pixel features of each image, or of each window of
// each image:
//
//	stack, err := images.Describe(ctx, x, images.Shape{Rows: 128, Cols: 128, Channels: 1},
//	images.Options{})
//
// A [Describer] does the same by a recipe that is kept in a file or a model, with filters
// that were learned from patches ([LearnPatches]) where it names some.
//
// # Caveats
//
// A descriptor of a flat patch is singular; the default ridge repairs it without
// changing any other result that matters. Red, green and blue of a gray image
// stored in color are equal, and so is then their covariance: take the gray
// features for such images.
package images
