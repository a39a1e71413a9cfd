package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rao/dataset"
	"rao/internal/provenance"
	"rao/internal/tableoptions"
	"rao/recipe"
)

// tableRequest is the JSON in the array "table", which replaces the arrays "X", "y" and "weights".
type tableRequest struct {
	Path       string `json:"path"`    // of a Parquet, csv (with header) or npz file
	Label      string `json:"label"`   // column with the names of classes, or ""
	Weights    string `json:"weights"` // column with the weights, or ""
	Categories string `json:"categories"`
	Missing    string `json:"missing"`
	// Arrays maps the names of arrays of the request to columns of integers. Rows that are dropped have no value in
	// these arrays.
	Arrays map[string]string `json:"arrays"`
}

// tableForm specifies how tables are read, if known.
type tableForm struct {
	form     *recipe.Encoding
	features []string
}

func (q *Request) hasTable() bool { return q.optional("table") != nil }

// table returns the table in a request, and how to open it.
func (q *Request) table() (t tableRequest, opt dataset.OpenOptions, err error) {
	a, err := q.array("table")
	if err != nil {
		return t, opt, err
	}
	if err := json.Unmarshal(a.Data, &t); err != nil {
		return t, opt, fmt.Errorf("table: %w", err)
	}
	opt.Table.Variables = slices.Sorted(maps.Values(t.Arrays))
	opt.Y, opt.Weights, opt.RequireLabels = t.Label, t.Weights, t.Label != ""
	if t.Label == "" && !strings.HasSuffix(t.Path, ".npz") {
		opt.Y = "none"
	}
	if yes := true; strings.HasSuffix(t.Path, ".csv") {
		opt.Header, opt.Table.Delimiter, opt.Table.NoComments = &yes, ',', true
	}
	if q.known.form != nil {
		opt.Form, opt.Features = q.known.form, q.known.features
		return t, opt, nil
	}
	return t, opt, tableoptions.Options{Categories: t.Categories, Missing: t.Missing}.Set(&opt)
}

// byForm returns a request that reads its table like earlier data with this form and these column names.
func (q *Request) byForm(form *recipe.Encoding, names []string) *Request {
	p := *q
	p.known = tableForm{form, names}
	return &p
}

// openTable reads a table into memory. Labels are indices into the classes of the request. It adds the columns in
// Arrays to the arrays of the request.
func (q *Request) openTable(ctx context.Context) (*dataset.Data, error) {
	t, opt, err := q.table()
	if err != nil {
		return nil, err
	}
	opt.OnReading = q.note
	d, err := dataset.Open(ctx, t.Path, opt)
	if err != nil {
		return nil, asX(err, t.Path)
	}
	d.Source = "X"
	for name, column := range t.Arrays {
		v := d.Vars[column]
		if v == nil {
			return nil, fmt.Errorf("the table has no column %q, which is needed for %s", column, name)
		}
		values := make([]int, v.Len())
		for i := range values {
			if values[i], err = strconv.Atoi(v.Text(i)); err != nil {
				return nil, fmt.Errorf("%s: row %d, column %q: %q is not an integer; give %s as integers", "X", i,
					column, v.Text(i), name)
			}
		}
		q.Arrays = append(q.Arrays, intArray(name, values))
	}
	if d.Labels == nil {
		return d, nil
	}
	number := make([]int, len(d.Classes))
	for k, name := range d.Classes {
		if number[k] = slices.Index(q.Classes, name); number[k] < 0 {
			return nil, fmt.Errorf("the label %q is not one of the classes: %s", name, strings.Join(q.Classes, ", "))
		}
	}
	for i, k := range d.Labels {
		d.Labels[i] = number[k]
	}
	d.Classes = q.Classes
	return d, nil
}

// note adds what was left out of a table, and the remarks on it, to the notes of the request.
func (q *Request) note(r *dataset.Reading) {
	for _, l := range r.LeftOut {
		q.notes = append(q.notes, fmt.Sprintf("%s is left out: %s", l.What, ofFrame(message(l.Why))))
	}
	for _, w := range r.Remarks {
		q.notes = append(q.notes, ofFrame(message(w)))
	}
}

// tableStatistics returns the statistics of the classes in a table.
func (q *Request) tableStatistics(ctx context.Context, hashing provenance.Hashing) (*Reply, error) {
	t, opt, err := q.table()
	if err != nil {
		return nil, err
	}
	how := dataset.StatisticsOptions{Open: opt, Moments: q.Moments, HashKey: hashing.Secret(),
		NoHashes: hashing.Off()}
	how.Open.OnReading = q.note
	s, err := dataset.Statistics(ctx, t.Path, how)
	if err != nil {
		return nil, asX(err, t.Path)
	}
	r := statisticsReply(s)
	r.Warnings = q.notes
	return r, nil
}

// asX returns an error in which path is replaced by X, the caller's name for the data. It removes flags that a caller
// with a data frame does not need.
func asX(err error, path string) error {
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(message(err), path, "X")
	return &renamedError{err, ofFrame(text)}
}

// ofFrame removes flags that a caller with a data frame does not have, and replaces the number of a line in a file with
// a header by the number of the row in the frame, counted from 0.
func ofFrame(text string) string {
	text = flagsOfFiles.ReplaceAllString(text, "")
	return linesOfFiles.ReplaceAllStringFunc(text, func(s string) string {
		n, err := strconv.Atoi(strings.TrimPrefix(s, "X: line "))
		if err != nil {
			return s
		}
		return fmt.Sprintf("X: row %d", n-2)
	})
}

var linesOfFiles = regexp.MustCompile(`X: line \d+`)

var flagsOfFiles = regexp.MustCompile(`; --drop=none keeps it| \(--drop="?[^ )]*"? leaves it out\)` +
	`|name a column of vectors with --x, or ` +
	`| with --drop(="[^"]*")?|, name it with --id-column if it names the rows` +
	`| \(the labels are in column "[^"]*", --y\)|; if they are the labels, name it with --y`)

type renamedError struct {
	error
	text string
}

func (e *renamedError) Error() string { return e.text }
func (e *renamedError) Unwrap() error { return e.error }
