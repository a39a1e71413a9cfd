package gaussian

import "slices"

// Kind describes the covariances in statistics.
type Kind string

const (
	// KindFull statistics have a covariance for each class. It is the default.
	KindFull Kind = "full"
	// KindPooled statistics have one covariance, which is used for every class.
	KindPooled Kind = "pooled"
	// KindDiagonal statistics have the variances of the columns in each class, and treat columns as uncorrelated.
	KindDiagonal Kind = "diagonal"
)

// kindNamed returns the kind with the given name. ok is false for another name.
func kindNamed(name string) (k Kind, ok bool) {
	k = Kind(name)
	return k, slices.Contains([]Kind{KindFull, KindPooled, KindDiagonal}, k)
}
