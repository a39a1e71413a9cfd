package experiment

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// hidden lists the tables that a page leaves out, because a claim, the protocol or another table contains what matters
// in them. The recorded results contain all tables.
var hidden = []string{"sqfa-fig11 slices", "plrsq-table5 chosen", "plrsq-table6 chosen",
	"plrsq-fig6 chosen", "plrsq-eth80 choices", "plrsq-bci choices", "beyond-csp chosen", "privacy time"}

// part is a table of some columns of another table. An empty caption is the caption of the original.
type part struct {
	caption string
	columns []int
}

// These are captions of tables without some columns.
const (
	errorOfSpeed = "Error of the posterior mean of the speed, in degrees per second, with the normal 95 % interval"
	chosenNoise  = "Noise chosen from four values on a held-out fifth of the training data"
)

// parts lists the tables of which a page shows only some columns, or which it divides.
var parts = map[string][]part{
	"sqfa-fig5 error":              {{errorOfSpeed, []int{0, 1, 2, 3}}},
	"sqfa-fig5 accuracy-script":    {{"", []int{0, 1, 2}}},
	"sqfa-fig7-speed accuracy":     {{"", []int{0, 1, 2, 3}}},
	"sqfa-fig7-digits accuracy":    {{"", []int{0, 1, 2, 3}}},
	"sqfa-v1-fig8-mnist accuracy":  {{"", []int{0, 1, 2, 3}}},
	"sqfa-objectives-mnist noise":  {{chosenNoise, []int{0, 1}}},
	"sqfa-objectives-digits noise": {{chosenNoise, []int{0, 1}}},
	"sqfa-objectives-speed noise":  {{chosenNoise, []int{0, 1}}},
	"lmnn-mnist error":             {{"", []int{0, 1, 2, 3, 4}}},
	"sqfa-fig12-mnist seconds":     {{"", []int{0, 2}}},
	"sqfa-fig12-speed seconds":     {{"", []int{0, 2}}},
	"plrsq-table1 sets":            {{"", []int{0, 1, 2, 3, 4, 5}}},
	"plrsq-table5 accuracy": {{"", []int{0, 7, 8, 9, 10, 11}},
		{"The other methods", []int{0, 1, 2, 3, 4, 5, 6}}},
	"plrsq-eth80 accuracy":    {{"", []int{0, 1, 2, 3, 4, 5, 6}}},
	"plrsq-geometry accuracy": {{"", []int{0, 1, 2}}},
	"beyond-classes classes": {{"Accuracy of QDA in percent, mean ± SD over seeds", []int{0, 1, 2, 3, 4, 5}},
		{"Seconds of processor time", []int{0, 6, 7, 8}}},
	"beyond-subclasses accuracy": {{"", []int{0, 1, 2, 3, 4, 5, 6}}},
	"plrsq-bci best": {{"Mean kappa on session E of the method with the lowest log loss within session T",
		[]int{0, 10}}},
	"beyond-csp csp":               {{"", []int{0, 10}}},
	"sqfa-filters accuracy":        {{"QDA accuracy in percent on the test set", []int{0, 1, 2, 4, 6}}},
	"sqfa-filters-digits accuracy": {{"QDA accuracy in percent on the test set", []int{0, 1, 2, 4, 6}}},
	"privacy reconstruction":       {{"", []int{0, 1, 2, 3, 5, 6}}},
}

// pivoted lists the tables whose first column becomes the headings of columns.
var pivoted = []string{"beyond-eeg kappa-T", "beyond-eeg kappa-E", "beyond-subjects subjects"}

// transposed lists the tables whose rows become columns, with the heading of the new first column.
var transposed = map[string]string{"plrsq-table6 kappa": "subject", "beyond-ssvep ssvep": "method"}

// mostSeries is the largest number of rows that become columns of one table.
const mostSeries = 8

// narrow returns the tables that a page shows for t.
func (r *Result) narrow(t *Table) []*Table {
	key := r.ID + " " + t.Name
	if strings.HasPrefix(t.Name, "gaussian-") || slices.Contains(hidden, key) {
		return nil
	}
	if key == "plrsq-bci certainty" {
		t = t.rowsWith("mean")
	}
	if corner, ok := transposed[key]; ok {
		return t.transpose(corner)
	}
	if list := parts[key]; list != nil {
		all := t.divide(list)
		for i := range all {
			all[i] = all[i].withoutIntervals().ofMeans()
		}
		return all
	}
	t = t.withoutSubjects().withoutIntervals()
	if slices.Contains(pivoted, key) {
		t = t.pivot()
	}
	return []*Table{t.ofMeans()}
}

// rowsWith returns the table with the rows whose first cell has the prefix.
func (t *Table) rowsWith(prefix string) *Table {
	out := *t
	out.Rows = nil
	for _, row := range t.Rows {
		if strings.HasPrefix(row[0], prefix) {
			out.Rows = append(out.Rows, row)
		}
	}
	return &out
}

// withoutSubjects returns the table without the columns of single subjects.
func (t *Table) withoutSubjects() *Table {
	var kept []int
	for j, h := range t.Header {
		if !subject.MatchString(h) {
			kept = append(kept, j)
		}
	}
	return t.divide([]part{{"", kept}})[0]
}

// ofMeans returns the table with a caption for means over the subjects, if the caption is also for single subjects.
func (t *Table) ofMeans() *Table {
	out := *t
	if ofSubjects.MatchString(t.Caption) {
		out.Caption = ofSubjects.ReplaceAllString(t.Caption, "$1")
		if strings.HasPrefix(out.Caption, "Kappa") {
			out.Caption = "Mean k" + strings.TrimPrefix(out.Caption, "K")
		}
	}
	return &out
}

// ofSubjects matches the interval of a kappa of one subject.
var ofSubjects = regexp.MustCompile(`±0\.\d\d for a kappa and (±0\.\d\d) for a mean of nine`)

var subject = regexp.MustCompile(`^A0\d$`)

// pivot moves the values of the first column into the headings. The second column identifies the rows, and the last
// column contains the values.
func (t *Table) pivot() *Table {
	last := len(t.Header) - 1
	out := &Table{Caption: t.Caption, Header: slices.Clone(t.Header[1:last])}
	index := map[string]int{}
	for _, row := range t.Rows {
		if !slices.Contains(out.Header, row[0]) {
			out.Header = append(out.Header, row[0])
		}
		i, ok := index[row[1]]
		if !ok {
			i = len(out.Rows)
			index[row[1]] = i
			out.Rows = append(out.Rows, slices.Clone(row[1:last]))
		}
		out.Rows[i] = append(out.Rows[i], row[last])
	}
	return out
}

// divide returns one table for each part.
func (t *Table) divide(list []part) []*Table {
	var all []*Table
	for _, p := range list {
		out := &Table{Caption: p.caption, Header: columnsOf(t.Header, p.columns)}
		out.Caption = cmp.Or(out.Caption, t.Caption)
		for _, row := range t.Rows {
			out.Rows = append(out.Rows, columnsOf(row, p.columns))
		}
		all = append(all, out)
	}
	return all
}

func columnsOf(row []string, columns []int) []string {
	var out []string
	for _, j := range columns {
		out = append(out, row[j])
	}
	return out
}

// transpose turns rows into columns, at most [mostSeries] in one table.
func (t *Table) transpose(corner string) []*Table {
	tables := (len(t.Rows) + mostSeries - 1) / mostSeries
	size := (len(t.Rows) + tables - 1) / tables
	var all []*Table
	for rows := range slices.Chunk(t.Rows, size) {
		out := &Table{Caption: t.Caption, Header: []string{corner}}
		if len(all) > 0 {
			out.Caption = "The same for more " + t.Header[0] + "s"
		}
		for _, row := range rows {
			out.Header = append(out.Header, row[0])
		}
		for j := 1; j < len(t.Header); j++ {
			cells := []string{t.Header[j]}
			for _, row := range rows {
				cells = append(cells, row[j])
			}
			if strings.Join(cells[1:], "") != "" {
				out.Rows = append(out.Rows, cells)
			}
		}
		all = append(all, out)
	}
	return all
}

// withoutIntervals returns the table without the intervals after the values of several columns, or in several columns.
// The caption then contains half the width of the widest interval.
func (t *Table) withoutIntervals() *Table {
	var kept []int
	widest := 0.0
	wider := func(low, high string) {
		var a, b float64
		fmt.Sscan(low, &a)
		fmt.Sscan(high, &b)
		widest = math.Max(widest, (b-a)/2)
	}
	after := 0 // columns with intervals after the values
	for j, h := range t.Header {
		if h != "interval" {
			kept = append(kept, j)
		}
		if slices.ContainsFunc(t.Rows, func(row []string) bool { return afterValue.MatchString(row[j]) }) {
			after++
		}
	}
	if len(kept) == len(t.Header) && (after < 2 || len(kept) < 4) {
		return t
	}
	out := t.divide([]part{{withIntervals.ReplaceAllString(t.Caption, ""), kept}})[0]
	for i, row := range t.Rows {
		for j, h := range t.Header {
			if low, high, ok := strings.Cut(row[j], " to "); ok && h == "interval" {
				wider(low, high)
			}
		}
		for j, cell := range out.Rows[i] {
			if m := afterValue.FindStringSubmatch(cell); m != nil {
				wider(m[1], m[2])
				out.Rows[i][j] = strings.TrimSuffix(cell, m[0])
			}
		}
	}
	if widest > 0 {
		out.say("95 %% intervals are at most ±%.2g", widest)
	}
	return out
}

// afterValue matches an interval after a value.
var afterValue = regexp.MustCompile(` [\[(](-?[0-9.]+)(?:, | to )(-?[0-9.]+)[\])]$`)

// withIntervals matches the announcement of intervals in a caption, and an interval in it.
var withIntervals = regexp.MustCompile(`, with (?:its )?95 % intervals?| \[95 % interval\]| and the mean's 95 % ` +
	`interval|\. Brackets show [^.]*| \[[0-9.]+, [0-9.]+\]`)
