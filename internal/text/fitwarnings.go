package text

import (
	"fmt"
	"strings"
)

// FitWarnings counts the fits of a cross-validation that warn, and keeps the warnings of the first of them.
type FitWarnings struct {
	fits, warned int
	first        string
}

// Add adds the warnings of one fit.
func (w *FitWarnings) Add(warnings []string) {
	w.fits++
	if len(warnings) == 0 {
		return
	}
	if w.warned == 0 {
		w.first = strings.Join(warnings, "; ")
	}
	w.warned++
}

// String returns one line, or an empty string if no fit warned.
func (w *FitWarnings) String() string {
	switch {
	case w.warned == 0:
		return ""
	case w.fits == 1:
		return w.first
	case w.warned == 1:
		return fmt.Sprintf("1 of %d fits has a warning: %s", w.fits, w.first)
	}
	return fmt.Sprintf("%d of %d fits have warnings, the first of them: %s", w.warned, w.fits, w.first)
}
