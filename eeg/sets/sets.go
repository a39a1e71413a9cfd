// Package sets makes public sets of electroencephalograms known to dataset.Open by their names. A program
// imports it for that effect alone:
//
//	import _ "rao/eeg/sets"
//
//	d, err := dataset.Open(ctx, "eegbci:1", dataset.OpenOptions{})
//
// The data are the covariances of the usual trials of a set. Package rao/sets says where the files are kept.
package sets

import _ "rao/internal/eeg/sets" // registers the sets
