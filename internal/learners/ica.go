package learners

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/orth"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/optionvalues"
	"rao/internal/par"
)

// ICAOptions are the options of [FitICA]. Filters is required.
type ICAOptions struct {
	Filters   int     // number of components, 1 to the rank of the covariance; required
	Contrast  string  `opt:"contrast" default:"logcosh" choices:"logcosh,exp,cube" help:"contrast function"`
	Deflation bool    `opt:"deflation" default:"false" help:"extract the components one by one instead of all together"`
	Tol       float64 `opt:"tol" default:"1e-5" above:"0" help:"stop when the directions change by less than this, as 1 - |cos|"`
	// MaxIter limits the iterations for all components together, or per component with Deflation.
	MaxIter int    `opt:"max-iter" default:"1000" min:"1" max:"100000000" help:"maximum number of iterations"`
	Seed    uint64 // seed of the random start
	// Start, n×m, contains initial filters. FitICA uses only the projection of Start into the whitened space.
	Start    *mat.Dense
	Progress rao.Progress
}

// contrast returns the function g and its derivative at u.
type contrast func(u float64) (g, dg float64)

func contrastOf(name string) (contrast, error) {
	switch name {
	case "logcosh":
		return func(u float64) (float64, float64) { t := math.Tanh(u); return t, 1 - t*t }, nil
	case "exp":
		return func(u float64) (float64, float64) { e := math.Exp(-u * u / 2); return u * e, (1 - u*u) * e }, nil
	case "cube":
		return func(u float64) (float64, float64) { return u * u * u, 3 * u * u }, nil
	}
	return nil, &rao.UnknownError{Kind: "contrast", Name: name, Known: []string{"logcosh", "exp", "cube"}}
}

// ica is the state of a fit to N whitened rows with m values each.
type ica struct {
	z       []float64
	rows, m int
	g       contrast
	opt     ICAOptions
	report  rao.Report

	y, gy   []float64   // N×m: the components, and g of the components
	partial [][]float64 // sums of g' for each chunk of rows
}

// icaGrain is the number of rows per task of a parallel loop.
const icaGrain = 1024

// FitICA finds independent components with the fixed-point algorithm of Hyvärinen (1999). Rows are centered and
// whitened on their m principal components. The iteration is
//
//	w ← E[z g(w'z)] - E[g'(w'z)] w
//
// with symmetric decorrelation (equation 45 of Hyvärinen and Oja 2000) or with deflation. If the symmetric iteration
// oscillates, its steps are shortened. g is tanh, u exp(-u²/2) or u³. Components have unit variance (divisor N) and are
// sorted by descending non-Gaussianity, the magnitude of the excess kurtosis, which is stored in Values. Loadings is
// the mixing matrix.
//
// FitICA returns an error for data that are not finite (with row and column), options out of range, or more filters
// than the rank of the covariance. If the tolerance is not reached, it returns a usable model and a
// *rao.NotConvergedError. An iteration costs 4 N m² operations and N m evaluations of g; memory is 3 N m values.
func FitICA(ctx context.Context, x mat.Matrix, opt ICAOptions) (*feature.Model, error) {
	start := time.Now()
	optionvalues.Fill(&opt)
	g, err := contrastOf(opt.Contrast)
	if err != nil {
		return nil, err
	}
	if err := checkLimits(opt.MaxIter, opt.Tol); err != nil {
		return nil, err
	}
	mean, cov, n, err := pooled(x)
	if err != nil {
		return nil, err
	}
	m := opt.Filters
	if err := linearfilters.CheckFilters(m, n, "the number of dimensions"); err != nil {
		return nil, err
	}
	if err := checkShape("the starting filters", opt.Start, n, m); err != nil {
		return nil, err
	}
	r, _ := x.Dims()
	for i := range cov {
		cov[i] *= float64(r-1) / float64(r)
	}
	values, k, err := linearfilters.Leading(cov, n, m)
	if err != nil {
		return nil, err
	}
	unmix := make([]float64, n*m) // whitening matrix
	for j, v := range values {
		if !(v > 1e-12*values[0]) {
			return nil, faults.Data("the number of filters is %d, but the data vary only in a subspace of "+
				"dimension %d; use fewer filters", m, j)
		}
		for i := range n {
			unmix[i*m+j] = k[i*m+j] / math.Sqrt(v)
		}
	}
	white := &feature.Model{Filters: mat.NewDense(n, m, unmix), Center: mean}
	var z mat.Dense
	white.Transform(&z, x)
	f := &ica{z: z.RawMatrix().Data, rows: r, m: m, g: g, opt: opt, y: make([]float64, r*m), gy: make([]float64, r*m)}
	for range par.Chunks(r, icaGrain) {
		f.partial = append(f.partial, make([]float64, m))
	}
	w, err := f.start(k, values, n)
	if err != nil {
		return nil, err
	}
	if opt.Deflation {
		f.deflate(ctx, w)
	} else {
		f.symmetric(ctx, w)
	}
	model := f.finish(w, k, values, n, mean)
	f.report.Elapsed = time.Since(start)
	model.Report = f.report
	return model, faults.Unfinished(ctx, "ica", f.report, "raise max-iter or tol, or try another contrast or seed")
}

// start returns the initial unmixing matrix W, m×m with one component per row. It is decorrelated unless components
// are extracted by deflation.
func (f *ica) start(k, values []float64, n int) ([]float64, error) {
	m := f.m
	w := make([]float64, m*m)
	if f.opt.Start == nil {
		rng := rand.New(rand.NewPCG(f.opt.Seed, 11))
		for i := range w {
			w[i] = rng.NormFloat64()
		}
	} else {
		for i := range m { // F'Σ^½ along the principal axes
			for j := range m {
				for d := range n {
					w[i*m+j] += f.opt.Start.At(d, i) * k[d*m+j] * math.Sqrt(values[j])
				}
			}
		}
	}
	decorrelated := append([]float64(nil), w...)
	if !decorrelate(decorrelated, m) {
		return nil, faults.Option("the starting filters are linearly dependent in the space of the %d leading "+
			"principal components; give other filters", m)
	}
	if !f.opt.Deflation {
		w = decorrelated
	}
	return w, nil
}

// decorrelate replaces W by (WW')^-½ W. It returns false if W is singular.
func decorrelate(w []float64, m int) bool {
	gram, values := make([]float64, m*m), make([]float64, m)
	dense.Gemm(false, true, m, m, m, 1, w, m, w, m, 0, gram, m)
	if eig.Sym(values, gram, m, true, make([]float64, eig.WorkLen(m))) != nil || !(values[0] > 1e-14*values[m-1]) {
		return false
	}
	scaled, root := make([]float64, m*m), make([]float64, m*m)
	for i := range m {
		for j := range m {
			scaled[i*m+j] = gram[i*m+j] / math.Sqrt(values[j])
		}
	}
	dense.Gemm(false, true, m, m, m, 1, scaled, m, gram, m, 0, root, m)
	old := append([]float64(nil), w...)
	dense.Gemm(false, false, m, m, m, 1, root, m, old, m, 0, w, m)
	return true
}

// update sets dst to E[g(Wz) z'] - diag(E[g'(Wz)]) W for k components, k×m.
func (f *ica) update(dst, w []float64, k int) {
	m, rows := f.m, f.rows
	y, gy := f.y[:rows*k], f.gy[:rows*k]
	dense.Gemm(false, true, rows, k, m, 1, f.z, m, w, m, 0, y, k)
	par.For(rows, icaGrain, func(_, lo, hi int) {
		sums := f.partial[lo/icaGrain]
		clear(sums)
		for i := lo; i < hi; i++ {
			for j, u := range y[i*k : (i+1)*k] {
				g, dg := f.g(u)
				gy[i*k+j] = g
				sums[j] += dg
			}
		}
	})
	n := float64(rows)
	dense.Gemm(true, false, k, m, rows, 1/n, gy, k, f.z, m, 0, dst, m)
	for j := range k {
		s := 0.0
		for _, p := range f.partial {
			s += p[j]
		}
		vec.Axpy(dst[j*m:(j+1)*m], -s/n, w[j*m:(j+1)*m])
	}
}

func (f *ica) symmetric(ctx context.Context, w []float64) {
	m := f.m
	next := make([]float64, m*m)
	r := &f.report
	step, mark := 1.0, inf
	for r.Status == rao.StatusUnset {
		f.update(next, w, m)
		if !decorrelate(next, m) || !damp(next, w, m, step) {
			r.Status = rao.StatusStalled
			return
		}
		change := 0.0
		for i := range m {
			c := vec.Dot(next[i*m:(i+1)*m], w[i*m:(i+1)*m])
			change = math.Max(change, math.Abs(1-math.Abs(c)))
		}
		copy(w, next)
		change /= step * step // the change of a full step, to first order
		r.Iterations++
		if r.Iterations%patience == 0 {
			if change > 0.8*mark && step > minStep {
				step /= 2
			}
			mark = change
		}
		r.Passes++
		r.GradientNorm = change
		r.History = append(r.History, change)
		f.opt.Progress.Send(rao.Event{Stage: "fit", Done: r.Iterations, Limit: f.opt.MaxIter, Objective: change})
		r.Status = f.verdict(ctx, change, r.Iterations)
	}
}

const (
	// patience is a number of iterations. If the change does not decrease by a fifth in this time, the iteration
	// probably oscillates, and the step is halved.
	patience = 20
	minStep  = 1. / 64
)

// damp replaces next by a point between w and next, a fraction step of the way, and decorrelates it (Hyvärinen 1999,
// section 3.4). The signs of rows do not matter.
func damp(next, w []float64, m int, step float64) bool {
	if step == 1 {
		return true
	}
	for i := range m {
		a, b := next[i*m:(i+1)*m], w[i*m:(i+1)*m]
		sign := math.Copysign(1, vec.Dot(a, b))
		for j := range a {
			a[j] = b[j] + step*(sign*a[j]-b[j])
		}
	}
	return decorrelate(next, m)
}

func (f *ica) verdict(ctx context.Context, change float64, iterations int) rao.Status {
	switch {
	case change < f.opt.Tol:
		return rao.StatusConverged
	case ctx.Err() != nil:
		return rao.StatusCanceled
	case iterations >= f.opt.MaxIter:
		return rao.StatusMaxIterations
	}
	return rao.StatusUnset
}

func (f *ica) deflate(ctx context.Context, w []float64) {
	m := f.m
	next := make([]float64, m)
	r := &f.report
	r.Status = rao.StatusConverged
	for k := range m {
		row := w[k*m : (k+1)*m]
		f.orthogonal(row, w, k)
		status, change := rao.StatusUnset, 0.0
		for own := 1; status == rao.StatusUnset; own++ {
			f.update(next, row, 1)
			f.orthogonal(next, w, k)
			change = math.Abs(1 - math.Abs(vec.Dot(next, row)))
			copy(row, next)
			r.Iterations++
			r.Passes++
			status = f.verdict(ctx, change, own)
		}
		r.GradientNorm = math.Max(r.GradientNorm, change)
		f.opt.Progress.Send(rao.Event{Stage: "fit", Done: k + 1, Total: m, Objective: change})
		if status != rao.StatusConverged && r.Status != rao.StatusCanceled {
			r.Status = status
		}
	}
}

// orthogonal removes from v its components along the first k rows of w and scales it to unit norm.
func (f *ica) orthogonal(v, w []float64, k int) {
	orth.Subtract(v, w[:k*f.m])
	s := 1 / vec.Norm(v)
	for i := range v {
		v[i] *= s
	}
}

// finish sorts the components, maps them back to the input space and fixes their signs.
func (f *ica) finish(w, k, values []float64, n int, mean []float64) *feature.Model {
	m := f.m
	dense.Gemm(false, true, f.rows, m, m, 1, f.z, m, w, m, 0, f.y, m)
	kurtosis := make([]float64, m)
	for i := range f.rows {
		for j, u := range f.y[i*m : (i+1)*m] {
			kurtosis[j] += u * u * u * u / float64(f.rows)
		}
	}
	for j := range m {
		kurtosis[j] = math.Abs(kurtosis[j] - 3)
	}
	order := indices.Sorted(m, func(i, j int) int { return cmp.Compare(kurtosis[j], kurtosis[i]) })
	model := &feature.Model{Method: "ica", Filters: mat.NewDense(n, m, nil), Loadings: mat.NewDense(n, m, nil),
		Center: mean,
		Values: make([]float64, m)}
	for j, from := range order {
		model.Values[j] = kurtosis[from]
		f.report.Objective += kurtosis[from]
		for i := range n {
			filter, loading := 0.0, 0.0
			for h, v := range w[from*m : (from+1)*m] {
				filter += k[i*m+h] * v / math.Sqrt(values[h])
				loading += k[i*m+h] * v * math.Sqrt(values[h])
			}
			model.Filters.Set(i, j, filter)
			model.Loadings.Set(i, j, loading)
		}
	}
	linearfilters.FixSigns(model.Filters, model.Loadings)
	return model
}
