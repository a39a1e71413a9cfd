package experiment

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"rao/dataset"
	"rao/method"
	"rao/report"
	"rao/sets"
	"rao/synth"
)

const speedProtocol = "41 speeds from −6 to 6 degrees a second, videos of 450 values made by synth.Speed from photographs: 500 to learn from and 300 to test a speed, from different photographs. " +
	"The photographs are those in the folder that the environment variable RAO_PHOTOGRAPHS names, or in the folder photographs of the cache folder; without either, generated images of overlapping discs stand in, whose sizes follow the power law of natural scenes. The videos are neither scaled nor centred. Eight filters and a quadratic classifier; as in the authors' analysis the feature noise of SQFA, smSQFA, BDM and AMA-Gauss is 0.001, and SQFA, smSQFA and BDM are learned in pairs. AMA-Gauss learns its eight together. " +
	"A short run has 40 and 12 videos a speed, and three methods."

// speedStep is the distance between neighbouring speeds, degrees a second.
const speedStep = 0.3

// speedTask is figure 5: all methods on the naturalistic speed task.
func speedTask(ctx context.Context, r *Run) error {
	dir, source, remove, err := speedImages(r.Seed)
	if err != nil {
		return err
	}
	defer remove()
	var l labelled
	if l.train, err = synth.Speed(ctx, synth.SpeedOptions{Dir: dir, PerClass: r.Pick(500, 40), Seed: r.Seed}); err != nil {
		return err
	}
	if l.test, err = synth.Speed(ctx, synth.SpeedOptions{Dir: dir, PerClass: r.Pick(300, 12), Seed: r.Seed, Test: true}); err != nil {
		return err
	}
	if err := l.estimate(); err != nil {
		return err
	}
	contenders := speedContenders()
	if r.Short {
		contenders = append(contenders[:1:1], contenders[5:7]...)
	}
	t := r.Table("accuracy", "Test accuracy in per cent and error of the speed with eight filters; videos from "+source,
		"method", "QDA", "5-NN", "mean absolute error, deg/s", "median", "fit, s")
	var bars []report.Bar
	for k, c := range contenders {
		f, err := r.fit(ctx, &l, c.method, append([]setting{{"filters", "8"}, {"scale", "none"}, {"center", "false"}}, c.changes...)...)
		if err != nil {
			return err
		}
		mean, median, err := speedError(ctx, f, l.test)
		if err != nil {
			return err
		}
		t.Add(c.label, 100*f.accuracy, 100*f.knn, mean, median, Seconds(f.seconds))
		bars = append(bars, report.Bar{Label: c.label, Value: f.accuracy, Low: f.accuracy, High: f.accuracy, Highlight: c.method == "sqfa"})
		if fig := imageFilters(f, c.label+": time down, space across"); fig != nil && (c.method == "sqfa" || c.method == "ama") {
			r.Figure(fmt.Sprintf("filters-%d", k+1), fig)
		}
		r.progress("methods", k+1, len(contenders))
	}
	r.Figure("accuracy", report.Bars("QDA accuracy on the speed task", bars, report.BarsOptions{
		Axis: report.Axis{Label: "accuracy", Percent: true}, Reference: 1.0 / 41, ReferenceLabel: "chance"}))
	r.Remark("A substitute set: videos from %s, with simple constants for optics, photoreceptors and noise where the paper takes measured curves. Compare the ordering, not the values.", source)
	r.Remark("Paper's ordering: AMA-Gauss, then SQFA and smSQFA alike, then BDM, then the others. Linear discriminants have next to nothing to work with: the means of the classes hardly differ.")
	return nil
}

// speedContenders are the methods of figure 5.
func speedContenders() []contender {
	noise, pairs := setting{"noise", "0.001"}, setting{"pairwise", "2"}
	return []contender{
		{"SQFA", "sqfa", "", []setting{noise, pairs}},
		{"SQFA, refined on rows", "sqfa", "", []setting{noise, pairs, {"refine", "true"}}},
		{"AMA-Gauss", "ama", "", []setting{noise}},
		{"smSQFA", "smsqfa", "", []setting{noise, pairs}},
		{"BDM", "bdm", "", []setting{noise, pairs}},
		{"LDA", "lda", "", nil},
		{"PCA", "pca", "", nil},
		{"ICA", "ica", "", nil},
		{"Factor analysis", "fa", "", nil},
		{"LFDA", "lfda", "", nil},
		{"Supervised PCA", "spca", "", nil},
	}
}

// speedError is the mean and the median absolute difference between the mean speed of
// the posterior, which is the best guess in squared error, and the true speed.
func speedError(ctx context.Context, f *fitted, test *dataset.Data) (mean, median float64, err error) {
	p, err := method.Predict(ctx, f.model, test)
	if err != nil {
		return 0, 0, err
	}
	off := make([]float64, test.N())
	for i := range off {
		guess := 0.0
		for k, logp := range p.LogPosterior.RawRowView(i) {
			guess += math.Exp(logp) * float64(k)
		}
		off[i] = speedStep * math.Abs(guess-float64(test.Labels[i]))
		mean += off[i] / float64(len(off))
	}
	return mean, quantile(off, 0.5), nil
}

// photographsVariable names the folder of photographs.
const photographsVariable = "RAO_PHOTOGRAPHS"

// photographs returns the folder of photographs, empty when there is none, and where
// one could be put.
func photographs() (dir, place string) {
	if dir = os.Getenv(photographsVariable); dir != "" {
		return dir, dir
	}
	cache, err := sets.CacheDir()
	if err != nil {
		return "", ""
	}
	place = filepath.Join(cache, "photographs")
	if st, err := os.Stat(place); err == nil && st.IsDir() {
		return place, place
	}
	return "", place
}

// speedState says whether there are photographs, and where to put them.
func speedState() string {
	dir, place := photographs()
	if dir == "" {
		return fmt.Sprintf("runs on generated images; for photographs fill %s with JPEG or PNG files, or name a folder in %s", place, photographsVariable)
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return fmt.Sprintf("needs data: %s names %s, which is no folder", photographsVariable, dir)
	}
	return "runs on the photographs in " + dir
}

// speedImages returns a folder of photographs and says what is in it. Generated images
// are in a temporary folder, which remove deletes.
func speedImages(seed uint64) (dir, source string, remove func(), err error) {
	none := func() {}
	if dir, _ = photographs(); dir != "" {
		return dir, "photographs at hand", none, nil
	}
	if dir, err = os.MkdirTemp("", "rao-speed-"); err != nil {
		return "", "", none, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	for k := range 24 {
		if err := writeLeaves(filepath.Join(dir, fmt.Sprintf("%02d.png", k)), rand.New(rand.NewPCG(seed, uint64(k)))); err != nil {
			remove()
			return "", "", none, err
		}
	}
	return dir, "generated images of overlapping discs", remove, nil
}

// writeLeaves writes an image of discs that cover each other, radii r with density
// r⁻³ between 2 and 100 pixels (Lee, Mumford and Huang 2001): edges and power spectrum
// are much like those of natural scenes.
func writeLeaves(path string, rng *rand.Rand) error {
	const rows, cols, least, most = 240, 360, 2.0, 100.0
	img := image.NewGray(image.Rect(0, 0, cols, rows))
	for i := range img.Pix {
		img.Pix[i] = 128
	}
	for range 6000 {
		u := rng.Float64()
		radius := 1 / math.Sqrt(1/(least*least)+u*(1/(most*most)-1/(least*least)))
		x, y, grey := rng.Float64()*cols, rng.Float64()*rows, uint8(30+rng.IntN(200))
		for j := max(0, int(y-radius)); j < min(rows, int(y+radius)+1); j++ {
			for i := max(0, int(x-radius)); i < min(cols, int(x+radius)+1); i++ {
				if dx, dy := float64(i)-x, float64(j)-y; dx*dx+dy*dy < radius*radius {
					img.SetGray(i, j, color.Gray{Y: grey})
				}
			}
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := png.Encode(f, img); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
