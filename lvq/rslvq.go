package lvq

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/kmeans"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/par"
	"rao/internal/priors"
	"rao/internal/rows"
	"rao/internal/text"
	"rao/spd"
)

// RSLVQ is robust soft learning vector quantization of vectors (Seo and Obermayer 2003): PLRSQ in a Euclidean space.
// For SPD matrices use FitPLRSQ with the metric spd.Euclid.
type RSLVQ struct {
	Prototypes  *mat.Dense           `json:"prototypes"` // p×n
	Labels      []int                `json:"labels"`     // class of each prototype
	Classes     []string             `json:"classes"`    // class names
	Sigma2      float64              `json:"sigma2"`     // σ² at the end of training
	Priors      []float64            `json:"priors"`     // class probabilities; nil: every prototype equally probable
	Rule        Rule                 `json:"rule"`       // nearest: by the nearest prototype; empty: by all prototypes of a class
	Calibration `json:"calibration"` // how the probabilities are calibrated
	Report      rao.Report           `json:"report"` // how the training ended

	mix *mixture
}

// checkVectorMetric returns an error if a metric of matrices is set for vectors, whose distances are Euclidean. It
// compares a name because it checks input: no property of a metric makes it a metric of vectors.
func checkVectorMetric(m spd.Metric) error {
	switch m {
	case "", spd.Euclid:
		return nil
	}
	return faults.Option("the metric is %s, but the distances of vectors are Euclidean; use %s, or fit matrices", m,
		spd.Euclid)
}

// FitRSLVQ learns prototypes from the rows of x (N×n) and labels 0..c−1; classes are the c names, or nil. Scale columns
// with very different spreads first. The starting noise is in units of each column's standard deviation. If ctx is
// canceled, FitRSLVQ returns the current model, without calibration, and a *[rao.NotConvergedError]. It returns an
// error if the options set a metric other than spd.Euclid or given prototypes, which are matrices. Other errors name
// the row, the class or the invalid option.
func FitRSLVQ(ctx context.Context, x mat.Matrix, labels []int, classes []string, opt RSLVQOptions) (*RSLVQ, error) {
	start := time.Now()
	src, err := newRows(x)
	if err != nil {
		return nil, err
	}
	counts, err := countLabels(labels, src.n, classes)
	if err != nil {
		return nil, err
	}
	if opt.Start == startGiven || opt.Given != nil {
		return nil, faults.Option("given prototypes are matrices, but this model is of vectors; start at the means " +
			"or by k-means")
	}
	if opt.Soft != nil {
		return nil, faults.Option("class probabilities are only for matrices; give labels")
	}
	if err := checkVectorMetric(opt.Metric); err != nil {
		return nil, err
	}
	o, err := PLRSQOptions(opt).resolve(src.dim, counts, classes)
	if err != nil {
		return nil, err
	}
	q := certainTargets(labels, o.classes)
	fit, k, err := learn(ctx, src, o, q)
	if err != nil {
		return nil, err
	}
	m := &RSLVQ{Prototypes: mat.NewDense(len(o.label), src.dim, fit.space.snapshot(nil)), Labels: o.label,
		Classes: slices.Clone(naming.Classes(classes, o.classes)), Sigma2: fit.sigma2, Priors: o.Priors, Rule: o.Rule,
		Calibration: k,
		Report:      fit.report}
	m.Report.Elapsed = time.Since(start)
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, cutShort(ctx, "rslvq", m.Report)
}

// Dims returns the length of the vectors, and the number of classes.
func (m *RSLVQ) Dims() (in, classes int) { _, n := m.Prototypes.Dims(); return n, len(m.Classes) }

// Validate returns an error if the exported fields are invalid. It computes the unexported fields of a model whose
// fields were set by hand; of any other model it only reads, so other goroutines may predict.
func (m *RSLVQ) Validate() error {
	if err := checkVectorModel(m.Prototypes, m.Labels, len(m.Classes), m.Priors); err != nil {
		return err
	}
	if !vec.Positive(m.Sigma2) {
		return fmt.Errorf("sigma2 of the model is %g; it must be positive and finite", m.Sigma2)
	}
	if err := m.Rule.check(); err != nil {
		return err
	}
	if err := m.Calibration.check(len(m.Classes), m.Rule); err != nil {
		return err
	}
	if m.mix == nil {
		m.mix = newMixture(m.Rule, m.Labels, len(m.Classes), m.Priors)
	}
	return nil
}

// checkVectorModel checks the parts that the vector models share.
func checkVectorModel(prototypes *mat.Dense, labels []int, classes int, given []float64) error {
	if prototypes == nil || prototypes.IsEmpty() {
		return fmt.Errorf("the model has no prototypes; fit it again")
	}
	p, n := prototypes.Dims()
	if classes < 2 || len(labels) != p {
		return fmt.Errorf("the number of classes is %d, of prototypes %d and of their labels %d; the model needs at "+
			"least two classes and one label per prototype", classes, p, len(labels))
	}
	for l := range p {
		if labels[l] < 0 || labels[l] >= classes {
			return fmt.Errorf("prototype %d has class %d; classes must be from 0 to %d", l, labels[l], classes-1)
		}
		for j := range n {
			v := prototypes.At(l, j)
			if !vec.Finite(v) {
				return fmt.Errorf("prototype %d is not finite in column %d; fit the model again", l, j)
			}
			if !vec.Finite(v * v) {
				return fmt.Errorf("column %d of prototype %d is %g, so large that its square overflows; rescale "+
					"the data and fit again", j, l, v)
			}
		}
	}
	return priors.Check(given, classes)
}

// LogPosterior writes log P(c|x) of every row of x to dst (N×c). An empty dst is resized. It panics with mat.ErrShape
// if the shapes do not match. If ctx is canceled, it returns the error of ctx.
func (m *RSLVQ) LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	p := rowPosterior{ctx: ctx, dst: dst, x: x, prototypes: m.Prototypes, scale: 1, sigma2: m.Sigma2,
		calibration: &m.Calibration, mix: m.mix}
	return p.run(len(m.Classes))
}

// rowPosterior has the variables of the posteriors of rows.
type rowPosterior struct {
	ctx         context.Context
	dst         *mat.Dense
	x           mat.Matrix
	prototypes  *mat.Dense
	local       bool    // a row of x has a part for each prototype
	scale       float64 // of the squared distances
	sigma2      float64
	calibration *Calibration
	mix         *mixture
}

// run writes the posteriors of all rows.
func (p rowPosterior) run(classes int) error {
	n, dim := p.x.Dims()
	count, r := p.prototypes.Dims()
	if p.local {
		r *= count
	}
	if dim != r {
		panic(mat.ErrShape)
	}
	rows.Shape(p.dst, n, classes)
	par.ForWith(n, 64, p, rowPosterior.rows)
	return p.ctx.Err()
}

func (p rowPosterior) rows(_, lo, hi int) {
	if p.ctx.Err() != nil {
		return
	}
	_, dim := p.x.Dims()
	count, r := p.prototypes.Dims()
	w := rowWorks.Get().(*rowWork)
	defer rowWorks.Put(w)
	vec.Room(&w.buf, 2*count+dim)
	f, d, row := w.buf[:count], w.buf[count:2*count], w.buf[2*count:]
	for i := lo; i < hi; i++ {
		mat.Row(row, i, p.x)
		for l := range d {
			part := row
			if p.local {
				part = row[l*r : (l+1)*r]
			}
			d[l] = p.scale * vec.SquaredDistance(part, p.prototypes.RawRowView(l))
		}
		p.calibration.posterior(p.dst.RawRowView(i), f, d, p.sigma2, p.mix)
	}
}

// rowWork is the scratch memory of [rowPosterior].
type rowWork struct {
	buf []float64
	z   mat.Dense
}

var rowWorks = sync.Pool{New: func() any { return new(rowWork) }}

// rowSource is a set of vectors to learn from.
type rowSource struct {
	n, dim int
	x      []float64
}

// newRows copies and checks the rows of a matrix.
func newRows(x mat.Matrix) (*rowSource, error) {
	n, dim := x.Dims()
	r := &rowSource{n: n, dim: dim, x: make([]float64, n*dim)}
	for i := range n {
		row := mat.Row(r.x[i*dim:(i+1)*dim], i, x)
		if j := vec.NotFinite(row); j >= 0 {
			return nil, &rao.ValueError{Row: i, Col: j, Value: row[j]}
		}
	}
	return r, nil
}

func (r *rowSource) count() int { return r.n }
func (r *rowSource) unit() bool { return true }

func (r *rowSource) seedBounds(*bounds, space, float64) error { return nil }

func (r *rowSource) row(i int) []float64 { return r.x[i*r.dim : (i+1)*r.dim] }

// start places prototypes at class means or k-means centers.
func (r *rowSource) start(_ context.Context, o *resolved, labels, index []int) (space, error) {
	members := o.members(labels, index)
	noise := rand.New(rand.NewPCG(o.Seed, streamNoise))
	seeds := rand.New(rand.NewPCG(o.Seed, streamSeeds))
	spread := r.deviations(index)
	v := &vectors{dim: r.dim, n: r.n, x: r.x}
	for c, p := range o.perClass {
		if len(members[c]) < p || len(members[c]) == 0 {
			return nil, faults.Count(len(members[c]), p,
				"class %s has %s, too few for %s; use fewer prototypes", o.names[c],
				text.Plural(len(members[c]), "sample", "samples"), text.Plural(p, "prototype", "prototypes"))
		}
		var centers []float64
		if o.Start == startKMeans && p > 1 {
			row := func(i int) []float64 { return r.row(members[c][i]) }
			centers = kmeans.OfRows(len(members[c]), r.dim, p, 50, row, seeds).Values
		} else {
			for range p {
				centers = append(centers, r.mean(members[c])...)
			}
		}
		for k := range centers {
			centers[k] += o.Noise * spread[k%r.dim] * (2*noise.Float64() - 1)
		}
		v.w = append(v.w, centers...)
	}
	return v, nil
}

func (r *rowSource) mean(index []int) []float64 {
	m := make([]float64, r.dim)
	for _, i := range index {
		for j, v := range r.row(i) {
			m[j] += v / float64(len(index))
		}
	}
	return m
}

// deviations returns the standard deviation of every column.
func (r *rowSource) deviations(index []int) []float64 {
	m, s := r.mean(index), make([]float64, r.dim)
	for _, i := range index {
		for j, v := range r.row(i) {
			s[j] += (v - m[j]) * (v - m[j]) / float64(len(index))
		}
	}
	for j := range s {
		s[j] = math.Sqrt(s[j])
	}
	return s
}
