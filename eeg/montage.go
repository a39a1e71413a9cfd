package eeg

import "rao/internal/montage"

// ElectrodePosition returns the position of an electrode of the 10-10 system on the unit sphere: x to the right, y to
// the nose, z up. ok is false for other names. Prefixes such as "EEG " and suffixes such as "-REF" or "." are
// ignored.
func ElectrodePosition(name string) (place [3]float64, ok bool) { return montage.Position(name) }
