package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"rao/internal/format/archive"
)

func (r *Repository) keptPath(name string, number int) string {
	if number > 0 {
		name += "@" + strconv.Itoa(number)
	}
	return filepath.Join(r.opt.Backup, name+extension)
}

// keep saves a copy of a model file for the next start.
func (r *Repository) keep(e *entry, file []byte) error {
	if r.opt.Backup == "" {
		return nil
	}
	if err := archive.WriteBytes(r.keptPath(e.name, e.number), file); err != nil {
		return fmt.Errorf("a copy of %s could not be stored: %w", e.path, err)
	}
	return nil
}

// kept returns the last good version of a model file, or nil if there is no copy.
func (r *Repository) kept(name string, number int, path string) *entry {
	if r.opt.Backup == "" {
		return nil
	}
	copied := r.keptPath(name, number)
	st, err := os.Stat(copied)
	if err != nil {
		return nil
	}
	e, _, err := readEntry(name, number, copied, st)
	if err != nil {
		return nil
	}
	e.path = path // stat belongs to the copy, so the file itself is checked again
	return e
}

// forget removes the copy of a model file that was removed.
func (r *Repository) forget(e *entry) {
	if r.opt.Backup != "" {
		os.Remove(r.keptPath(e.name, e.number)) // if this fails, the copy is used only for a file of the same name
	}
}
