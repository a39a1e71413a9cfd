package experiment

import (
	"context"
	"fmt"
	"math"

	"rao"
	"rao/dataset"
	"rao/lvq"
	"rao/report"
)

const curveProtocol = "SynI and SynII have training, validation and test parts of 250 matrices per class, around " +
	"bases that are drawn once. PLRSQ uses one prototype per class, 100 epochs, and the paper's start, rate and " +
	"priors. "

func (r *Run) progress(stage string, done, total int) {
	r.Progress.Send(rao.Event{Stage: stage, Done: done, Total: total})
}

// paperForms are the two forms of PLRSQ in the paper.
var paperForms = []struct {
	name   string
	anneal lvq.Annealing
}{{"PLRSQ-Const", ""}, {"PLRSQ-AN", "published"}}

// sigmaCurves reproduces figure 2: accuracy against σ²opt.
func sigmaCurves(ctx context.Context, r *Run) error {
	sigmas := r.paperSigma2([]float64{0.45, 0.5, 1, 2, 4, 8, 20, 50})
	repetitions, epochs := r.Pick(30, 2), r.Pick(100, 3)
	var options []lvq.PLRSQOptions
	for _, form := range paperForms {
		for _, s2 := range sigmas {
			options = append(options, paperPLRSQ(10, 1, s2, epochs, form.anneal))
		}
	}
	_, test, err := r.synPrototypes(ctx, repetitions, options)
	if err != nil {
		return err
	}
	mdrm, err := r.synMDRM(ctx, repetitions)
	if err != nil {
		return err
	}
	best := [2][2]float64{} // by set and form
	lowest := [2]float64{1, 1}
	for set, name := range synNames {
		t := r.Table("accuracy-"+name, "Test accuracy in percent on "+name+", mean ± SD [95 % interval]; MDRM, "+
			"learned from the training and validation parts: "+
			withInterval(mdrm[set], 100, 2), "σ²opt", "PLRSQ-Const", "PLRSQ-AN", "p of the difference")
		lines := []report.Line{{Name: paperForms[0].name}, {Name: paperForms[1].name}, {Name: "MDRM", Dashed: true}}
		for i, s2 := range sigmas {
			row, v := []any{s2}, [2][]float64{}
			for f := range paperForms {
				v[f] = test[set][f*len(sigmas)+i]
				row = append(row, withInterval(v[f], 100, 2))
				curve(&lines[f], s2, v[f])
				best[set][f] = math.Max(best[set][f], average(v[f]))
				lowest[set] = math.Min(lowest[set], average(v[f]))
			}
			curve(&lines[2], s2, mdrm[set])
			t.Add(append(row, signedRank(v[0], v[1]))...)
		}
		r.accuracyFigure("accuracy-"+name, "Accuracy over σ²opt, "+name, report.Axis{Label: "σ²opt", Log: true}, lines)
	}
	span := [2]float64{math.Max(best[0][0], best[0][1]) - lowest[0], math.Max(best[1][0], best[1][1]) - lowest[1]}
	r.Claim("PLRSQ is sensitive to σ².", span[0] > 0.01 || span[1] > 0.01, "The accuracies with the best and the "+
		"worst σ² differ by %.1f points on SynI and %.1f on "+
		"SynII.", 100*span[0], 100*span[1]).If("more than a point on either set")
	for f, says := range []string{"With a well tuned σ², PLRSQ-Const outperforms MDRM.", "With a well tuned σ², " +
		"PLRSQ-AN outperforms MDRM."} {
		r.Claim(says, best[0][f] > average(mdrm[0]) && best[1][f] > average(mdrm[1]),
			"At its best σ² it has %.2f %%, and MDRM %.2f %%, on SynI; on SynII %.2f and %.2f %%.",
			100*best[0][f], 100*average(mdrm[0]), 100*best[1][f], 100*average(mdrm[1])).
			If("larger mean on both sets")
	}
	r.Claim("PLRSQ-AN is slightly better than PLRSQ-Const.", best[0][1] > best[0][0] && best[1][1] > best[1][0],
		"At their best σ² they have %.2f and %.2f %% on SynI, and %.2f and %.2f %% on SynII.",
		100*best[0][1], 100*best[0][0], 100*best[1][1], 100*best[1][0]).If("larger mean on both sets")
	return nil
}

// rates are the columns of table 2, and the longer training that the text about the table mentions.
var rates = []struct {
	label  string
	rate   float64
	epochs int
	paper  [2]string
}{
	{"nξ/50", 0.2, 100, [2]string{"97.50 ± 0.46", "89.78 ± 0.86"}},
	{"nξ/100", 0.1, 100, [2]string{"97.43 ± 0.43", "89.49 ± 0.92"}},
	{"nξ/200", 0.05, 100, [2]string{"97.41 ± 0.47", "88.78 ± 1.00"}},
	{"nξ/200, 150 epochs", 0.05, 150, [2]string{"", "89.23 ± 0.98"}},
}

// rateTable reproduces table 2: PLRSQ with three learning rates.
func rateTable(ctx context.Context, r *Run) error {
	repetitions := r.Pick(30, 2)
	var options []lvq.PLRSQOptions
	for _, c := range rates {
		o := paperPLRSQ(10, 1, 1.5, r.Pick(c.epochs, 2+c.epochs/100), "")
		o.Rate = c.rate
		options = append(options, o)
	}
	_, test, err := r.synPrototypes(ctx, repetitions, options)
	if err != nil {
		return err
	}
	t := r.Table("accuracy", "Test accuracy in percent at σ² = 1.5, mean ± SD [95 % interval]. p is from the paired "+
		"signed-rank test against nξ/100; ξ is the number of prototypes per class, here 1",
		"rate at the start", "SynI", "paper", "p", "SynII", "paper", "p")
	for i, c := range rates {
		row := []any{c.label}
		for set := range synNames {
			p := "–"
			if i != 1 {
				p = Cell(signedRank(test[set][i], test[set][1]))
			}
			row = append(row, withInterval(test[set][i], 100, 2), Printed(c.paper[set]), p)
		}
		t.Add(row...)
	}
	mean := func(set, i int) float64 { return 100 * average(test[set][i]) }
	widest := 0.0
	for set := range synNames {
		for i := range 3 {
			widest = math.Max(widest, math.Abs(mean(set, i)-mean(set, 1)))
		}
	}
	r.Claim("Halving and doubling the rate makes no dramatic difference.", widest <= 1.5, "At most %.2f points.",
		widest).If("at most 1.5 points")
	r.Claim("On SynII the smaller rate is slightly worse, and 150 epochs raise its accuracy again.",
		mean(1, 2) < mean(1, 1) && mean(1, 3) > mean(1, 2),
		"%.2f, %.2f and with 150 epochs %.2f %%.", mean(1, 1), mean(1, 2), mean(1, 3)).
		If("order of the means")
	return nil
}

// trace is the course of a fit: the cost in every epoch and the errors in some epochs.
type trace struct {
	cost        []float64
	epochs      []int
	train, test []float64
}

// traced repeats the fit for each epoch in the list and stops it at that epoch, so the prototypes of the epoch can be
// scored.
func traced(ctx context.Context, train, test *dataset.Data, o lvq.PLRSQOptions, epochs []int) (*trace, error) {
	out := &trace{epochs: epochs, train: make([]float64, len(epochs)), test: make([]float64, len(epochs))}
	err := each(ctx, len(epochs), func(i int) error {
		m, err := stoppedAt(ctx, train, o, epochs[i])
		if err != nil {
			return err
		}
		for d, into := range map[*dataset.Data]*float64{train: &out.train[i], test: &out.test[i]} {
			accuracy, err := accuracyOn(m, d)
			if err != nil {
				return err
			}
			*into = 1 - accuracy
		}
		if i == len(epochs)-1 {
			out.cost = m.Report.History
		}
		return nil
	})
	return out, err
}

// stoppedAt fits with a schedule for all epochs but stops after the given epoch.
func stoppedAt(ctx context.Context, d *dataset.Data, o lvq.PLRSQOptions, epoch int) (*lvq.PLRSQ, error) {
	if epoch >= o.Epochs {
		return learnPLRSQ(ctx, d, o)
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	o.Progress = func(e rao.Event) {
		if e.Done >= epoch {
			cancel()
		}
	}
	m, err := lvq.FitPLRSQ(inner, d.Stack, d.Labels, nil, o)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if m == nil {
		return nil, err
	}
	if got := m.Report.Iterations; got != epoch {
		return nil, fmt.Errorf("a fit to be stopped after epoch %d stopped after %d", epoch, got)
	}
	return m, nil
}

// rises counts the epochs in which the cost increases by more than one percent.
func (t *trace) rises() int {
	n := 0
	for i := 1; i < len(t.cost); i++ {
		if t.cost[i] > 1.01*t.cost[i-1] {
			n++
		}
	}
	return n
}

// highest returns the largest ratio of an epoch's cost to the lowest earlier cost.
func (t *trace) highest() float64 {
	ratio, lowest := 0.0, math.Inf(1)
	for _, c := range t.cost {
		ratio, lowest = math.Max(ratio, c/lowest), math.Min(lowest, c)
	}
	return ratio
}

func (t *trace) last() (cost, train, test float64) {
	k := len(t.epochs) - 1
	return t.cost[len(t.cost)-1], t.train[k], t.test[k]
}

// traceEpochs returns the epochs at which errors are measured.
func (r *Run) traceEpochs() []int {
	if r.Short {
		return []int{1, 2, 4}
	}
	return []int{1, 2, 3, 4, 5, 7, 10, 13, 16, 20, 24, 28, 32, 36, 40, 45, 50, 60, 70, 80, 90, 100}
}

func (r *Run) traceFigures(name string, names []string, traces []*trace) {
	var cost, train, test []report.Line
	header := []string{"epoch"}
	for i, t := range traces {
		c, a, b := report.Line{Name: names[i]}, report.Line{Name: names[i]}, report.Line{Name: names[i]}
		for k, v := range t.cost {
			point(&c, float64(k+1), v)
		}
		for k, e := range t.epochs {
			point(&a, float64(e), t.train[k])
			point(&b, float64(e), t.test[k])
		}
		cost, train, test = append(cost, c), append(train, a), append(test, b)
		header = append(header, names[i]+": cost", "training error, %", "test error, %")
	}
	table := r.Table("course-"+name, "Mean cost of each epoch, and errors in percent after the epoch, "+
		"on "+name, header...)
	for k, e := range traces[0].epochs {
		row := []any{e}
		for _, t := range traces {
			row = append(row, t.cost[e-1], fmt.Sprintf("%.2f", 100*t.train[k]), fmt.Sprintf("%.2f", 100*t.test[k]))
		}
		table.Add(row...)
	}
	axis := report.PlotOptions{X: report.Axis{Label: "epoch"}, Y: report.Axis{Label: "cost of an epoch"}}
	panel := []*report.Figure{report.Lines("Cost, "+name, cost, axis)}
	axis.Y = report.Axis{Label: "training error", Percent: true}
	panel = append(panel, report.Lines("Training error, "+name, train, axis))
	axis.Y.Label = "test error"
	panel = append(panel, report.Lines("Test error, "+name, test, axis))
	r.Figure("course-"+name, report.Panels("Cost and errors during training, "+name, 3, panel...))
}

// courses reproduces figure 3: cost and errors during training.
func courses(ctx context.Context, r *Run) error {
	sigma2 := [2][2]float64{{8, 8}, {0.5, 0.45}} // by set and form
	var traces [2][]*trace
	for set, name := range synNames {
		part, err := r.synParts(set, 0)
		if err != nil {
			return err
		}
		var names []string
		for f, form := range paperForms {
			t, err := traced(ctx, part[0], part[2], paperPLRSQ(10, 1, sigma2[set][f], r.Pick(100, 4), form.anneal),
				r.traceEpochs())
			if err != nil {
				return err
			}
			traces[set], names = append(traces[set], t), append(names, form.name)
		}
		r.traceFigures(name, names, traces[set])
		r.progress("sets", set+1, 2)
	}
	i, ii := traces[0], traces[1]
	if err := r.addMDMErrors(ctx); err != nil {
		return err
	}
	constI, _, _ := i[0].last()
	annealedI, _, _ := i[1].last()
	constII, constTrain, constTest := ii[0].last()
	annealedII, annealedTrain, annealedTest := ii[1].last()
	r.Claim("On SynI the cost of both falls monotonically.", i[0].rises()+i[1].rises() == 0, "It rises by more "+
		"than 1 %% in %d epochs of PLRSQ-Const and %d of PLRSQ-AN.", i[0].rises(), i[1].rises()).
		If("no epoch more than 1 % above the one before")
	r.Claim("On SynI PLRSQ-AN converges to a slightly smaller cost.", annealedI < constI, "%.4f against %.4f.",
		annealedI, constI).If("smaller at the end")
	r.Claim("On SynII the learning curve of PLRSQ-Const is monotonic, and the curve of PLRSQ-AN is "+
		"not.", ii[0].rises() == 0 &&
		ii[1].rises() > 0,
		"The cost rises by more than 1 %% in %d epochs of PLRSQ-Const and %d of PLRSQ-AN, to at most %.3g and %.3g "+
			"times the lowest cost before.",
		ii[0].rises(), ii[1].rises(), ii[0].highest(), ii[1].highest()).
		If("no epoch more than 1 % above the one before; at least one")
	r.Claim("On SynII PLRSQ-AN converges to smaller cost, training error and test error.", annealedII < constII &&
		annealedTrain < constTrain && annealedTest < constTest,
		"Cost %.4f against %.4f, training error %.2f against %.2f %%, test error %.2f against %.2f %%.",
		annealedII, constII,
		100*annealedTrain, 100*constTrain, 100*annealedTest, 100*constTest).If("smaller at the end")
	return nil
}

// addMDMErrors adds the errors of MDRM on the same parts.
func (r *Run) addMDMErrors(ctx context.Context) error {
	t := r.Table("mdrm", "Errors in percent of MDRM, learned from the same training part", "set", "training error",
		"test error")
	for set, name := range synNames {
		part, err := r.synParts(set, 0)
		if err != nil {
			return err
		}
		m, err := fitter(fitMDM).on(ctx, part[0], 0)
		if err != nil {
			return err
		}
		row := []any{name}
		for _, d := range []*dataset.Data{part[0], part[2]} {
			accuracy, err := accuracyOn(m, d)
			if err != nil {
				return err
			}
			row = append(row, fmt.Sprintf("%.2f", 100*(1-accuracy)))
		}
		t.Add(row...)
	}
	return nil
}

// slowerAnnealing reproduces figure 4: cost and errors on SynII with slower annealing.
func slowerAnnealing(ctx context.Context, r *Run) error {
	const start = 0.45
	epochs := r.Pick(100, 4)
	heuristic, fixed := annealedSigma2(start, 1.1, epochs), annealedSigma2(start, 1, epochs)
	t := r.Table("sigma2", "σ² over the epochs from σ²opt = 0.45", "epoch", "β(t) = β(t−1)^1.1", "β = 0.99")
	for _, e := range r.traceEpochs() {
		t.Add(e, heuristic[e-1], fixed[e-1])
	}
	lines := []report.Line{{Name: "β(t) = β(t−1)^1.1"}, {Name: "β = 0.99"}}
	for k := range epochs {
		for i, v := range [][]float64{heuristic, fixed} {
			point(&lines[i], float64(k+1), v[k])
		}
	}
	r.Figure("sigma2", report.Lines("σ² over the epochs", lines,
		report.PlotOptions{X: report.Axis{Label: "epoch"}, Y: report.Axis{Label: "σ²"}}))
	part, err := r.synParts(1, 0)
	if err != nil {
		return err
	}
	var traces []*trace
	for _, a := range []lvq.Annealing{"published", "fixed"} {
		t, err := traced(ctx, part[0], part[2], paperPLRSQ(10, 1, start, epochs, a), r.traceEpochs())
		if err != nil {
			return err
		}
		traces = append(traces, t)
	}
	r.traceFigures("SynII", []string{"β(t) = β(t−1)^1.1", "β = 0.99"}, traces)
	r.Claim("With β fixed at 0.99 the learning curve converges naturally.", traces[1].highest() < 1.2 &&
		traces[1].highest() < traces[0].highest(),
		"With β = 0.99 the cost rises to at most %.3g times the lowest cost before, and with β(t) = β(t−1)^1.1 to "+
			"%.3g times.", traces[1].highest(), traces[0].highest()).
		If("never more than 1.2 times the lowest cost before")
	return nil
}

// annealedSigma2 returns the schedule of section 6: σ²(t) = σ²(t−1)β(t), β(t) = β(t−1)^power from β(0) = 0.99, until σ²
// is below its start minus 0.4. We do not let σ² fall below 0.01.
func annealedSigma2(start, power float64, epochs int) []float64 {
	v, beta := start, 0.99
	out := make([]float64, epochs)
	for t := range out {
		if v >= math.Max(start-0.4, 0.01) {
			beta = math.Pow(beta, power)
			v = math.Max(v*beta, 0.01)
		}
		out[t] = v
	}
	return out
}
