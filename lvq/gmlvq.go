package lvq

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
)

// Relevance selects the quadratic distance that GMLVQ learns:
//
//   - empty learns one matrix for all prototypes: GMLVQ;
//   - local learns a matrix for each prototype: localized GMLVQ (LGMLVQ), which has curved decision boundaries;
//   - none keeps the Euclidean distance: GLVQ (Sato and Yamada 1996).
type Relevance string

const (
	relevanceShared Relevance = ""
	relevanceLocal  Relevance = "local"
	relevanceNone   Relevance = "none"
)

// GMLVQOptions are the options of [FitGMLVQ], for vectors of length n. The zero value learns one prototype per class
// and a full relevance matrix.
type GMLVQOptions struct {
	Prototypes       int       // prototypes per class, ≥ 1; default 1
	PerClass         []int     // prototypes of each class; overrides Prototypes
	Relevance        Relevance // shared (default), local or none
	Rank             int       // number of rows of Ω, 1..n; default n
	Epochs           int       // passes over N rows; default 100, or max(10, 300 000/N) if that is lower
	Rate             float64   // initial learning rate of prototypes > 0; default n/100; it falls to a hundredth
	MatrixRate       float64   // initial learning rate of Ω > 0; default n/500; it falls to a hundredth
	Noise            float64   // half width of the starting noise in standard deviations; default 1e-3, negative: 0
	KMeans           bool      // start at the k-means centers of each class
	CalibrationFolds int       // 0: 5, negative: none (see PLRSQOptions)
	Seed             uint64    // seed of the row order, the noise and the folds
	Progress         rao.Progress
}

// GMLVQ is generalized matrix learning vector quantization (Schneider, Biehl and Hammer 2009): prototypes and a metric
//
//	d(x, w) = (x−w)' Ω'Ω (x−w),  tr Ω'Ω = 1
//
// learned together by gradient descent on Σ (d⁺−d⁻)/(d⁺+d⁻), where d⁺ is the distance to the nearest prototype of the
// correct class, and d⁻ is the distance to the nearest prototype of another class. Ω is one matrix for all prototypes,
// one per prototype, or, in GLVQ, fixed at I/√n. The nearest prototype decides the class. The method defines no
// probabilities. This implementation uses P(c|x) ∝ exp(−d_c/(2σ²T)), where d_c is the distance to the nearest prototype
// of class c, σ² is half the median training distance, and the temperature T is fitted on held-out folds.
type GMLVQ struct {
	Prototypes  *mat.Dense           `json:"prototypes"` // p×n
	Omega       *mat.Dense           `json:"omega"`      // r×n; if Local, r rows for each prototype in turn; nil for GLVQ
	Local       bool                 `json:"local"`      // every prototype has its own Ω
	Labels      []int                `json:"labels"`     // class of each prototype
	Classes     []string             `json:"classes"`    // class names
	Sigma2      float64              `json:"sigma2"`     // half the median training distance
	Calibration `json:"calibration"` // how the probabilities are calibrated
	Report      rao.Report           `json:"report"` // how the training ended

	mix       *mixture
	projected *mat.Dense // prototypes times their Ω', p×r; nil for GLVQ
	omegaT    mat.Matrix // Ω'
}

// gmlvqTrainer is the state of one training run.
type gmlvqTrainer struct {
	src       *rowSource
	scale     float64 // the data are divided by this, so rates have no unit
	w         []float64
	relevance Relevance
	omega     []float64 // one Ω, one per prototype, or none
	rank      int
	label     []int
	project   func([]float64) error // in data units; nil: none
	v         []float64             // p×n differences
	z         []float64             // p×r: Ω times the differences
	pull      []float64
	distance  []float64
}

// FitGMLVQ learns from the rows of x (N×n) and labels 0..c−1. Scale columns with very different spreads first. If ctx
// is canceled, FitGMLVQ returns the current model, without calibration, and a *rao.NotConvergedError. Other errors name
// the row, the class or the invalid option.
//
// The cost is epochs × N steps, times 1 + CalibrationFolds. A step needs p·r·n multiplications for p prototypes and
// rank r, or p·n for GLVQ.
func FitGMLVQ(ctx context.Context, x mat.Matrix, labels []int, classes []string, opt GMLVQOptions) (*GMLVQ, error) {
	src, err := newRows(x)
	if err != nil {
		return nil, err
	}
	return fitGMLVQ(ctx, src, labels, classes, opt, nil)
}

func fitGMLVQ(ctx context.Context, src *rowSource, labels []int, classes []string, opt GMLVQOptions,
	project func([]float64) error) (*GMLVQ, error) {
	began := time.Now()
	counts, err := countLabels(labels, src.n, classes)
	if err != nil {
		return nil, err
	}
	o, err := opt.resolve(src.dim, counts, classes)
	if err != nil {
		return nil, err
	}
	t, sigma2, report, err := opt.train(ctx, o, src, labels, indices.Range(src.n), project)
	if err != nil {
		return nil, err
	}
	m := &GMLVQ{Prototypes: mat.NewDense(len(o.label), src.dim, t.w), Local: t.relevance == relevanceLocal,
		Labels: o.label, Classes: slices.Clone(naming.Classes(classes, o.classes)), Sigma2: sigma2, Report: report}
	if t.omega != nil {
		m.Omega = mat.NewDense(len(t.omega)/src.dim, src.dim, t.omega)
	}
	score := func(ctx context.Context, train, test []int, progress rao.Progress) (energy, near []float64, err error) {
		shown := opt
		shown.Progress = progress
		t, sigma2, _, err := shown.train(ctx, o, src, labels, train, project)
		if err != nil {
			return nil, nil, err
		}
		p := len(o.label)
		energy, near = make([]float64, len(test)*p), make([]float64, len(test))
		for s, i := range test {
			t.measure(i)
			for l, d := range t.distance {
				energy[s*p+l] = d * t.scale * t.scale
			}
		}
		energies(energy, near, p, sigma2)
		return energy, near, nil
	}
	if m.Calibration, err = calibration(ctx, o, certainTargets(labels, o.classes), score, &m.Report); err != nil {
		return nil, err
	}
	m.Report.Elapsed = time.Since(began)
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, cutShort(ctx, "gmlvq", m.Report)
}

// resolve checks the options and returns the options that all learners share.
func (g *GMLVQOptions) resolve(n int, counts []int, names []string) (*resolved, error) {
	shared := PLRSQOptions{Prototypes: g.Prototypes, PerClass: g.PerClass, Epochs: g.Epochs, Rate: g.Rate,
		Noise: g.Noise,
		Rule:  ruleNearest, CalibrationFolds: g.CalibrationFolds, Seed: g.Seed,
		Progress: g.Progress}
	if shared.Start = startMeans; g.KMeans {
		shared.Start = startKMeans
	}
	shared.Rate = cmp.Or(shared.Rate, float64(n)/100)
	o, err := shared.resolve(n, counts, names)
	if err != nil {
		return nil, err
	}
	switch g.Relevance {
	case relevanceShared, relevanceLocal:
	case relevanceNone:
		if g.Rank != 0 || g.MatrixRate != 0 {
			return nil, faults.Option("the rank is %d and the matrix rate %g, but relevance %q learns no matrix; "+
				"leave both out",
				g.Rank, g.MatrixRate, g.Relevance)
		}
	default:
		return nil, &rao.UnknownError{Kind: "relevance", Name: string(g.Relevance),
			Known: []string{string(relevanceLocal), string(relevanceNone)}}
	}
	g.Rank = cmp.Or(g.Rank, n)
	g.MatrixRate = cmp.Or(g.MatrixRate, float64(n)/500)
	if g.Rank < 1 || g.Rank > n {
		return nil, faults.Option("the rank of the relevance matrix is %d; it must be between 1 and %d", g.Rank, n)
	}
	if !vec.Positive(g.MatrixRate) {
		return nil, faults.Option("the matrix rate is %g; it must be positive and finite", g.MatrixRate)
	}
	return o, nil
}

// train runs all epochs on the samples of index, and returns the trainer with prototypes in data units.
func (g *GMLVQOptions) train(ctx context.Context, o *resolved, src *rowSource, labels, index []int,
	project func([]float64) error) (*gmlvqTrainer, float64, rao.Report, error) {
	report := rao.Report{Status: rao.StatusConverged}
	s, err := src.start(ctx, o, labels, index)
	if err != nil {
		return nil, 0, report, err
	}
	t := newGMLVQTrainer(src, s.snapshot(nil), o, g.Relevance, g.Rank, index)
	t.project = project
	rng := rand.New(rand.NewPCG(o.Seed, streamOrder))
	order := append([]int(nil), index...)
	for epoch := 1; epoch <= o.Epochs; epoch++ {
		decay := math.Pow(0.01, float64(epoch)/float64(o.Epochs))
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		cost, err := t.epoch(ctx, order, labels, o.Rate*decay, g.MatrixRate*decay)
		if ctx.Err() != nil {
			report.Status = rao.StatusCanceled
			break
		}
		if err != nil {
			return nil, 0, report, err
		}
		if !vec.Finite(cost) {
			return nil, 0, report, faults.Option("the cost is not finite in epoch %d; lower the rates or scale the "+
				"columns", epoch)
		}
		report.Iterations, report.Passes, report.Objective = epoch, epoch, cost
		report.History = append(report.History, cost)
		g.Progress.Send(rao.Event{Stage: "fit", Done: epoch, Total: o.Epochs, Objective: cost})
	}
	sigma2, err := t.halfMedian(index)
	return t, sigma2, report, err
}

// epoch processes the samples in order and returns their mean cost.
func (t *gmlvqTrainer) epoch(ctx context.Context, order, labels []int, rate, matrixRate float64) (float64, error) {
	cost := 0.0
	for k, i := range order {
		if k%64 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		c, err := t.step(i, labels[i], rate, matrixRate)
		if err != nil {
			return 0, err
		}
		cost += c
	}
	return cost / float64(len(order)), nil
}

func newGMLVQTrainer(src *rowSource, w []float64, o *resolved, relevance Relevance, rank int,
	index []int) *gmlvqTrainer {
	n, p := src.dim, len(o.label)
	t := &gmlvqTrainer{src: src, w: w, relevance: relevance, rank: rank, label: o.label,
		v: make([]float64, p*n), pull: make([]float64, n), distance: make([]float64, p)}
	sum := 0.0
	for _, s := range src.deviations(index) {
		sum += s * s
	}
	t.scale = math.Sqrt(sum / float64(n))
	t.scale = cmp.Or(t.scale, 1)
	matrices := 1
	switch relevance {
	case relevanceNone:
		return t
	case relevanceLocal:
		matrices = p
	}
	t.z, t.omega = make([]float64, p*rank), make([]float64, matrices*rank*n)
	rng := rand.New(rand.NewPCG(o.Seed, streamSeeds+1))
	for l := range matrices {
		omega := t.omegaOf(l)
		for k := range omega {
			if rank < n {
				omega[k] = rng.NormFloat64()
			} else if k%(n+1) == 0 {
				omega[k] = 1
			}
		}
		t.normalize(l)
	}
	return t
}

func (t *gmlvqTrainer) omegaOf(l int) []float64 {
	if t.relevance != relevanceLocal {
		return t.omega
	}
	size := t.rank * t.src.dim
	return t.omega[l*size : (l+1)*size]
}

// normalize scales the Ω of prototype l to tr Ω'Ω = 1.
func (t *gmlvqTrainer) normalize(l int) {
	omega, sum := t.omegaOf(l), 0.0
	for _, v := range omega {
		sum += v * v
	}
	scaleTo(omega, omega, 1/math.Sqrt(sum))
}

// measure computes the differences and distances (in scaled units) of sample i.
func (t *gmlvqTrainer) measure(i int) {
	n := t.src.dim
	x := t.src.row(i)
	for l := range t.label {
		v := t.v[l*n : (l+1)*n]
		for j, w := range t.w[l*n : (l+1)*n] {
			v[j] = (x[j] - w) / t.scale
		}
		if t.relevance == relevanceNone {
			t.distance[l] = vec.Dot(v, v) / float64(n)
			continue
		}
		omega, sum := t.omegaOf(l), 0.0
		for r := range t.rank {
			z := vec.Dot(omega[r*n:(r+1)*n], v)
			t.z[l*t.rank+r] = z
			sum += z * z
		}
		t.distance[l] = sum
	}
}

// step makes one gradient step for sample i and returns its cost before the step.
func (t *gmlvqTrainer) step(i, y int, rate, matrixRate float64) (float64, error) {
	t.measure(i)
	right, wrong := -1, -1
	for l, d := range t.distance {
		if t.label[l] == y {
			if right < 0 || d < t.distance[right] {
				right = l
			}
		} else if wrong < 0 || d < t.distance[wrong] {
			wrong = l
		}
	}
	dr, dw := t.distance[right], t.distance[wrong]
	sum := dr + dw
	if sum == 0 {
		return 0, nil
	}
	gr, gw := 2*dw/(sum*sum), 2*dr/(sum*sum)
	t.move(right, 2*rate*gr)
	t.move(wrong, -2*rate*gw)
	if t.relevance != relevanceNone {
		t.turn(right, -2*matrixRate*gr)
		t.turn(wrong, 2*matrixRate*gw)
		t.normalize(right)
		if t.relevance == relevanceLocal {
			t.normalize(wrong)
		}
	}
	if t.project != nil {
		for _, l := range []int{right, wrong} {
			if err := t.project(t.w[l*t.src.dim : (l+1)*t.src.dim]); err != nil {
				return 0, err
			}
		}
	}
	return (dr - dw) / sum, nil
}

// move adds a Ω'Ω (x−w) to prototype l.
func (t *gmlvqTrainer) move(l int, a float64) {
	n := t.src.dim
	if t.relevance == relevanceNone {
		vec.Axpy(t.w[l*n:(l+1)*n], t.scale*a/float64(n), t.v[l*n:(l+1)*n])
		return
	}
	clear(t.pull)
	omega := t.omegaOf(l)
	for r := range t.rank {
		vec.Axpy(t.pull, a*t.z[l*t.rank+r], omega[r*n:(r+1)*n])
	}
	vec.Axpy(t.w[l*n:(l+1)*n], t.scale, t.pull)
}

// turn adds a Ω (x−w)(x−w)' to the Ω of prototype l.
func (t *gmlvqTrainer) turn(l int, a float64) {
	n, omega := t.src.dim, t.omegaOf(l)
	for r := range t.rank {
		vec.Axpy(omega[r*n:(r+1)*n], a*t.z[l*t.rank+r], t.v[l*n:(l+1)*n])
	}
}

// halfMedian returns half the median squared distance in data units.
func (t *gmlvqTrainer) halfMedian(index []int) (float64, error) {
	return halfMedian(len(index), len(t.label), func(d []float64, k int) {
		t.measure(index[k])
		for l, v := range t.distance {
			d[l] = v * t.scale * t.scale
		}
	})
}
