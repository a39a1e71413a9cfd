package explain

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/internal/linalg/vec"
	"rao/internal/serve/forms"
	"rao/model"
)

// form is the log-density of one Gaussian at an observation, split into terms. With its precision Q and the difference
// d from its mean, the log-density is constant − ½ Σ_i Q_ii d_i² − Σ_{i<j} Q_ij d_i d_j.
type form struct {
	constant  float64 // log of its weight minus half the log-determinant of its covariance
	precision mat.SymDense
	diff      []float64
}

func newForm(z, mean []float64, cov mat.Symmetric, weight float64, name string) (*form, error) {
	var c mat.Cholesky
	if !c.Factorize(cov) {
		return nil, fmt.Errorf("the covariance of %s is singular; fit the model again with more regularization", name)
	}
	f := &form{constant: math.Log(weight) - c.LogDet()/2, diff: slices.Clone(z)}
	for i, m := range mean {
		f.diff[i] -= m
	}
	return f, c.InverseTo(&f.precision)
}

// part returns the term of the pair i < j, or of the single value i if i = j.
func (f *form) part(i, j int) float64 {
	v := -f.precision.At(i, j) * f.diff[i] * f.diff[j]
	if i == j {
		v /= 2
	}
	return v
}

func (f *form) sum() float64 {
	total := f.constant
	for i := range f.diff {
		for j := i; j < len(f.diff); j++ {
			total += f.part(i, j)
		}
	}
	return total
}

// forms sets the terms of the explanation to the weighted sum of log-densities. The log-odds of two classes are
// such a sum.
func (x *Explanation) forms(z []float64, constant float64, all []*form, weights []float64) {
	n := len(z)
	gradient := make([]float64, n)
	x.Terms = make([]Term, n)
	for i := range n {
		x.Terms[i] = Term{Filter: i, Feature: z[i]}
		for j := i + 1; j < n; j++ {
			x.Pairs = append(x.Pairs, PairTerm{Filters: [2]int{i, j}})
		}
	}
	for k, f := range all {
		constant += weights[k] * f.constant
		at := 0
		for i := range n {
			x.Terms[i].LogOdds += weights[k] * f.part(i, i)
			for j := range n {
				gradient[i] -= weights[k] * f.precision.At(i, j) * f.diff[j]
				if j > i {
					x.Pairs[at].LogOdds += weights[k] * f.part(i, j)
					at++
				}
			}
		}
	}
	x.Constant, x.Input = &constant, &Slope{Gradient: gradient}
}

// mixture splits the log-odds of two mixtures of Gaussians. With s_k the log-density of component k including its
// weight, and r_k = exp(s_k)/Σ exp(s_j) its share in its class,
//
//	log Σ exp(s_k) = Σ r_k (s_k − log r_k)
//
// This is a sum over components and, because every s_k is quadratic, also a sum over filters and pairs. The derivative
// is Σ r_k ∇s_k. With one Gaussian per class, r_k is 1, and the terms are the terms of the quadratic classifier.
func (x *Explanation) mixture(m forms.Gaussians, classes []string, z []float64, a, b int) error {
	var all []*form
	var weights []float64
	constant := 0.0
	for side, class := range []int{a, b} {
		sign := []float64{1, -1}[side] / m.Temperature
		var scores []float64
		for k, of := range m.Of {
			if of != class {
				continue
			}
			f, err := newForm(z, m.Means.RawRowView(k), m.Covariances.Sym(k), m.Weights[k],
				fmt.Sprintf("component %d, of class %s,", k, classes[class]))
			if err != nil {
				return err
			}
			all, scores = append(all, f), append(scores, f.sum())
		}
		total := vec.LogSumExp(scores)
		for i, s := range scores {
			share := math.Exp(s - total)
			weights = append(weights, sign*share)
			constant -= sign * share * (s - total)
			if !m.Single() {
				x.Components = append(x.Components, ComponentTerm{Class: classes[class], Component: i, Share: share,
					LogOdds: sign * share * total})
			}
		}
	}
	x.forms(z, constant, all, weights)
	return nil
}

// linear splits the difference of the scores of classes a and b into one term per filter and a constant.
func (x *Explanation) linear(l forms.Linear, z []float64, a, b int) {
	constant := l.Intercepts[a] - l.Intercepts[b]
	gradient := make([]float64, len(z))
	for i := range z {
		gradient[i] = l.Coefficients.At(a, i) - l.Coefficients.At(b, i)
		centered := z[i]
		if l.Center != nil {
			centered -= l.Center[i]
		}
		x.Terms = append(x.Terms, Term{Filter: i, Feature: z[i], LogOdds: gradient[i] * centered})
	}
	x.Constant, x.Input = &constant, &Slope{Gradient: gradient}
}

// backpropagate converts the derivative with respect to the classifier's input to the derivative with respect to the
// observation. If a stage is not linear, the derivative is removed.
func (g *Slope) backpropagate(m *model.Model) {
	slope := g.Gradient
	for _, stage := range slices.Backward(m.Stages) {
		i := slices.IndexFunc(linearStages, func(back backward) bool { return back(model.Unwrap(stage), &slope) })
		if i < 0 {
			g.Gradient = nil
			return
		}
	}
	g.Gradient, g.Shape = slope, []int{len(slope)}
	if im := m.Input.Image; im[0] > 0 {
		g.Shape = im[:2]
		if im[2] > 1 {
			g.Shape = im[:]
		}
	}
}

// backward replaces the derivative with respect to the output of a stage by the derivative with respect to its input.
// It returns false for stages that it does not support.
type backward func(s any, slope *[]float64) bool

// linearStages has one entry for each kind of stage that is linear in the observation.
var linearStages = []backward{
	stageBackward(func(s *feature.Model, slope []float64) []float64 {
		n, _ := s.Filters.Dims()
		back := mat.NewVecDense(n, nil)
		back.MulVec(s.Filters, mat.NewVecDense(len(slope), slope))
		return back.RawVector().Data
	}),
	stageBackward(func(s *model.Scaling, slope []float64) []float64 {
		slope = slices.Clone(slope)
		for i := range slope {
			switch len(s.Scale) {
			case 0:
			case 1:
				slope[i] *= s.Scale[0]
			default:
				slope[i] *= s.Scale[i]
			}
		}
		return slope
	}),
}

// stageBackward returns a function that applies back to stages of type T and returns false for other stages.
func stageBackward[T any](back func(s T, slope []float64) []float64) backward {
	return func(s any, slope *[]float64) bool {
		t, ok := s.(T)
		if ok {
			*slope = back(t, *slope)
		}
		return ok
	}
}
