package experiment

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

//go:generate sh -c "go run ../../../cmd/rao paper page sqfa > ../../../docs/results-sqfa.md"
//go:generate sh -c "go run ../../../cmd/rao paper page plrsq > ../../../docs/results-plrsq.md"
//go:generate sh -c "go run ../../../cmd/rao paper page beyond > ../../../docs/results-beyond.md"
//go:generate sh -c "go run ../../../cmd/rao paper page private > ../../../docs/results-private.md"
//go:generate sh -c "go run ../../../cmd/rao paper page more-sqfa > ../../../docs/results-more-sqfa.md"
//go:generate sh -c "go run ../../../cmd/rao paper page more-plrsq > ../../../docs/results-more-plrsq.md"

// page is one of the pages of recorded results.
type page struct {
	title, intro string
	shared       []sharedProtocol
}

// sharedProtocol is a text that is printed once for all sections whose protocol contains it. Its notes follow it.
type sharedProtocol struct {
	name, text string
	notes      []string
}

// Pages are the names of the pages that [Page] writes.
var Pages = []string{"sqfa", "plrsq", "more-sqfa", "more-plrsq", "beyond", "private"}

// pageIntro returns the introduction of every page, with an experiment that needs no downloaded data as the example.
// values explains the values in the tables, for pages on which this needs an explanation.
func pageIntro(what, example, values string) string {
	return what + `

This command repeats the experiment ` + "`" + example + "`" + ` and writes its tables and figures to the folder ` +
		"`results`" + `:

    rao paper run ` + example + ` --out results

` + "`rao paper list`" + ` lists the experiments and the data that they need. Some tables on this page
are shortened; the folder ` + "`internal/paper/experiment/recorded`" + ` contains them in full.

Each section gives the command, commit, date, duration and number of processors of its run. ` +
		values + "The [glossary](glossary.md)\nexplains the terms.\n"
}

// overRepetitions explains the values on pages with repetitions.
const overRepetitions = `In tables, values with ± are
mean and standard deviation over repetitions. Intervals are 95 % intervals: Wilson's for a proportion of decisions,
Student's t for a mean over repetitions. `

// verdictsIntro is the introduction of the pages of the papers.
const verdictsIntro = `
Tables of claims compare statements of the paper with our results. The column "holds if" gives our criterion. If a claim
does not hold and no cause is given, the difference is not explained.
`

var pages = map[string]page{
	"sqfa": {"Results: SQFA", pageIntro("This page compares our runs with the figures and appendices of the SQFA "+
		"paper (arXiv 2502.00168, version\n3; v1 is the first version).", "sqfa-fig2", "") + verdictsIntro + `
The text of the paper does not give the percentages of its figures, so we test the statements of the text. The authors'
scripts are in github.com/dherrera1911/sqfa_analyses. For images we follow commit e856cc6, because later versions choose
the noise by validation. The [protocol](#protocol) explains the names of distances, such as FR. See also [more
runs](results-more-sqfa.md) and [studies beyond the papers](results-beyond.md).
`, []sharedProtocol{
		{"Images", imageProtocol, nil},
		{"Figures 3 and 4", strings.TrimPrefix(figureProtocol, imageProtocol), figureNotes},
		{"Speed task", speedSet, speedNotes}, {"Figures 7 to 9", momentProtocol, momentNotes},
		{"Figure 9", drawnProtocol, drawnNotes}, {"Figures 10 and 11", zeroMeanProtocol, zeroMeanNotes},
		{"Figure 12", fitTimesProtocol, fitTimesNotes}, {"Figure 13", gaussianProtocol, gaussianNotes},
		{"Noise on MNIST", mnistRows, []string{noiseUnits}}, {"Accuracies", comparisonProtocol, nil},
	}},
	"plrsq": {"Results: PLRSQ", pageIntro("This page compares our runs with the tables and figures of the PLRSQ "+
		"paper (arXiv 2102.00667).", "plrsq-fig1", overRepetitions) + verdictsIntro + `
PLRSQ-Const has a constant σ², and PLRSQ-AN an annealed σ². MDRM predicts the class with the nearest mean. See also
[more runs](results-more-plrsq.md) and [studies beyond the papers](results-beyond.md).
`, []sharedProtocol{
		{"Synthetic sets", curveProtocol, nil}, {"ETH-80", ethPaperProtocol, nil},
		{"Decisions", nearestDecides, nil}, {"Range of σ²", endsOnly, nil}, {"SynII", synUnexplained, nil},
	}},
	"beyond": {"Results: beyond the papers", pageIntro("This page shows our own studies of the methods. We wrote down "+
		"the targets before the runs.", "beyond-classes", overRepetitions), nil},
	"private": {"Results: private statistics", pageIntro("This page shows our studies of private statistics, which "+
		"contain random noise. We wrote down the targets before\nthe runs. [Private statistics]"+
		"(private-statistics.md) explains the terms.", "private-kinds", overRepetitions), nil},
	"more-sqfa": {"Results: more runs around the SQFA paper", pageIntro("This page shows additional runs on the "+
		"methods of the [SQFA paper](results-sqfa.md), with other data and\nsettings, and on questions that the paper "+
		"leaves open.", "sqfa-fig7-digits", ""),
		[]sharedProtocol{
			{"Optical digits", digitsRows, nil},
			{"Objectives", objectivesProtocol, objectivesNotes}, {"Pairs", pairProtocol, pairNotes},
		}},
	"more-plrsq": {"Results: more runs around the PLRSQ paper", pageIntro("This page shows additional runs on the "+
		"methods of the [PLRSQ paper](results-plrsq.md), with our own protocols on\nits data, and on questions that "+
		"it "+
		"leaves open. SynI and SynII are the simulated sets of the paper, and MDRM\npredicts the class with the "+
		"nearest mean.",
		"plrsq-decide", overRepetitions), nil},
}

// ofPaper reports whether the experiment is a table, a figure or a statement of its paper.
func (e *Experiment) ofPaper() bool {
	return paperItem.MatchString(e.Item)
}

var paperItem = regexp.MustCompile(`^(figure|table|tables|appendix|footnote)`)

// onPrivate is the item of studies on the page of private statistics.
const onPrivate = "on private statistics"

// pageOf returns the name of the page that shows the experiment.
func (e *Experiment) pageOf() string {
	switch {
	case e.ofPaper():
		return strings.ToLower(e.Paper)
	case e.Paper == OurPaper && e.Item == onPrivate:
		return "private"
	case e.Paper == OurPaper:
		return "beyond"
	case e.Paper == "PLRSQ":
		return "more-plrsq"
	}
	return "more-sqfa"
}

// Page writes docs/results-NAME.md from the recorded results.
func Page(w io.Writer, name string) error {
	p, ok := pages[name]
	if !ok {
		return fmt.Errorf("there is no page %q; use one of %s", name, strings.Join(Pages, ", "))
	}
	var shown []*Experiment
	var missing []string             // what the missing experiments need
	waiting := map[string][]string{} // figures by what they need
	results := map[string]*Result{}
	for _, e := range List() {
		if e.pageOf() != name {
			continue
		}
		r, err := e.Recorded()
		if err != nil {
			return err
		}
		switch {
		case r != nil:
			results[e.ID] = r.Shown()
		case e.NotRun == "" && len(e.Needs) > 0:
			needs := strings.Join(e.Needs, " and ")
			if e.Long != "" {
				needs = strings.Join(e.Needs, ", ") + " and " + e.Long
			}
			if waiting[needs] == nil {
				missing = append(missing, needs)
			}
			waiting[needs] = append(waiting[needs], fmt.Sprintf("%s (`%s`)", shortItem(e), e.ID))
			continue
		}
		shown = append(shown, e)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", p.title, p.intro)
	b.WriteString("## Summary\n\n")
	if name == "sqfa" || name == "plrsq" {
		summaryOfPaper(&b, shown, results)
	} else {
		summaryOfStudies(&b, shown, results)
	}
	for _, needs := range missing {
		fmt.Fprintf(&b, "\nNot run yet; a run needs %s: %s.\n", needs,
			strings.Join(waiting[needs], "; "))
	}
	for _, e := range shown {
		if r := results[e.ID]; r != nil {
			e.section(&b, r, p.shared)
		}
	}
	p.protocols(&b, shown)
	_, err := io.WriteString(w, separated(b.String()))
	return err
}

// code matches what separated leaves alone: code, addresses, and the short form of a commit.
var code = regexp.MustCompile("(?m)^    [^ -].*$|`[^`\n]*`|\\]\\([^)]*\\)|commit [0-9a-f]+|<[a-z/][^>]*>")

// minus matches a hyphen that stands for a minus sign.
var minus = regexp.MustCompile(`(^|[ (\[|])-(\d)`)

// zero matches a zero with a sign.
var zero = regexp.MustCompile(`[+-](0\.0+)\b`)

// long matches an integer part of five or more digits.
var long = regexp.MustCompile(`(^|[^\w.,-])(\d{5,})\b`)

// separated writes minus signs, and commas between the thousands of the numbers of five or more digits of a page.
func separated(page string) string {
	var b strings.Builder
	write := func(s string) {
		s = zero.ReplaceAllString(s, "$1")
		s = minus.ReplaceAllString(s, "$1−$2")
		b.WriteString(long.ReplaceAllStringFunc(s, func(m string) string {
			digits := strings.TrimLeftFunc(m, func(r rune) bool { return r < '0' || r > '9' })
			out := m[:len(m)-len(digits)]
			for i, d := range digits {
				if i > 0 && (len(digits)-i)%3 == 0 {
					out += ","
				}
				out += string(d)
			}
			return out
		}))
	}
	last := 0
	for _, m := range code.FindAllStringIndex(page, -1) {
		write(page[last:m[0]])
		b.WriteString(page[m[0]:m[1]])
		last = m[1]
	}
	write(page[last:])
	return b.String()
}

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
// studies.
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
		marked = append(marked, fmt.Sprintf("| %s | %s | %s | %s |\n", link, cell(r.Claims[0].Says),
			cell(r.Claims[0].Found), cell(verdict)))
	}
	if len(marked) > 0 {
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

// protocols writes the texts that several sections share.
func (p page) protocols(b *strings.Builder, shown []*Experiment) {
	if len(p.shared) == 0 {
		return
	}
	b.WriteString("\n## Protocol\n\n")
	for _, s := range p.shared {
		for _, e := range shown {
			if strings.Contains(e.Protocol+e.Whole+strings.Join(e.Notes, ""), strings.TrimSpace(s.text)) {
				text := shortForm.ReplaceAllString(s.text, "")
				if s.text != comparisonProtocol {
					text = strings.ReplaceAll(text, comparisonProtocol, "")
				}
				fmt.Fprintf(b, "- **%s.** %s\n", s.name, fullStop(strings.TrimSpace(text)))
				for _, note := range s.notes {
					fmt.Fprintf(b, "    - %s\n", note)
				}
				break
			}
		}
	}
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
		fmt.Fprintf(b, "| %s ", cell(c.Says))
		if r.Paper != OurPaper {
			fmt.Fprintf(b, "| %s ", cell(c.Threshold))
		}
		verdict := c.Verdict()
		if r.Paper == OurPaper {
			verdict = strings.NewReplacer("does not hold", "not met", "holds", "met").Replace(verdict)
		}
		fmt.Fprintf(b, "| %s | %s |\n", cell(shortP(strings.TrimSpace(c.Found+" "+c.Why))), verdict)
	}
	b.WriteByte('\n')
}

// ofAdaptation matches the beginning of a target for one way to adapt.
var ofAdaptation = regexp.MustCompile(`^With the adaptation "[^"]*", `)

// groupedClaims replaces the targets by one if they all hold and differ only in the adaptation.
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

// longP matches a p-value with an exponent or more than three significant digits.
var longP = regexp.MustCompile(`p = ([0-9.]+(?:e-\d\d)?)`)

// shortP writes the p-values of a text with at most three significant digits.
func shortP(text string) string {
	return longP.ReplaceAllStringFunc(text, func(m string) string {
		number := strings.TrimPrefix(m, "p = ")
		full := strings.TrimSuffix(number, ".") // a period may end the sentence
		if p := roundedP(full); strings.HasPrefix(p, "<") {
			return "p " + p + number[len(full):]
		} else {
			return "p = " + p + number[len(full):]
		}
	})
}

// roundedP writes a p-value with at most three significant digits.
func roundedP(s string) string {
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil:
		return s
	case v < 1e-4:
		return "< 0.0001"
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
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

// longTable is the number of rows above which a page shows only every sixth row and the last row of a curve, which has
// numbers in the first column.
const longTable = 20

// curve reports whether the page leaves out rows of the table. A few groups of rows with the same first number, such as
// draws, are no curve.
func (t *Table) curve() bool {
	_, err := strconv.ParseFloat(t.Rows[0][0], 64)
	grouped := t.Rows[0][0] == t.Rows[1%len(t.Rows)][0]
	return err == nil && len(t.Rows) > longTable && !(grouped && len(t.Rows) <= 2*longTable)
}

func (t *Table) markdown(b *strings.Builder) {
	head := make([]string, len(t.Header))
	for i, h := range t.Header {
		head[i] = cell(h)
	}
	caption, step := t.Caption, 1
	if t.curve() {
		caption, step = caption+". Some rows are left out", 6
	}
	if strings.Contains(caption, ". ") { // several sentences
		caption += "."
	}
	fmt.Fprintf(b, "%s\n\n| %s |\n|", caption, strings.Join(head, " | "))
	for i := range head {
		if t.numeric(i) {
			b.WriteString("---:|")
		} else {
			b.WriteString("---|")
		}
	}
	b.WriteByte('\n')
	for i, row := range t.Rows {
		if i%step != 0 && i != len(t.Rows)-1 {
			continue
		}
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = cell(t.tidied(i, c, row[0]))
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	b.WriteByte('\n')
}

// numericCell matches a cell with one number, perhaps with its unit, spread or interval.
var numericCell = regexp.MustCompile(`^([<>≥≤+−-]? ?[\d.]+(e[+-]?\d+)?( ?%)?( ± [\d.]+)?( to -?[\d.]+)?` +
	`( ?[(\[][^)\]]*[)\]])?|\([\d.]+\))$`)

// numeric reports whether a column has only numbers and empty cells.
func (t *Table) numeric(column int) bool {
	numbers := 0
	for _, row := range t.Rows {
		switch c := row[column]; {
		case numericCell.MatchString(c):
			numbers++
		case c != "" && c != "-" && c != "–":
			return false
		}
	}
	return numbers > 0
}

// plainNumber matches a number with its fraction, perhaps with an interval.
var plainNumber = regexp.MustCompile(`^([+-]?\d+(?:\.(\d+))?)( \[.*)?$`)

// parameters are the headings of columns of settings, whose numbers are written as they were set.
var parameters = []string{"ε", "noise", "shrinkage chosen", "target"}

// tidied writes a cell as a page shows it: p-values with three significant digits, and the numbers of a column of
// measurements with the same number of decimals, or of significant digits if their sizes differ.
func (t *Table) tidied(column int, c, label string) string {
	h := t.Header[column]
	if h == "p" || strings.HasPrefix(h, "p ") || label == "p" || strings.HasPrefix(label, "p ") ||
		strings.HasPrefix(t.Caption, "p-value") {
		return roundedP(c)
	}
	if c == "1e-05" {
		return "0.00001"
	}
	m := plainNumber.FindStringSubmatch(c)
	if column == 0 || slices.Contains(parameters, h) || label == "trials" || m == nil || c == "0" {
		return c
	}
	percent := strings.Contains(h, "%") || strings.Contains(t.Caption, "percent") && !strings.HasSuffix(h, ", s") &&
		!strings.Contains(h, "second")
	v, _ := strconv.ParseFloat(m[1], 64)
	text := strconv.FormatFloat(v, 'f', t.decimalsOf(column, v, percent), 64)
	if strings.HasPrefix(c, "+") {
		text = "+" + text
	}
	if len(text) < len(m[1]) && !percent {
		return c
	}
	return text + m[3]
}

// decimalsOf returns the number of decimals for the value v in a column of measurements.
func (t *Table) decimalsOf(column int, v float64, percent bool) int {
	lengths := map[int]bool{} // numbers of decimals in the column
	most, significant := 0, 0
	largest := 0.0
	for _, row := range t.Rows {
		m := plainNumber.FindStringSubmatch(row[column])
		if m == nil || row[0] == "p" || strings.HasPrefix(row[0], "p ") {
			continue
		}
		w, _ := strconv.ParseFloat(m[1], 64)
		largest = math.Max(largest, math.Abs(w))
		if n := len(m[2]); n > 0 {
			lengths[n] = true
			most = max(most, n)
			digits := strings.NewReplacer(".", "", "-", "", "+", "").Replace(m[1])
			significant = max(significant, len(strings.TrimLeft(digits, "0")))
		}
	}
	switch whole := int(math.Floor(math.Log10(math.Abs(v)))) + 1; {
	case percent && most >= 2 && largest > 20 && largest <= 100:
		return 2
	case len(lengths) <= 1:
		return most
	case significant < 3 || significant > 4:
		return 0 // the caller keeps the cell as it is
	default:
		return max(0, min(significant-whole, most))
	}
}

// cell escapes the character that would end a table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// sentence capitalizes the first letter.
func sentence(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}
