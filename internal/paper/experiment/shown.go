package experiment

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"rao/evaluate"
)

// Shown returns the result as pages and the tool show it. It adds the notes of the experiment, and claims, remarks and
// intervals that follow from the tables. They need no new run, so recorded results get them too. The tables of the
// receiver are not changed.
func (r *Result) Shown() *Result {
	if r.shown {
		return r
	}
	out := *r
	out.shown = true
	out.Claims, out.Remarks = slices.Clone(r.Claims), slices.Clone(r.Remarks)
	out.Tables = make([]*Table, len(r.Tables))
	for i, t := range r.Tables {
		c := *t
		c.Header, c.Rows = slices.Clone(t.Header), make([][]string, len(t.Rows))
		for k, row := range t.Rows {
			c.Rows[k] = slices.Clone(row)
		}
		out.Tables[i] = &c
	}
	e, err := Lookup(r.ID)
	if err != nil {
		return &out
	}
	switch {
	case r.Version != e.Version:
		older := "Recorded with an earlier protocol: " + e.Earlier + "."
		out.Remarks = append([]Remark{{older, older}}, out.Remarks...)
	case e.read != nil && r.Form != "short": // a short run lacks rows
		e.read(&Run{Whole: r.Form == "whole", Seed: r.Seed, result: &out})
	}
	for _, s := range e.Notes {
		out.Remarks = append(out.Remarks, Remark{s, s})
	}
	for i, c := range out.Claims {
		shown := *c
		shown.Says, shown.Found, shown.Why = fullStop(c.Says), fullStop(c.Found), fullStop(c.Why)
		out.Claims[i] = &shown
	}
	return &out
}

// fullStop adds a period to a text and capitalizes it, unless its first word already contains capitals.
func fullStop(text string) string {
	if text == "" {
		return ""
	}
	if first, _, _ := strings.Cut(text, " "); first == strings.ToLower(first) {
		text = sentence(text)
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// table returns the named table, or an empty table if there is none.
func (r *Run) table(name string) *Table {
	for _, t := range r.result.Tables {
		if t.Name == name {
			return t
		}
	}
	return &Table{Name: name}
}

// cell returns a cell of the row whose first cell is label, or "" if there is no such row.
func (t *Table) cell(label string, column int) string {
	for _, row := range t.Rows {
		if row[0] == label {
			return row[column]
		}
	}
	return ""
}

// number returns the number at the start of a cell of the row whose first cell is label, or NaN if there is none.
func (t *Table) number(label string, column int) float64 {
	v, ok := leadingNumber(t.cell(label, column))
	if !ok {
		return math.NaN()
	}
	return v
}

// p returns the p-value of a row, or zero for "< 0.0001".
func (t *Table) p(label string) float64 {
	if strings.HasPrefix(t.cell(label, comparedP), "<") {
		return 0
	}
	return t.number(label, comparedP)
}

// change replaces every cell of the columns by the result of to.
func (t *Table) change(to func(row []string, cell string) string, columns ...int) {
	for _, row := range t.Rows {
		for _, j := range columns {
			row[j] = to(row, row[j])
		}
	}
}

// say appends a sentence to the caption.
func (t *Table) say(format string, args ...any) {
	t.Caption += ". " + sentence(fmt.Sprintf(format, args...))
}

// decimals returns the number of digits after the decimal point.
func decimals(number string) int {
	_, behind, _ := strings.Cut(number, ".")
	return len(behind)
}

// withWilson appends the 95 % interval (Wilson) to a cell that contains factor times a fraction of n decisions. It does
// not change cells that already contain an interval or do not start with a number.
func withWilson(cell string, factor float64, n int) string {
	share, ok := leadingNumber(cell)
	if !ok || strings.ContainsAny(cell, "±[") {
		return cell
	}
	i, err := evaluate.WilsonInterval(int(math.Round(share/factor*float64(n))), n, 0.95)
	if err != nil {
		return cell
	}
	d := decimals(cell)
	if factor == 100 {
		d = 2
	}
	return fmt.Sprintf("%s [%.*f, %.*f]", cell, d, factor*i.Low, d, factor*i.High)
}

// spreadCell matches a mean with its standard deviation.
var spreadCell = regexp.MustCompile(`^([0-9.]+) ± ([0-9.]+)$`)

// withStudent appends the 95 % interval of the mean to mean ± SD of n repetitions.
func withStudent(cell string, n int) string {
	m := spreadCell.FindStringSubmatch(cell)
	if m == nil || n < 2 {
		return cell
	}
	mean, _ := strconv.ParseFloat(m[1], 64)
	sd, _ := strconv.ParseFloat(m[2], 64)
	half, d := studentHalf(sd, n), decimals(m[1])
	return fmt.Sprintf("%s [%.*f, %.*f]", cell, d, mean-half, d, mean+half)
}

// studentHalf returns half the 95 % interval of the mean of n repetitions by Student's t.
func studentHalf(sd float64, n int) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n) - 1}
	return sd / math.Sqrt(float64(n)) * t.Quantile(0.975)
}

// bracket matches an interval after a mean.
var bracket = regexp.MustCompile(`\[(-?[0-9.]+), (-?[0-9.]+)\]`)

// clipped clips an interval to the range from 0 to the largest possible value.
func clipped(cell string, most float64) string {
	m := bracket.FindStringSubmatch(cell)
	if m == nil {
		return cell
	}
	low, _ := strconv.ParseFloat(m[1], 64)
	high, _ := strconv.ParseFloat(m[2], 64)
	d := decimals(m[1])
	return strings.Replace(cell, m[0],
		fmt.Sprintf("[%.*f, %.*f]", d, math.Max(low, 0), d, math.Min(high, most)), 1)
}

// halfWidth returns 1.96 standard errors of a fraction p of n decisions.
func halfWidth(p float64, n int) float64 { return 1.96 * math.Sqrt(p*(1-p)/float64(n)) }
