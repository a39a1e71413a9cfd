// Package spatial registers methods for the signals of EEG trials: Xdawn filters (xdawn), covariances extended by
// mean responses (erp), filter bank common spatial patterns (fbcsp) and task-related component analysis (trca).
// Import it for its side effect, and fit the methods by name:
//
//	import _ "rao/eeg/spatial"
//
//	xdawn, err := method.Lookup("xdawn")
//	m, err := xdawn.Fit(ctx, method.InMemory{Data: data}, nil, nil)
//
// A program that loads a model of one of these methods also needs the import.
package spatial

import _ "rao/internal/eeg/spatial" // registers the methods
