package experiment

import (
	"fmt"

	"rao/report"
)

// bciForms are the forms of session E: as recorded, and re-centered.
var bciForms = [2]string{"", ", re-centered"}

func kappaOf(s bciScore) float64 { return s.kappa }

// bciChoices lists the options of prototypes that were chosen within session T.
func (r *Run) bciChoices(methods []bciMethod, subjects []*bciSession, outcomes []*bciOutcome) {
	t := r.Table("choices", "Epochs and σ² chosen within session T, and the held-out log loss",
		header(subjects, []string{"method"})...)
	for m, method := range methods {
		if len(method.candidates) == 1 {
			continue
		}
		for form, name := range bciForms {
			row := []any{method.label + name}
			for _, o := range outcomes {
				c := o.chosen[m][form]
				opt := method.candidates[c.candidate].options
				row = append(row, fmt.Sprintf("%d epochs, σ² %g: %.3f", opt.Epochs, opt.Sigma2, c.loss))
			}
			t.Add(row...)
		}
	}
}

// bciKappas writes the table of kappas of all methods and draws their means.
func (r *Run) bciKappas(methods []bciMethod, subjects []*bciSession, outcomes []*bciOutcome) {
	t := r.Table("kappa", "Kappa on session E",
		header(subjects, []string{"method"}, "mean", "paper", "p against PLRSQ")...)
	var bars []report.Bar
	for form, name := range bciForms {
		var reference []float64
		for m, method := range methods {
			row := []any{method.label + name}
			var means []float64
			for _, o := range outcomes {
				row = append(row, spread(o.values(m, form, kappaOf), 1, 3))
				means = append(means, o.mean(m, form, kappaOf))
			}
			if m == 0 {
				reference = means
			}
			mean := average(means)
			paper, p := Printed(""), "–"
			if b := bciPrintedOf(method.label); b != nil && form == 0 {
				paper = Printed(fmt.Sprintf("%.2f", b.mean))
			}
			if m > 0 {
				p = Cell(signedRank(means, reference))
			}
			t.Add(append(row, fmt.Sprintf("%.3f", mean), paper, p)...)
			bars = append(bars, exactBar(method.label+name, mean, m == 0))
		}
	}
	r.bars("kappa", "Mean kappa on session E", bars, report.Axis{Label: "kappa"})
}

// bciBest shows the best method according to session T alone, and its kappa on E.
func (r *Run) bciBest(methods []bciMethod, subjects []*bciSession, outcomes []*bciOutcome) {
	t := r.Table("best", "The best method within session T, and its kappa on session E",
		header(subjects, []string{"sessions"}, "mean kappa")...)
	for form, name := range []string{"as recorded", "re-centered"} {
		row := []any{name}
		var kappas []float64
		for _, o := range outcomes {
			m := o.best(form)
			kappas = append(kappas, o.mean(m, form, kappaOf))
			row = append(row, fmt.Sprintf("%s: %.3f", methods[m].label, kappas[len(kappas)-1]))
		}
		mean := average(kappas)
		t.Add(append(row, fmt.Sprintf("%.3f", mean))...)
	}
}

// bciCertainty shows the calibration of PLRSQ and the effect of rejection.
func (r *Run) bciCertainty(outcomes []*bciOutcome) {
	t := r.Table("certainty", "PLRSQ's probabilities on session E at the temperature found within session T, means "+
		"over the seeds",
		"subject", "calibration error", "calibration error of exact probabilities", "error",
		"error of the most certain 80 %", "their error with a perfect ranking", "reduction of the error")
	for form, name := range bciForms {
		var sum bciScore
		n, perfect := float64(len(outcomes)), 0.0
		for _, o := range outcomes {
			s := bciScore{
				calibration: o.mean(0, form, func(s bciScore) float64 { return s.calibration }),
				floor:       o.mean(0, form, func(s bciScore) float64 { return s.floor }),
				risk:        o.mean(0, form, func(s bciScore) float64 { return s.risk }),
				risk80:      o.mean(0, form, func(s bciScore) float64 { return s.risk80 }),
			}
			left := max(0, (s.risk-0.2)/0.8)
			t.Add(s.row(o.subject+name, left)...)
			sum.calibration, sum.floor = sum.calibration+s.calibration/n, sum.floor+s.floor/n
			sum.risk, sum.risk80 = sum.risk+s.risk/n, sum.risk80+s.risk80/n
			perfect += left / n
		}
		t.Add(sum.row("mean"+name, perfect)...)
	}
	r.Remark("Exact probabilities would also have a calibration error, because 288 trials fall into 15 bins. The " +
		"column \"calibration error of exact probabilities\" gives the mean of this error. Rejecting a fifth of the " +
		"decisions reduces an error e at best to (e − 0.2)/0.8, if all rejected decisions are wrong. If e is above " +
		"0.43, this is a reduction by less than a third.")
}

func (s bciScore) row(name string, perfect float64) []any {
	return []any{name, fmt.Sprintf("%.3f", s.calibration), fmt.Sprintf("%.3f", s.floor), fmt.Sprintf("%.3f", s.risk),
		fmt.Sprintf("%.3f", s.risk80), fmt.Sprintf("%.3f", perfect), fmt.Sprintf("%.0f %%", 100*(1-s.risk80/s.risk))}
}
