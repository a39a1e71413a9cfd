package method

import (
	"context"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/feature"
	"rao/internal/classifiers"
	"rao/internal/learners"
	"rao/internal/testkit"
	"rao/lvq"
	"rao/model"
	"rao/spd"
)

// Fits, classifiers and stages of matrices return an error for a nil stack, and do not panic.
func TestNilStacksAreRefused(t *testing.T) {
	var none *spd.Stack
	names, labels := []string{"a", "b"}, []int{0, 1}
	second := func(_ any, err error) error { return err }
	third := func(_, _ any, err error) error { return err }
	calls := map[string]func() error{
		"FitMDM": func() error {
			return second(classify.FitMDM(background, none, labels, names, classify.MDMOptions{}))
		},
		"FitPLRSQ": func() error {
			return second(lvq.FitPLRSQ(background, none, labels, names, lvq.PLRSQOptions{}))
		},
		"FitGAPCA": func() error {
			return second(learners.FitGAPCA(background, none, learners.GAPCAOptions{Dim: 1}))
		},
		"FitCSP": func() error {
			return second(feature.FitCSP(background, none, labels, names, feature.CSPOptions{}))
		},
		"FitTangentSpace": func() error {
			return second(classifiers.FitTangentSpace(background, none, spd.Riemann, spd.MeanOptions{}))
		},
		"FitTangentRidge": func() error {
			return third(classifiers.FitTangentRidge(background, none, nil, classifiers.TangentRidgeOptions{}))
		},
		"FitMatrixKNNRegression": func() error {
			return second(classifiers.FitMatrixKNNRegression(none, nil, spd.Riemann, 1))
		},
		"Distinctiveness": func() error {
			return second(classify.Distinctiveness(background, none, labels, spd.Riemann))
		},
	}
	d := toyMatrices(t)
	for _, m := range Methods() {
		if !m.Matrices {
			continue
		}
		mod := testkit.Fitted(m.Fit(background, InMemory{Data: d}, m.only(quick()), nil))(t)
		if cl, ok := mod.Classifier.(interface {
			LogPosterior(context.Context, *mat.Dense, *spd.Stack) error
		}); ok {
			calls[m.Name+" posterior"] = func() error { return cl.LogPosterior(t.Context(), new(mat.Dense), none) }
		}
		if cl, ok := mod.Classifier.(*lvq.PLRSQ); ok {
			calls[m.Name+" decide"] = func() error { return cl.Decide(t.Context(), nil, new(mat.Dense), none) }
			calls[m.Name+" calibrate"] = func() error { return cl.Clone().Calibrate(t.Context(), none, nil, false) }
		}
		if cl, ok := mod.Classifier.(interface {
			Predict(context.Context, *spd.Stack) ([]int, error)
		}); ok {
			calls[m.Name+" predict"] = func() error { return second(cl.Predict(t.Context(), none)) }
		}
		if cl, ok := mod.Classifier.(interface {
			Features(dst *mat.Dense, x *spd.Stack) error
		}); ok {
			calls[m.Name+" features"] = func() error { return cl.Features(new(mat.Dense), none) }
		}
		for _, s := range mod.Stages {
			if s, ok := model.Unwrap(s).(model.Map); ok {
				calls[m.Name+" map"] = func() error { return s.Map(new(spd.Stack), none) }
			}
		}
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if v, ok := recover().(runtime.Error); ok {
					t.Errorf("panic: %v", v)
				}
			}()
			testkit.Fails(t, call(), "no error")
		})
	}
}
