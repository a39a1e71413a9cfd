// Package spatial holds what is learned across the channels of EEG beyond common spatial
// patterns: filters of evoked potentials (Xdawn), covariances of trials with mean responses
// next to them, and the patterns of filter banks. It reads no file formats.
package spatial
