package experiment

import (
	"context"
	"fmt"

	"rao/dataset"
	"rao/internal/grayimages"
	"rao/internal/scoring"
	"rao/report"
)

const lmnnProtocol = "The protocol was fixed before the run. Digits are reduced to the 164 leading principal " +
	"components of the training digits. LMNN learns as many filters as components, with its default options. The " +
	"10000 test digits are classified by their three nearest neighbors among the 60000 training digits. A short run " +
	"keeps every twentieth digit."

var lmnnNotes = []string{
	"We run LMNN and Euclidean distance on digits that are deskewed by their moments (`rao data deskew`), and on " +
		"plain digits.",
	"The defaults are three target neighbors, which are the nearest in the components, and equal weights of pull and " +
		"push.",
	"Nothing is chosen on test digits.",
}

// lmnnOptions returns the settings of the protocol. There are as many filters as components.
func lmnnOptions(components int) []setting {
	n := fmt.Sprint(components)
	return []setting{{"filters", n}, {"components", n}, {"target-neighbors", "3"}, {"push", "0.5"},
		{"input-targets", "true"}, {"classifier", "knn"}, {"neighbors", "3"}}
}

// lmnnOnMNIST compares nearest neighbors in a learned metric with Euclidean neighbors, on original and deskewed digits.
func lmnnOnMNIST(ctx context.Context, r *Run) error {
	plain, err := r.open(ctx, "mnist", 20)
	if err != nil {
		return err
	}
	upright, err := estimated(plain.both(func(d *dataset.Data) (*dataset.Data, error) {
		return grayimages.Deskew(ctx, d, grayimages.DeskewOptions{})
	}))
	if err != nil {
		return err
	}
	t := r.Table("error", "Errors of the classifier with three neighbors on the test digits",
		"digits", "metric", "errors", "error, %", "95 % interval, %", "fit, s", "decisions, s")
	var bars []report.Bar
	var found []*outcome // Euclidean and LMNN, on plain and then on deskewed digits
	for _, l := range []struct {
		digits string
		set    *labeled
	}{{"plain", plain}, {"deskewed", upright}} {
		for _, m := range []struct {
			metric, method string
			changes        []setting
			highlight      bool
		}{
			{"Euclidean", "pca", []setting{{"filters", "164"}, {"classifier", "knn"}, {"neighbors", "3"}},
				false},
			{"LMNN", "lmnn", lmnnOptions(164), true},
		} {
			o, err := r.fitted(ctx, l.set, m.metric, m.method, m.changes...)
			if err != nil {
				return err
			}
			wrong, rate := o.wrong()
			i := scoring.Wilson(float64(wrong), float64(len(o.truth)), 0.95)
			t.Add(l.digits, m.metric, wrong, 100*rate, percents(i), Seconds(o.fit), Seconds(o.decide))
			found = append(found, o)
			bars = append(bars, report.Bar{Label: m.metric + ", " + l.digits, Value: rate, Low: i.Low, High: i.High,
				Highlight: m.highlight})
		}
	}
	r.bars("error", "Error of three neighbors on the test digits", bars, report.Axis{Label: "error", Percent: true})
	_, plainRate := found[0].wrong()
	_, uprightRate := found[2].wrong()
	r.Remark("Deskewing reduces the Euclidean error from %.2f to %.2f %%.", 100*plainRate, 100*uprightRate)
	var compared []any
	for k := 0; k < len(found); k += 2 {
		euclidean, _ := found[k].wrong()
		learned, _ := found[k+1].wrong()
		compared = append(compared, learned, euclidean, found[k].mcnemar(found[k+1]))
	}
	r.Remark("LMNN and Euclidean distance make %d and %d errors on plain digits (p = %.2g, McNemar's exact test), and "+
		"%d and %d errors on deskewed digits (p = %.2g).", compared...)
	return nil
}

// wrong returns the number and the fraction of wrong decisions.
func (o *outcome) wrong() (count int, rate float64) {
	count = len(o.truth) - o.right
	return count, float64(count) / float64(len(o.truth))
}
