// Package descriptor turns images and EEG into symmetric positive definite (SPD)
// matrices, which the learners on matrices then classify.
//
// # Images
//
// [Images] gives the covariance of pixel features of each image, or of each
// window of each image:
//
//	stack, err := descriptor.Images(ctx, x, descriptor.Shape{Rows: 128, Cols: 128, Channels: 1}, descriptor.ImageOptions{})
//
// # Caveats
//
// A descriptor of a flat patch is singular; the default ridge repairs it without
// changing any other result that matters. Red, green and blue of a grey image
// stored in colour are equal, and so is then their covariance: take the grey
// features for such images.
package descriptor
