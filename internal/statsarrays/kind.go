package statsarrays

import (
	"errors"

	"rao/internal/format/archive"
	"rao/internal/format/npy"
)

// FileKind is the kind of files of statistics in their metadata.
const FileKind = "statistics"

// The forms of statistics, which are the values of gaussian.Structure.
const (
	Full     = "full"
	Pooled   = "pooled"
	Diagonal = "diagonal"
)

// MergeWidth is the number of statistics that are merged at a time. A cluster that merges in the same tree as
// gaussian.MergeInOrder gets the same bits.
const MergeWidth = 64

// SpreadName returns the name of the array with the spread of pooled or diagonal statistics.
func SpreadName(form string) string {
	if form == Diagonal {
		return "variances"
	}
	return "covariance"
}

// FileForm returns the form of the statistics in a file. It is Full unless the file states another form, or is an npz
// from numpy with one covariance or only variances.
func FileForm(path string) string {
	form, err := archive.Field(path, "form")
	if errors.Is(err, archive.ErrNoManifest) {
		form, _ = plainForm(path)
	}
	if form == Pooled || form == Diagonal {
		return form
	}
	return Full
}

// IsFile reports whether the file at path contains statistics, according to its metadata or, in an npz from numpy, the
// names of its arrays.
func IsFile(path string) bool {
	kind, err := archive.Kind(path)
	if errors.Is(err, archive.ErrNoManifest) {
		_, ok := plainForm(path)
		return ok
	}
	return err == nil && kind == FileKind
}

// plainForm returns the form of the statistics in an npz from numpy, by the names of its arrays. ok is false if an
// array is missing, or if an entry is no array, such as a manifest with a damaged name.
func plainForm(path string) (form string, ok bool) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return Full, false
	}
	defer z.Close()
	has := func(name string) bool { return z.Has(name + ".npy") }
	ok = has("counts") && has("means") && z.OnlyArrays()
	switch {
	case has("covariances"):
		return Full, ok
	case has(SpreadName(Pooled)):
		return Pooled, ok
	case has(SpreadName(Diagonal)):
		return Diagonal, ok
	}
	return Full, false
}
