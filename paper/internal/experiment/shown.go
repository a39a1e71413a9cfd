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

// Shown is the result as the page and the tool show it: with the notes of its experiment,
// and with claims, remarks and intervals that follow from its tables. These need no new
// run, so that a result that is recorded says them too. Tables of the result itself stay
// as they are.
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

// fullStop makes a sentence of a text: with a capital, unless its first word has capitals of
// its own, and a full stop.
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

// table returns the table of a name, an empty one where there is none.
func (r *Run) table(name string) *Table {
	for _, t := range r.result.Tables {
		if t.Name == name {
			return t
		}
	}
	return &Table{Name: name}
}

// cell is what stands in the row that begins with the label, "" where there is none.
func (t *Table) cell(label string, column int) string {
	for _, row := range t.Rows {
		if row[0] == label {
			return row[column]
		}
	}
	return ""
}

// number is the number with which that cell begins, NaN where it begins with none.
func (t *Table) number(label string, column int) float64 {
	v, ok := leadingNumber(t.cell(label, column))
	if !ok {
		return math.NaN()
	}
	return v
}

// p is the p-value of a row: zero for "< 0.0001".
func (t *Table) p(label string) float64 {
	if strings.HasPrefix(t.cell(label, comparedP), "<") {
		return 0
	}
	return t.number(label, comparedP)
}

// change puts another text in every cell of the columns.
func (t *Table) change(to func(row []string, cell string) string, columns ...int) {
	for _, row := range t.Rows {
		for _, j := range columns {
			row[j] = to(row, row[j])
		}
	}
}

// say adds words to the caption.
func (t *Table) say(format string, args ...any) { t.Caption += "; " + fmt.Sprintf(format, args...) }

// decimals counts the digits behind the point.
func decimals(number string) int {
	_, behind, _ := strings.Cut(number, ".")
	return len(behind)
}

// withWilson puts behind a share of n decisions, given times a factor, its 95 % interval
// (Wilson). Cells that already have one, and those that begin with no number, stay.
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

// spreadCell is a mean with its standard deviation.
var spreadCell = regexp.MustCompile(`^([0-9.]+) ± ([0-9.]+)$`)

// withStudent puts behind the mean ± SD of n repetitions the mean's 95 % interval.
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

// studentHalf is half the 95 % interval of the mean of n repetitions by Student's t.
func studentHalf(sd float64, n int) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n) - 1}
	return sd / math.Sqrt(float64(n)) * t.Quantile(0.975)
}

// bracket is an interval behind a mean.
var bracket = regexp.MustCompile(`\[(-?[0-9.]+), (-?[0-9.]+)\]`)

// clipped cuts an interval off at 0 and at the largest value there can be.
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

// halfWidth is 1.96 standard errors of a share p of n decisions.
func halfWidth(p float64, n int) float64 { return 1.96 * math.Sqrt(p*(1-p)/float64(n)) }
