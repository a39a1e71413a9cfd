package gallery_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/eeg"
	_ "rao/eeg/spatial" // xdawn
	"rao/eeg/synth"
	"rao/evaluate"
	"rao/gaussian"
	"rao/method"
	"rao/model"
	"rao/recipe"
	"rao/report"
	"rao/spd"
)

func Example_waveforms() {
	rec := must(synth.Evoked(240, 1))
	trials := must(eeg.CutTrials(ctx, []*eeg.Recording{rec}, eeg.TrialOptions{Classes: synth.EvokedClasses,
		Stop: 0.5, SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 1, High: 20}},
			Estimator: "none"}}))
	at, samples := slices.Index(rec.Channels, "P4"), int(0.5*rec.Rate)
	lines := []report.Line{{Name: "light-left"}, {Name: "light-right"}}
	for k := range lines {
		l := &lines[k]
		for s := range samples {
			var values []float64
			for i, class := range trials.Labels {
				if trials.Classes[class] == l.Name {
					values = append(values, trials.Signals.At(i, at*samples+s))
				}
			}
			mean, sd := meanAndDeviation(values)
			l.X, l.Y = append(l.X, float64(s)/rec.Rate), append(l.Y, mean)
			l.Low, l.High = append(l.Low, mean-sd), append(l.High, mean+sd)
		}
		fmt.Printf("%-11s peak of %.2f µV after %.0f ms\n", l.Name, slices.Max(l.Y),
			1000*l.X[slices.Index(l.Y, slices.Max(l.Y))])
	}
	check(report.Lines("The response at P4: mean and standard deviation of the trials", lines, report.PlotOptions{
		X: report.Axis{Label: "seconds after the light"}, Y: report.Axis{Label: "µV"}}).WriteFile("waveforms.svg"))
	// Output:
	// light-left  peak of 4.47 µV after 120 ms
	// light-right peak of 3.12 µV after 320 ms
}

func Example_estimators() {
	rng := rand.New(rand.NewPCG(3, 4))
	a := mat.NewDense(8, 8, nil) // mixes eight sources
	a.Apply(func(i, j int, _ float64) float64 {
		return math.Exp(-2*math.Abs(float64(i-j))) + 0.15*rng.NormFloat64()
	}, a)
	signal, truth := mat.NewDense(1000, 8, nil), mat.NewSymDense(8, nil)
	signal.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, signal)
	signal.Mul(signal, a)
	truth.SymOuterK(1, a.T())
	check(dataset.WriteFile("estimators.npz", &dataset.Data{X: dataset.NewTable(1000, 8, signal.RawMatrix().Data)}))
	check(dataset.WriteFile("estimators-truth.npz", &dataset.Data{Stack: spd.StackFrom(truth)}))
	var lines []report.Line
	for _, e := range []spd.Estimator{"sample", "ledoit_wolf", "oas",
		"schaefer_strimmer"} {
		l := report.Line{Name: string(e)}
		for _, n := range []int{10, 14, 20, 40, 80, 160, 320, 1000} {
			var c mat.SymDense
			must(spd.Covariance(&c, signal.Slice(0, n, 0, 8), spd.CovarianceOptions{Estimator: e}))
			l.X, l.Y = append(l.X, float64(n)), append(l.Y, must(spd.Distance(spd.Riemann, truth, &c)))
		}
		fmt.Printf("%-17s of 10 samples %.4f, of 1000 samples %.4f\n", l.Name, l.Y[0], l.Y[7])
		lines = append(lines, l)
	}
	check(report.Lines("Distance from the true covariance", lines, report.PlotOptions{
		X: report.Axis{Label: "samples", Log: true}, Y: report.Axis{Label: "Riemannian distance"},
		Markers: true}).WriteFile("estimators.svg"))
	// Output:
	// sample            of 10 samples 5.4643, of 1000 samples 0.2651
	// ledoit_wolf       of 10 samples 2.8208, of 1000 samples 0.3726
	// oas               of 10 samples 2.9837, of 1000 samples 0.3757
	// schaefer_strimmer of 10 samples 2.8642, of 1000 samples 0.2957
}

func Example_robust() {
	rng, x := rand.New(rand.NewPCG(20, 23)), mat.NewDense(57, 2, nil)
	for i := range 57 {
		u, v := rng.NormFloat64(), rng.NormFloat64()
		if x.SetRow(i, []float64{u + 0.6*v, 0.6*u + 1.5*v}); i >= 50 {
			x.SetRow(i, []float64{9 + 2*u, 1 + 2*v}) // an outlier
		}
	}
	check(dataset.WriteFile("robust.npz", &dataset.Data{X: dataset.NewTable(57, 2, x.RawMatrix().Data)}))
	estimators := []spd.Estimator{"sample", "oas", "huber", "mcd"}
	ellipses := gaussian.New([]string{"sample", "oas", "huber", "mcd"}, 2)
	for k, e := range estimators {
		var c mat.SymDense
		must(spd.Covariance(&c, x, spd.CovarianceOptions{Estimator: e}))
		copy(ellipses.Covariances[4*k:], []float64{c.At(0, 0), c.At(0, 1), c.At(1, 0), c.At(1, 1)})
		ellipses.Counts[k] = 57
		fmt.Printf("%-7s %.4f %.4f %.4f\n", e, c.At(0, 0), c.At(0, 1), c.At(1, 1))
	}
	check(report.Ellipses("Covariances of 50 samples and 7 outliers", ellipses, nil, [][2]int{{0, 1}},
		report.EllipsesOptions{Points: x, Labels: make([]int, 57), Axis: "channel"}).WriteFile("robust.svg"))
	// Output:
	// sample  10.9574 2.2974 3.4162
	// oas     10.1937 1.9089 3.9277
	// huber   4.1691 1.7288 2.6957
	// mcd     1.0586 0.8384 1.4299
}

func Example_bands() {
	rec := must(synth.Rhythms(60, 1))
	distinct := report.Line{Name: "class distinctiveness"}
	best := 0
	for k := range 16 {
		low := float64(4 + 2*k)
		trials := must(eeg.CutTrials(ctx, []*eeg.Recording{rec}, eeg.TrialOptions{Classes: synth.RhythmClasses,
			Start: 0.5, Stop: 3.5,
			SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: low, High: low + 4}}}}))
		x := trials.Stacks[0]
		check(dataset.WriteFile(fmt.Sprintf("bands-%g.npz", low),
			&dataset.Data{Stack: x, Labels: trials.Labels, Classes: trials.Classes}))
		distinct.X = append(distinct.X, low+2)
		distinct.Y = append(distinct.Y, must(classify.Distinctiveness(ctx, x, trials.Labels, spd.Riemann)))
		if distinct.Y[k] > distinct.Y[best] {
			best = k
		}
	}
	fmt.Printf("best band %.0f to %.0f Hz: distinctiveness %.4f, 30 to 34 Hz %.4f\n", distinct.X[best]-2,
		distinct.X[best]+2, distinct.Y[best], distinct.Y[13])
	check(report.Lines("The band in which the hands differ most", []report.Line{distinct}, report.PlotOptions{
		X: report.Axis{Label: "center of a band of 4 Hz"}, Y: report.Axis{Label: "class distinctiveness"},
		Markers: true,
		Marks:   report.Points{Name: "best band", X: distinct.X[best : best+1], Y: distinct.Y[best : best+1]},
	}).WriteFile("bands.svg"))
	// Output:
	// best band 10 to 14 Hz: distinctiveness 0.6031, 30 to 34 Hz 0.3574
}

func Example_frequency() {
	rec := must(synth.Rhythms(20, 2))
	score, small := report.Line{Name: "pseudo-F"}, report.Points{Name: "p < 0.05"}
	for hz := 4.0; hz <= 40; hz += 2 {
		trials := must(eeg.CutTrials(ctx, []*eeg.Recording{rec}, eeg.TrialOptions{Classes: synth.RhythmClasses,
			Start: 0.5, Stop: 3.5,
			SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: hz - 1, High: hz + 1}},
				Estimator: "cospectrum"}}))
		check(dataset.WriteFile(fmt.Sprintf("frequency-%g.npz", hz),
			&dataset.Data{Stack: trials.Stacks[0], Labels: trials.Labels, Classes: trials.Classes}))
		test := manova(trials.Stacks[0], trials.Labels)
		if score.X, score.Y = append(score.X, hz), append(score.Y, test.F); test.P < 0.05 {
			small.X, small.Y = append(small.X, hz), append(small.Y, test.F)
		}
		if hz == 10 || hz == 30 {
			fmt.Printf("%.0f Hz: pseudo-F %.4f\n", hz, test.F)
		}
	}
	check(report.Lines("Do the hands differ at a frequency?", []report.Line{score}, report.PlotOptions{Marks: small,
		X: report.Axis{Label: "hertz"}, Y: report.Axis{Label: "pseudo-F"}}).WriteFile("frequency.svg"))
	// Output:
	// 10 Hz: pseudo-F 2.5248
	// 30 Hz: pseudo-F 1.8602
}

func Example_time() {
	rec := must(synth.Rhythms(20, 2))
	score, small := report.Line{Name: "pseudo-F"}, report.Points{Name: "p < 0.05"}
	for k := range 15 {
		start := 0.2 * float64(k)
		trials := must(eeg.CutTrials(ctx, []*eeg.Recording{rec}, eeg.TrialOptions{Classes: synth.RhythmClasses,
			Start: start, Stop: start + 0.8,
			SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 7, High: 35}}}}))
		check(dataset.WriteFile(fmt.Sprintf("time-%d.npz", k),
			&dataset.Data{Stack: trials.Stacks[0], Labels: trials.Labels, Classes: trials.Classes}))
		test := manova(trials.Stacks[0], trials.Labels)
		if score.X, score.Y = append(score.X, start+0.4), append(score.Y, test.F); test.P < 0.05 {
			small.X, small.Y = append(small.X, start+0.4), append(small.Y, test.F)
		}
		if k == 0 || k == 10 {
			fmt.Printf("%.1f to %.1f s: pseudo-F %.4f\n", start, start+0.8, test.F)
		}
	}
	check(report.Lines("When do the hands differ?", []report.Line{score}, report.PlotOptions{Marks: small,
		X: report.Axis{Label: "middle of the window, seconds after the event"},
		Y: report.Axis{Label: "pseudo-F"}}).WriteFile("time.svg"))
	// Output:
	// 0.0 to 0.8 s: pseudo-F 1.2856
	// 2.0 to 2.8 s: pseudo-F 2.4849
}

func Example_evoked() {
	opt := eeg.TrialOptions{Classes: synth.EvokedClasses, Stop: 0.5,
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 1, High: 20}}, Estimator: "none"}}
	learn := must(eeg.CutTrials(ctx, []*eeg.Recording{must(synth.Evoked(160, 1))}, opt))
	test := must(eeg.CutTrials(ctx, []*eeg.Recording{must(synth.Evoked(160, 2))}, opt))
	xdawn := must(method.Lookup("xdawn"))
	m := must(xdawn.Fit(ctx, method.InMemory{Data: learn.Data()}, method.Settings{{Name: "classifier",
		Value: "none"}}, nil))
	x := must(m.Transform(ctx, model.BatchOf(test.Data()))).Stack
	check(dataset.WriteFile("evoked.npz", &dataset.Data{Stack: x, Labels: test.Labels, Classes: test.Classes}))
	var all mat.Dense
	check(spd.Distances(ctx, &all, spd.Riemann, x, nil))
	r := must(evaluate.Manova(ctx, mat.NewSymDense(x.Count, all.RawMatrix().Data), test.Labels,
		evaluate.ManovaOptions{Permutations: 999, Keep: true}))
	fmt.Printf("pseudo-F %.4f, p = %.3f\n", r.F, r.P)
	check(report.Histogram("Pseudo-F of 1000 labelings of 160 trials", r.All,
		report.Axis{Label: "pseudo-F", Mark: r.F, MarkLabel: "the stimuli"}).WriteFile("evoked.svg"))
	// Output:
	// pseudo-F 2.4999, p = 0.001
}

func Example_ajdc() {
	rec, blinks, err := synth.Blinks(must(synth.Rhythms(60, 3)), 6, 3)
	check(err)
	signal := must(samples(rec, 0, rec.Samples()))
	table := dataset.NewTable(rec.Samples(), 16, signal.RawMatrix().Data)
	check(dataset.WriteFile("ajdc.npz", &dataset.Data{X: table}))
	ajdc := must(eeg.FitAJDC(ctx, [][]*eeg.Recording{{rec}},
		eeg.AJDCOptions{Low: 1, High: 32, Segment: 0.512, Tol: 1e-6}))
	blink, fp1 := 0, slices.Index(rec.Channels, "Fp1")
	for k := range ajdc.Share { // the source that is strongest at Fp1
		if math.Abs(ajdc.Patterns.At(fp1, k)) > math.Abs(ajdc.Patterns.At(fp1, blink)) {
			blink = k
		}
	}
	cleaned := must(samples(must(ajdc.Without(rec, []int{blink})), 0, rec.Samples()))
	before, after := report.Line{Name: "Fp1 as recorded"}, report.Line{Name: "without the source of the blinks"}
	for t := blinks[0] - 400; t < blinks[0]+600; t++ {
		before.X = append(before.X, float64(t)/rec.Rate)
		before.Y, after.Y = append(before.Y, signal.At(t, fp1)), append(after.Y, cleaned.At(t, fp1))
	}
	after.X = before.X
	_, sd := meanAndDeviation(mat.Col(nil, fp1, signal))
	_, clean := meanAndDeviation(mat.Col(nil, fp1, cleaned))
	fmt.Printf("deviation at Fp1 %.4f µV, without source %d %.4f µV\n", sd, blink+1, clean)
	check(report.Lines("A blink removed", []report.Line{before, after}, report.PlotOptions{
		X: report.Axis{Label: "seconds"}, Y: report.Axis{Label: "µV"}}).WriteFile("ajdc.svg"))
	// Output:
	// deviation at Fp1 8.0247 µV, without source 4 3.3430 µV
}

// samples returns count samples of rec, from index first on, as a matrix with one row per sample.
func samples(rec *eeg.Recording, first, count int) (*mat.Dense, error) {
	m := mat.NewDense(count, len(rec.Channels), nil)
	return m, rec.Read(m.RawMatrix().Data, first, count)
}

// manova runs a permutation MANOVA of the classes of x, with the affine-invariant metric.
func manova(x *spd.Stack, labels []int) *evaluate.ManovaResult {
	var all mat.Dense
	check(spd.Distances(ctx, &all, spd.Riemann, x, nil))
	return must(evaluate.Manova(ctx, mat.NewSymDense(x.Count, all.RawMatrix().Data), labels,
		evaluate.ManovaOptions{Permutations: 999}))
}

// meanAndDeviation returns the mean and the standard deviation (divisor n) of v.
func meanAndDeviation(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean) / float64(len(v))
	}
	return mean, math.Sqrt(sd)
}
