package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// summaryOfPaper writes one row for each experiment, without the column of differences if there are none.
func summaryOfPaper(b *strings.Builder, shown []*Experiment, results map[string]*Result) {
	head := []string{"figure or table", "in the paper", "in our run", "difference", "repetitions or test " +
		"data", "verdict"}
	var rows [][]string
	differ := false
	for _, e := range shown {
		r := results[e.ID]
		h, verdict := e.headline(r), e.Reproduction(r)
		if r != nil && r.Version != e.Version {
			verdict += "; earlier protocol"
		}
		differ = differ || h.difference != "–"
		name := shortItem(e)
		if r != nil {
			name = fmt.Sprintf("[%s](#%s)", name, e.ID)
		}
		rows = append(rows, []string{name, cell(h.paper), cell(h.ours),
			cell(h.difference), cell(h.repetitions), cell(verdict)})
	}
	for i, row := range append([][]string{head}, rows...) {
		if !differ {
			row = slices.Delete(row, 3, 4)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(b, "|%s\n", strings.Repeat("---|", len(row)))
		}
	}
}

// summaryOfStudies writes one row for each study that has a target or a claim of its paper, and lists the other
// studies. It also writes the heading.
func summaryOfStudies(b *strings.Builder, shown []*Experiment, results map[string]*Result) {
	var marked, others []string
	for _, e := range shown {
		link, r := fmt.Sprintf("[%s](#%s)", shortItem(e), e.ID), results[e.ID]
		if r == nil || len(r.Claims) == 0 {
			others = append(others, "- "+link+"\n")
			continue
		}
		verdict := r.Reproduction()
		if r.Version != e.Version {
			verdict += "; earlier protocol"
		}
		marked = append(marked, fmt.Sprintf("| %s | %s | %s | %s |\n", link, cell(inCell(r.Claims[0].Says)),
			cell(r.Claims[0].result()), cell(verdict)))
	}
	if len(marked) == 0 {
		b.WriteString("## Runs on this page\n\n")
	} else {
		b.WriteString("## Summary\n\n")
		head, without := "| study | first target | our result for this target | all targets |",
			"\nStudies without a target:\n\n"
		if shown[0].Paper != OurPaper {
			head, without = "| run | first claim of the paper | our result for this claim | verdict |", "\nRuns "+
				"without a claim:\n\n"
		}
		b.WriteString(head + "\n|---|---|---|---|\n" + strings.Join(marked, ""))
		if len(others) > 0 {
			b.WriteString(without)
		}
	}
	b.WriteString(strings.Join(others, ""))
}

// shortItem returns the name of the table or figure, or the title of one of our own studies.
func shortItem(e *Experiment) string {
	if e.ofPaper() {
		item, _, _ := strings.Cut(e.Item, " (")
		return cell(sentence(item))
	}
	return cell(e.Title)
}

// Reproduction counts the claims that hold in the recorded result r. If r is nil, it explains why there is none.
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
