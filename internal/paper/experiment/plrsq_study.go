package experiment

import (
	"context"
	"fmt"

	"rao/evaluate"
	"rao/lvq"
	"rao/report"
)

// sigmaForms are ways to set σ² and the rate, from the same starting value of σ².
var sigmaForms = []struct {
	label string
	set   func(o *lvq.PLRSQOptions)
}{
	{"constant σ², published rate", func(*lvq.PLRSQOptions) {}},
	{"annealed as published", func(o *lvq.PLRSQOptions) { o.Anneal = "published" }},
	{"annealed, β fixed at 0.99", func(o *lvq.PLRSQOptions) { o.Anneal = "fixed" }},
	{"annealed from 2σ² to σ²/2", func(o *lvq.PLRSQOptions) { o.Anneal = "monotone" }},
	{"σ² learned", func(o *lvq.PLRSQOptions) { o.Anneal = "learned" }},
	{"σ² learned, a fifth held out to stop", func(o *lvq.PLRSQOptions) { o.Anneal, o.Validation = "learned", 0.2 }},
	{"constant σ², adaptive rate", func(o *lvq.PLRSQOptions) { o.Schedule = "adaptive" }},
	{"σ² learned, adaptive rate", func(o *lvq.PLRSQOptions) { o.Anneal, o.Schedule = "learned", "adaptive" }},
}

const sigmaFormsProtocol = "The data are SynI and SynII. There is one prototype per class, with 50 epochs and 5 " +
	"repetitions. Each fit starts from σ² of 0.1, 0.45 and 1.5, and the start that is best on the validation part is " +
	"used. The default options of `rao fit plrsq` and MDRM use only the training part."

func sigmaFormsTable(ctx context.Context, r *Run) error {
	starts, repetitions, epochs := []float64{0.1, 0.45, 1.5}, r.Pick(5, 2), r.Pick(50, 3)
	var list []fitter
	for _, form := range sigmaForms {
		for _, s2 := range starts {
			o := paperPLRSQ(10, 1, s2, epochs, "")
			form.set(&o)
			list = append(list, fitPLRSQ(o))
		}
	}
	list = append(list, fitPLRSQ(lvq.PLRSQOptions{CalibrationFolds: -1}), fitMDM)
	r.ownBases = true
	valid, test, err := r.synFits(ctx, repetitions, [2][]fitter{list, list}, false)
	if err != nil {
		return err
	}
	labels := make([]string, 0, len(sigmaForms)+2)
	var scores [2][][]float64
	for f, form := range sigmaForms {
		labels = append(labels, form.label)
		for set := range synNames {
			from, to := f*len(starts), (f+1)*len(starts)
			scores[set] = append(scores[set], ofSelected(test[set][from:to], selected(valid[set][from:to])))
		}
	}
	labels = append(labels, "default options", "MDRM")
	for set := range synNames {
		scores[set] = append(scores[set], test[set][len(list)-2:]...)
	}
	t := r.Table("accuracy", "Test accuracy in percent, mean ± SD [95 % interval]. p is for the comparison "+
		"with a constant σ²", "σ² "+
		"and rate", "SynI", "p", "SynII", "p")
	p := [2][]string{againstFirst(scores[0]), againstFirst(scores[1])}
	for i, label := range labels {
		t.Add(label, withInterval(scores[0][i], 100, 2), p[0][i], withInterval(scores[1][i], 100, 2), p[1][i])
	}
	r.Remark("p is from the two-sided paired signed-rank test over the repetitions. With five repetitions, the " +
		"smallest possible p is 0.0625.")
	return nil
}

const rejectProtocol = "The data are SynI and SynII. There is one prototype per class, with 50 epochs and 10 " +
	"repetitions. σ² is chosen on the validation part from 0.1, 0.45, 1.5 and 8. Matrices are rejected in the order " +
	"of the probability of their most probable class, starting with the lowest. MDRM's probabilities have the same " +
	"form."

// rejectCurves shows the error as a function of the fraction of decisions that are accepted.
func rejectCurves(ctx context.Context, r *Run) error {
	coverage := []float64{1, 0.98, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5}
	r.ownBases = true
	repetitions := r.Pick(10, 2)
	methods := []string{"PLRSQ", "MDRM"}
	for set, name := range synNames {
		risk := make([][][]float64, len(methods)) // by method, coverage and repetition
		for m := range risk {
			risk[m] = zeros(len(coverage), repetitions)
		}
		err := r.eachOf(ctx, name, repetitions, func(k int) error {
			part, err := r.synParts(set, k)
			if err != nil {
				return err
			}
			o := paperPLRSQ(10, 1, 0, r.Pick(50, 3), "")
			o.Seed = uint64(k)
			plrsq, err := bestSigma2(ctx, part[0], part[1], o, 1, 0.1, 0.45, 1.5, 8)
			if err != nil {
				return err
			}
			mdm, err := fitter(fitMDM).on(ctx, part[0], 0)
			if err != nil {
				return err
			}
			for m, c := range []matrixClassifier{plrsq, mdm} {
				logp, err := posterior(ctx, c, part[2])
				if err != nil {
					return err
				}
				curve := evaluate.PosteriorRisk(part[2].Labels, logp)
				for i, share := range coverage {
					risk[m][i][k], _ = curve.At(share)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		t := r.Table("risk-"+name, "Error in percent among the decisions that are not rejected, mean ± SD [95 % "+
			"interval], "+name,
			"decided", methods[0], methods[1], "p")
		lines := []report.Line{{Name: methods[0]}, {Name: methods[1]}}
		for i, share := range coverage {
			t.Add(fmt.Sprintf("%.0f %%", 100*share), withInterval(risk[0][i], 100, 2), withInterval(risk[1][i], 100, 2),
				signedRank(risk[0][i], risk[1][i]))
			for m := range methods {
				curve(&lines[m], share, risk[m][i])
			}
		}
		r.curves("risk-"+name, "Error over the share decided, "+name, lines,
			report.Axis{Label: "share decided", Percent: true}, report.Axis{Label: "error", Percent: true})
	}
	return nil
}
