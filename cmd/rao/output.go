package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// emit prints the result of a verb: v as JSON with --json, else what text prints.
func (a *app) emit(v any, text func()) error {
	if !a.json {
		text()
		return nil
	}
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// number is a float64 that JSON prints as null when it is not finite.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// note prints a message to standard error, unless --quiet.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
}

// table prints rows in aligned columns on standard output.
func (a *app) table(header []string, rows [][]string) {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(header, "\t"))
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	w.Flush()
}

// checkWritable fails before a long run when its output could not be written: the
// folder must exist and take a file. Nothing is left behind.
func checkWritable(path string) error {
	dir := filepath.Dir(path)
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return fmt.Errorf("write %s: it is a folder; give a file name", path)
	}
	f, err := os.CreateTemp(dir, ".rao-*")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: there is no folder %s; make it first, or name another file", path, dir)
	}
	if err != nil {
		return fmt.Errorf("write %s: the folder does not take files (%w); name another file", path, cause(err))
	}
	f.Close()
	return os.Remove(f.Name())
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

func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

func seconds(x float64) string {
	if x < 0.0995 {
		return fmt.Sprintf("%.1f ms", 1000*x)
	}
	return fmt.Sprintf("%.2f s", x)
}
