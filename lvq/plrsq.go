package lvq

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/priors"
	"rao/spd"
)

// PLRSQ is a fitted prototype classifier of SPD matrices. The probability of class c is
//
//	P(c|X) ∝ e^{b_c} Σ_{l of c} π_l exp(−τ_c d²(X, W_l) / (2σ²))
//
// where d is the distance of Metric, and the prior of a class is divided equally between its prototypes, which gives
// π_l. The calibration is τ_c = 1/(Temperature·Scale_c) and b_c = Offset_c. With the rule nearest, the largest term of
// each class replaces the sum, without priors. The exported fields determine the model. If you set them yourself, call
// [PLRSQ.Validate]. Methods that do not change the model are safe for concurrent use.
type PLRSQ struct {
	Metric      spd.Metric           `json:"metric"`     // geometry of the prototypes
	Prototypes  *spd.Stack           `json:"prototypes"` // p matrices of order n
	Labels      []int                `json:"labels"`     // class of each prototype
	Classes     []string             `json:"classes"`    // class names
	Sigma2      float64              `json:"sigma2"`     // σ² at the end of training
	Priors      []float64            `json:"priors"`     // class probabilities; nil: every prototype equally probable
	Rule        Rule                 `json:"rule"`       // nearest: by the nearest prototype; empty: by all prototypes of a class
	Calibration `json:"calibration"` // how the probabilities are calibrated
	Rejection   `json:"rejection"`   // when a decision is rejected
	// Reference is the Riemannian mean of the training matrices, from which the adaptation to a new recording
	// starts.
	Reference *mat.SymDense `json:"reference"`
	// ClassShare is the fraction of the training data in each class.
	ClassShare []float64  `json:"class_share"`
	Report     rao.Report `json:"report"` // how the training ended

	live *liveState
}

// FitPLRSQ learns prototypes from labeled SPD matrices: probabilistic learning Riemannian space quantization (Tang,
// Feng, Tino, Si and Ji 2021, arXiv 2102.00667). labels are 0..c−1; classes are the c names, or nil if there are none.
// The zero options are good defaults. With class probabilities in opt.Soft, labels are nil.
//
// A completed schedule counts as converged. If ctx is canceled, FitPLRSQ returns the model of the last epoch, without
// calibration, and a *[rao.NotConvergedError] (see [rao.HasModel]). Other errors name the matrix, the class or the
// invalid option.
//
// For N matrices of order n and p prototypes of all classes, the cost is epochs × N × p eigendecompositions of order n,
// minus what pruning saves, times 1 + CalibrationFolds. If the folds choose the settings, the cost is up to 30 × N × p
// eigendecompositions times 1 + 3 × CalibrationFolds, and folds are trained in parallel.
func FitPLRSQ(ctx context.Context, x *spd.Stack, labels []int, classes []string, opt PLRSQOptions) (*PLRSQ, error) {
	if err := checkStackShape(x); err != nil {
		return nil, err
	}
	if opt.Soft != nil {
		return fitSoft(ctx, x, labels, classes, opt)
	}
	counts, err := countLabels(labels, x.Count, classes)
	if err != nil {
		return nil, err
	}
	return fitTargets(ctx, x, certainTargets(labels, len(counts)), counts, classes, opt)
}

// fitSoft learns from the class probabilities opt.Soft.
func fitSoft(ctx context.Context, x *spd.Stack, labels []int, classes []string, opt PLRSQOptions) (*PLRSQ, error) {
	if labels != nil {
		return nil, faults.Option("there are labels and class probabilities; give only one of them")
	}
	q, err := softTargets(opt.Soft, x.Count)
	if err != nil {
		return nil, err
	}
	if classes != nil && len(classes) != q.classes {
		return nil, fmt.Errorf("the targets have probabilities of %d classes, but there are %d class names; give one "+
			"name per class",
			q.classes, len(classes))
	}
	counts := indices.Tally(q.labels, q.classes)
	return fitTargets(ctx, x, q, counts, classes, opt)
}

func checkStackShape(x *spd.Stack) error {
	if err := x.Validate(); err != nil {
		return err
	}
	if x.Count == 0 {
		return faults.Count(0, 1, "there are no matrices; give at least one")
	}
	return nil
}

// fitTargets learns prototypes from hard or soft targets.
func fitTargets(ctx context.Context, x *spd.Stack, q *targets, counts []int, classes []string,
	opt PLRSQOptions) (*PLRSQ, error) {
	start := time.Now()
	o, err := opt.resolve(x.Dim, counts, classes)
	if err != nil {
		return nil, err
	}
	if err := x.VerifyDefinite("matrix"); err != nil {
		return nil, err
	}
	m, err := prepare(o.Metric, x)
	if err != nil {
		return nil, err
	}
	fit, k, err := learn(ctx, m, o, q)
	if err != nil {
		return nil, err
	}
	model := &PLRSQ{Metric: o.Metric, Labels: o.label, Classes: slices.Clone(naming.Classes(classes, o.classes)),
		Sigma2: fit.sigma2,
		Priors: o.Priors, Rule: o.Rule, Calibration: k, ClassShare: q.shares(), Report: fit.report}
	if model.Prototypes, err = m.stack(fit.space); err != nil {
		return nil, err
	}
	mean, _, err := spd.Mean(ctx, x, nil, spd.Riemann, spd.MeanOptions{})
	if mean == nil {
		return nil, fmt.Errorf("mean of the training matrices: %w", err)
	}
	model.Reference = mean
	model.Report.Elapsed = time.Since(start)
	if err := model.Validate(); err != nil {
		return nil, err
	}
	return model, cutShort(ctx, "plrsq", model.Report)
}

// cutShort returns the error that accompanies the model of a canceled fit.
func cutShort(ctx context.Context, method string, report rao.Report) error {
	if report.Status != rao.StatusCanceled {
		return nil
	}
	return &rao.NotConvergedError{Cause: ctx.Err(), Method: method, Report: report}
}

// Dims returns the order of the matrices, and the number of classes.
func (m *PLRSQ) Dims() (in, classes int) { return m.Prototypes.Dim, len(m.Classes) }

// Validate returns an error if the exported fields are invalid. It computes the unexported fields of a model whose
// fields were set by hand; of any other model it only reads, so other goroutines may predict.
func (m *PLRSQ) Validate() error {
	switch {
	case m.Prototypes == nil || m.Prototypes.Count == 0:
		return fmt.Errorf("the model has no prototypes; fit it again")
	case len(m.Classes) < 2:
		return fmt.Errorf("the number of classes is %d; the model needs at least two", len(m.Classes))
	case len(m.Labels) != m.Prototypes.Count:
		return fmt.Errorf("the number of labels of the model is %d, but the number of prototypes is %d; every "+
			"prototype needs one label",
			len(m.Labels), m.Prototypes.Count)
	case !vec.Positive(m.Sigma2):
		return fmt.Errorf("sigma2 of the model is %g; it must be positive and finite", m.Sigma2)
	}
	if _, err := flatSpace(m.Metric); err != nil {
		return err
	}
	have := make([]bool, len(m.Classes))
	for l, c := range m.Labels {
		if c < 0 || c >= len(m.Classes) {
			return fmt.Errorf("prototype %d has class %d; classes must be from 0 to %d", l, c, len(m.Classes)-1)
		}
		have[c] = true
	}
	for c, ok := range have {
		if !ok {
			return fmt.Errorf("class %s has no prototype; fit the model again", m.Classes[c])
		}
	}
	if err := priors.Check(m.Priors, len(m.Classes)); err != nil {
		return err
	}
	if err := m.Rule.check(); err != nil {
		return err
	}
	if err := m.Calibration.check(len(m.Classes), m.Rule); err != nil {
		return err
	}
	if err := m.Rejection.check(); err != nil {
		return err
	}
	if err := m.Prototypes.VerifyDefinite("prototype"); err != nil {
		return err
	}
	if err := m.checkReference(); err != nil || m.live != nil {
		return err
	}
	return m.rebuild()
}

// checkReference checks the fields for centering, if present.
func (m *PLRSQ) checkReference() error {
	n := m.Prototypes.Dim
	if m.ClassShare != nil && len(m.ClassShare) != len(m.Classes) {
		return fmt.Errorf("the number of class shares of the model is %d, but the number of classes is %d; fit it "+
			"again",
			len(m.ClassShare), len(m.Classes))
	}
	if m.Reference == nil {
		return nil
	}
	if m.Reference.SymmetricDim() != n {
		return fmt.Errorf("the reference has order %d, but the prototypes have order %d",
			m.Reference.SymmetricDim(), n)
	}
	return spd.StackFrom(m.Reference).VerifyDefinite("reference")
}
