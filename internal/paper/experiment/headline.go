package experiment

import (
	"fmt"
	"strings"
)

// headline is the row of an experiment in the summary of a page. It shows the value in the paper, or a statement of its
// text if the paper prints no value.
type headline struct {
	paper, ours, difference, repetitions string
	fill                                 func(r *Run, h *headline) // adds what follows from the tables; may be nil
}

// headline returns the row for a result of the experiment. Cells without a value contain the paper's statement and our
// result of the first claim, or a dash.
func (e *Experiment) headline(r *Result) headline {
	var h headline
	if r != nil {
		h = headlines[e.ID]
	}
	if h.fill != nil {
		h.fill(&Run{result: r}, &h)
	}
	for _, s := range []*string{&h.paper, &h.ours, &h.difference, &h.repetitions} {
		if *s == "" {
			*s = "–"
		}
	}
	if h.ours == "–" && r != nil && len(r.Claims) > 0 {
		h.ours = strings.TrimSuffix(r.Claims[0].Found, ".")
	}
	if h.paper == "–" && r != nil && r.Paper != OurPaper && len(r.Claims) > 0 {
		h.paper = strings.TrimSuffix(r.Claims[0].Says, ".")
	}
	return h
}

// accuracies lists the labels of the given rows of a table, each with the first number in a column.
func (t *Table) accuracies(column int, labels ...string) string {
	var list []string
	for _, l := range labels {
		first, _, _ := strings.Cut(t.tidied(column, t.cell(l, column), l), " ")
		list = append(list, l+" "+first)
	}
	return strings.Join(list, ", ")
}

// means lists the mean at the start of each cell of a column, for the given rows.
func (t *Table) means(column int, labels ...string) string {
	var list []string
	for _, l := range labels {
		first, _, _ := strings.Cut(t.cell(l, column), " ")
		list = append(list, first)
	}
	return strings.Join(list, ", ")
}

// differences lists our values minus the values of the paper, in points.
func (t *Table) differences(factor float64, ours, paper int, labels ...string) string {
	var list []string
	for _, l := range labels {
		list = append(list, fmt.Sprintf("%+.1f", t.apart(l, factor, ours, paper)))
	}
	return strings.Join(list, ", ")
}

// accuraciesOf returns a function that adds the accuracies of methods.
func accuraciesOf(labels ...string) func(r *Run, h *headline) {
	return func(r *Run, h *headline) { h.ours = r.table("accuracy").accuracies(1, labels...) + " %" }
}

const comparableTimes = "SQFA is comparable to LDA, ICA and FA, and takes seconds"

// timesOfMethods adds training times.
func timesOfMethods(r *Run, h *headline) {
	h.ours = r.table("seconds").accuracies(2, "SQFA", "LDA", "ICA", "FA", "LMNN") + " s"
}

// headlines contains the rows of the summaries, by ID.
var headlines = map[string]headline{
	"sqfa-fig2": {paper: "In problem 1 SQFA picks dimensions 1-2, LDA 3-4 and PCA 5-6; in problem 2 SQFA picks 1-2 " +
		"and smSQFA 3-4", ours: "problem 1: 1-2, 3-4 and 5-6; problem 2: 1-2 and 3-4",
		repetitions: "population statistics"},
	"sqfa-fig4": {paper: "SQFA, BDM and LMNN are best and nearly equal; SQFA is above smSQFA and LDA",
		repetitions: "10000 test images", fill: accuraciesOf("SQFA", "BDM", "LMNN", "smSQFA", "LDA")},
	"sqfa-fig5": {paper: "AMA-Gauss is best, then SQFA and smSQFA", repetitions: "12300 test videos",
		fill: accuraciesOf("AMA-Gauss", "SQFA", "smSQFA", "BDM")},
	"sqfa-fig6": {paper: "FR, Bhatt, KL, LE and BWN pick dimensions 1-2, BW and E 3-4",
		repetitions: "population statistics"},
	"sqfa-fig7-speed": {paper: "FR and LE are best, then Bhatt and KL, BWN, BW and E", repetitions: "12300 test videos",
		fill: accuraciesOf("FR", "LE", "Bhatt", "KL", "BWN", "BW", "E")},
	"sqfa-v1-fig8-mnist": {paper: "No distance is above FR", repetitions: "10000 test images",
		fill: accuraciesOf("FR", "LE", "KL", "BW", "E")},
	"sqfa-fig8-speed": {paper: "FR is best or tied in five of six conditions; E is worst, then BW",
		repetitions: "12300 test videos"},
	"sqfa-fig9-speed": {paper: "FR is best in general, tied with LE", repetitions: "3000 draws per class"},
	"sqfa-fig10": {paper: "Fisher-Rao and log-odds are linear in log σ², and Bhattacharyya is curved near 0",
		repetitions: "100000 draws", fill: func(r *Run, h *headline) {
			found := func(k int) string { return strings.TrimSuffix(strings.ToLower(r.result.Claims[k].Found), ".") }
			h.ours = "Fisher-Rao: " + found(0) + "; log-odds: " + found(4) + "; Bhattacharyya: " + found(1)
		}},
	"sqfa-fig11": {paper: "Fisher-Rao contours are circles, and error contours are tilted",
		repetitions: "100000 draws"},
	"sqfa-fig12-mnist": {paper: comparableTimes, repetitions: "median of 3", fill: timesOfMethods},
	"sqfa-fig12-speed": {paper: comparableTimes, repetitions: "median of 3", fill: timesOfMethods},
	"sqfa-fig13-mnist": {paper: "The order of the methods is as on the test set", repetitions: "20000 draws per class"},
	"sqfa-fig13-speed": {paper: "The order of the methods is as on the test set", repetitions: "5000 draws per class"},
	"sqfa-footnote-4":  {paper: "Results on the reduced data are similar", repetitions: "10000 test images"},
	"plrsq-fig1":       {paper: "four sets of eigenvalues", ours: "the formulas", difference: "none"},
	"plrsq-table1":     {paper: "250·4 matrices in each part", ours: "the same", difference: "none"},
	"plrsq-fig2":       {paper: "PLRSQ is sensitive to σ²; tuned, both forms are above MDRM", repetitions: "30"},
	"plrsq-table2": {paper: "97.50, 97.43, 97.41 (SynI); 89.78, 89.49, 88.78 (SynII) %", repetitions: "30",
		fill: func(r *Run, h *headline) {
			t, l := r.table("accuracy"), []string{"nξ/50", "nξ/100", "nξ/200"}
			h.ours = t.means(1, l...) + "; " + t.means(4, l...) + " %"
			h.difference = t.differences(1, 1, 2, l...) + "; " + t.differences(1, 4, 5, l...)
		}},
	"plrsq-fig3": {paper: "PLRSQ-AN ends at a smaller cost than PLRSQ-Const, and is not monotonic on SynII",
		repetitions: "1", fill: func(r *Run, h *headline) {
			i, ii := r.table("course-SynI"), r.table("course-SynII")
			h.ours = fmt.Sprintf("cost at the end %s and %s on SynI, %s and %s on SynII", i.cell("100", 4),
				i.cell("100", 1), ii.cell("100", 4), ii.cell("100", 1))
		}},
	"plrsq-fig4": {paper: "Training with β = 0.99 converges naturally", repetitions: "1"},
	"plrsq-table3": {repetitions: "30", fill: func(r *Run, h *headline) {
		t, l := r.table("accuracy"), "PLRSQ-AN"
		h.paper = "PLRSQ-AN: " + t.means(2, l) + " (SynI); " + t.means(5, l) + " (SynII)"
		h.ours = t.means(1, l) + "; " + t.means(4, l)
		h.difference = t.differences(100, 1, 2, l) + "; " + t.differences(100, 4, 5, l) + " points"
	}},
	"plrsq-fig5": {paper: "The accuracy falls with more categories; six are harder than eight",
		repetitions: "20 draws"},
	"plrsq-table5": {paper: "PLRSQ 98.95, 98.10, 94.27, 86.59, 88.56, 89.09 %", repetitions: "20 draws",
		fill: func(r *Run, h *headline) {
			t, l := r.table("accuracy"), []string{"3", "4", "5", "6", "7", "8"}
			h.ours, h.difference = t.means(7, l...)+" %", t.differences(1, 7, 8, l...)+" points"
		}},
	"plrsq-fig6": {paper: "–", repetitions: "3", fill: func(r *Run, h *headline) {
		h.ours = "PLRSQ with 200 to 5000 images: " + r.table("accuracy").means(1, "200", "500", "1000", "5000") + " %"
	}},
	"plrsq-footnote-3": {paper: "9×9 descriptors are better than 5×5", repetitions: "3",
		fill: func(r *Run, h *headline) {
			t, l := r.table("accuracy"), []string{"200", "500", "1000", "5000"}
			h.ours = "9×9 " + t.means(1, l...) + "; 5×5 " + t.means(2, l...) + " %"
		}},
	"plrsq-fig6-vgg": {paper: "PLRSQ is better than a randomly initialized VGG-11 when there are few images",
		repetitions: "2", fill: func(r *Run, h *headline) {
			t := r.table("accuracy")
			h.ours = "PLRSQ " + t.means(1, "200", "500") + ", VGG-11 " + t.means(2, "200", "500") + " %"
		}},
	"plrsq-fig7": {paper: "The training time is linear in the number of images"},
	"plrsq-table6": {paper: "The mean kappa of PLRSQ is 0.59", repetitions: "9 subjects, 10 seeds",
		fill: func(r *Run, h *headline) {
			t := r.table("kappa")
			ours := t.number("PLRSQ", len(t.Header)-2)
			h.ours, h.difference = fmt.Sprintf("%.3f", ours), fmt.Sprintf("%+.3f", ours-0.59)
		}},
}
