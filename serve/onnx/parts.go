package onnx

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/feature"
	"rao/internal/classifiers"
	"rao/internal/serve/forms"
	"rao/lvq"
	"rao/model"
	"rao/spd"
)

// The tables in this file list the parts of a model that can be exported, with one entry per type.

// entry converts the parts of one type. add adds a part to the graph and returns the resulting value.
type entry[In, Out any] struct {
	has func(part any) bool
	add func(in In, part any) (Out, error)
}

// of returns the entry for parts of type T, which may be an interface.
func of[T, In, Out any](add func(in In, part T) (Out, error)) entry[In, Out] {
	return formed(func(part any) (T, bool) { t, ok := part.(T); return t, ok }, add)
}

// formed returns the entry for parts that have a form.
func formed[F, In, Out any](formOf func(part any) (F, bool), add func(in In, form F) (Out, error)) entry[In, Out] {
	return entry[In, Out]{
		has: func(part any) bool { _, ok := formOf(part); return ok },
		add: func(in In, part any) (Out, error) { form, _ := formOf(part); return add(in, form) },
	}
}

// find returns the entry of a part, or nil if the table has none.
func find[In, Out any](table []entry[In, Out], part any) *entry[In, Out] {
	if i := slices.IndexFunc(table, func(e entry[In, Out]) bool { return e.has(part) }); i >= 0 {
		return &table[i]
	}
	return nil
}

// vectorClassifiers contains the classifiers of vectors. An entry returns the scores of the classes.
var vectorClassifiers = []entry[rows, string]{
	formed(forms.LinearOf, func(r rows, l forms.Linear) (string, error) {
		negative := make([]float64, len(l.Intercepts))
		for i, v := range l.Intercepts {
			negative[i] = -v
		}
		return r.then(l.Center, mat.DenseCopyOf(l.Coefficients.T()), negative).value(), nil
	}),
	formed(forms.GaussiansOf, rows.gaussians),
	of(func(r rows, cl *classify.KNN) (string, error) {
		return r.voted(r.value(), cl.Rows, cl.Labels, len(cl.Classes), cl.K, cl.Smoothing), nil
	}),
	of(func(r rows, cl *lvq.RSLVQ) (string, error) {
		d := r.distancesTo(r.value(), cl.Prototypes)
		return r.prototypes(d, cl.Rule, cl.Labels, len(cl.Classes), cl.Priors, 2*cl.Sigma2, &cl.Calibration), nil
	}),
	of(rows.learned),
}

// matrixClassifiers contains the classifiers of matrices. An entry returns the scores of the classes.
var matrixClassifiers = []entry[*matrices, string]{
	of(func(m *matrices, cl *classify.MDM) (string, error) {
		d, err := m.squaredDistances(cl.Metric, cl.Means)
		if err != nil {
			return "", err
		}
		return m.op("Mul", d, m.scalar(-1)), nil
	}),
	of(func(m *matrices, cl *lvq.PLRSQ) (string, error) {
		d, err := m.squaredDistances(cl.Metric, cl.Prototypes)
		if err != nil {
			return "", err
		}
		return m.prototypes(d, cl.Rule, cl.Labels, len(cl.Classes), cl.Priors, 2*cl.Sigma2, &cl.Calibration), nil
	}),
	of(func(m *matrices, cl interface {
		TangentScores() classifiers.TangentScores
	}) (string, error) {
		return m.linear(cl.TangentScores())
	}),
	of(func(m *matrices, cl *lvq.MatrixGMLVQ) (string, error) {
		x, err := m.flat(cl.Metric)
		if err != nil {
			return "", err
		}
		return m.packed(x).learned(cl.Vector)
	}),
	of((*matrices).nearest),
}

// vectorStages contains the stages on vectors. An entry returns the output vectors of the stage.
var vectorStages = []entry[rows, rows]{
	of(func(r rows, s *model.Scaling) (rows, error) { return r.scaled(s), nil }),
	of(func(r rows, f *feature.Model) (rows, error) { return r.then(f.Center, f.Filters, nil), nil }),
}

// toVectors contains the stages that compute vectors from matrices. An entry returns the vectors.
var toVectors = []entry[*matrices, rows]{
	of((*matrices).tangent),
	of((*matrices).logVariances),
}

// matrixStages contains the stages on matrices. An entry returns the output matrices of the stage, or an error that
// explains why the stage cannot be exported.
var matrixStages = []entry[*matrices, *matrices]{
	of(func(_ *matrices, s *model.Adaptation) (*matrices, error) {
		return nil, fmt.Errorf("a graph processes single observations and cannot adapt to a recording (%s); fit "+
			"the model without adaptation", s.How)
	}),
	of(func(*matrices, *spd.Repair) (*matrices, error) {
		return nil, errors.New("a graph cannot repair matrices; repair the data, and fit the model without repair")
	}),
	of(func(m *matrices, csp *feature.CSP) (*matrices, error) { return m.congruent(csp.Filters), nil }),
	of(func(m *matrices, by congruent) (*matrices, error) { return m.congruent(by.Congruence()), nil }),
	of((*matrices).geodesic),
}

// congruent is a map of matrices of the form X → W'XW.
type congruent interface {
	model.Map
	Congruence() *mat.Dense // W, n×m for orders n and m before and after
}

func unsupported(s model.Stage) error {
	return fmt.Errorf("the stage %s cannot be exported; use a method without it", model.NameOf(s))
}

// without returns the error for a classifier that cannot be exported.
func without(cl model.Classifier) error {
	such := "mdm or tslr"
	if _, ok := cl.(model.VectorClassifier); ok {
		such = "qda or logistic"
	}
	return fmt.Errorf("the classifier %s cannot be exported; use another, such as %s", model.NameOf(cl), such)
}
