package experiment

import (
	"fmt"
	"strings"
)

// headline is the row of an experiment in the summary of a page.
type headline struct{ paper, ours, difference, repetitions string }

// headline returns the row for a result of the experiment. Cells without a value contain the paper's statement and our
// result of the first claim, or a dash.
func (e *Experiment) headline(r *Result) headline {
	h := headline{}
	if of := headlines[e.ID]; of != nil && r != nil {
		h = of(&Run{result: r})
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

// headlines contains functions that return the rows of the summaries, by ID. A row shows the value in the paper, or a
// statement of its text if the paper prints no value.
var headlines = map[string]func(r *Run) headline{
	"sqfa-fig2": func(r *Run) headline {
		return headline{"In problem 1 SQFA picks dimensions 1-2, LDA 3-4 and PCA 5-6; in problem 2 SQFA picks 1-2 " +
			"and smSQFA 3-4",
			"problem 1: 1-2, 3-4 and 5-6; problem 2: 1-2 and 3-4", "", "population statistics"}
	},
	"sqfa-fig4": func(r *Run) headline {
		return headline{"SQFA, BDM and LMNN are best and nearly equal; SQFA is above smSQFA and LDA",
			r.table("accuracy").accuracies(1, "SQFA", "BDM", "LMNN", "smSQFA", "LDA") + " %", "", "10000 test images"}
	},
	"sqfa-fig5": func(r *Run) headline {
		return headline{"AMA-Gauss is best, then SQFA and smSQFA",
			r.table("accuracy").accuracies(1, "AMA-Gauss", "SQFA", "smSQFA", "BDM") + " %", "", "12300 test videos"}
	},
	"sqfa-fig6": func(r *Run) headline {
		return headline{"FR, Bhatt, KL, LE and BWN pick dimensions 1-2, BW and E " +
			"3-4", "", "", "population statistics"}
	},
	"sqfa-fig7-speed": func(r *Run) headline {
		return headline{"FR and LE are best, then Bhatt and KL, BWN, BW and E",
			r.table("accuracy").accuracies(1, "FR", "LE", "Bhatt", "KL", "BWN", "BW", "E") + " %", "",
			"12300 test videos"}
	},
	"sqfa-v1-fig8-mnist": func(r *Run) headline {
		return headline{"No distance is above FR",
			r.table("accuracy").accuracies(1, "FR", "LE", "KL", "BW", "E") + " %", "", "10000 test images"}
	},
	"sqfa-fig8-speed": func(r *Run) headline {
		return headline{"FR is best or tied in five of six conditions; E is worst, then BW", "", "", "12300 test " +
			"videos"}
	},
	"sqfa-fig9-speed": func(r *Run) headline {
		return headline{"FR is best in general, tied with LE", "", "", "3000 draws per class"}
	},
	"sqfa-fig10": func(r *Run) headline {
		found := func(k int) string { return strings.TrimSuffix(strings.ToLower(r.result.Claims[k].Found), ".") }
		return headline{"Fisher-Rao and log-odds are linear in log σ², and Bhattacharyya is curved near 0",
			"Fisher-Rao: " + found(0) + "; log-odds: " + found(4) + "; Bhattacharyya: " + found(1), "", "100000 draws"}
	},
	"sqfa-fig11": func(r *Run) headline {
		return headline{"Fisher-Rao contours are circles, and error contours are tilted", "", "", "100000 draws"}
	},
	"sqfa-fig12-mnist": func(r *Run) headline {
		return headline{"SQFA is comparable to LDA, ICA and FA, and takes seconds",
			r.table("seconds").accuracies(2, "SQFA", "LDA", "ICA", "FA", "LMNN") + " s", "", "median of 3"}
	},
	"sqfa-fig12-speed": func(r *Run) headline {
		return headline{"SQFA is comparable to LDA, ICA and FA, and takes seconds",
			r.table("seconds").accuracies(2, "SQFA", "LDA", "ICA", "FA", "LMNN") + " s", "", "median of 3"}
	},
	"sqfa-fig13-mnist": func(r *Run) headline {
		return headline{"The order of the methods is as on the test set", "", "", "20000 draws per class"}
	},
	"sqfa-fig13-speed": func(r *Run) headline {
		return headline{"The order of the methods is as on the test set", "", "", "5000 draws per class"}
	},
	"sqfa-footnote-4": func(r *Run) headline {
		return headline{"Results on the reduced data are similar", "", "", "10000 test images"}
	},
	"plrsq-fig1":   func(r *Run) headline { return headline{"four sets of eigenvalues", "the formulas", "none", ""} },
	"plrsq-table1": func(r *Run) headline { return headline{"250·4 matrices in each part", "the same", "none", ""} },
	"plrsq-fig2": func(r *Run) headline {
		return headline{"PLRSQ is sensitive to σ²; tuned, both forms are above MDRM", "", "", "30"}
	},
	"plrsq-table2": func(r *Run) headline {
		t, l := r.table("accuracy"), []string{"nξ/50", "nξ/100", "nξ/200"}
		return headline{"97.50, 97.43, 97.41 (SynI); 89.78, 89.49, 88.78 (SynII) %",
			t.means(1, l...) + "; " + t.means(4, l...) + " %",
			t.differences(1, 1, 2, l...) + "; " + t.differences(1, 4, 5, l...), "30"}
	},
	"plrsq-fig3": func(r *Run) headline {
		i, ii := r.table("course-SynI"), r.table("course-SynII")
		return headline{"PLRSQ-AN ends at a smaller cost than PLRSQ-Const, and is not monotonic on SynII",
			fmt.Sprintf("cost at the end %s and %s on SynI, %s and %s on SynII", i.cell("100", 4), i.cell("100", 1),
				ii.cell("100", 4), ii.cell("100", 1)), "", "1"}
	},
	"plrsq-fig4": func(r *Run) headline { return headline{"Training with β = 0.99 converges naturally", "", "", "1"} },
	"plrsq-table3": func(r *Run) headline {
		t, l := r.table("accuracy"), "PLRSQ-AN"
		return headline{"PLRSQ-AN: " + t.means(2, l) + " (SynI); " + t.means(5, l) + " (SynII)",
			t.means(1, l) + "; " + t.means(4, l),
			t.differences(100, 1, 2, l) + "; " + t.differences(100, 4, 5, l) + " points", "30"}
	},
	"plrsq-fig5": func(r *Run) headline {
		draws := "20 draws"
		if r.result.Version == 0 {
			draws = "2 draws"
		}
		return headline{"The accuracy falls with more categories; six are harder than eight", "", "", draws}
	},
	"plrsq-table5": func(r *Run) headline {
		t, l := r.table("accuracy"), []string{"3", "4", "5", "6", "7", "8"}
		return headline{"PLRSQ 98.95, 98.10, 94.27, 86.59, 88.56, 89.09 %", t.means(7, l...) + " %",
			t.differences(1, 7, 8, l...) + " points", "20 draws"}
	},
	"plrsq-fig6": func(r *Run) headline {
		t := r.table("accuracy")
		return headline{"–", "PLRSQ with 200 to 5000 images: " + t.means(1, "200", "500", "1000", "5000") + " %", "",
			"3"}
	},
	"plrsq-footnote-3": func(r *Run) headline {
		t, l := r.table("accuracy"), []string{"200", "500", "1000", "5000"}
		return headline{"9×9 descriptors are better than 5×5",
			"9×9 " + t.means(1, l...) + "; 5×5 " + t.means(2, l...) + " %", "", "3"}
	},
	"plrsq-fig6-vgg": func(r *Run) headline {
		t := r.table("accuracy")
		return headline{"PLRSQ is better than a randomly initialized VGG-11 when there are few images", "PLRSQ " +
			t.means(1, "200", "500") + ", VGG-11 " + t.means(2, "200", "500") + " %", "", "2"}
	},
	"plrsq-fig7": func(r *Run) headline {
		return headline{"The training time is linear in the number of images", "", "", ""}
	},
	"plrsq-table6": func(r *Run) headline {
		t := r.table("kappa")
		last := len(t.Header) - 2
		ours, ok := leadingNumber(t.cell("PLRSQ", last))
		if !ok {
			return headline{}
		}
		return headline{"The mean kappa of PLRSQ is 0.59", fmt.Sprintf("%.3f", ours), fmt.Sprintf("%+.3f", ours-0.59),
			"9 subjects, 10 seeds"}
	},
}
