package app

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"rao/dataset"
	"rao/internal/text"
)

// Emit prints the result of a verb: v as JSON with --json, else what print prints. What
// was decided while data were read, and what made the result, is part of an object.
func (a *App) Emit(v any, print func()) error {
	if !a.JSON {
		print()
		return nil
	}
	b, err := text.JSON(v)
	if err == nil && bytes.HasPrefix(b, []byte("{")) && len(b) > 2 {
		var more []byte
		more, err = text.JSON(struct {
			Readings   []*dataset.Reading `json:"readings,omitempty"`
			Provenance provenance         `json:"provenance"`
		}{a.readings, a.provenance})
		if err == nil {
			b = slices.Concat(b[:len(b)-1], []byte(","), more[1:])
		}
	}
	if err == nil {
		_, err = a.Out.Write(append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// Note prints a message to standard error, unless --quiet.
func (a *App) Note(format string, args ...any) {
	if !a.Quiet {
		a.clearBar()
		fmt.Fprintln(a.Err, text.Visible(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; ")))
	}
}

// Printable is how many rows and columns of a table a terminal shows at most.
const Printable = 20

// Table prints rows in aligned columns on standard output.
func (a *App) Table(header []string, rows [][]string) {
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{header}, rows...) {
		for i, c := range row {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, text.Visible(c))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// cause strips the operation and the path that os errors repeat.
func cause(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok || u.Unwrap() == nil {
			return err
		}
		err = u.Unwrap()
	}
}
