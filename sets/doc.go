// Package sets makes the public data sets known to [dataset.Open] by their names.
//
// Importing it registers them:
//
//	import _ "rao/sets"
//
//	d, err := dataset.Open(ctx, "digits:train", dataset.OpenOptions{})
//
// The optical digits are embedded. [Get] fetches the others into the cache folder,
// verified by their SHA-256, or imports files at hand; [dataset.Sets] lists them.
//
// Sets of recordings register with [Register]: rao/eeg/sets has those of
// electroencephalograms.
package sets
