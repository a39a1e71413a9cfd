package gaussian

import (
	"slices"

	"rao/internal/suggest"
)

// Kind describes the covariances in statistics.
type Kind int

const (
	// KindFull statistics have a covariance for each class.
	KindFull Kind = iota
	// KindPooled statistics have one covariance, which is used for every class.
	KindPooled
	// KindDiagonal statistics have the variances of the columns in each class, and treat columns as uncorrelated.
	KindDiagonal
)

var kindNames = []string{"full", "pooled", "diagonal"}

// String returns full, pooled or diagonal.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// ParseKind parses the name that String returns. It returns an error for other names.
func ParseKind(s string) (Kind, error) {
	if i := slices.Index(kindNames, s); i >= 0 {
		return Kind(i), nil
	}
	return 0, suggest.Unknown("kind of statistics", s, kindNames)
}

// Meaning explains how learners that need a covariance for each class interpret statistics of the kind. It is "" for
// full statistics.
func (k Kind) Meaning() string {
	switch k {
	case KindPooled:
		return "the statistics are pooled, so all classes have the same covariance"
	case KindDiagonal:
		return "the statistics are diagonal, so columns are treated as uncorrelated within a class"
	}
	return ""
}
