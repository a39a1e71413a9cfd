package experiment

import (
	"context"
	"fmt"
	"math"

	"rao/dataset"
	"rao/evaluate"
	"rao/lvq"
	"rao/report"
)

const bciProtocol = "Subjects A01 to A05 of BCI competition IV, set 2a: 22×22 covariances of 288 trials a session, four imagined movements; learned on session T, tested on session E, Cohen's kappa. " +
	"σ² of PLRSQ is chosen inside T by the five folds that come with the data, from 1, 2, 3, 4.5, 6.5, 9.5 and 14: the largest whose accuracy is within one standard error of the best, because trials of one day are more alike than those of two. One prototype a class, 100 epochs, ten seeds (mean ± SD); the other methods have no seed and their default options. " +
	"Re-centred: session E is moved, without labels, so that its Riemannian mean is that of T. " +
	"A short run has subject A01, two values of σ², three epochs and two seeds."

// bciSession is one subject's training and test session.
type bciSession struct {
	name        string
	train, test *dataset.Data
	folds       []evaluate.Fold // of the training session, as published
}

func (r *Run) openBCI(ctx context.Context, subject string) (*bciSession, error) {
	s := &bciSession{name: subject}
	var err error
	if s.train, err = r.Data(ctx, "bci-iv-2a:"+subject+"T"); err != nil {
		return nil, err
	}
	if s.test, err = r.Data(ctx, "bci-iv-2a:"+subject+"E"); err != nil {
		return nil, err
	}
	s.folds, err = publishedFolds(s.train)
	return s, err
}

// publishedFolds reads the five-fold split of the training session from the file.
func publishedFolds(d *dataset.Data) ([]evaluate.Fold, error) {
	a := d.Vars["validIdx"]
	if a == nil {
		return nil, fmt.Errorf("%s: the file has no variable validIdx, the five-fold split of the training session", d.Source)
	}
	folds := make([]evaluate.Fold, 5)
	for i := range min(a.Len(), d.N()) {
		own := int(a.Value(i)) - 1
		for f := range folds {
			if f == own {
				folds[f].Test = append(folds[f].Test, i)
			} else {
				folds[f].Train = append(folds[f].Train, i)
			}
		}
	}
	return folds, nil
}

// chooseInside returns the largest σ² whose accuracy on the folds inside the training
// session is within one standard error of the best.
func (s *bciSession) chooseInside(ctx context.Context, grid []float64, o lvq.Options) (float64, error) {
	accuracy := make([]float64, len(grid))
	best := 0.0
	for k, s2 := range grid {
		cv, err := evaluate.CrossValidate(ctx, s.folds, func(ctx context.Context, f evaluate.Fold) (*evaluate.Scores, error) {
			o := o
			o.Sigma2 = s2
			m, err := fitPLRSQ(o)(ctx, s.train.Subset(f.Train), 1)
			if err != nil {
				return nil, err
			}
			return scoresOn(m, s.train.Subset(f.Test))
		})
		if err != nil {
			return 0, err
		}
		accuracy[k] = cv.Accuracy
		best = math.Max(best, cv.Accuracy)
	}
	within := math.Sqrt(best * (1 - best) / float64(s.train.N()))
	chosen := grid[0]
	for k, a := range accuracy {
		if a >= best-within {
			chosen = grid[k]
		}
	}
	return chosen, nil
}

// bciPaper are the published kappas by subject A01 to A05 and the mean of all nine.
var bciPaper = map[string]string{
	"PLRSQ": "0.75 0.34 0.80 0.58 0.38; 0.59", "TSSM+LDA": "mean of nine 0.59", "TSLDA": "mean of nine 0.57", "MDRM": "mean of nine 0.52",
}

// bciForms are session E as it is, and moved to the mean of session T.
var bciForms = [2]string{"", ", re-centred"}

// bciTable is table 2.
func bciTable(ctx context.Context, r *Run) error {
	subjects := []string{"A01", "A02", "A03", "A04", "A05"}
	grid := []float64{1, 2, 3, 4.5, 6.5, 9.5, 14}
	if r.Short {
		subjects, grid = subjects[:1], []float64{4.5, 9.5}
	}
	o := lvq.Options{Epochs: r.Pick(100, 3), CalibrationFolds: -1}
	closed := []learner{{"MDRM", 0, fitMDM}, {"FgMDM", 0, fitFgMDM}, {"TSLDA", 0, fitTSLDA}, {"TSSM+LDA", 0, fitTSSM}}
	kappa := map[string][]float64{} // by label and form, a value a subject
	var plrsqCells, movedCells []string
	choices := r.Table("choices", "σ² of PLRSQ as chosen inside session T", append([]string{""}, subjects...)...)
	chosen := []any{"σ²"}
	for k, name := range subjects {
		s, err := r.openBCI(ctx, name)
		if err != nil {
			return err
		}
		s2, err := s.chooseInside(ctx, grid, o)
		if err != nil {
			return err
		}
		chosen = append(chosen, s2)
		o.Sigma2 = s2
		plain, moved, to, err := r.bciSeeds(ctx, s, o)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		plrsqCells, movedCells = append(plrsqCells, spread(plain, 1, 3)), append(movedCells, spread(moved, 1, 3))
		mean, _ := meanAndSD(plain)
		movedMean, _ := meanAndSD(moved)
		kappa["PLRSQ"], kappa["PLRSQ, re-centred"] = append(kappa["PLRSQ"], mean), append(kappa["PLRSQ, re-centred"], movedMean)
		for _, l := range closed {
			c, err := l.fit(ctx, s.train, r.Seed)
			if err != nil {
				return err
			}
			for i, d := range []*dataset.Data{s.test, to} {
				sc, err := scoresOn(c, d)
				if err != nil {
					return err
				}
				label := l.label + bciForms[i]
				kappa[label] = append(kappa[label], sc.Kappa)
			}
		}
		r.progress("subjects", k+1, len(subjects))
	}
	choices.Add(chosen...)
	r.bciResult(subjects, closed, kappa, plrsqCells, movedCells)
	return nil
}

// bciSeeds fits PLRSQ with every seed and returns the kappas on session E, as it is
// and re-centred, and the re-centred session.
func (r *Run) bciSeeds(ctx context.Context, s *bciSession, o lvq.Options) (plain, moved []float64, to *dataset.Data, err error) {
	for seed := range uint64(r.Pick(10, 2)) {
		o.Seed = r.Seed*100 + seed
		m, err := lvq.FitPLRSQ(ctx, s.train.Stack, s.train.Labels, o)
		if err != nil {
			return nil, nil, nil, err
		}
		if to == nil {
			move, err := m.Recenter(ctx, s.test.Stack, lvq.RecenterOptions{})
			if err != nil {
				return nil, nil, nil, err
			}
			there := *s.test
			there.Stack = move.Apply(s.test.Stack)
			to = &there
		}
		a, err := scoresOn(m, s.test)
		if err != nil {
			return nil, nil, nil, err
		}
		b, err := scoresOn(m, to)
		if err != nil {
			return nil, nil, nil, err
		}
		plain, moved = append(plain, a.Kappa), append(moved, b.Kappa)
	}
	return plain, moved, to, nil
}

func (r *Run) bciResult(subjects []string, closed []learner, kappa map[string][]float64, plrsqCells, movedCells []string) {
	t := r.Table("kappa", "Kappa on session E", append(append([]string{"method"}, subjects...), "mean of these", "paper", "p against PLRSQ")...)
	labels := []string{"PLRSQ"}
	for _, l := range closed {
		labels = append(labels, l.label)
	}
	var bars []report.Bar
	for _, form := range bciForms {
		for _, l := range labels {
			row := []any{l + form}
			for k, v := range kappa[l+form] {
				switch {
				case l == "PLRSQ" && form == "":
					row = append(row, plrsqCells[k])
				case l == "PLRSQ":
					row = append(row, movedCells[k])
				default:
					row = append(row, fmt.Sprintf("%.3f", v))
				}
			}
			mean, _ := meanAndSD(kappa[l+form])
			paper, p := "–", "–"
			if s, ok := bciPaper[l]; ok && form == "" {
				paper = s
			}
			if l != "PLRSQ" {
				p = Cell(signedRank(kappa[l+form], kappa["PLRSQ"+form]))
			}
			t.Add(append(row, fmt.Sprintf("%.3f", mean), paper, p)...)
			bars = append(bars, report.Bar{Label: l + form, Value: mean, Low: mean, High: mean, Highlight: l == "PLRSQ"})
		}
	}
	row := []any{"WaSF ConvNet (published only)"}
	for range subjects {
		row = append(row, "–")
	}
	t.Add(append(row, "–", "see the paper", "–")...)
	r.Figure("kappa", report.Bars("Mean kappa on session E", bars, report.BarsOptions{Axis: report.Axis{Label: "kappa"}}))
	r.Remark("The paper's means are over nine subjects, of which five are at hand here; the mean of its PLRSQ values for these five is 0.57. WaSF ConvNet, a network on the raw signals, is not rebuilt. With five subjects the smallest two-sided p-value of the signed-rank test is 0.0625.")
	r.Remark("FgMDM is not in the paper. Re-centring uses no labels but all trials of session E together; the paper does not do it.")
}
