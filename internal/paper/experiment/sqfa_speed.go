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
	"rao/internal/scoring"
	"rao/internal/sets"
	"rao/internal/synth"
	"rao/method"
	"rao/report"
)

const speedSet = "The videos are made from photographs and have 450 values each. Each of 41 speeds from −6 to 6 " +
	"degrees per second has 500 training and 300 test videos, from different photographs. The videos are neither " +
	"scaled nor centered. "

var speedNotes = []string{
	speedNote,
	"Set the environment variable RAO_PHOTOGRAPHS to a folder of photographs. Without it, the videos show generated " +
		"disks.",
}

const speedProtocol = speedSet + "Each method learns eight filters for a quadratic classifier. SQFA, smSQFA, BDM and " +
	"AMA-Gauss learn their filters in pairs with the paper's feature noise of 0.001. LDA, FA and LMNN are fitted as " +
	"in figure 4. " + comparisonProtocol + " A short run has 40 and 12 videos for each speed, and three methods."

var speedTaskNotes = []string{
	"AMA-Gauss adds the noise to the responses (appendix F.2).",
	"The authors' shrinkage of LDA is 0.7. Their script uses the coefficients of the first eight speeds as LDA's " +
		"filters. We use the eight leading discriminants.",
	"The videos are divided by √(‖c‖² + n·c50²). Appendix F.1 gives n·c50² = 450·0.045, and the authors' script uses " +
		"0.8. We ran both.",
	"In the rows \"together\", all eight filters are learned together.",
	"The photographs are 100 training images of BSDS500, a quarter of them for the test videos.",
	"We did not measure the similarity of the filters to receptive fields (section 4.4).",
}

// speedNote is the note of all experiments on the videos.
const speedNote = "Our videos are a substitute for the paper's. The paper does not give the constants of its filters " +
	"(appendix F.1) and mentions no noise. We use simple models of the optics, the photoreceptors and the noise. " +
	"Compare the order of the methods with the paper's, not the values."

// speedStep is the difference of neighboring speeds, in degrees per second.
const speedStep = 0.3

// openSpeed generates the videos.
func openSpeed(ctx context.Context, r *Run) (*labeled, error) {
	dir, remove, err := speedImages(r.Seed)
	if err != nil {
		return nil, err
	}
	defer remove()
	var l labeled
	if l.train, err = synth.Speed(ctx,
		synth.SpeedOptions{Dir: dir, PerClass: r.Pick(500, 40), Seed: r.Seed}); err != nil {
		return nil, err
	}
	if l.test, err = synth.Speed(ctx,
		synth.SpeedOptions{Dir: dir, PerClass: r.Pick(300, 12), Seed: r.Seed, Test: true}); err != nil {
		return nil, err
	}
	return estimated(&l, nil)
}

// speedTask reproduces figure 5: all methods on the naturalistic speed task.
func speedTask(ctx context.Context, r *Run) error {
	task := taskOf("speed")
	l, err := task.open(ctx, r)
	if err != nil {
		return err
	}
	contenders := task.speedMethods()
	if r.Short {
		contenders = []contender{contenders[0], contenders[1], contenders[5]}
	}
	table := r.Table("error", "Error of the posterior mean of the speed, in degrees per second, with the normal 95 % "+
		"interval. p is from the paired signed-rank test over the videos (Holm)", "method", "mean absolute "+
		"error",
		"95 % interval", "median", "p against SQFA")
	outcomes, err := task.runAll(ctx, r, l, contenders, "methods")
	if err != nil {
		return err
	}
	if err := table.speedErrors(ctx, outcomes, l.test); err != nil {
		return err
	}
	c := r.compare("accuracy", "Test accuracy of a quadratic classifier on eight filters; chance is 2.4 %",
		outcomes, report.Axis{Label: "accuracy", Percent: true})
	r.filterFigure("Filters: time down, space across", outcomes[:min(9, len(outcomes))])
	if err := r.speedByScript(ctx, task, l); err != nil {
		return err
	}
	_, source := speedSource()
	r.Remark("The videos of this run were made from %s.", source)
	if !r.Short {
		r.claimsOfFigure5(c)
	}
	return nil
}

// speedByScript repeats the methods of the paper with the contrast constant of the authors' script.
func (r *Run) speedByScript(ctx context.Context, t task, l *labeled) error {
	again, err := estimated(&labeled{train: rescaledContrast(l.train), test: rescaledContrast(l.test)}, nil)
	if err != nil {
		return err
	}
	contenders := append(t.paperMethods(), t.amaGauss())
	if r.Short {
		contenders = contenders[:2]
	}
	outcomes, err := t.runAll(ctx, r, again, contenders, "methods, constant of the script")
	if err != nil {
		return err
	}
	r.compare("accuracy-script", "Test accuracy with the constant 0.8 of the authors' script instead of 450·0.045",
		outcomes, report.Axis{Label: "accuracy", Percent: true})
	return nil
}

// printedContrast and scriptContrast are the contrast constants in appendix F.1 and in the authors' script.
const printedContrast, scriptContrast = 450 * 0.045, 0.8

// rescaledContrast changes the normalization of videos of contrast c from c/√(‖c‖² + printedContrast) to c/√(‖c‖² +
// scriptContrast).
func rescaledContrast(d *dataset.Data) *dataset.Data {
	n, dim := d.X.Dims()
	values := make([]float64, n*dim)
	for i := range n {
		row, norm := values[i*dim:(i+1)*dim], 0.0
		for j := range row {
			row[j] = d.X.At(i, j)
			norm += row[j] * row[j]
		}
		energy := printedContrast * norm / (1 - norm)
		scale := math.Sqrt((energy + printedContrast) / (energy + scriptContrast))
		for j := range row {
			row[j] *= scale
		}
	}
	out := *d
	out.X = dataset.NewTable(n, dim, values)
	return &out
}

// amaGauss returns AMA-Gauss as appendix F.2 describes it.
func (t task) amaGauss() contender {
	return contender{label: "AMA-Gauss", method: "ama",
		changes: []setting{{"noise", number(t.noise)}, {"pairwise", fmt.Sprint(t.groups)}, {"noisy-responses", "true"},
			{"init", "pca"}}}
}

// speedMethods returns the nine methods of figure 5, and ours.
func (t task) speedMethods() []contender {
	noise, pairs := setting{"noise", number(t.noise)}, setting{"pairwise", fmt.Sprint(t.groups)}
	together := []setting{noise, {"aggregate", "mean"}, {"init", "pca"}}
	return append(append(append(t.paperMethods(), t.amaGauss()), t.variants()...),
		contender{label: "SQFA, together", method: "sqfa", changes: together},
		contender{label: "AMA-Gauss, together", method: "ama", changes: []setting{noise, {"init", "pca"}}},
		contender{label: "SQFA, refined on rows", method: "sqfa", changes: []setting{noise, pairs,
			{"aggregate", "mean"}, {"refine", "true"}}},
		contender{label: "LFDA", method: "lfda"},
		contender{label: "Supervised PCA", method: "spca"})
}

// claimsOfFigure5 compares the accuracies with section 4.4.
func (r *Run) claimsOfFigure5(c comparison) {
	r.Claim("SQFA and smSQFA support better performance than all other methods, except for AMA-Gauss (section 4.4).",
		c.ownAboveOthers(),
		"SQFA %.2f %%, smSQFA %.2f %%; the next best of the paper's methods, BDM, %.2f "+
			"%%.", c.percent("SQFA"), c.percent("smSQFA"),
		c.percent("BDM")).If("larger accuracy than each, p < 0.05")
	r.Claim("AMA-Gauss, which directly optimizes classification accuracy, performs better than SQFA (section "+
		"4.4).", c.above("AMA-Gauss", "SQFA"),
		"AMA-Gauss %.2f %%, SQFA %.2f %%.", c.percent("AMA-Gauss"), c.percent("SQFA")).
		If("larger accuracy, p < 0.05")
}

// speedErrors returns the absolute differences between the true speed and the posterior mean of the speed, which
// minimizes the expected squared error.
func speedErrors(ctx context.Context, o *outcome, test *dataset.Data) ([]float64, error) {
	p, err := method.Predict(ctx, o.model, test)
	if err != nil {
		return nil, err
	}
	off := make([]float64, test.N())
	for i := range off {
		guess := 0.0
		for k, logp := range p.LogPosterior.RawRowView(i) {
			guess += math.Exp(logp) * float64(k)
		}
		off[i] = speedStep * math.Abs(guess-float64(test.Labels[i]))
	}
	return off, nil
}

// speedErrors fills the table of errors by method. The other methods are tested against the first method.
func (t *Table) speedErrors(ctx context.Context, outcomes []*outcome, test *dataset.Data) error {
	off := make([][]float64, len(outcomes)) // by method and video
	raw := make([]float64, len(outcomes)-1)
	for k, o := range outcomes {
		var err error
		if off[k], err = speedErrors(ctx, o, test); err != nil {
			return err
		}
		if k > 0 {
			raw[k-1] = signedRank(off[k], off[0])
		}
	}
	p := holmAgainstFirst(raw)
	for k, o := range outcomes {
		mean, sd := scoring.MeanSD(off[k])
		half := 1.96 * sd / math.Sqrt(float64(len(off[k])))
		t.Add(o.label, mean, fmt.Sprintf("%.4f to %.4f", mean-half, mean+half), quantile(off[k], 0.5), pValue(p[k]))
	}
	return nil
}

// photographsVariable is the environment variable with the folder of photographs.
const photographsVariable = "RAO_PHOTOGRAPHS"

// photographs returns the folder of photographs, or "" if there is none. place is where the user can put the folder.
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

// speedState reports whether there are photographs, and where to put them.
func speedState() string {
	dir, place := photographs()
	if dir == "" {
		return fmt.Sprintf("runs on generated images; to use photographs, put JPEG or PNG files into %s, or set %s "+
			"to a folder", place, photographsVariable)
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return fmt.Sprintf("needs data: %s names %s, which is not a folder", photographsVariable, dir)
	}
	return "runs on the photographs in " + dir
}

// speedSource returns the folder of photographs, or "" if there is none, and a description of the material of the
// videos.
func speedSource() (dir, source string) {
	if dir, _ = photographs(); dir != "" {
		return dir, "photographs"
	}
	return "", "generated images of overlapping disks"
}

// speedImages returns the folder of photographs. If there is none, it generates images in a temporary folder, which
// remove deletes.
func speedImages(seed uint64) (dir string, remove func(), err error) {
	none := func() {}
	if dir, _ = speedSource(); dir != "" {
		return dir, none, nil
	}
	if dir, err = os.MkdirTemp("", "rao-speed-"); err != nil {
		return "", none, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	for k := range 24 {
		if err := writeLeaves(filepath.Join(dir, fmt.Sprintf("%02d.png", k)),
			rand.New(rand.NewPCG(seed, uint64(k)))); err != nil {
			remove()
			return "", none, err
		}
	}
	return dir, remove, nil
}

// writeLeaves writes an image of disks that occlude each other, with radii r of density r⁻³ between 2 and 100 pixels
// (Lee, Mumford and Huang 2001). The image has edges and a power spectrum like a natural scene.
func writeLeaves(path string, rng *rand.Rand) error {
	const rows, cols, least, most = 240, 360, 2.0, 100.0
	img := image.NewGray(image.Rect(0, 0, cols, rows))
	for i := range img.Pix {
		img.Pix[i] = 128
	}
	for range 6000 {
		u := rng.Float64()
		radius := 1 / math.Sqrt(1/(least*least)+u*(1/(most*most)-1/(least*least)))
		x, y, gray := rng.Float64()*cols, rng.Float64()*rows, uint8(30+rng.IntN(200))
		for j := max(0, int(y-radius)); j < min(rows, int(y+radius)+1); j++ {
			for i := max(0, int(x-radius)); i < min(cols, int(x+radius)+1); i++ {
				if dx, dy := float64(i)-x, float64(j)-y; dx*dx+dy*dy < radius*radius {
					img.SetGray(i, j, color.Gray{Y: gray})
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
