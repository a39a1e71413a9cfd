package experiment

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rao/internal/archive"
	"rao/report"
)

// Write writes the result to the folder dir/ID: every table as csv, all of it as
// json, every figure as svg and png, and index.html, a page with everything.
func (r *Result) Write(dir string) error {
	dir = filepath.Join(dir, r.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the folder of %s: %w", r.ID, err)
	}
	for _, t := range r.Tables {
		if err := archive.WriteFile(filepath.Join(dir, t.Name+".csv"), t.WriteCSV); err != nil {
			return err
		}
	}
	err := archive.WriteFile(filepath.Join(dir, r.ID+".json"), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	})
	if err != nil {
		return err
	}
	for _, f := range r.figures {
		for _, ext := range []string{".svg", ".png"} {
			if err := f.figure.WriteFile(filepath.Join(dir, f.name+ext)); err != nil {
				return err
			}
		}
	}
	return archive.WriteFile(filepath.Join(dir, "index.html"), func(w io.Writer) error { return report.HTML(w, r.page()) })
}

// WriteCSV writes the table with its header.
func (t *Table) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.WriteAll(append([][]string{t.Header}, t.Rows...)); err != nil {
		return err
	}
	return c.Error()
}

func (r *Result) page() report.Page {
	p := report.Page{Title: r.Title, Subtitle: fmt.Sprintf("%s, %s", r.Paper, r.Item)}
	intro := report.Section{Heading: "What was done", Text: r.Protocol,
		Note: fmt.Sprintf("Seed %d, %.1f s on %s.", r.Seed, r.Seconds, r.Machine)}
	if r.Short {
		intro.Note += " This is the short form: fewer repetitions or less data than a full run."
	}
	p.Sections = append(p.Sections, intro)
	for _, t := range r.Tables {
		p.Sections = append(p.Sections, report.Section{Heading: t.Caption, Table: &report.Table{Header: t.Header, Rows: t.Rows}})
	}
	if len(r.figures) > 0 {
		s := report.Section{Heading: "Figures"}
		for _, f := range r.figures {
			s.Figures = append(s.Figures, f.figure)
		}
		p.Sections = append(p.Sections, s)
	}
	if len(r.Remarks) > 0 {
		p.Sections = append(p.Sections, report.Section{Heading: "Beside the paper", Text: strings.Join(r.Remarks, "\n\n")})
	}
	return p
}

// Markdown writes the result as a section of docs/results.md.
func (r *Result) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s (%s, %s)\n\n", r.Title, r.Paper, r.Item)
	fmt.Fprintf(&b, "`rao reproduce %s`, seed %d, %.0f s on %s.\n\n%s\n\n", r.ID, r.Seed, r.Seconds, r.Machine, r.Protocol)
	for _, t := range r.Tables {
		fmt.Fprintf(&b, "%s\n\n| %s |\n|%s\n", t.Caption, strings.Join(t.Header, " | "), strings.Repeat("---|", len(t.Header)))
		for _, row := range t.Rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
		b.WriteByte('\n')
	}
	for _, s := range r.Remarks {
		fmt.Fprintf(&b, "- %s\n", s)
	}
	if len(r.Remarks) > 0 {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Read reads the json of a result that Write wrote, without its figures.
func Read(path string) (*Result, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r Result
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &r, nil
}
