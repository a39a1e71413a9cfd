package experiment

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var items = regexp.MustCompile(`^(table|figure)s ([0-9B.]+)(?:, ([0-9B.]+))? and ([0-9B.]+)`)

// heading returns a heading that names each table of the item, so a search finds it.
func (e *Experiment) heading() string {
	if !e.ofPaper() {
		return e.Title
	}
	item := e.Item
	if m := items.FindStringSubmatch(item); m != nil {
		list := []string{m[1] + " " + m[2]}
		if m[3] != "" {
			list = append(list, m[1]+" "+m[3])
		}
		item = strings.Join(append(list, m[1]+" "+m[4]), ", ") + strings.TrimPrefix(item, m[0])
	}
	return sentence(item) + ": " + e.Title
}

// shortForm matches the sentences of a protocol about short runs.
var shortForm = regexp.MustCompile(` ?A short run [^.]*\.`)

// section writes one experiment with its result r.
func (e *Experiment) section(b *strings.Builder, r *Result, shared []sharedProtocol) {
	fmt.Fprintf(b, "\n<a id=\"%s\"></a>\n\n## %s\n\n", e.ID, e.heading())
	r.protocol(b, e, shared)
	for _, t := range r.Tables {
		for _, shown := range r.narrow(t) {
			shown.markdown(b)
		}
	}
	r.claimsTable(b)
	for _, s := range r.Remarks {
		if !slices.Contains(e.Notes, s.Text) {
			fmt.Fprintf(b, "- %s\n", s.Text)
		}
	}
	list := e.details(shared)
	if len(list) == 1 {
		fmt.Fprintf(b, "- %s\n", list[0])
	}
	date, _, _ := strings.Cut(r.Date, " ")
	took := fmt.Sprintf("%.0f s", r.Seconds)
	if r.Seconds < 0.5 {
		took = "under 1 s"
	}
	fmt.Fprintf(b, "- `%s`, commit %.8s, %s, %s, %s.\n", strings.TrimSuffix(r.Command, " --seed 1"), r.Commit, date,
		took, strings.TrimPrefix(r.Machine, "linux/amd64, "))
	if len(list) > 1 {
		fmt.Fprintf(b, "\n<details markdown=\"1\"><summary>Details</summary>\n\n- %s\n\n</details>\n",
			strings.Join(list, "\n- "))
	}
}

// protocol writes the protocol of a result without the shared texts, which it names.
func (r *Result) protocol(b *strings.Builder, e *Experiment, shared []sharedProtocol) {
	if r.Version != e.Version {
		return
	}
	own := r.Protocol
	without := func(list []sharedProtocol) string {
		var names []string
		for _, s := range list {
			if text := strings.TrimSpace(s.text); strings.Contains(own, text) {
				own = strings.ReplaceAll(own, text, "")
				names = append(names, s.name)
			}
		}
		return strings.Join(names, ", ")
	}
	b.WriteString("**Protocol:**")
	if names := without(shared); names != "" {
		fmt.Fprintf(b, " [%s](#protocol).", names)
	}
	if names := without(pages[strings.ToLower(e.Paper)].shared); names != "" {
		fmt.Fprintf(b, " [%s](results-%s.md#protocol).", names, strings.ToLower(e.Paper))
	}
	if own = strings.Join(strings.Fields(shortForm.ReplaceAllString(own, "")), " "); own != "" {
		b.WriteString(" " + own)
	}
	b.WriteString("\n\n")
}

// details returns the texts that only somebody who repeats the experiment needs.
func (e *Experiment) details(shared []sharedProtocol) []string {
	var list []string
	for _, note := range e.Notes {
		if !saidOnce(note, shared) && !saidOnce(note, pages[strings.ToLower(e.Paper)].shared) {
			list = append(list, note)
		}
	}
	if e.Whole != "" {
		grid := e.Whole
		for _, s := range shared {
			grid = strings.ReplaceAll(grid, " ("+s.text+")", "")
		}
		list = append(list, fmt.Sprintf("`--whole` runs a larger grid: %s.", grid))
	}
	return list
}

// claimsTable writes the claims of a paper, with a column for the condition under which a claim holds. Our own targets
// have no such column.
func (r *Result) claimsTable(b *strings.Builder) {
	if len(r.Claims) == 0 {
		return
	}
	head := "| claim | holds if | our result | verdict |\n|---|---|---|---|\n"
	if r.Paper == OurPaper {
		head = "| our target | our result | verdict |\n|---|---|---|\n"
	}
	b.WriteString(head)
	for _, c := range groupedClaims(r.Claims) {
		fmt.Fprintf(b, "| %s ", cell(inCell(c.Says)))
		if r.Paper != OurPaper {
			fmt.Fprintf(b, "| %s ", cell(c.Threshold))
		}
		verdict := c.Verdict()
		if r.Paper == OurPaper {
			verdict = strings.NewReplacer("does not hold", "not met", "holds", "met").Replace(verdict)
		}
		fmt.Fprintf(b, "| %s | %s |\n", cell(shortP(c.result())), verdict)
	}
	b.WriteByte('\n')
}

// ofAdaptation matches the beginning of a target for one way to adapt.
var ofAdaptation = regexp.MustCompile(`^With the adaptation "[^"]*", `)

// groupedClaims replaces all targets with a single one if they all hold and differ only in the adaptation.
func groupedClaims(claims []*Claim) []*Claim {
	rest := ofAdaptation.ReplaceAllString(claims[0].Says, "")
	for _, c := range claims {
		if !c.Holds || c.Untested || c.Says == rest || ofAdaptation.ReplaceAllString(c.Says, "") != rest {
			return claims
		}
	}
	if len(claims) == 1 {
		return claims
	}
	return []*Claim{{Says: "With every adaptation, " + rest, Found: fmt.Sprintf("With %d of %d.", len(claims),
		len(claims)), Holds: true}}
}

// saidOnce reports whether the text is one of the shared texts.
func saidOnce(text string, shared []sharedProtocol) bool {
	for _, s := range shared {
		if s.text == text || slices.Contains(s.notes, text) {
			return true
		}
	}
	return false
}
