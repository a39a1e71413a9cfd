package method

import (
	"context"
	"fmt"

	"rao"
	"rao/lvq"
	"rao/spd"
)

// prototypes are the options of probabilistic prototypes, for matrices and for vectors.
type prototypes struct {
	Prototypes  int          `opt:"prototypes" default:"1" min:"1" max:"100000" help:"prototypes per class"`
	Sigma2      autoNumber   `opt:"sigma2" default:"auto" above:"0" help:"dispersion of the prototypes, a squared distance; auto chooses it together with epochs, or uses half the median squared distance if a training option is given"`
	Anneal      string       `opt:"anneal" default:"none" choices:"none,published,fixed,monotone,learned" help:"how the dispersion changes; fixed is like published, with a constant factor"`
	Schedule    string       `opt:"schedule" default:"published" choices:"published,adaptive" help:"how the learning rate changes"`
	Start       string       `opt:"init" default:"auto" choices:"auto,means,kmeans" help:"initial prototypes; auto uses kmeans if a class has several"`
	Epochs      autoCount    `opt:"epochs" default:"auto" min:"1" max:"100000000" help:"passes over the data; auto chooses 0 to 30 on held-out folds, together with sigma2 and learning-rate; if a training option is given it uses the published 100, or fewer above 3000 observations"`
	Rate        autoNumber   `opt:"learning-rate" default:"auto" above:"0" help:"initial learning rate; auto: see epochs, or the method's default"`
	Batch       int          `opt:"batch" default:"1" min:"1" max:"100000000" help:"observations per gradient step"`
	Validation  float64      `opt:"validation" default:"0" min:"0" max:"0.5" help:"share of the data held out for early stopping"`
	Calibration int          `opt:"calibration" default:"5" min:"0" max:"10000" help:"number of folds that calibrate the probabilities; 0 does not calibrate them"`
	Priors      priorsOption `opt:"priors" default:"uniform" help:"class priors: empirical (the class proportions), uniform, or numbers separated by commas"`
	Decide      string       `opt:"decide" default:"posterior" choices:"posterior,nearest" help:"decide by the posterior of all prototypes of a class, or by the nearest prototype; the probabilities agree with the decision"`
}

func (o *prototypes) options(priors []float64, seed uint64, progress rao.Progress) lvq.PLRSQOptions {
	return lvq.PLRSQOptions{Prototypes: o.Prototypes, Sigma2: o.Sigma2.Value, Epochs: int(o.Epochs), Rate: o.Rate.Value,
		Batch:  o.Batch,
		Anneal: lvq.Annealing(own(o.Anneal, "none")), Schedule: lvq.Schedule(own(o.Schedule, "published")),
		Start: lvq.Start(own(o.Start, "auto")), Priors: priors, Rule: o.rule(), Validation: o.Validation,
		CalibrationFolds: calibrationFolds(o.Calibration), Seed: seed, Progress: progress}
}

func (o *prototypes) rule() lvq.Rule { return lvq.Rule(own(o.Decide, "posterior")) }

type plrsqOptions struct {
	prototypes
	SoftLabels     string  `opt:"soft-labels" default:"none" help:"npy file of label probabilities to learn from instead of labels, observations × classes in the order of the classes"`
	RejectError    float64 `opt:"reject-error" default:"0" min:"0" max:"1" help:"reject the least certain decisions until at most this share of the accepted held-out decisions is wrong; 0 rejects none"`
	RejectCoverage float64 `opt:"reject-coverage" default:"0" min:"0" max:"1" help:"reject the least certain decisions and accept this share of held-out decisions; 0 rejects none"`
	RejectOutliers float64 `opt:"reject-outliers" default:"0" min:"0" max:"1" help:"reject observations farther from every prototype than this quantile of held-out distances, such as 0.99; 0 rejects none"`
	seedOption
	OnManifold
}

type plrsqMetricOptions struct {
	Metric prototypeMetricOption `opt:"metric" default:"riemann" help:"metric of the distances; except in riemann, prototypes move in straight lines"`
	plrsqOptions
}

// fitPLRSQ learns prototypes in the metric chosen by the options.
func fitPLRSQ(ctx context.Context, m *matrices, o *plrsqMetricOptions) error {
	return plrsqWith(spd.Metric(o.Metric))(ctx, m, &o.plrsqOptions)
}

// plrsqWith returns a fit that learns prototypes in the given metric.
func plrsqWith(metric spd.Metric) func(context.Context, *matrices,
	*plrsqOptions) error {
	return func(ctx context.Context, m *matrices, o *plrsqOptions) error {
		priors, err := m.priors(&o.Priors)
		if err != nil {
			return err
		}
		opt := o.options(priors, o.Seed, m.Progress)
		opt.Metric = metric
		cl, err := m.fitPLRSQ(ctx, o.SoftLabels, opt)
		if cl == nil {
			return err
		}
		m.Model.Classifier, m.Model.Report = cl, cl.Report
		if cl.Report.Iterations == 0 && cl.Report.Status == rao.StatusConverged {
			m.Model.Notes = append(m.Model.Notes, "training did not improve decisions on held-out folds, so the "+
				"prototypes were not trained; with one prototype per class the model decides like mdm; set epochs to "+
				"train anyway")
		}
		if rerr := o.reject(cl); rerr != nil {
			return rerr
		}
		return err
	}
}

// reject sets the rejection thresholds requested by the options, based on the held-out decisions of the calibration.
func (o *plrsqOptions) reject(cl *lvq.PLRSQ) error {
	if o.RejectError > 0 && o.RejectCoverage > 0 {
		return rao.Optionf("reject-error", "{reject-error} and {reject-coverage} both set the rejection threshold; "+
			"give only "+
			"one")
	}
	if o.RejectError > 0 {
		if _, err := cl.RejectForError(o.RejectError); err != nil {
			return err
		}
	}
	if o.RejectCoverage > 0 {
		if _, err := cl.RejectForCoverage(o.RejectCoverage); err != nil {
			return err
		}
	}
	if o.RejectOutliers > 0 {
		return cl.RejectOutliers(o.RejectOutliers)
	}
	return nil
}

// calibrationFolds converts the option to the convention of package lvq, where -1 means no calibration.
func calibrationFolds(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// own returns name, or "" if it is the default, which package lvq expects to be empty.
func own(name, byDefault string) string {
	if name == byDefault {
		return ""
	}
	return name
}

// fitPLRSQ learns from the labels, or from a file of label probabilities if soft is not "none".
func (m *matrices) fitPLRSQ(ctx context.Context, soft string, opt lvq.PLRSQOptions) (*lvq.PLRSQ, error) {
	if soft == "none" {
		return lvq.FitPLRSQ(ctx, m.x, m.labels(), m.classes(), opt)
	}
	given, err := readMatrix(soft, "observations × classes")
	if err != nil {
		return nil, fmt.Errorf("soft-labels: %w", err)
	}
	if rows, classes := given.Dims(); rows != m.x.Count || classes != len(m.classes()) {
		return nil, fmt.Errorf("soft-labels: the array in %s is %d×%d; it needs one row for each of the %d "+
			"observations and one column for each of the %d classes",
			soft, rows, classes, m.x.Count, len(m.classes()))
	}
	opt.Soft = given
	return lvq.FitPLRSQ(ctx, m.x, nil, m.classes(), opt)
}

// relevances are the options of prototypes with a learned quadratic distance.
type relevances struct {
	Prototypes  int        `opt:"prototypes" default:"1" min:"1" max:"100000" help:"prototypes per class"`
	Start       string     `opt:"init" default:"auto" choices:"auto,means,kmeans" help:"initial prototypes; auto uses kmeans if a class has several"`
	Epochs      int        `opt:"epochs" default:"100" min:"1" max:"100000000" help:"passes over the data"`
	Rate        autoNumber `opt:"learning-rate" default:"auto" above:"0" help:"initial learning rate; auto uses a hundredth of the dimension"`
	Calibration int        `opt:"calibration" default:"5" min:"0" max:"10000" help:"number of folds that calibrate the probabilities; 0 does not calibrate them"`
	seedOption
}

func (o *relevances) options(kind lvq.Relevance, progress rao.Progress) lvq.GMLVQOptions {
	return lvq.GMLVQOptions{Relevance: kind, Prototypes: o.Prototypes, Epochs: o.Epochs, Rate: o.Rate.Value,
		KMeans:           o.Start == "kmeans" || o.Start == "auto" && o.Prototypes > 1,
		CalibrationFolds: calibrationFolds(o.Calibration),
		Seed:             o.Seed, Progress: progress}
}

type gmlvqOptions struct {
	Metric flatMetricOption `opt:"metric" default:"euclid" help:"metric in which matrices become vectors; euclid uses their entries"`
	relevances
	OnManifold
}

func fitMatrixGMLVQ(ctx context.Context, m *matrices, o *gmlvqOptions) error {
	cl, err := lvq.FitMatrixGMLVQ(ctx, m.x, m.labels(), m.classes(),
		lvq.MatrixGMLVQOptions{Metric: spd.Metric(o.Metric), GMLVQOptions: o.options("", m.Progress)})
	if cl != nil {
		m.Model.Classifier, m.Model.Report = cl, cl.Vector.Report
	}
	return err
}

type rawRSLVQOptions struct {
	prototypes
	seedOption
	scaling
}

func fitRawRSLVQ(ctx context.Context, v *vectors, o *rawRSLVQOptions) error {
	priors, err := o.Priors.of(v.raw.NumClasses(), v.raw.Priors)
	if err != nil {
		return err
	}
	cl, err := lvq.FitRSLVQ(ctx, v.x(), v.labels(), v.classes(),
		lvq.RSLVQOptions(o.options(priors, o.Seed, v.Progress)))
	if cl != nil {
		v.Model.Classifier, v.Model.Report = cl, cl.Report
	}
	return err
}

type rawGMLVQOptions struct {
	relevances
	scaling
}

// rawGMLVQ returns a fit that learns prototypes of the preprocessed vectors with the given kind of relevance.
func rawGMLVQ(kind lvq.Relevance) func(context.Context, *vectors, *rawGMLVQOptions) error {
	return func(ctx context.Context, v *vectors, o *rawGMLVQOptions) error {
		cl, err := lvq.FitGMLVQ(ctx, v.x(), v.labels(), v.classes(), o.options(kind, v.Progress))
		if cl != nil {
			v.Model.Classifier, v.Model.Report = cl, cl.Report
		}
		return err
	}
}
