package dataset

import (
	"errors"
	"fmt"
	"io/fs"
)

// [Open] and the streaming functions return errors that wrap these errors, so errors.Is matches them.
var (
	// ErrNotFound means that a source is neither a file nor a folder nor the name of a set. It also matches
	// [fs.ErrNotExist].
	ErrNotFound error = notFound{}
	// ErrUnknownFormat means that a file has none of the known formats.
	ErrUnknownFormat = errors.New("unknown file format")
	// ErrMatricesLackValues means that filling in or dropping missing values was requested for matrices.
	ErrMatricesLackValues = errors.New("missing values can be filled in or dropped only in vectors")
	// ErrNoRows means that no row is left.
	ErrNoRows = errors.New("no rows are left")
)

// notFound is the type of ErrNotFound.
type notFound struct{}

func (notFound) Error() string { return "no such file or folder, and no data set of this name" }

// Is reports whether target is fs.ErrNotExist, the error for a missing file of another kind, such as a model.
func (notFound) Is(target error) bool { return target == fs.ErrNotExist }

// unknownName is the error for a source that is neither a file nor a set, and that could be the name of a set.
type unknownName struct{ error }

// Is reports whether target is ErrNotFound or fs.ErrNotExist.
func (unknownName) Is(target error) bool { return target == ErrNotFound || target == fs.ErrNotExist }

// Unwrap returns the error with the suggestions.
func (e unknownName) Unwrap() error { return e.error }

// AbsentError is the error for a known set that is not available: its files are not in the cache folder, or it has not
// been generated.
type AbsentError struct {
	Set  Set    // the set that is not available
	File string // the missing file; empty for a generated set
}

// Error implements error.
func (e *AbsentError) Error() string {
	switch e.Set.Kind {
	case "generated":
		return fmt.Sprintf("the data set %s is generated and does not exist yet; generate it first", e.Set.Name)
	case "import":
		return fmt.Sprintf("the data set %s is not in the cache folder (%s is missing) and cannot be downloaded "+
			"automatically (%s); obtain it from %s",
			e.Set.Name, e.File, e.Set.License, e.Set.Obtain)
	}
	return fmt.Sprintf("%s is not in the cache folder (%s is missing)", e.Set.Name, e.File)
}
