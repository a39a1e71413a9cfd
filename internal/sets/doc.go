// Package sets knows the files of public data sets, and registers the sets with [dataset.Open].
//
// The optical digits are embedded. [Get] downloads the others into the cache folder and verifies their SHA-256, or
// imports local files.
//
// Sets of recordings register with [Register], as package rao/internal/eeg/sets does.
package sets
