package experiment

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"rao/internal/format/archive"
	"rao/report"
)

// Write writes the result to the folder dir/ID: every table as csv, all data as json, every figure as svg, pdf and png,
// and a page index.html. The page is written last, so the result is complete if it exists.
func (r *Result) Write(dir string) error {
	dir = filepath.Join(dir, r.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("the folder of %s cannot be created: %w; choose another folder", r.ID, err)
	}
	page := filepath.Join(dir, "index.html")
	if err := os.Remove(page); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, t := range r.Tables {
		if err := archive.WriteFile(filepath.Join(dir, t.Name+".csv"), t.WriteCSV); err != nil {
			return err
		}
	}
	if err := archive.WriteFile(filepath.Join(dir, r.ID+".json"), r.writeJSON); err != nil {
		return err
	}
	for _, f := range r.figures {
		for _, ext := range figureFormats {
			if err := f.figure.WriteFile(filepath.Join(dir, f.name+ext)); err != nil {
				return err
			}
		}
	}
	return archive.WriteFile(page, func(w io.Writer) error { return report.HTML(w, r.page()) })
}

// figureFormats are the extensions of a figure's files.
var figureFormats = [...]string{".svg", ".pdf", ".png"}

// WriteCSV writes the table as csv. The first line is the header.
func (t *Table) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.WriteAll(append([][]string{t.Header}, t.Rows...)); err != nil {
		return err
	}
	return c.Error()
}

func (r *Result) page() report.Page {
	r = r.Shown()
	p := report.Page{Title: r.Title, Subtitle: fmt.Sprintf("%s, %s: %s", r.Paper, r.Item, r.Reproduction())}
	p.Sections = append(p.Sections, report.Section{Heading: "What was done", Text: r.Protocol, Note: r.Made()})
	if len(r.Claims) > 0 {
		t := &report.Table{Header: []string{r.Claimant(), "here", "found"}}
		for _, c := range r.Claims {
			t.Rows = append(t.Rows, []string{inCell(c.Says), c.Verdict(), c.result()})
		}
		p.Sections = append(p.Sections, report.Section{Heading: "What came out", Table: t})
	}
	if len(r.figures) > 0 {
		s := report.Section{Heading: "Figures"}
		for _, f := range r.figures {
			s.Figures = append(s.Figures, f.figure)
		}
		p.Sections = append(p.Sections, s)
	}
	for _, t := range r.Tables {
		p.Sections = append(p.Sections,
			report.Section{Heading: t.Caption, Table: &report.Table{Header: t.Header, Rows: t.Rows}})
	}
	if len(r.Remarks) > 0 {
		text := make([]string, len(r.Remarks))
		for i, s := range r.Remarks {
			text[i] = s.Text
		}
		p.Sections = append(p.Sections, report.Section{Heading: "Remarks", Text: strings.Join(text, "\n\n")})
	}
	return p
}

// result returns our result and its explanation for a cell of a table.
func (c *Claim) result() string {
	return inCell(strings.TrimSpace(c.Found + " " + c.Why))
}

// nextSentence matches the end of a sentence and the beginning of the next one.
var nextSentence = regexp.MustCompile(`\. \p{Lu}`)

// inCell returns a text for a cell of a table, in which a single sentence has no period.
func inCell(text string) string {
	if !nextSentence.MatchString(text) {
		text = strings.TrimSuffix(text, ".")
	}
	return text
}

// Verdict returns "holds", "does not hold" or "not tested".
func (c *Claim) Verdict() string {
	switch {
	case c.Untested:
		return "not tested"
	case c.Holds:
		return "holds"
	}
	return "does not hold"
}
