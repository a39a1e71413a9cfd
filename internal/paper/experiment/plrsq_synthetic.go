package experiment

import (
	"context"
	"fmt"

	"rao/dataset"
	"rao/internal/scoring"
	"rao/lvq"
	"rao/report"
	"rao/spd"
)

// nearestDecides describes the decisions of the tables with rows or columns "by the posterior".
const nearestDecides = "The nearest prototype decides, as in the authors' code (github.com/sonnatang/" +
	"RiemannianPLVQ). Rows and columns \"by the posterior\" classify the same fits by equation 16."

const synProtocol = "The data are the same as in figure 2, with 30 repetitions. We fixed the number of prototypes " +
	"and σ²opt beforehand near the means of table B.7, and choose only the number of epochs on the validation part. " +
	"MDRM learns from the training and validation parts together. " + nearestDecides

var synNotes = []string{
	"The paper searches σ²opt from 0.45 to 50, 1 to 3 prototypes per class and 20, 50 or 100 epochs (GMLVQ: 20, 30 " +
		"or 100) on the validation part.",
	"RSLVQ is annealed and projected as in section 6.1.5.",
	synUnexplained,
}

// mdrmPrinted is the row of MDRM in table 3.
var mdrmPrinted = [2]string{"0.9737 ± 0.0053", "0.9074 ± 0.0089"}

// synChoice is a choice of the options that the search selects.
type synChoice struct {
	prototypes, epochs int
	sigma2             float64 // 0 for methods without σ²
}

// synMethod is a method of tables 3 and 4, with the results of the paper and the options to search.
type synMethod struct {
	label  string
	paper  [2]string    // accuracies
	chosen [2]string    // prototypes, epochs and σ² in table B.7
	at     [2]synChoice // the same values, rounded, without epochs
	epochs []int
	fit    func(c synChoice) fitter
}

// synMethods lists the methods whose options are searched.
func (r *Run) synMethods() []synMethod {
	prototypes := func(anneal lvq.Annealing, metric spd.Metric) func(c synChoice) fitter {
		return func(c synChoice) fitter {
			o := paperPLRSQ(10, c.prototypes, c.sigma2, c.epochs, anneal)
			o.Metric = metric
			return fitPLRSQ(o)
		}
	}
	epochs, matrixEpochs := []int{20, 50, 100}, []int{20, 30, 100}
	if r.Short {
		epochs, matrixEpochs = []int{1, 2}, []int{1, 2}
	}
	return []synMethod{
		{"PLRSQ-Const", [2]string{"0.9765 ± 0.0052", "0.9051 ± 0.0107"},
			[2]string{"2.57 ± 0.57; 88.33 ± 21.51; 8.00 ± 7.24", "2.57 ± 0.62; 80.67 ± 25.38; 0.53 ± 0.16"},
			[2]synChoice{{3, 0, 8}, {3, 0, 0.5}}, epochs, prototypes("", spd.Riemann)},
		{"PLRSQ-AN", [2]string{"0.9770 ± 0.0055", "0.9211 ± 0.0073"},
			[2]string{"2.43 ± 0.63; 95.00 ± 15.26; 8.82 ± 8.15", "1.57 ± 0.73; 75.00 ± 15.43; 0.45 ± 0.01"},
			[2]synChoice{{2, 0, 8}, {2, 0, 0.45}}, epochs, prototypes("published", spd.Riemann)},
		{"RSLVQ", [2]string{"0.9407 ± 0.0083", "0.7752 ± 0.0125"},
			[2]string{"2.87 ± 0.35; 64.00 ± 31.91; 1.98 ± 0.62", "1.87 ± 0.89; 55.67 ± 34.20; 1.39 ± 0.81"},
			[2]synChoice{{3, 0, 2}, {2, 0, 1.5}}, epochs, prototypes("published", spd.Euclid)},
		{"GMLVQ", [2]string{"0.9361 ± 0.0078", "0.8191 ± 0.0155"},
			[2]string{"2.40 ± 0.62; 57.67 ± 32.87; –", "2.70 ± 0.60; 31.67 ± 18.95; –"},
			[2]synChoice{{2, 0, 0}, {3, 0, 0}}, matrixEpochs,
			func(c synChoice) fitter { return fitMatrixGMLVQ(c.prototypes, c.epochs) }},
	}
}

// fitMatrixGMLVQ returns a fitter of prototypes and a metric on the entries of the matrices.
func fitMatrixGMLVQ(prototypes, epochs int) fitter {
	return func(ctx context.Context, d *dataset.Data, seed uint64) (matrixClassifier, error) {
		return lvq.FitMatrixGMLVQ(ctx, d.Stack, d.Labels, nil,
			lvq.MatrixGMLVQOptions{GMLVQOptions: lvq.GMLVQOptions{Prototypes: prototypes, Epochs: epochs,
				CalibrationFolds: -1, Seed: seed}})
	}
}

// synFound is the result of a search in each repetition: the test accuracies with both rules, and the choice.
type synFound struct {
	nearest, posterior []float64
	chosen             []synChoice
}

// synSearch fits all choices in each repetition and returns the best choice on the validation part. In a tie, the first
// one wins.
func (r *Run) synSearch(ctx context.Context, set int, m synMethod, parts [][3]*dataset.Data) (*synFound, error) {
	choices := r.synChoices(set, m)
	count := len(choices)
	found, err := r.Numbers(ctx, synNames[set]+", "+m.label, count*len(parts), func(job int) ([]float64, error) {
		k, i := job/count, job%count
		return m.fit(choices[i]).ruled(ctx, parts[k][0], uint64(k), parts[k][1:]...)
	})
	if err != nil {
		return nil, err
	}
	out := &synFound{}
	for k := range parts {
		best := 0
		for i := range count {
			if found[k*count+i][0] > found[k*count+best][0] {
				best = i
			}
		}
		values := found[k*count+best]
		out.nearest, out.posterior = append(out.nearest, values[2]), append(out.posterior, values[3])
		out.chosen = append(out.chosen, choices[best])
	}
	return out, nil
}

// synChoices returns the choices of options that the search tries for a method.
func (r *Run) synChoices(set int, m synMethod) []synChoice {
	starts := []synChoice{m.at[set]}
	if r.Whole {
		starts = nil
		for _, p := range []int{1, 2, 3} {
			for _, s2 := range r.paperSigma2(nil) {
				if m.at[set].sigma2 > 0 {
					starts = append(starts, synChoice{prototypes: p, sigma2: s2})
				}
			}
			if m.at[set].sigma2 == 0 {
				starts = append(starts, synChoice{prototypes: p})
			}
		}
	}
	var out []synChoice
	for _, c := range starts {
		for _, c.epochs = range m.epochs {
			out = append(out, c)
		}
	}
	return out
}

// synTables reproduces tables 3, 4 and B.7: four methods on the synthetic sets.
func synTables(ctx context.Context, r *Run) error {
	repetitions := r.Pick(30, 2)
	methods := r.synMethods()
	mdrm, err := r.synMDRM(ctx, repetitions)
	if err != nil {
		return err
	}
	var found [2][]*synFound
	for set := range synNames {
		parts, err := r.synRepetitions(set, repetitions)
		if err != nil {
			return err
		}
		for _, m := range methods {
			f, err := r.synSearch(ctx, set, m, parts)
			if err != nil {
				return fmt.Errorf("%s: %w", m.label, err)
			}
			found[set] = append(found[set], f)
		}
	}
	r.synAccuracies(methods, mdrm, found)
	r.synChosen(methods, found)
	return nil
}

// synAccuracies writes tables 3 and 4 as one table, with the claims of section 6.1 about them.
func (r *Run) synAccuracies(methods []synMethod, mdrm [2][]float64, found [2][]*synFound) {
	t := r.Table("accuracy", "Test accuracy, mean ± SD [95 % interval]. p is from the paired signed-rank test "+
		"against PLRSQ-AN", "method", "SynI", "paper", "p", "SynII", "paper", "p")
	type line struct {
		label  string
		paper  [2]string
		scores [2][]float64
	}
	lines := []line{{"MDRM", mdrmPrinted, mdrm}}
	for i, m := range methods {
		lines = append(lines, line{m.label, m.paper, [2][]float64{found[0][i].nearest, found[1][i].nearest}})
	}
	for i, m := range methods[:3] {
		lines = append(lines, line{m.label + ", by the posterior", [2]string{},
			[2][]float64{found[0][i].posterior, found[1][i].posterior}})
	}
	for _, l := range lines {
		row := []any{l.label}
		for set := range synNames {
			p := "–"
			if l.label != "PLRSQ-AN" {
				p = Cell(signedRank(l.scores[set], found[set][1].nearest))
			}
			row = append(row, withInterval(l.scores[set], 1, 4), Printed(l.paper[set]), p)
		}
		t.Add(row...)
	}
	for set, name := range synNames {
		var bars []report.Bar
		for i, l := range lines[:5] {
			mean, sd := scoring.MeanSD(l.scores[set])
			bars = append(bars, report.Bar{Label: l.label, Value: mean, Low: mean - sd, High: mean + sd,
				Highlight: i == 1 || i == 2})
		}
		r.bars("accuracy-"+name, "Accuracy on "+name, bars,
			report.Axis{Label: "accuracy", Percent: true, Min: 0.6, Max: 1})
	}
	at := func(set, i int) []float64 { return lines[i].scores[set] }
	compare := func(says string, set, a, b int, holds func(more bool, p float64) bool, threshold string) {
		p := signedRank(at(set, a), at(set, b))
		r.Claim(says, holds(average(at(set, a)) > average(at(set, b)), p), "%.4f against %.4f, p = %s.",
			average(at(set, a)), average(at(set, b)), Cell(p)).If(threshold)
	}
	better := func(more bool, p float64) bool { return more && p < 0.05 }
	for _, c := range []struct {
		says      string
		set, a, b int
	}{
		{"On SynI PLRSQ-AN is significantly better than MDRM (p = 2.35e-6).", 0, 2, 0},
		{"On SynI PLRSQ-Const is significantly better than MDRM (p = 4.21e-5).", 0, 1, 0},
		{"On SynII PLRSQ-AN is significantly better than MDRM (p = 1.71e-6).", 1, 2, 0},
		{"On SynII PLRSQ-AN is significantly better than PLRSQ-Const (p = 3.48e-6).", 1, 2, 1},
		{"On SynI PLRSQ significantly outperforms RSLVQ.", 0, 2, 3},
		{"On SynII PLRSQ significantly outperforms RSLVQ.", 1, 2, 3},
		{"On SynI PLRSQ significantly outperforms GMLVQ.", 0, 2, 4},
		{"On SynII PLRSQ significantly outperforms GMLVQ.", 1, 2, 4},
	} {
		compare(c.says, c.set, c.a, c.b, better, "larger mean, p < 0.05")
	}
	compare("On SynII MDRM and PLRSQ-Const do not differ significantly (p = 0.48).", 1, 0, 1,
		func(_ bool, p float64) bool { return p >= 0.05 }, "p ≥ 0.05")
	compare("On SynI PLRSQ-AN is slightly better than PLRSQ-Const (p = 0.24).", 0, 2, 1,
		func(more bool, _ float64) bool { return more }, "larger mean")
}

// synChosen writes table B.7.
func (r *Run) synChosen(methods []synMethod, found [2][]*synFound) {
	t := r.Table("chosen", "Table B.7: selected prototypes per class; epochs; σ²opt, mean ± SD", "method", "SynI",
		"paper", "SynII", "paper")
	for i, m := range methods {
		row := []any{m.label}
		for set := range synNames {
			var prototypes, epochs, sigma2 []float64
			for _, c := range found[set][i].chosen {
				prototypes, epochs, sigma2 = append(prototypes, float64(c.prototypes)),
					append(epochs, float64(c.epochs)), append(sigma2, c.sigma2)
			}
			free := "–"
			if m.at[set].sigma2 > 0 {
				free = spread(sigma2, 1, 2)
			}
			row = append(row, fmt.Sprintf("%s; %s; %s", spread(prototypes, 1, 2), spread(epochs, 1, 2), free),
				Printed(m.chosen[set]))
		}
		t.Add(row...)
	}
}
