// Package sets registers public data sets with [dataset.Open], and lists their files.
//
// The optical digits are embedded. [Get] downloads the files of all other sets into the cache folder and verifies their
// SHA-256, or imports local files.
//
// Sets of recordings register with [Register], as package rao/internal/eeg/sets does.
package sets
