// Package sets registers public EEG data sets with dataset.Open. Import it for its side effect:
//
//	import _ "rao/eeg/sets"
//
//	d, err := dataset.Open(ctx, "eegbci:1", dataset.OpenOptions{})
//
// The observations are covariances of the set's standard trials. `rao data get` downloads the files.
package sets

import _ "rao/internal/eeg/sets" // registers the sets
