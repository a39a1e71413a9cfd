package experiment

import (
	"context"
	"fmt"
	"time"

	"rao/evaluate"
	"rao/internal/grayimages"
	"rao/method"
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
	upright, err := deskewBoth(ctx, plain)
	if err != nil {
		return err
	}
	t := r.Table("error", "Errors of the classifier with three neighbors on the test digits",
		"digits", "metric", "errors", "error, %", "95 % interval, %", "fit, s", "decisions, s")
	var bars []report.Bar
	found := map[[2]string]*decided{}
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
			f, err := r.neighbors(ctx, l.set, m.method, m.changes...)
			if err != nil {
				return err
			}
			t.Add(l.digits, m.metric, f.wrong, 100*f.rate(),
				fmt.Sprintf("%.2f to %.2f", 100*f.interval.Low, 100*f.interval.High),
				Seconds(f.fit), Seconds(f.decide))
			found[[2]string{l.digits, m.metric}] = f
			bars = append(bars, report.Bar{Label: m.metric + ", " + l.digits, Value: f.rate(), Low: f.interval.Low,
				High: f.interval.High, Highlight: m.highlight})
		}
	}
	r.Figure("error", report.Bars("Error of three neighbors on the test digits", bars,
		report.BarsOptions{Axis: report.Axis{Label: "error", Percent: true}}))
	return r.lmnnRemarks(found)
}

func (r *Run) lmnnRemarks(found map[[2]string]*decided) error {
	r.Remark("Deskewing reduces the Euclidean error from %.2f to %.2f %%.",
		100*found[[2]string{"plain", "Euclidean"}].rate(), 100*found[[2]string{"deskewed", "Euclidean"}].rate())
	var compared []any
	for _, digits := range []string{"plain", "deskewed"} {
		one, two := found[[2]string{digits, "Euclidean"}], found[[2]string{digits, "LMNN"}]
		test, err := evaluate.McNemar(one.truth, one.label, two.label, false)
		if err != nil {
			return err
		}
		compared = append(compared, two.wrong, one.wrong, test.P)
	}
	r.Remark("LMNN and Euclidean distance make %d and %d errors on plain digits (p = %.2g, McNemar's exact test), and "+
		"%d and %d errors on deskewed digits (p = %.2g).", compared...)
	return nil
}

// deskewBoth deskews the digits of the training set and the test set.
func deskewBoth(ctx context.Context, l *labeled) (*labeled, error) {
	var out labeled
	var err error
	if out.train, err = grayimages.Deskew(ctx, l.train, grayimages.DeskewOptions{}); err != nil {
		return nil, err
	}
	if out.test, err = grayimages.Deskew(ctx, l.test, grayimages.DeskewOptions{}); err != nil {
		return nil, err
	}
	return &out, out.estimate()
}

// decided contains the decisions of nearest neighbors, and the seconds of the fit and of the decisions.
type decided struct {
	truth, label []int // of each test observation
	wrong        int
	interval     evaluate.Interval // 95 % interval of the error rate
	fit, decide  float64           // in seconds
}

func (d *decided) rate() float64 { return float64(d.wrong) / float64(len(d.truth)) }

// neighbors fits a method with a nearest-neighbor classifier and counts its errors on the test set.
func (r *Run) neighbors(ctx context.Context, l *labeled, name string, changes ...setting) (*decided, error) {
	mod, seconds, err := r.learn(ctx, l, name, changes...)
	if err != nil {
		return nil, err
	}
	d := &decided{fit: seconds}
	start := time.Now()
	truth, p, err := method.PredictLabeled(ctx, mod, l.test)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d.truth, d.label, d.decide = truth, p.Label, time.Since(start).Seconds()
	for i, k := range truth {
		if d.label[i] != k {
			d.wrong++
		}
	}
	d.interval, err = evaluate.WilsonInterval(d.wrong, len(truth), 0.95)
	return d, err
}
