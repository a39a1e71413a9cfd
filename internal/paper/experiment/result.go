package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rao/report"
)

// Result is the outcome of a run, and how it was made. Its JSON contains everything except the figures.
type Result struct {
	ID       string   `json:"id"`
	Paper    string   `json:"paper"`
	Item     string   `json:"item"`
	Title    string   `json:"title"`
	Protocol string   `json:"protocol"`
	Version  int      `json:"version"` // version of the experiment
	Form     string   `json:"form"`    // "short", "full" or "whole"
	Seed     uint64   `json:"seed"`
	Command  string   `json:"command"`  // command that repeats the run
	Commit   string   `json:"commit"`   // commit of the code; empty if unknown
	Modified bool     `json:"modified"` // whether the code had uncommitted changes
	Date     string   `json:"date"`     // start of the run, UTC
	Seconds  float64  `json:"seconds"`
	Resumed  bool     `json:"resumed,omitempty"` // whether the run was continued; Seconds counts the last part
	Machine  string   `json:"machine"`
	Kernel   string   `json:"kernel"`
	Tables   []*Table `json:"tables"`
	Claims   []*Claim `json:"claims"`  // claims of the paper, or our own targets
	Remarks  []Remark `json:"remarks"` // other findings in the numbers

	figures []namedFigure
	shown   bool // whether Shown was called
}

type namedFigure struct {
	name   string
	figure *report.Figure
}

// Claim is a claim of the paper with the result here.
type Claim struct {
	Says      string `json:"says"` // what the paper says, as a sentence
	Holds     bool   `json:"holds"`
	Untested  bool   `json:"untested,omitempty"`  // the run was too small to decide
	Threshold string `json:"threshold,omitempty"` // what counts as holding
	Found     string `json:"found"`               // our result, with numbers
	Why       string `json:"why,omitempty"`       // the cause if the claim does not hold and the cause was tested
}

// Remark is a sentence about the result. Form is its text in the code, without numbers.
type Remark struct {
	Form string `json:"form"`
	Text string `json:"text"`
}

// Claim adds a claim of the paper with the result here. [Claim.If] states what counts as holding. If the claim does not
// hold and a cause was tested, [Claim.Because] states it.
func (r *Run) Claim(says string, holds bool, found string, args ...any) *Claim {
	c := &Claim{Says: says, Holds: holds, Found: fmt.Sprintf(found, args...)}
	r.result.Claims = append(r.result.Claims, c)
	return c
}

func pick(holds bool, yes, no string) string {
	if holds {
		return yes
	}
	return no
}

// If states the condition under which the claim holds, such as "p < 0.05".
func (c *Claim) If(threshold string) *Claim {
	c.Threshold = threshold
	return c
}

// Because states the tested cause of a claim that does not hold. It is ignored if the claim holds.
func (c *Claim) Because(why string, args ...any) *Claim {
	if !c.Holds {
		c.Why = fmt.Sprintf(why, args...)
	}
	return c
}

// Needs marks the claim as not tested unless the run was large enough.
func (c *Claim) Needs(enough bool) *Claim {
	c.Untested = !enough
	return c
}

// Remark adds a sentence about the result: what the numbers show, or the reason for a difference. Statements that do
// not depend on the numbers belong in the Notes of the experiment.
func (r *Run) Remark(format string, args ...any) {
	r.result.Remarks = append(r.result.Remarks, Remark{format, fmt.Sprintf(format, args...)})
}

// Figure adds a figure under a short name.
func (r *Run) Figure(name string, f *report.Figure) {
	r.result.figures = append(r.result.figures, namedFigure{name, f})
}

// Claimant returns the source of the claims: the paper, or our own targets.
func (r *Result) Claimant() string {
	if r.Paper == OurPaper {
		return "Our target"
	}
	return "Paper"
}

// Reproduction summarizes in a few words how many of the claims hold.
func (r *Result) Reproduction() string {
	held, tested := 0, 0
	for _, c := range r.Claims {
		if c.Untested {
			continue
		}
		tested++
		if c.Holds {
			held++
		}
	}
	switch {
	case len(r.Claims) == 0 && (strings.HasPrefix(r.Item, "figure") || strings.HasPrefix(r.Item, "table")):
		return "run; the paper's text makes no claim about it that can be tested"
	case len(r.Claims) == 0:
		return "ours"
	case r.Paper == OurPaper:
		return fmt.Sprintf("%d of %d targets met", held, len(r.Claims))
	case tested == 0:
		return fmt.Sprintf("%d claims not tested", len(r.Claims))
	}
	verdict := fmt.Sprintf("%d of %d claims hold", held, tested)
	if tested == 1 {
		verdict = pick(held == 1, "holds", "does not hold")
	}
	if untested := len(r.Claims) - tested; untested > 0 {
		verdict += fmt.Sprintf("; %d not tested", untested)
	}
	return verdict
}

// Table is a table of numbers. If the paper prints the numbers, they are next to ours.
type Table struct {
	Name    string     `json:"name"` // short, for file names
	Caption string     `json:"caption"`
	Header  []string   `json:"header"`
	Rows    [][]string `json:"rows"`
	Timed   []int      `json:"timed,omitempty"`   // columns of times
	Printed []int      `json:"printed,omitempty"` // columns of numbers from the paper
}

// Table adds a table to the result.
func (r *Run) Table(name, caption string, header ...string) *Table {
	t := &Table{Name: name, Caption: caption, Header: header}
	r.result.Tables = append(r.result.Tables, t)
	return t
}

// Seconds is a measured time in a table. It differs between runs, so comparisons of results ignore its column.
type Seconds float64

// Printed is a value as the paper prints it. It is empty if the paper prints none.
type Printed string

// Add appends a row. Cells are formatted with [Cell].
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Cell(c)
		switch c.(type) {
		case Seconds:
			t.Timed = including(t.Timed, i)
		case Printed:
			t.Printed = including(t.Printed, i)
		}
	}
	t.Rows = append(t.Rows, row)
}

func including(columns []int, i int) []int {
	if slices.Contains(columns, i) {
		return columns
	}
	return append(columns, i)
}

// Cell formats a value for a table. Floats have four significant digits and times three. A number that the paper does
// not print becomes a dash.
func Cell(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case float64:
		return fmt.Sprintf("%.4g", x)
	case Seconds:
		if x >= 1000 {
			return fmt.Sprintf("%.0f", float64(x))
		}
		return fmt.Sprintf("%.3g", float64(x))
	case Printed:
		if x == "" {
			return "–"
		}
		return string(x)
	}
	return fmt.Sprint(v)
}

// measured calls visit for every cell with a result of ours. It skips the first column, times, and numbers from the
// paper.
func (t *Table) measured(visit func(row, column int, cell string)) {
	for i, row := range t.Rows {
		for j, c := range row {
			if j > 0 && !slices.Contains(t.Timed, j) && !slices.Contains(t.Printed, j) {
				visit(i, j, c)
			}
		}
	}
}

// constant reports whether all measured numbers of the table are equal. It returns false if there are fewer than four,
// or fewer than two rows.
func (t *Table) constant() bool {
	first, count, rows := "", 0, map[int]bool{}
	same := true
	t.measured(func(i, _ int, c string) {
		if _, ok := leadingNumber(c); !ok {
			return
		}
		if count == 0 {
			first = c
		}
		same = same && c == first
		count++
		rows[i] = true
	})
	return same && count >= 4 && len(rows) >= 2
}

// leadingNumber parses the number at the start of a cell such as "93.56 ± 1.65".
func leadingNumber(cell string) (float64, bool) {
	word, _, _ := strings.Cut(strings.TrimSpace(cell), " ")
	v, err := strconv.ParseFloat(strings.TrimSuffix(word, "%"), 64)
	return v, err == nil
}

// check returns an error if the result cannot be right.
func (r *Result) check() error {
	if len(r.Tables) == 0 {
		return errors.New("the result has no table")
	}
	for _, t := range r.Tables {
		if len(t.Rows) == 0 {
			return fmt.Errorf("table %s is empty", t.Name)
		}
		for _, row := range t.Rows {
			if len(row) != len(t.Header) {
				return fmt.Errorf("table %s: a row has %d cells, but there are %d headings: %v", t.Name, len(row),
					len(t.Header), row)
			}
			for _, c := range row {
				if c == "NaN" || strings.Contains(c, "Inf") {
					return fmt.Errorf("table %s: %v is not finite", t.Name, row)
				}
			}
		}
		if t.constant() {
			return fmt.Errorf("table %s: every measured cell has the same number", t.Name)
		}
	}
	return nil
}
