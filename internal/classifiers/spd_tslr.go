package classifiers

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rao"
	"rao/internal/classifiers/common"
	"rao/spd"
)

// TangentLogisticOptions are the options of [FitTangentLogistic].
type TangentLogisticOptions struct {
	// Metric is the metric of the tangent space, spd.Riemann (default) or spd.LogEuclid.
	Metric spd.Metric
	common.LogisticFit
	// Mean contains the options for the mean of the tangent space.
	Mean spd.MeanOptions
}

// TangentLogistic is multinomial logistic regression on tangent vectors at the mean
// of the training matrices. It minimizes
//
//	Σ_k −log p(y_k | v_k) + 1/(2C) Σ_i ‖w_i‖²,  p(i|v) ∝ exp(v'w_i + b_i)
//
// like scikit-learn's LogisticRegression after pyRiemann's TangentSpace. The intercepts are not penalized.
//
// The exported fields determine the model.
type TangentLogistic struct {
	TangentLinear
	C      float64    `json:"c"`      // the fitted C
	Report rao.Report `json:"report"` // how the fit ended
}

// FitTangentLogistic fits the classifier with L-BFGS. If the mean or the fit does not converge, or ctx ends, it
// returns a usable model and a *rao.NotConvergedError. Other errors name the matrix or class. The cost is the mean,
// then 4 N c p operations per evaluation, with p = n(n+1)/2.
func FitTangentLogistic(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt TangentLogisticOptions) (*TangentLogistic, error) {
	begin := time.Now()
	o, err := opt.LogisticFit.Filled()
	if err != nil {
		return nil, err
	}
	if err := common.CheckStack(x, labels, classes, 1); err != nil {
		return nil, err
	}
	t, v, unsettled, err := trainingSpace(ctx, x, opt.Metric, opt.Mean)
	if err != nil {
		return nil, fmt.Errorf("tslr: %w", err)
	}
	m := &TangentLogistic{TangentLinear: TangentLinear{Classes: slices.Clone(classes), Tangent: t}, C: o.C}
	m.Coefficients, m.Intercepts, m.Report, err = common.MinimizeLogistic(ctx, "tslr", v, labels, len(classes), o)
	if err != nil && !rao.HasModel(err) {
		return nil, err
	}
	m.Report.Elapsed = time.Since(begin)
	if err != nil {
		return m, err
	}
	if unsettled != nil {
		return m, fmt.Errorf("tslr: %w", unsettled)
	}
	return m, nil
}

// Validate checks the exported fields. Call it after reading them from a file.
func (m *TangentLogistic) Validate() error {
	if err := m.check(); err != nil {
		return fmt.Errorf("tslr: %w", err)
	}
	return nil
}
