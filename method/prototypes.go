package method

import (
	"context"
	"errors"

	"rao"
	"rao/lvq"
	"rao/model"
	"rao/spd"
)

type plrsqOptions struct {
	Prototypes     int        `opt:"prototypes" default:"1" min:"1" max:"100000" help:"prototypes a class"`
	Sigma2         AutoNumber `opt:"sigma2" default:"auto" above:"0" help:"dispersion of the prototypes, in squared distance; auto takes it from the data"`
	Anneal         string     `opt:"anneal" default:"none" choices:"none,published,fixed,monotone,learned" help:"how the dispersion changes (fixed is published with one factor throughout)"`
	Schedule       string     `opt:"schedule" default:"published" choices:"published,adaptive" help:"how the learning rate changes"`
	Start          string     `opt:"start" default:"auto" choices:"auto,means,kmeans" help:"where prototypes begin; auto takes kmeans when a class has several"`
	Epochs         AutoCount  `opt:"epochs" default:"auto" min:"1" max:"100000000" help:"passes over the data; auto takes 100, and fewer beyond 3000 matrices"`
	Rate           AutoNumber `opt:"rate" default:"auto" above:"0" help:"learning rate at the start; auto takes the method's own"`
	Batch          int        `opt:"batch" default:"1" min:"1" max:"100000000" help:"observations a step"`
	Validation     float64    `opt:"validation" default:"0" min:"0" max:"0.5" help:"share of the data held out for early stopping"`
	Calibration    int        `opt:"calibration" default:"5" min:"0" max:"10000" help:"folds that fit the temperature of the probabilities; 0 leaves them as they are"`
	RejectError    float64    `opt:"reject-error" default:"0" min:"0" max:"1" help:"reject the least certain, so that the rest are wrong in at most this share of held-out decisions; 0 rejects none"`
	RejectCoverage float64    `opt:"reject-coverage" default:"0" min:"0" max:"1" help:"reject the least certain, so that this share of held-out decisions is accepted; 0 rejects none"`
	RejectOutliers float64    `opt:"reject-outliers" default:"0" min:"0" max:"1" help:"reject what lies farther from every prototype than this quantile of the held-out data, such as 0.99; 0 rejects none"`
	Priors         Priors     `opt:"priors" default:"uniform" help:"class priors: empirical (the shares of the data), uniform, or numbers separated by commas"`
	Seeded
	OnManifold
}

// plrsqWith learns prototypes under a metric.
func plrsqWith(metric spd.Metric) func(context.Context, *matrices, *plrsqOptions) (model.Classifier, rao.Report, error) {
	return func(ctx context.Context, m *matrices, o *plrsqOptions) (model.Classifier, rao.Report, error) {
		opt, err := m.lvqOptions(o)
		if err != nil {
			return nil, closed, err
		}
		opt.Metric = metric
		cl, err := lvq.FitPLRSQ(ctx, m.x, m.labels(), opt)
		if cl == nil {
			return nil, closed, err
		}
		if rerr := o.reject(cl); rerr != nil {
			return nil, closed, rerr
		}
		return cl, cl.Report, err
	}
}

// reject sets the thresholds of the options from the held-out decisions of the
// calibration.
func (o *plrsqOptions) reject(cl *lvq.PLRSQ) error {
	if o.RejectError > 0 && o.RejectCoverage > 0 {
		return errors.New("reject-error and reject-coverage both choose the threshold; give one")
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

// calibrationFolds returns the number of folds as package lvq takes it.
func calibrationFolds(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// own returns the name as package lvq has it, which leaves the default empty.
func own(name, byDefault string) string {
	if name == byDefault {
		return ""
	}
	return name
}

func (m *matrices) lvqOptions(o *plrsqOptions) (lvq.Options, error) {
	priors, err := m.priors(&o.Priors)
	return lvq.Options{Prototypes: o.Prototypes, Sigma2: o.Sigma2.Value, Epochs: int(o.Epochs), Rate: o.Rate.Value, Batch: o.Batch,
		Anneal: lvq.Annealing(own(o.Anneal, "none")), Schedule: lvq.RateSchedule(own(o.Schedule, "published")),
		Start: lvq.Start(own(o.Start, "auto")), Priors: priors, Validation: o.Validation,
		CalibrationFolds: calibrationFolds(o.Calibration), Seed: uint64(o.Seed), Progress: m.progress}, err
}

type gmlvqOptions struct {
	Prototypes  int        `opt:"prototypes" default:"1" min:"1" max:"100000" help:"prototypes a class"`
	Start       string     `opt:"start" default:"auto" choices:"auto,means,kmeans" help:"where prototypes begin; auto takes kmeans when a class has several"`
	Epochs      int        `opt:"epochs" default:"100" min:"1" max:"100000000" help:"passes over the data"`
	Rate        AutoNumber `opt:"rate" default:"auto" above:"0" help:"learning rate at the start; auto takes a hundredth of the dimension"`
	Calibration int        `opt:"calibration" default:"5" min:"0" max:"10000" help:"folds that fit the temperature of the probabilities; 0 leaves them as they are"`
	Seeded
	OnManifold
}

func fitMatrixGMLVQ(ctx context.Context, m *matrices, o *gmlvqOptions) (model.Classifier, rao.Report, error) {
	cl, err := lvq.FitMatrixGMLVQ(ctx, m.x, m.labels(), lvq.GMLVQOptions{Prototypes: o.Prototypes, Epochs: o.Epochs, Rate: o.Rate.Value,
		KMeans: o.Start == "kmeans" || o.Start == "auto" && o.Prototypes > 1, CalibrationFolds: calibrationFolds(o.Calibration),
		Seed: uint64(o.Seed), Progress: m.progress})
	if cl == nil {
		return nil, closed, err
	}
	return cl, cl.Vector.Report, err
}
