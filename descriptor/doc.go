// Package descriptor maps images to covariance descriptors, symmetric positive definite (SPD)
// matrices that tell classes apart; its spatial filters (CSP) do the same for signals.
//
// # Images
//
// [Images] gives the covariance of pixel features of each image, or of each
// window of each image:
//
//	stack, err := descriptor.Images(ctx, x, descriptor.Shape{Rows: 128, Cols: 128, Channels: 1},
//	descriptor.ImageOptions{})
//
// # Signals
//
// [FitCSP] finds spatial filters from the covariances of trials, which package eeg
// cuts from recordings.
//
// # Caveats
//
// A descriptor of a flat patch is singular; the default ridge repairs it without
// changing any other result that matters. Red, green and blue of a gray image
// stored in color are equal, and so is then their covariance: take the gray
// features for such images.
package descriptor
