package experiment

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// wideTable is the number of columns above which a page shows a table in a narrower form. CSV and JSON files contain
// the original form.
const wideTable = 8

// mostSeries is the largest number of rows that become columns of one table.
const mostSeries = 8

// transposed lists the tables of a page whose rows become columns, with the heading of the new first column. Tables
// with a column for each subject are also transposed.
var transposed = map[string]string{"plrsq-eth80 accuracy": "", "beyond-ssvep ssvep": "method"}

// parts lists the tables of a page that are divided into two, with the columns and the caption of each part. An empty
// caption is the caption of the original.
var parts = map[string][]part{
	"plrsq-table1 sets":     {{"", []int{0, 1, 2, 3, 4, 5, 6, 7}}},
	"plrsq-table5 accuracy": {{"", []int{0, 7, 8, 9, 10, 11}}, {"The other methods", []int{0, 1, 2, 3, 4, 5, 6}}},
	"beyond-classes classes": {{"", []int{0, 1, 2, 3, 4, 5}},
		{"Seconds of processor time", []int{0, 6, 7, 8}}},
}

// ofPaperPLRSQ ends the labels of rows with numbers from the PLRSQ paper.
const ofPaperPLRSQ = " (PLRSQ paper)"

type part struct {
	caption string
	columns []int
}

// narrow returns the tables that a page shows for t.
func (r *Result) narrow(t *Table) []*Table {
	t = t.withoutIntervals()
	if len(t.Header) <= wideTable {
		return []*Table{t}
	}
	key := r.ID + " " + t.Name
	if list := parts[key]; list != nil {
		return t.divide(list)
	}
	if slices.Contains(t.Header, "A01") {
		return t.transpose("subject")
	}
	if corner, ok := transposed[key]; ok {
		return t.transpose(corner)
	}
	return []*Table{t}
}

// divide returns one table for each part.
func (t *Table) divide(list []part) []*Table {
	var all []*Table
	for _, p := range list {
		out := &Table{Caption: p.caption, Header: columnsOf(t.Header, p.columns)}
		if out.Caption == "" {
			out.Caption = strings.Replace(t.Caption, ", and seconds of processor time", "", 1)
		}
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

// transpose turns rows into columns. If several rows start with the same cell, there is one table for each such cell,
// whose columns have the second cell as heading. Otherwise at most [mostSeries] rows form one table.
func (t *Table) transpose(corner string) []*Table {
	grouped := len(t.Rows) > 1 && t.Rows[0][0] == t.Rows[1][0]
	var label, size int
	printed := slices.IndexFunc(t.Rows, func(row []string) bool { return strings.HasSuffix(row[0], ofPaperPLRSQ) })
	switch {
	case grouped:
		label, size = 1, 1
		for size < len(t.Rows) && t.Rows[size][0] == t.Rows[0][0] {
			size++
		}
	case printed > 0:
		ours, theirs := *t, *t
		ours.Rows, theirs.Rows = t.Rows[:printed], t.Rows[printed:]
		theirs.Caption = "Printed in the PLRSQ paper"
		return append(ours.transpose(corner), theirs.transpose(corner)...)
	default:
		tables := (len(t.Rows) + mostSeries - 1) / mostSeries
		size = (len(t.Rows) + tables - 1) / tables
	}
	var all []*Table
	for rows := range slices.Chunk(t.Rows, size) {
		out := &Table{Caption: t.Caption, Header: []string{corner}}
		switch {
		case grouped && len(all) == 0:
			out.say("the %s is %s", t.Header[0], rows[0][0])
		case grouped:
			out.Caption = "The same for " + rows[0][0]
		case len(all) > 0:
			out.Caption = "The same for more " + t.Header[0] + "s"
		}
		for _, row := range rows {
			out.Header = append(out.Header, strings.TrimSuffix(row[label], ofPaperPLRSQ))
		}
		for j := label + 1; j < len(t.Header); j++ {
			cells := []string{t.Header[j]}
			for _, row := range rows {
				cells = append(cells, row[j])
			}
			again := len(all) > 0 && slices.ContainsFunc(all[0].Rows, func(row []string) bool {
				return slices.Equal(row, cells)
			})
			if strings.Join(cells[1:], "") != "" && !again {
				out.Rows = append(out.Rows, cells)
			}
		}
		all = append(all, out)
	}
	return all
}

// withoutIntervals returns the table without its columns of intervals if there are several. The caption then contains
// half the width of the widest interval.
func (t *Table) withoutIntervals() *Table {
	isInterval := func(h string) bool { return h == "interval" }
	if n := len(t.Header); n < wideTable-1 || !slices.ContainsFunc(t.Header, isInterval) {
		return t
	}
	var kept []int
	widest := 0.0
	for j, h := range t.Header {
		if !isInterval(h) {
			kept = append(kept, j)
			continue
		}
		for _, row := range t.Rows {
			var low, high float64
			if _, err := fmt.Sscanf(row[j], "%f to %f", &low, &high); err == nil {
				widest = math.Max(widest, (high-low)/2)
			}
		}
	}
	out := t.divide([]part{{withIntervals.ReplaceAllString(t.Caption, ""), kept}})[0]
	out.say("each 95 %% interval is ±%.2g points or less", widest)
	return out
}

// withIntervals matches the announcement of intervals in a caption.
var withIntervals = regexp.MustCompile(`, with (its )?95 % intervals?`)
