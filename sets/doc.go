// Package sets registers public data sets with [dataset.Open].
//
// Importing it registers them:
//
//	import _ "rao/sets"
//
//	d, err := dataset.Open(ctx, "digits:train", dataset.OpenOptions{})
//
// The optical digits are embedded. [Get] downloads the others into the cache folder and verifies their SHA-256, or
// imports local files; [dataset.Sets] lists them.
//
// Sets of recordings register with [Register]; rao/eeg/sets has EEG sets.
package sets
