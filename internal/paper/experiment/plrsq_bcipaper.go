package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"

	"rao/dataset"
	"rao/evaluate"
	"rao/lvq"
	"rao/report"
)

const bciPaperProtocol = "The data are subjects A01 to A09 of BCI competition IV, set 2a (S1 to S9 of the paper): " +
	"the 22×22 covariances that the paper's authors published. Methods learn on session T and are tested on session " +
	"E. Scores are Cohen's kappa. PLRSQ-AN uses the paper's start, rate and priors, and the settings that table B.9 " +
	"gives for each subject. Its values are mean ± SD over ten seeds. " + nearestDecides

var bciPaperNotes = []string{
	"Each session has 288 trials of four imagined movements.",
	"The paper's own search selected the prototypes, epochs and σ²opt of table B.9.",
	"\"PLRSQ, default options\" is `rao fit plrsq`, which uses only session T. It has two seeds.",
	"The paper describes no runs of the other methods, which it calls methods \"in the literature\".",
}

// bciSubjects are the nine subjects of BCI Competition IV 2a.
var bciSubjects = []string{"A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09"}

// bciRow is a row of table 6. It contains the kappas of S1 to S9.
type bciRow struct {
	label string
	mean  float64 // as printed
	kappa [9]float64
}

var bciPrinted = []bciRow{
	{"PLRSQ", .59, [9]float64{.75, .34, .80, .58, .38, .37, .70, .64, .75}},
	{"TSSM+LDA", .59, [9]float64{.77, .33, .77, .51, .35, .36, .71, .72, .83}},
	{"WaSF ConvNet", .58, [9]float64{.63, .32, .75, .44, .60, .38, .69, .71, .73}},
	{"1st of the competition", .57, [9]float64{.68, .42, .75, .48, .40, .27, .77, .75, .61}},
	{"TSLDA", .57, [9]float64{.74, .38, .72, .50, .26, .34, .69, .71, .76}},
	{"MDRM", .52, [9]float64{.75, .37, .66, .53, .29, .27, .56, .58, .68}},
	{"2nd of the competition", .52, [9]float64{.69, .34, .71, .44, .16, .21, .66, .73, .69}},
	{"3rd of the competition", .31, [9]float64{.38, .18, .48, .33, .07, .14, .29, .49, .44}},
}

// bciPrintedOf returns the printed row of a method, or nil if there is none.
func bciPrintedOf(label string) *bciRow {
	for i := range bciPrinted {
		if bciPrinted[i].label == label {
			return &bciPrinted[i]
		}
	}
	return nil
}

// PrintedKappas returns the kappas of S1 to S9 in the row of table 6 with this label.
func PrintedKappas(label string) [9]float64 { return bciPrintedOf(label).kappa }

// bciSelected is table B.9: the number of prototypes, the epochs and σ² of each of the subjects S1 to S9.
var bciSelected = [9]struct {
	prototypes, epochs int
	sigma2             float64
}{{1, 20, 3.5}, {4, 20, 1}, {4, 20, 1}, {2, 100, 8}, {1, 20, 4}, {1, 20, 3.5}, {2, 50, 5.5}, {2, 20, 2.5}, {1, 100, 5}}

// bciSeeds is the number of seeds of PLRSQ in table 6.
const bciSeeds = 10

// bciPaperTable reproduces table 6 with the options of table B.9.
func bciPaperTable(ctx context.Context, r *Run) error {
	subjects, err := r.openSubjects(ctx, 1)
	if err != nil {
		return err
	}
	labels := []string{"PLRSQ", "PLRSQ, by the posterior", "PLRSQ, default options", "TSSM+LDA", "TSLDA", "MDRM"}
	kappas := make([][][]float64, len(labels)) // by method, subject and seed
	chosen := make([]lvq.PLRSQOptions, len(subjects))
	for m := range kappas {
		kappas[m] = make([][]float64, len(subjects))
	}
	for k, s := range subjects {
		b := bciSelected[k]
		chosen[k] = paperPLRSQ(s.train.Stack.Dim, b.prototypes, b.sigma2, r.Pick(b.epochs, 2), "published")
		if r.Whole {
			if chosen[k], err = r.bciSearch(ctx, s); err != nil {
				return err
			}
		}
		for _, m := range []struct {
			fit         fitter
			seeds, into int
		}{{fitPLRSQ(chosen[k]), r.Pick(bciSeeds, 2), 0}, {fitPLRSQ(lvq.PLRSQOptions{CalibrationFolds: -1}),
			r.Pick(2, 1), 2}, {byMethod("tssm"), 1, 3}, {fitTSLDA, 1, 4}, {fitMDM, 1, 5}} {
			found, err := r.Numbers(ctx, s.name+", "+labels[m.into], m.seeds, func(seed int) ([]float64, error) {
				return m.fit.scored(ctx, s.train, uint64(seed), kappa, s.test)
			})
			if err != nil {
				return fmt.Errorf("%s: %w", labels[m.into], err)
			}
			for _, v := range found {
				kappas[m.into][k] = append(kappas[m.into][k], v[0])
				if m.into == 0 {
					kappas[1][k] = append(kappas[1][k], v[1])
				}
			}
		}
		r.progress("subjects", k+1, len(subjects))
	}
	r.bciPaperKappas(labels, subjects, kappas)
	t := r.Table("chosen", "Table B.9: prototypes per class, epochs and σ²opt of PLRSQ", "subject", "prototypes",
		"paper", "epochs", "paper", "σ²opt", "paper")
	for k, s := range subjects {
		o, b := chosen[k], bciSelected[k]
		t.Add(s.name, o.Prototypes, Printed(fmt.Sprint(b.prototypes)), o.Epochs, Printed(fmt.Sprint(b.epochs)),
			o.Sigma2, Printed(fmt.Sprint(b.sigma2)))
	}
	return nil
}

// bciSearch selects the options of PLRSQ-AN in the folds of session T.
func (r *Run) bciSearch(ctx context.Context, s *bciSession) (lvq.PLRSQOptions, error) {
	tried := paperGrid(s.train.Stack.Dim, []int{1, 2, 3, 4}, []int{20, 50, 100}, r.paperSigma2(nil))
	best, err := r.bestInFolds(ctx, s, len(tried), func(i int, train, test *dataset.Data) (float64, error) {
		v, err := fitPLRSQ(tried[i]).ruled(ctx, train, r.Seed, test)
		if err != nil {
			return 0, err
		}
		return v[0], nil
	})
	return tried[best], err
}

// bestInFolds returns the candidate with the highest mean score in the folds of session T. In a tie, the first one
// wins.
func (r *Run) bestInFolds(ctx context.Context, s *bciSession, candidates int,
	score func(i int, train, test *dataset.Data) (float64, error)) (best int, err error) {
	folds := len(s.folds)
	found, err := r.Numbers(ctx, s.name+", folds", candidates*folds, func(job int) ([]float64, error) {
		f := s.folds[job%folds]
		v, err := score(job/folds, s.train.Subset(f.Train), s.train.Subset(f.Test))
		return []float64{v}, err
	})
	if err != nil {
		return 0, err
	}
	top := -1.0
	for i := range candidates {
		if mean := average(slices.Concat(found[i*folds : (i+1)*folds]...)); mean > top+1e-12 {
			best, top = i, mean
		}
	}
	return best, nil
}

func (r *Run) bciPaperKappas(labels []string, subjects []*bciSession, kappas [][][]float64) {
	t := r.Table("kappa", fmt.Sprintf("Table 6: kappa on session E, the paper's in brackets; the 95 %% interval of a "+
		"kappa of 288 trials is about ±%.2f, and of a mean of nine about ±%.2f; p of the paired signed-rank test "+
		"over the subjects against PLRSQ", kappaHalfWidth, kappaHalfWidth/3),
		header(subjects, []string{"method"}, "mean", "p")...)
	means := make([][]float64, len(labels)) // by method and subject
	var bars []report.Bar
	for m, label := range labels {
		printed := bciPrintedOf(label)
		withPrinted := func(ours string, v float64) string {
			if printed == nil {
				return ours
			}
			return fmt.Sprintf("%s (%.2f)", ours, v)
		}
		row := []any{label}
		for k := range subjects {
			v := 0.0
			if printed != nil {
				v = printed.kappa[k]
			}
			row = append(row, withPrinted(spread(kappas[m][k], 1, 3), v))
			means[m] = append(means[m], average(kappas[m][k]))
		}
		p, mean := "–", 0.0
		if m > 0 {
			p = Cell(signedRank(means[m], means[0]))
		}
		if printed != nil {
			mean = printed.mean
		}
		t.Add(append(row, withPrinted(fmt.Sprintf("%.3f", average(means[m])), mean), p)...)
		bars = append(bars, exactBar(label, average(means[m]), m == 0))
	}
	for _, b := range bciPrinted {
		if slices.Contains(labels, b.label) {
			continue
		}
		row := []any{b.label}
		for k := range subjects {
			row = append(row, fmt.Sprintf("(%.2f)", b.kappa[k]))
		}
		t.Add(append(row, fmt.Sprintf("(%.2f)", b.mean), "–")...)
	}
	r.bars("kappa", "Mean kappa on session E", bars, report.Axis{Label: "kappa"})
	r.bciPaperClaims(len(subjects), means)
}

// kappaHalfWidth is 1.96 standard errors of kappa for 288 trials at an accuracy of 0.65.
var kappaHalfWidth = 1.96 * math.Sqrt(0.65*0.35/288) / 0.75

// bciPaperClaims compares the results with the claims of section 6.3.
func (r *Run) bciPaperClaims(subjects int, means [][]float64) {
	enough := subjects == len(bciSubjects)
	off, above, best, net := 0.0, [2]int{}, 0, 0
	for k := range subjects {
		off = math.Max(off, math.Abs(means[0][k]-bciPrintedOf("PLRSQ").kappa[k]))
		for i, m := range []int{5, 4} {
			if means[0][k] > means[m][k] {
				above[i]++
			}
		}
		highest := true
		for _, b := range bciPrinted[1:] {
			highest = highest && means[0][k] > b.kappa[k]
		}
		if highest {
			best++
		}
		if means[0][k] > bciPrintedOf("WaSF ConvNet").kappa[k] {
			net++
		}
	}
	r.Claim("PLRSQ reaches kappas of 0.75, 0.34, 0.80, 0.58, 0.38, 0.37, 0.70, 0.64 and 0.75 on S1 to S9.", off <= 0.05,
		"At most %.3f away.", off).If("at most 0.05 on every subject").Needs(enough)
	r.Claim("PLRSQ has a mean kappa of 0.59.", math.Abs(average(means[0])-0.59) <= 0.015, "%.3f.",
		average(means[0])).If("at most 0.015 away").Needs(enough)
	r.Claim("PLRSQ outperforms MDRM on 7 of 9 subjects.", above[0] >= 7, "On %d of %d.", above[0], subjects).
		If("at least 7 of 9").Needs(enough)
	r.Claim("PLRSQ outperforms TSLDA on 6 of 9 subjects.", above[1] >= 6, "On %d of %d.", above[1], subjects).
		If("at least 6 of 9").Needs(enough)
	r.Claim("PLRSQ is superior to WaSF ConvNet on 6 of 9 subjects.", net >= 6,
		"It is on %d of %d, compared with the printed kappas of the "+
			"network.", net, subjects).If("at least 6 of 9").
		Needs(enough)
	r.Claim("PLRSQ is one of three methods that are the best on two of nine subjects.", best >= 2,
		"It is on %d of %d, compared with the printed kappas of the "+
			"others.", best, subjects).If("at least 2 of 9").
		Needs(enough)
	p := signedRank(means[3], means[0])
	r.Claim("PLRSQ obtains a performance comparable to TSSM+LDA.", p >= 0.05, "Mean kappa %.3f against %.3f, p = %s.",
		average(means[0]), average(means[3]), Cell(p)).If("p ≥ 0.05").Needs(enough)
}

// publishedFolds reads the five-fold split of the training session from the file.
func publishedFolds(d *dataset.Data) ([]evaluate.Fold, error) {
	a := d.Vars["validIdx"]
	if a == nil {
		return nil, fmt.Errorf("%s: the variable validIdx, the five-fold split of the training session, is missing",
			d.Source)
	}
	groups := make([]int, d.N())
	for i := range groups {
		if i < a.Len() {
			groups[i] = int(a.Value(i))
		}
	}
	return evaluate.LeaveOneGroupOut(groups)
}
