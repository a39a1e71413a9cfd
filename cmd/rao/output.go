package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"rao/dataset"
)

// emit prints the result of a verb: v as JSON with --json, else what text prints. What
// was decided while data were read, and what made the result, is part of an object.
func (a *app) emit(v any, text func()) error {
	if !a.json {
		text()
		return nil
	}
	b, err := encodeJSON(v)
	if err == nil && bytes.HasPrefix(b, []byte("{")) && len(b) > 2 {
		var more []byte
		more, err = encodeJSON(struct {
			Readings   []*dataset.Reading `json:"readings,omitempty"`
			Provenance provenance         `json:"provenance"`
		}{a.readings, a.provenance})
		if err == nil {
			b = slices.Concat(b[:len(b)-1], []byte(","), more[1:])
		}
	}
	if err == nil {
		_, err = a.out.Write(append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// encodeJSON is json.Marshal without the escapes that only a web page needs.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
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
		a.clearBar()
		fmt.Fprintln(a.err, visible(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; ")))
	}
}

// table prints rows in aligned columns on standard output.
func (a *app) table(header []string, rows [][]string) {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{header}, rows...) {
		for i, c := range row {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, visible(c))
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

func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

func seconds(x float64) string {
	if x < 0.0995 {
		return fmt.Sprintf("%.1f ms", 1000*x)
	}
	return fmt.Sprintf("%.2f s", x)
}
