package experiment

import (
	"fmt"
	"io"
	"regexp"
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

// example is an experiment that runs, in its full or short form, in seconds and without downloaded data. table is the
// beginning of its first table as the command prints it.
type example struct {
	id, table string
	short     bool // show the short form, because the full run takes minutes or needs downloaded data
}

// pageIntro returns the introduction of every page. values explains the values in the tables, for pages on which this
// needs an explanation.
func pageIntro(what string, e example, values string) string {
	flag, form := "", "the"
	if e.short {
		flag, form = " --short", "a short form of the"
	}
	return what + `

Run ` + form + " experiment `" + e.id + "`" + `, print its tables, and write the tables and figures to the folder
` + "`results`" + `:

` + "```sh\nrao paper run " + e.id + flag + " --out results\n```\n\n```" + e.table + "...\n```" + `

` + "`rao paper list`" + ` lists the experiments and the data that they need. Some tables on this page
are shortened; the folder ` + "`internal/paper/experiment/recorded`" + ` contains them in full.

Each section gives the command, commit, date, duration and number of processors of its run, but not the type of the
processors. Times in different sections may therefore not be comparable. ` +
		values + "The [glossary](glossary.md)\nexplains the terms.\n"
}

// The examples of the pages.
var (
	exampleSQFA = example{id: "sqfa-fig2", table: `
Toy problem 1
  method  share in 1-2  share in 3-4  share in 5-6
  sqfa    1.0000        0.0000        0.0000
  smsqfa  1.0000        0.0000        0.0000
  lda     0.0000        1.0000        0.0000
  pca     0.0000        0.0000        1.0000
`}
	examplePLRSQ = example{id: "plrsq-fig1", table: `
The eigenvalues η(j), which have the mean 1
  j   13 − j  1 + 100 exp(−j/2)  13 − j/2  1/j
  1   1.6     3.78               1.22      3.414
  2   1.467   2.317              1.171     1.707
`}
	exampleMoreSQFA = example{id: "fisher-rao", table: `
Exact Fisher-Rao distance compared with the Calvo-Oller lower bound, over random pairs
  dimensions  pairs  median gap, %  largest gap, %  largest gap, as a distance
  1           66     0.8221         9.037           0.2616
  2           66     3.436          12.26           0.5032
  4           66     7.635          13.01           0.6884
  8           66     10.09          15.4            1.553
`}
	exampleMorePLRSQ = example{id: "plrsq-decide", table: `
Seconds to classify 10000 matrices or images
  classifier                        seconds  paper (approximate), 10000 images
  PLRSQ, five prototypes per class  0.558    10.5
`}
	exampleBeyond = example{short: true, id: "beyond-classes", table: `
Accuracy of QDA in percent, mean ± SD over seeds, and seconds of processor time
  classes  discriminants  all pairs  near   near      near    all       near      near
                                     pairs  pairs,    minus   pairs, s  pairs, s  pairs,
                                            subspace  all,                        subspace,
                                                      paired                      s
  10       61.42          65.15      65.13  61.97     -0.02   0.02      0.01      0.01
  20       45.73          48.08      47.00  46.52     -1.08   0.03      0.01      0.01
`}
	examplePrivate = example{short: true, id: "private-kinds", table: `
Accuracy on test rows in percent, mean ± SD over the draws
  data            rows per class  ε  subspace,   pooled, LDA  chosen by the  chosen by
                                     quadratic                count          held-out rows
  digits          120             3  92.6 ± 0.1  91.5 ± 1.2   92.6 ± 0.1     89.9 ± 1.8
  steep spectrum  300             3  10.0 ± 3.1  58.4 ± 4.8   10.0 ± 3.1     52.1 ± 6.0
  sparse columns  300             3  13.4 ± 1.0  22.2 ± 1.1   13.4 ± 1.0     18.0 ± 0.3
`}
)

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
		"paper (arXiv 2502.00168, version\n3; v1 is the first version).", exampleSQFA, "") + verdictsIntro + `
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
		"paper (arXiv 2102.00667).", examplePLRSQ, overRepetitions) + verdictsIntro + `
PLRSQ-Const has a constant σ², and PLRSQ-AN an annealed σ². σ²opt is the constant value, or the value before annealing,
which multiplies σ² by β(t) in epoch t. In learning rates, n is the order of the matrices, and ξ the number of
prototypes per class. MDRM predicts the class with the nearest mean. See also [more runs](results-more-plrsq.md) and
[studies beyond the papers](results-beyond.md).
`, []sharedProtocol{
		{"Synthetic sets", curveProtocol, nil}, {"ETH-80", ethPaperProtocol, nil},
		{"Decisions", nearestDecides, nil}, {"Range of σ²", endsOnly, nil}, {"SynII", synUnexplained, nil},
	}},
	"beyond": {"Results: beyond the papers", pageIntro("This page shows our own studies of the methods. We wrote down "+
		"the targets before the runs, unless the\ndetails of a section say otherwise.",
		exampleBeyond, overRepetitions), nil},
	"private": {"Results: private statistics", pageIntro("This page shows our studies of private statistics, which "+
		"contain random noise. We wrote down the targets before\nthe runs. [Private statistics]"+
		"(private-statistics.md) explains the terms.", examplePrivate, overRepetitions), nil},
	"more-sqfa": {"Results: more runs around the SQFA paper", pageIntro("This page shows additional runs on the "+
		"methods of the [SQFA paper](results-sqfa.md), with other data and\nsettings, and on questions that the paper "+
		"leaves open.", exampleMoreSQFA, ""),
		[]sharedProtocol{
			{"Optical digits", digitsRows, nil},
			{"Objectives", objectivesProtocol, objectivesNotes}, {"Pairs", pairProtocol, pairNotes},
		}},
	"more-plrsq": {"Results: more runs around the PLRSQ paper", pageIntro("This page shows additional runs on the "+
		"methods of the [PLRSQ paper](results-plrsq.md), with our own protocols on\nits data, and on questions that "+
		"it "+
		"leaves open. SynI and SynII are the simulated sets of the paper, and MDRM\npredicts the class with the "+
		"nearest mean.",
		exampleMorePLRSQ, overRepetitions), nil},
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
			needs := "`" + strings.Join(e.Needs, "` and `") + "`"
			if e.Long != "" {
				needs = "`" + strings.Join(e.Needs, "`, `") + "` and " + e.Long
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
	if name == "sqfa" || name == "plrsq" {
		b.WriteString("## Summary\n\n")
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

// sentence capitalizes the first letter.
func sentence(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}
