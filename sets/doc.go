// Package sets registers public data sets with [dataset.Open]. Import it for its side effect:
//
//	import _ "rao/sets"
//
//	d, err := dataset.Open(ctx, "digits:train", dataset.OpenOptions{})
//
// The optical digits are embedded in the package. `rao data get` downloads the others into the cache folder and
// verifies their SHA-256, or imports local files. [dataset.Sets] lists them; rao/eeg/sets has EEG sets.
package sets

import _ "rao/internal/sets" // registers the sets
