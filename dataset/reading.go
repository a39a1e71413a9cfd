package dataset

import (
	"fmt"
	"path/filepath"
	"strings"

	"rao"
	"rao/internal/format/table"
	"rao/internal/text"
)

// Reading reports how a source was read, for the user to check: what was left out, and how the ambiguities of the
// source were resolved. OpenOptions.OnReading receives it. Reasons and remarks are of type *[rao.OptionError], so
// [rao.Spell] writes their options in the syntax of a program, for example as flags. The JSON names never change.
type Reading struct {
	Source   string   `json:"source"`             // name of the source
	Files    []string `json:"files,omitempty"`    // in the order of reading, if there are several
	Rows     int      `json:"rows"`               // number of selected rows
	Classes  int      `json:"classes,omitempty"`  // number of classes in these rows
	Columns  []string `json:"columns,omitempty"`  // columns of the observations
	Label    string   `json:"label,omitempty"`    // column of the labels
	LabelWhy error    `json:"label_why,omitzero"` // why this column was selected
	Table    *Layout  `json:"table,omitempty"`    // layout of a text table; nil for other sources
	LeftOut  []Left   `json:"left_out,omitempty"` // columns or files that are not used
	Remarks  []error  `json:"remarks,omitempty"`  // remarks for the user
}

// Layout describes the format of a text table.
type Layout struct {
	Delimiter string `json:"delimiter"`          // comma, semicolon, tab or blank
	Decimal   string `json:"decimal"`            // point or comma
	Encoding  string `json:"encoding"`           // utf-8 or latin-1
	Header    bool   `json:"header"`             // the first line names the columns
	Comments  int    `json:"comments,omitempty"` // number of lines that start with #
}

// Left is a column, or a group of files, that was left out.
type Left struct {
	What  string `json:"what"`            // name of the column or description of the files
	Why   error  `json:"why"`             // why it was left out
	Count int    `json:"count,omitempty"` // number of files
}

// because returns a reason that names no options.
func because(text string) error { return rao.Optionf("", "%s", text) }

// reasonf returns a reason with options in braces, as in [rao.Optionf].
func reasonf(format string, args ...any) error { return rao.Optionf("", format, args...) }

// byOption returns the reason for a decision by an option: its name, or name=value.
func byOption(option string) error { return reasonf("{" + option + "}") }

// shownColumns is the number of columns named in a line.
const shownColumns = 8

// String returns the reading in one line.
func (r *Reading) String() string { return r.Spelled(error.Error) }

// Spelled returns the same text as String, but with each reason written by spell.
func (r *Reading) Spelled(spell func(error) string) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if n := len(r.Files); n > 1 {
		add("%d files in the order of their names, %s to %s", n, filepath.Base(r.Files[0]), filepath.Base(r.Files[n-1]))
	}
	if t := r.Table; t != nil {
		form := t.Delimiter + "s"
		if t.Decimal == "comma" {
			form += " and decimal commas"
		}
		if t.Encoding != "utf-8" {
			form += ", " + t.Encoding
		}
		header := "no header"
		if t.Header {
			header = "a header"
		}
		add("%s, %s", form, header)
		if t.Comments > 0 {
			add("%d comment lines", t.Comments)
		}
	}
	switch {
	case r.Label != "":
		add("label column %s (%s)", r.Label, spell(r.LabelWhy))
	case r.LabelWhy != nil:
		add("no labels (%s)", spell(r.LabelWhy))
	}
	size := text.Plural(r.Rows, "row", "rows")
	if r.Classes > 0 {
		size += ", " + text.Plural(r.Classes, "class", "classes")
	}
	add("%s", size)
	if n := len(r.Columns); n > shownColumns {
		add("%d columns: %s, …, %s", n, strings.Join(r.Columns[:shownColumns-1], ", "), r.Columns[n-1])
	} else if n > 0 {
		add("%s: %s", text.Plural(n, "column", "columns"), strings.Join(r.Columns, ", "))
	}
	for _, l := range r.LeftOut {
		what := l.What
		if l.Count > 0 {
			what = l.counted()
		}
		add("left out: %s (%s)", what, spell(l.Why))
	}
	for _, remark := range r.Remarks {
		parts = append(parts, spell(remark))
	}
	return r.Source + ": " + strings.Join(parts, "; ")
}

// layoutOf returns the layout (delimiter, decimal sign, encoding, header) of an open table.
func layoutOf(t *table.Reader, opt *TableOptions) *Layout {
	l := &Layout{Delimiter: fmt.Sprintf("%q", t.Comma), Decimal: "point", Encoding: "utf-8", Header: t.Header,
		Comments: t.Comments}
	for name, delimiter := range table.Delimiters {
		if delimiter == t.Comma {
			l.Delimiter = name
		}
	}
	if opt.DecimalComma {
		l.Decimal = "comma"
	}
	if opt.Latin1 {
		l.Encoding = "latin-1"
	}
	return l
}

// report passes the reading to the caller's function, if there is one.
func (o *OpenOptions) report(r *Reading, rows int, classes []string) {
	if r == nil || o.OnReading == nil {
		return
	}
	if rows > 0 {
		r.Rows = rows
	}
	r.Classes = len(classes)
	if a, b := alike(classes); a != b {
		r.Remarks = append(r.Remarks, because(fmt.Sprintf("classes %q and %q differ only in upper and lower case or "+
			"blanks; correct the labels if they are one class", a, b)))
	}
	o.OnReading(r)
}
