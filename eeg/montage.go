package eeg

import "rao/internal/montage"

// ElectrodePosition returns the place of an electrode of the 10-10 system on a sphere of
// radius 1: x to the right, y to the nose, z up. ok is false for a name that is not of the
// system. Prefixes such as "EEG " and suffixes such as "-REF" or "." are ignored.
func ElectrodePosition(name string) (place [3]float64, ok bool) { return montage.Position(name) }
