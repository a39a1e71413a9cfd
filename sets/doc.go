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
// Sets of recordings hold signals: [EachRecording] opens them, [Trials] cuts them, and their
// names opened as data give the covariances of their usual trials.
package sets
