package method

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"rao"
	"rao/classify"
	"rao/gaussian"
	"rao/internal/suggest"
	"rao/lvq"
	"rao/model"
	"rao/spd"
)

// matrices is a fit on SPD matrices on its way.
type matrices struct {
	*job
	x *spd.Stack // after the repair
}

// onMatrices wraps a learner of matrices into a whole fit, the repair before it.
func onMatrices(learn func(ctx context.Context, m *matrices) (model.Classifier, rao.Report, error)) func(context.Context, *job) error {
	return func(ctx context.Context, j *job) error {
		d := j.src.Data
		j.model.Classes = d.Classes
		j.model.Input = model.SchemaOf(d)
		m := &matrices{j, d.Stack}
		if err := m.repair(ctx); err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		if j.set.Recenter {
			if err := m.stage(ctx, &model.Recentering{}); err != nil {
				return fmt.Errorf("%s: %w", d.Source, err)
			}
		}
		cl, report, err := learn(ctx, m)
		if err := j.note(err); err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		j.model.Classifier, j.model.Report = cl, report
		return nil
	}
}

// stage adds a stage to the model and maps the matrices through it.
func (m *matrices) stage(ctx context.Context, s model.Stage) error {
	out, err := s.Apply(ctx, model.Matrices(m.x))
	if err != nil {
		return err
	}
	m.model.Stages = append(m.model.Stages, s)
	m.x = out.Stack
	return nil
}

func (m *matrices) repair(ctx context.Context) error {
	if m.set.Repair == "none" || m.set.Repair == "" {
		return nil
	}
	found := spd.Check(m.x, spd.CheckOptions{})
	found.Channels = m.model.Input.Channels
	fix, err := spd.ParseRepair(m.set.Repair, found)
	if err != nil || fix == nil {
		return err
	}
	return m.stage(ctx, &model.Repair{Repair: fix})
}

// metric returns the metric of the settings, for auto the given one.
func (m *matrices) metric(auto spd.Metric) (spd.Metric, error) {
	if m.set.Metric == "auto" {
		return auto, nil
	}
	return spd.LookupMetric(m.set.Metric)
}

// priors returns the priors of the settings, nil for auto.
func (m *matrices) priors() ([]float64, error) {
	return parsePriors(m.set.Priors, len(m.classes()), func() []float64 {
		shares := make([]float64, len(m.classes()))
		for i, n := range m.src.Data.Counts() {
			shares[i] = float64(n) / float64(m.src.Data.N())
		}
		return shares
	})
}

func (m *matrices) labels() []int     { return m.src.Data.Labels }
func (m *matrices) classes() []string { return m.src.Data.Classes }

// closed is the report of a method that does not iterate.
var closed = rao.Report{Status: rao.Closed}

// worst joins the reports of several iterative means.
func worst(reports []rao.Report) rao.Report {
	r := rao.Report{Status: rao.Converged}
	for _, s := range reports {
		r.Iterations += s.Iterations
		r.GradientNorm = max(r.GradientNorm, s.GradientNorm)
		if !s.Status.Good() {
			r.Status = s.Status
		}
	}
	return r
}

func fitMDM(ctx context.Context, m *matrices) (model.Classifier, rao.Report, error) {
	metric, err := m.metric(spd.Riemann)
	if err != nil {
		return nil, closed, err
	}
	cl, err := classify.FitMDM(ctx, m.x, m.labels(), m.classes(), classify.MDMOptions{Metric: metric})
	if cl == nil {
		return nil, closed, err
	}
	return cl, worst(cl.Reports), err
}

func fitFgMDM(ctx context.Context, m *matrices) (model.Classifier, rao.Report, error) {
	kind, amount, err := m.shrinkage()
	if err != nil {
		return nil, closed, err
	}
	cl, err := classify.FitFgMDM(ctx, m.x, m.labels(), m.classes(), classify.FgMDMOptions{Shrinkage: kind, Amount: amount})
	if cl == nil {
		return nil, closed, err
	}
	return cl, worst(cl.MDM.Reports), err
}

func fitTangentLDA(ctx context.Context, m *matrices) (model.Classifier, rao.Report, error) {
	kind, amount, err := m.shrinkage()
	if err != nil {
		return nil, closed, err
	}
	priors, err := m.priors()
	if err != nil {
		return nil, closed, err
	}
	metric, err := m.metric(spd.Riemann)
	if err != nil {
		return nil, closed, err
	}
	cl, err := classify.FitTangentLDA(ctx, m.x, m.labels(), m.classes(),
		classify.TangentLDAOptions{Metric: metric, Shrinkage: kind, Amount: amount, Priors: priors})
	if cl == nil {
		return nil, closed, err
	}
	return cl, closed, err
}

func fitTangentLogistic(ctx context.Context, m *matrices) (model.Classifier, rao.Report, error) {
	metric, err := m.metric(spd.Riemann)
	if err != nil {
		return nil, closed, err
	}
	cl, err := classify.FitTangentLogistic(ctx, m.x, m.labels(), m.classes(),
		classify.TangentLogisticOptions{Metric: metric, C: m.set.C, Tol: m.set.Tol, MaxIter: m.set.MaxIter, Progress: m.progress})
	if cl == nil {
		return nil, closed, err
	}
	return cl, cl.Report, err
}

// shrinkage returns the setting, empty for auto: the classifier's own.
func (m *matrices) shrinkage() (string, float64, error) {
	if m.set.Shrinkage == "auto" {
		return "", 0, nil
	}
	kind, amount, err := parseShrinkage(m.set.Shrinkage)
	if kind == gaussian.Fixed {
		return "fixed", amount, err
	}
	return kind.String(), amount, err
}

// plrsqWith learns prototypes under a metric; empty takes that of the settings.
func plrsqWith(metric spd.Metric) func(context.Context, *matrices) (model.Classifier, rao.Report, error) {
	return func(ctx context.Context, m *matrices) (model.Classifier, rao.Report, error) {
		opt, err := m.lvqOptions()
		if err != nil {
			return nil, closed, err
		}
		opt.Metric = metric
		cl, err := lvq.FitPLRSQ(ctx, m.x, m.labels(), opt)
		if cl == nil {
			return nil, closed, err
		}
		if rerr := m.reject(cl); rerr != nil {
			return nil, closed, rerr
		}
		return cl, cl.Report, err
	}
}

// reject sets the thresholds of the settings from the held-out decisions of the
// calibration.
func (m *matrices) reject(cl *lvq.PLRSQ) error {
	s := &m.set
	if s.RejectError > 0 && s.RejectCoverage > 0 {
		return errors.New("reject-error and reject-coverage both choose the threshold; give one")
	}
	if s.RejectError > 0 {
		if _, err := cl.RejectForError(s.RejectError); err != nil {
			return err
		}
	}
	if s.RejectCoverage > 0 {
		if _, err := cl.RejectForCoverage(s.RejectCoverage); err != nil {
			return err
		}
	}
	if s.RejectOutliers > 0 {
		return cl.RejectOutliers(s.RejectOutliers)
	}
	return nil
}

// lvqOptions reads the settings of the prototype methods.
func (m *matrices) lvqOptions() (lvq.Options, error) {
	s := &m.set
	opt := lvq.Options{Prototypes: s.Prototypes, Epochs: s.Epochs, Rate: s.Rate, Batch: s.Batch, Validation: s.Validation,
		CalibrationFolds: s.Calibration, Seed: uint64(s.Seed), Progress: m.progress}
	if s.Calibration == 0 {
		opt.CalibrationFolds = -1
	}
	if s.Sigma2 != "auto" {
		v, err := strconv.ParseFloat(s.Sigma2, 64)
		if err != nil || !(v > 0) {
			return opt, fmt.Errorf("sigma2 %q: want a positive number, or auto", s.Sigma2)
		}
		opt.Sigma2 = v
	}
	var err error
	if opt.Priors, err = m.priors(); err != nil {
		return opt, err
	}
	return opt, firstError(
		choose("anneal", s.Anneal, &opt.Anneal, map[string]lvq.Annealing{"none": lvq.AnnealNone, "published": lvq.AnnealPublished,
			"fixed": lvq.AnnealFixed, "monotone": lvq.AnnealMonotone, "learned": lvq.AnnealLearned}),
		choose("schedule", s.Schedule, &opt.Schedule, map[string]lvq.RateSchedule{"published": lvq.RatePublished, "adaptive": lvq.RateAdaptive}),
		choose("start", s.Start, &opt.Start, map[string]lvq.Start{"auto": lvq.StartAuto, "means": lvq.StartMeans, "kmeans": lvq.StartKMeans}))
}

// choose sets dst to the value of the name.
func choose[T any](option, name string, dst *T, values map[string]T) error {
	v, ok := values[name]
	if !ok {
		return suggest.Unknown(option, name, slices.Sorted(maps.Keys(values)))
	}
	*dst = v
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
