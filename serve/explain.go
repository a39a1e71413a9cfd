package serve

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/lvq"
	"rao/model"
	"rao/spd"
)

// explainedRows is how many observations one request may ask to be explained.
const explainedRows = 256

// explanation says why a class was preferred to the runner-up, exactly: the terms add up to
// the log-odds.
type explanation struct {
	Label    string  `json:"label"`
	RunnerUp string  `json:"runner_up"`
	LogOdds  float64 `json:"log_odds"` // log P(label) - log P(runner-up)

	// Of filters, or columns, with a quadratic or linear classifier: what each adds alone,
	// what pairs add together, and what all observations have in common.
	Constant *float64    `json:"constant,omitempty"`
	Terms    []term      `json:"terms,omitempty"`
	Pairs    []pairTerm  `json:"pairs,omitempty"`
	Input    *inputSlope `json:"input,omitempty"`

	// Of matrices: how they lie to the nearest mean or prototype of each of the two classes.
	Prototypes []prototypeView `json:"prototypes,omitempty"`
}

type term struct {
	Filter  int     `json:"filter"`
	Feature float64 `json:"feature"` // the response
	LogOdds float64 `json:"log_odds"`
}

type pairTerm struct {
	Filters [2]int  `json:"filters"`
	LogOdds float64 `json:"log_odds"`
}

// inputSlope is the derivative of the log-odds with the values of the observation.
type inputSlope struct {
	Shape    []int     `json:"shape"`
	Gradient []float64 `json:"gradient"`
}

// prototypeView is a class's nearest prototype W against the matrix X: the generalized
// eigenvalues of X v = λ W v in descending order of |log λ|, whose squared logarithms add up
// to the squared affine-invariant distance, and the patterns W v of the largest.
type prototypeView struct {
	Class      string      `json:"class"`
	Prototype  int         `json:"prototype"`
	Distance   float64     `json:"distance"`
	LogRatios  []float64   `json:"log_ratios"`
	Patterns   [][]float64 `json:"patterns"`
	Channels   []string    `json:"channels,omitempty"`
	ofDistance float64
}

// patterns is how many a prototypeView has.
const patterns = 3

func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	e, b, err := s.given(r, nil)
	if err != nil {
		return err
	}
	if b.Len() > explainedRows {
		return badRequest("%d observations; at most %d are explained at a time", b.Len(), explainedRows)
	}
	p, err := s.turn(w, r, e, b)
	if err != nil {
		return err
	}
	items, err := explainAll(r.Context(), e.model, b, p)
	if err != nil {
		return err
	}
	return writeJSON(w, 200, map[string]any{"model": e.name, "version": e.version, "items": items})
}

// explainAll explains every observation of the batch.
func explainAll(ctx context.Context, m *model.Model, b model.Batch, p *model.Prediction) ([]explanation, error) {
	z, err := atClassifier(ctx, m, b)
	if err != nil {
		return nil, err
	}
	items := make([]explanation, len(p.Label))
	for i, top := range p.Label {
		logp := p.LogPosterior.RawRowView(i)
		next := runnerUp(logp, top)
		x := &items[i]
		x.Label, x.RunnerUp, x.LogOdds = m.Classes[top], m.Classes[next], logp[top]-logp[next]
		switch c := m.Classifier.(type) {
		case *classify.QDA:
			err = x.quadratic(c, mat.Row(nil, i, z.X), top, next)
		case *classify.LDA:
			x.linear(c, mat.Row(nil, i, z.X), top, next)
		case *classify.MDM:
			err = x.prototypes(m, c.Metric, c.Means, nil, z.Stack.Sym(i), top, next)
		case *lvq.PLRSQ:
			err = x.prototypes(m, c.Metric, c.Prototypes, c.Labels, z.Stack.Sym(i), top, next)
		default:
			return nil, &httpError{http.StatusNotImplemented,
				fmt.Sprintf("decisions of a %s model have no exact explanation here; quadratic and linear "+
					"classifiers, and prototypes in the affine-invariant metric have", m.Method)}
		}
		if err != nil {
			return nil, err
		}
		if x.Input != nil {
			x.Input.through(m)
		}
	}
	return items, nil
}

// runnerUp is the class of the second largest value.
func runnerUp(logp []float64, top int) int {
	next := -1
	for j, v := range logp {
		if j != top && (next < 0 || v > logp[next]) {
			next = j
		}
	}
	return max(next, 0)
}

// quadratic splits the log-odds of two Gaussians: with precisions A and B and differences
// d and e from the means,
//
//	log π_a/π_b − ½ log |Φ_a|/|Φ_b| − ½ d'Ad + ½ e'Be
func (x *explanation) quadratic(q *classify.QDA, z []float64, a, b int) error {
	n := len(z)
	var precision [2]mat.SymDense
	var diff [2][]float64
	constant := math.Log(q.Priors[a]) - math.Log(q.Priors[b])
	for k, class := range []int{a, b} {
		var c mat.Cholesky
		if !c.Factorize(q.Covariances.Sym(class)) {
			return &httpError{http.StatusInternalServerError,
				fmt.Sprintf("the covariance of class %s is singular", q.Classes[class])}
		}
		if err := c.InverseTo(&precision[k]); err != nil {
			return err
		}
		constant += [2]float64{-0.5, 0.5}[k] * c.LogDet()
		diff[k] = make([]float64, n)
		for i := range n {
			diff[k][i] = z[i] - q.Means.At(class, i)
		}
	}
	part := func(i, j int) float64 {
		return -precision[0].At(i, j)*diff[0][i]*diff[0][j] + precision[1].At(i, j)*diff[1][i]*diff[1][j]
	}
	gradient := make([]float64, n)
	for i := range n {
		x.Terms = append(x.Terms, term{i, z[i], part(i, i) / 2})
		for j := range n {
			gradient[i] += -precision[0].At(i, j)*diff[0][j] + precision[1].At(i, j)*diff[1][j]
			if j > i {
				x.Pairs = append(x.Pairs, pairTerm{[2]int{i, j}, part(i, j)})
			}
		}
	}
	x.Constant, x.Input = &constant, &inputSlope{Gradient: gradient}
	return nil
}

// linear splits the log-odds of two linear scores.
func (x *explanation) linear(l *classify.LDA, z []float64, a, b int) {
	constant := l.Intercepts[a] - l.Intercepts[b]
	gradient := make([]float64, len(z))
	for i := range z {
		gradient[i] = l.Coefficients.At(a, i) - l.Coefficients.At(b, i)
		x.Terms = append(x.Terms, term{i, z[i], gradient[i] * (z[i] - l.Center[i])})
	}
	x.Constant, x.Input = &constant, &inputSlope{Gradient: gradient}
}

// through takes the derivative back from the classifier's input to the observation, as long
// as every stage is linear; otherwise there is none.
func (g *inputSlope) through(m *model.Model) {
	slope := g.Gradient
	for _, stage := range slices.Backward(m.Stages) {
		switch st := stage.(type) {
		case *model.Filters:
			n, _ := st.Filters.Dims()
			back := mat.NewVecDense(n, nil)
			back.MulVec(st.Filters, mat.NewVecDense(len(slope), slope))
			slope = back.RawVector().Data
		case *model.Scaling:
			slope = slices.Clone(slope)
			for i := range slope {
				switch len(st.Scale) {
				case 0:
				case 1:
					slope[i] *= st.Scale[0]
				default:
					slope[i] *= st.Scale[i]
				}
			}
		default:
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

// prototypes finds the nearest one of each of two classes. labels nil means one a class.
func (x *explanation) prototypes(m *model.Model, metric spd.Metric, w *spd.Stack, labels []int, a mat.Symmetric, top,
	next int) error {
	if metric != spd.Riemann {
		return &httpError{http.StatusNotImplemented,
			fmt.Sprintf("prototypes in the metric %s have no exact explanation here; those in the affine-invariant "+
				"metric have", metric)}
	}
	for _, class := range []int{top, next} {
		var best *prototypeView
		for k := range w.Count {
			if labels == nil && k != class || labels != nil && labels[k] != class {
				continue
			}
			v, err := viewOf(a, w.Sym(k))
			if err != nil {
				return err
			}
			if v.Prototype = k; best == nil || v.Distance < best.Distance {
				best = v
			}
		}
		if best == nil {
			continue
		}
		best.Class = m.Classes[class]
		if out, err := m.Output(); err == nil && len(m.Stages) == 0 {
			best.Channels = out.Channels
		}
		x.Prototypes = append(x.Prototypes, *best)
	}
	return nil
}

// viewOf solves A v = λ W v.
func viewOf(a, w mat.Symmetric) (*prototypeView, error) {
	n := a.SymmetricDim()
	var c mat.Cholesky
	if !c.Factorize(w) {
		return nil, &httpError{http.StatusInternalServerError, "a prototype is not positive definite"}
	}
	var l mat.TriDense
	c.LTo(&l)
	var half, white mat.Dense
	if err := half.Solve(&l, a); err != nil {
		return nil, err
	}
	if err := white.Solve(&l, half.T()); err != nil {
		return nil, err
	}
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			sym.SetSym(i, j, (white.At(i, j)+white.At(j, i))/2)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, true) {
		return nil, &httpError{http.StatusInternalServerError, "the eigenvalues of a matrix did not converge"}
	}
	var u, pattern mat.Dense
	eig.VectorsTo(&u)
	pattern.Mul(&l, &u) // W v with v = L⁻ᵀ u
	order := make([]int, n)
	logs := eig.Values(nil)
	v := &prototypeView{}
	for i, lambda := range logs {
		if !(lambda > 0) {
			return nil, badRequest("a matrix is not positive definite")
		}
		order[i], logs[i] = i, math.Log(lambda)
		v.ofDistance += logs[i] * logs[i]
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch d := math.Abs(logs[j]) - math.Abs(logs[i]); {
		case d > 0:
			return 1
		case d < 0:
			return -1
		}
		return 0
	})
	v.Distance = math.Sqrt(v.ofDistance)
	for k, i := range order {
		v.LogRatios = append(v.LogRatios, logs[i])
		if k < patterns {
			v.Patterns = append(v.Patterns, mat.Col(nil, i, &pattern))
		}
	}
	return v, nil
}
