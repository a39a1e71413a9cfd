package experiment

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

//go:generate sh -c "go run ../../cmd/rao paper page > ../../docs/results.md"

// pageStart opens docs/results.md.
const pageStart = `# Results

Each table and figure of the papers, by the paper's own number, with ours beside what it prints. ` +
	`This page is made from the
recorded results by ` + "`go generate ./paper/experiment`" +
	`; each section says which command and which commit made it. Times are of
the machine named, which may have had other work. Figures are not shown here: ` + "`rao paper run ID --out DIR`" +
	` draws them and
writes a page. Where a paper has a figure and no table, its text is what is compared. Numbers in the drawing alone, ` +
	`as on the bars of
SQFA's figure 12, are not.
Intervals are of 95 %: Wilson's for a share of decisions, Student's for a mean over repetitions, or in words over the
table.

`

// Page writes docs/results.md from the recorded results.
func Page(w io.Writer) error {
	var b strings.Builder
	b.WriteString(pageStart)
	results := map[string]*Result{}
	for _, e := range List() {
		r, err := e.Recorded()
		if err != nil {
			return err
		}
		if r != nil {
			r = r.Shown()
		}
		results[e.ID] = r
	}
	b.WriteString("| where | what | reproduction | ID |\n|---|---|---|---|\n")
	for _, e := range List() {
		fmt.Fprintf(&b, "| %s, %s | %s | %s | [%s](#%s) |\n",
			sentence(e.Paper), e.Item, cell(e.Title), e.Reproduction(results[e.ID]), e.ID, e.ID)
	}
	paper := ""
	for _, e := range List() {
		if e.Paper != paper {
			paper = e.Paper
			fmt.Fprintf(&b, "\n# %s\n", sentence(paper))
		}
		e.section(&b, results[e.ID])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Reproduction says how the claims came out in the recorded result, or why there is
// none.
func (e *Experiment) Reproduction(r *Result) string {
	switch {
	case r != nil:
		return r.Shown().Reproduction()
	case e.NotRun != "":
		return "not run: " + e.NotRun
	case len(e.Needs) > 0:
		return "not recorded: needs the data set " + strings.Join(e.Needs, ", ")
	}
	return "not recorded"
}

// section writes one experiment, with its result unless that is nil.
func (e *Experiment) section(b *strings.Builder, r *Result) {
	fmt.Fprintf(b, "\n<a id=\"%s\"></a>\n\n## %s, %s: %s\n\n", e.ID, sentence(e.Paper), e.Item, e.Title)
	if r == nil {
		fmt.Fprintf(b, "%s.\n\n", sentence(e.Reproduction(nil)))
		if e.NotRun != "" {
			return
		}
		fmt.Fprintf(b, "`rao paper run %s` runs it.\n\n", e.ID)
	} else {
		fmt.Fprintf(b, "%s. %s\n\n", sentence(r.Reproduction()), r.Made())
	}
	fmt.Fprintf(b, "%s\n\n", e.Protocol)
	if e.Whole != "" {
		fmt.Fprintf(b, "The paper's whole grid: %s. `rao paper run %s --whole` runs it.\n\n", e.Whole, e.ID)
	}
	if r == nil {
		for _, s := range e.Notes {
			fmt.Fprintf(b, "- %s\n", s)
		}
		return
	}
	for _, c := range r.Claims {
		fmt.Fprintf(b, "- %s: %s **%s.** %s\n",
			r.Claimant(), c.Says, sentence(c.Verdict()), strings.TrimSpace(c.Found+" "+c.Why))
	}
	if len(r.Claims) > 0 {
		b.WriteByte('\n')
	}
	for _, t := range r.Tables {
		t.markdown(b)
	}
	for _, s := range r.Remarks {
		fmt.Fprintf(b, "- %s\n", s.Text)
	}
}

func (t *Table) markdown(b *strings.Builder) {
	head := make([]string, len(t.Header))
	for i, h := range t.Header {
		head[i] = cell(h)
	}
	fmt.Fprintf(b, "%s\n\n| %s |\n|%s\n", t.Caption, strings.Join(head, " | "), strings.Repeat("---|", len(t.Header)))
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = cell(c)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	b.WriteByte('\n')
}

// cell escapes what would end a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// sentence begins with a capital.
func sentence(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}
