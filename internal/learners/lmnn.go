package learners

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/faults"
	"rao/internal/nearest"
	"rao/internal/optim"
	"rao/internal/optionvalues"
)

// LMNNOptions are the options of [FitLMNN]. Filters is required.
type LMNNOptions struct {
	Filters int // number of filters, 1 to the number of dimensions; required
	// Neighbors is the number of target neighbors of a row, the nearest rows of its class, or one less than the number
	// of rows of the smallest class if that is smaller. With many filters, more targets, such as 8, reduce overfitting.
	Neighbors int `opt:"target-neighbors" default:"3" min:"1" max:"100000" help:"number of target neighbors of the same class per row"`
	// Without InputTargets, every round searches for targets in feature space. This matters with few filters, because
	// neighbors in hundreds of dimensions are rarely neighbors in feature space.
	InputTargets bool    `opt:"input-targets" default:"false" help:"choose the target neighbors in the input space, not in feature space"`
	Push         float64 `opt:"push" default:"0.5" above:"0" max:"1" help:"weight of pushing other classes away, relative to pulling targets closer; below 1"`
	// Impostors are the nearest rows of other classes. The limit matters only if classes overlap strongly.
	Impostors int `opt:"impostors" default:"100" min:"1" max:"1000000" help:"maximum number of rows of other classes compared with one row"`
	Rounds    int `opt:"rounds" default:"30" min:"1" max:"1000000" help:"number of neighbor searches"`
	Inner     int `opt:"inner" default:"8" min:"1" max:"1000000" help:"iterations between two neighbor searches"`
	// Fewer components make an iteration faster.
	Components optionvalues.SomeCount `opt:"components" default:"none" help:"number of leading principal components in which the filters are learned"`
	// Start, n×m, contains the initial filters. Default: linear discriminants, or principal components if there are
	// fewer discriminants than filters.
	Start *mat.Dense
	// StartRows is the size of a stratified random subset of the rows. By default it is a third of the rows, if the
	// data have more than 30000 rows and a third is more than the number of coefficients of the filters. Filters that
	// overfit a smaller subset do not recover.
	StartRows optionvalues.SomeCount `opt:"start-rows" default:"auto" help:"number of rows for a first fit, from which the fit on all rows starts; auto does this when there are many rows"`
	Tol       float64                `opt:"tol" default:"0.02" above:"0" help:"stop when the cost changes by a smaller share than this from round to round"`
	Seed      uint64                 // seed of the subset
	Progress  rao.Progress
}

// fill sets the defaults and checks the options.
func (opt *LMNNOptions) fill() error {
	optionvalues.Fill(opt)
	switch {
	case opt.Neighbors < 1 || opt.Impostors < 1 || opt.Rounds < 1 || opt.Inner < 1:
		return faults.Option("the numbers of neighbors (%d), impostors (%d), rounds (%d) and iterations per round "+
			"(%d) must be positive",
			opt.Neighbors, opt.Impostors, opt.Rounds, opt.Inner)
	case !(opt.Push > 0 && opt.Push < 1):
		return faults.Option("the weight push is %g; it must be above 0 and below 1", opt.Push)
	case !(opt.Tol > 0):
		return faults.Option("the tolerance is %g; it must be positive", opt.Tol)
	}
	return nil
}

// FitLMNN learns filters for large-margin nearest-neighbor classification (Weinberger and Saul 2009, equation 13, in
// the low-rank form):
//
//	min_F 1/N Σ_i [ (1-μ) Σ_j d_ij + μ Σ_j Σ_l h(1 + d_ij - d_il) ],  d_ij = ‖F'(x_i - x_j)‖²
//
// over the target neighbors j of i and the impostors l, which are rows of other classes. h is the hinge function,
// smoothed within a tenth of the margin for L-BFGS. Targets are exact nearest neighbors, and every round finds the
// exact impostors of all rows among all rows.
//
// The report's Objective is the cost with the targets and impostors of the returned filters, and its History is the
// cost at the start of every round. FitLMNN returns an error for invalid data (with row and column) or options out of
// range. If the fit does not converge within the rounds, or ctx ends, it returns a usable model and a
// *rao.NotConvergedError. With m filters, a round costs 2 m Σ N_c² operations for the targets and one call of
// [nearest.Within] for the impostors; an iteration costs 4 N n m, with n the number of dimensions or components.
func FitLMNN(ctx context.Context, x mat.Matrix, labels []int, classes []string, opt LMNNOptions) (*feature.Model,
	error) {
	start := time.Now()
	t, err := newTraining(x, labels, classes)
	if err != nil {
		return nil, err
	}
	if err := opt.fill(); err != nil {
		return nil, err
	}
	if k := int(opt.Components); k > 0 && k < t.dim {
		return withinComponents("lmnn", x, k, opt.Filters, opt.Start,
			func(z, start *mat.Dense) (*feature.Model, error) {
				opt.Components, opt.Start = 0, start
				return FitLMNN(ctx, z, labels, classes, opt)
			})
	}
	s, mean, err := startFilters(x, opt.Filters, opt.Start)
	if err != nil {
		return nil, err
	}
	if opt.Start == nil {
		s.discriminants(t, x, opt.Filters)
	}
	opt.Neighbors = min(opt.Neighbors, t.smallest()-1)
	rows := int(opt.StartRows)
	if third := t.rows / 3; rows == 0 && t.rows > 30000 && t.dim*opt.Filters < third {
		rows = third
	}
	f, spread, passes := s.filters, 0.0, 0
	if opt.Start == nil {
		spread = 1 // scales the squared distances to the margin, which is 1
	}
	if rows > 0 && rows < t.rows {
		part := t.subset(float64(rows)/float64(t.rows), opt.Seed)
		own := opt
		own.Neighbors = min(opt.Neighbors, part.smallest()-1)
		r, l, err := fitLMNN(ctx, part, mean, f, spread, "start", own)
		if err != nil {
			return nil, err
		}
		f, passes = r.X, l.p.passes
		if ctx.Err() != nil {
			r.Status = rao.StatusCanceled
			return finish(ctx, "lmnn", r, 1, passes, t.dim, opt.Filters, mean, start)
		}
		spread = l.spread() // neighbors are nearer among all rows than in the subset
	}
	result, l, err := fitLMNN(ctx, t, mean, f, spread, "fit", opt)
	if err != nil {
		return nil, err
	}
	return finish(ctx, "lmnn", result, 1, passes+l.p.passes, t.dim, opt.Filters, mean, start)
}

// fitLMNN fits to one set of rows. If spread is positive, the filters are first scaled so that the mean squared
// distance to the targets equals spread.
func fitLMNN(ctx context.Context, t *training, mean, f []float64, spread float64, stage string,
	opt LMNNOptions) (optim.Result, *lmnn, error) {
	l := &lmnn{t: t, opt: opt, k: opt.Neighbors, stage: stage}
	manifold := optim.NewManifold(optim.None, t.dim, opt.Filters)
	l.p = newProjection(t.in, mean, manifold, l.cost)
	// result if ctx ends before the first evaluation
	stopped := optim.Result{X: slices.Clone(f), Status: rao.StatusCanceled}
	if opt.InputTargets {
		err := l.targets(ctx, t.dim, func(members []int) []float64 { return t.in.Select(members, nil) })
		if err != nil {
			return stopped, l, nil
		}
	}
	if err := l.updateTargets(ctx, f); err != nil {
		return stopped, l, nil
	}
	if now := l.spread(); spread > 0 && now > 0 {
		scale := math.Sqrt(spread / now)
		f = slices.Clone(f)
		for _, v := range [][]float64{f, l.p.z} { // scaling does not change the targets
			for i := range v {
				v[i] *= scale
			}
		}
	}
	r, err := l.rounds(ctx, manifold, f)
	if err != nil {
		return r, l, fmt.Errorf("%w; try another start", err)
	}
	return r, l, nil
}

// updateTargets projects the rows and searches for their targets. It returns an error only if ctx ends.
func (l *lmnn) updateTargets(ctx context.Context, f []float64) error {
	l.p.project(l.p.z, f)
	if l.opt.InputTargets {
		return nil
	}
	return l.targetsAmong(ctx, l.p.z)
}

// spread returns the mean squared distance between projected rows and their targets.
func (l *lmnn) spread() float64 {
	sum := 0.0
	for e, j := range l.target {
		sum += squaredDistance(l.p.z, e/l.k, j, l.opt.Filters)
	}
	return sum / float64(len(l.target))
}

// smallest returns the number of rows of the smallest class.
func (t *training) smallest() int {
	least := t.counts[0]
	for _, c := range t.counts {
		least = min(least, c)
	}
	return least
}

// discriminants replaces the initial filters by m linear discriminants, unless fewer than m exist.
func (s *started) discriminants(t *training, x mat.Matrix, m int) {
	if m > t.classes-1 {
		return
	}
	names := make([]string, t.classes)
	stats, err := gaussian.Estimate(x, t.labels, names)
	if err != nil {
		return
	}
	if lda, err := feature.FitLDA(stats, feature.LDAOptions{Filters: m, Shrinkage: gaussian.ShrinkRule{
		Kind: optionvalues.ShrinkageFixed, Amount: 0.1}}); err == nil &&
		lda.Filters.RawMatrix().Cols == m {
		s.filters = lda.Filters.RawMatrix().Data
	}
}

// lmnn is the cost for fixed targets and impostors.
type lmnn struct {
	t      *training
	opt    LMNNOptions
	k      int
	stage  string // stage in progress events
	p      *projection
	target []int     // N×k: targets of each row
	pull   []float64 // N×k: derivative of the cost with respect to d_ij
	back   reverse   // for each row, the rows that have it as a target

	impostors impostors
	push      []float64 // derivative of the cost with respect to d_il
	backPush  reverse
	found     []float64 // features with which the impostors were found
	moved     []float64 // distance of each row from its position in found
}

// targetsAmong finds the targets in feature space; z are the features.
func (l *lmnn) targetsAmong(ctx context.Context, z []float64) error {
	m := l.opt.Filters
	return l.targets(ctx, m, func(members []int) []float64 {
		x := make([]float64, len(members)*m)
		for a, i := range members {
			copy(x[a*m:(a+1)*m], z[i*m:(i+1)*m])
		}
		return x
	})
}

// targets finds the nearest rows of the same class for each row. of returns the vectors of length dim for the rows of
// a class. It returns an error only if ctx ends.
func (l *lmnn) targets(ctx context.Context, dim int, of func(members []int) []float64) error {
	t, k := l.t, l.k
	l.target, l.pull = make([]int, t.rows*k), make([]float64, t.rows*k)
	for _, members := range t.members {
		x := of(members)
		index, distance := make([]int, len(members)*k), make([]float64, len(members)*k)
		err := nearest.New(x, len(members), dim).Search(ctx, x, len(members), k, true, index, distance)
		if err != nil {
			return err
		}
		for a, i := range members {
			for j := range k {
				l.target[i*k+j] = members[index[a*k+j]]
			}
		}
	}
	l.back = newReverse(t.rows, l.target, func(e int) int { return e / k })
	return nil
}

// rounds alternates between finding targets and impostors and minimizing the cost for these targets and impostors. Call
// updateTargets with f first. L-BFGS reuses its curvature in the next round. The result's Value is the cost for the
// neighbors in the final feature space. Its History contains the cost at the start of every round.
func (l *lmnn) rounds(ctx context.Context, manifold *optim.Manifold, f []float64) (optim.Result, error) {
	total := optim.Result{X: f}
	solver, err := optim.NewSolver(len(f),
		optim.Options{MaxIterations: l.opt.Inner, FunctionTolerance: l.opt.Tol / 100, GradientTolerance: 1e-8})
	if err != nil {
		return total, err
	}
	for round := 0; ; round++ {
		if round > 0 {
			err = l.updateTargets(ctx, total.X)
		}
		if err == nil {
			err = l.findImpostors(ctx, l.p.z)
		}
		if err != nil { // ctx has ended; the filters of the last round are complete
			total.Status = rao.StatusCanceled
			return total, nil
		}
		before := total.Value
		total.Value = l.cost(l.p.z, l.p.dz)
		total.History = append(total.History, total.Value)
		if round > 0 {
			l.opt.Progress.Send(rao.Event{Stage: l.stage, Done: round, Limit: l.opt.Rounds, Objective: total.Value})
		}
		switch {
		case round > 0 && before-total.Value <= l.opt.Tol*before:
			total.Status = rao.StatusConverged
			return total, nil
		case round == l.opt.Rounds:
			total.Status = rao.StatusMaxIterations
			return total, nil
		}
		solver.Grow(len(f)) // keeps the curvature, because the size is the same
		r, err := solver.Run(ctx, l.p, manifold, total.X)
		if err != nil {
			return total, err
		}
		total.X, total.GradientNorm = slices.Clone(r.X), r.GradientNorm
		total.Iterations += r.Iterations
		total.Evaluations += r.Evaluations
		if r.Status == rao.StatusCanceled {
			total.Status, total.Value = rao.StatusCanceled, r.Value
			total.History = append(total.History, r.Value)
			return total, nil
		}
	}
}
