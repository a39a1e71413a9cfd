package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classifiers"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/lvq"
	"rao/spd"
)

// blockRows is the number of rows that are mapped at a time. It limits memory for any number of observations.
const blockRows = 512

// Prediction contains the predictions for N observations.
type Prediction struct {
	Label        []int      // index of the most probable class, or of the class chosen by the model's Threshold
	LogPosterior *mat.Dense // N×c
	Rejected     []bool     // below a threshold of the model or of its classifier, or an outlier
	Outlier      []bool     // far from the training data, or beyond the classifier's own threshold
	Notes        []string   // notes on these observations for the user

	outliers outliers // described in Notes
}

// Transform returns the observations after all stages: features, tangent vectors or smaller matrices. If the stages
// compute no features, it returns the internal features of the classifier, such as tangent vectors. It returns an error
// if the model computes no features, the observations do not match the model's schema, or ctx is canceled.
func (m *Model) Transform(ctx context.Context, b Batch) (Batch, error) {
	if !m.hasFeatures() {
		return Batch{}, fmt.Errorf("the %s model does not compute features; predict classes instead", m.Method)
	}
	b, err := m.checkInput(ctx, b)
	if err != nil {
		return Batch{}, err
	}
	if b.Kind() == KindMatrices {
		return m.applyToMatrices(ctx, b)
	}
	return m.applyStages(ctx, b)
}

// AtClassifier returns the input of the classifier: the observations matched with the schema, with missing values
// filled in, and mapped through all stages. It returns an error if the observations do not match the schema, or if a
// stage cannot use them.
func (m *Model) AtClassifier(ctx context.Context, b Batch) (Batch, error) {
	b, err := m.checkInput(ctx, b)
	if err != nil {
		return b, err
	}
	if b.X != nil && (b.order != nil || m.Input.Fill != nil) {
		x := mat.DenseCopyOf(b.X)
		reorderRows(x, b.order)
		m.Input.fillIn(x)
		b.X, b.order = x, nil
	}
	return m.stagesFrom(ctx, 0, b)
}

// checkInput returns the observations in the form of the model's schema. If b has images, it computes the observations
// from them.
func (m *Model) checkInput(ctx context.Context, b Batch) (Batch, error) {
	b, err := m.describeImages(ctx, b)
	if err != nil {
		return b, err
	}
	return m.Input.match(b)
}

func (m *Model) applyStages(ctx context.Context, b Batch) (Batch, error) {
	if b.Kind() == KindMatrices {
		return m.stagesFrom(ctx, 0, b)
	}
	out, err := m.Output()
	if err != nil {
		return Batch{}, err
	}
	width := out.Dim
	if out.Kind == KindMatrices {
		width *= out.Dim
	}
	z := mat.NewDense(b.Len(), width, nil)
	err = m.applyInBlocks(ctx, z, b, func(_ int, dst *mat.Dense, z Batch) error {
		if z.Stack == nil {
			dst.Copy(z.X)
			return nil
		}
		for k := range z.Stack.Count {
			dst.SetRow(k, z.Stack.At(k))
		}
		return nil
	}, newFar(b.Len()))
	if err != nil {
		return Batch{}, err
	}
	if out.Kind == KindMatrices {
		return Matrices(spd.StackOf(b.Len(), out.Dim, z.RawMatrix().Data)), nil
	}
	return Vectors(z), nil
}

// Predict classifies the observations. It returns an error if the model has no classifier, if the observations do not
// match the model's schema, if an observation cannot be used (for example, a value is not finite), or if ctx is
// canceled.
//
// An observation is an outlier if it is far from the training data, if the classifier's own threshold marks it, or if
// its posterior is not finite. In the last case, all classes are equally probable. They also are for a matrix of zeros.
// For any other singular matrix, most classifiers return an error.
func (m *Model) Predict(ctx context.Context, b Batch) (*Prediction, error) {
	p := new(Prediction)
	if err := m.PredictInto(ctx, p, b); err != nil {
		return nil, err
	}
	return p, nil
}

// PredictInto is like [Model.Predict], but stores the result in p, which may be empty, and reuses its memory. After an
// error the values in p are arbitrary.
//
// There are three ways to predict repeatedly. PredictInto returns labels and marks rejections and outliers.
// [Model.PosteriorInto] stores only probabilities. [Decoder.Observe] decides one observation of a sequence and keeps
// state between calls, but it is not safe for concurrent use. For single observations, all three allocate nothing after
// the first calls. Only the note on an outlier and these pipelines need some memory per call:
//
//   - matrices that are repaired, whitened locally or adapted to recordings;
//   - mdm with a metric other than riemann;
//   - knn-spd with wasserstein, logdet or kullback_sym.
func (m *Model) PredictInto(ctx context.Context, p *Prediction, b Batch) error {
	if err := m.checkClassifier(); err != nil {
		return err
	}
	b, err := m.checkInput(ctx, b)
	if err != nil {
		return err
	}
	return m.predict(ctx, p, b)
}

// checkClassifier returns an error for a model without a classifier.
func (m *Model) checkClassifier() error {
	if target := m.Target(); target != "" {
		return fmt.Errorf("the %s model predicts the number %s, not classes; request its numbers, or fit a model "+
			"of classes", m.Method, target)
	}
	if m.Classifier == nil {
		return errors.New("the model has no classifier; fit it with one, or use its features")
	}
	return nil
}

// predict classifies observations that match the schema; see PredictInto.
func (m *Model) predict(ctx context.Context, p *Prediction, b Batch) error {
	p.resize(b.Len(), len(m.Classes))
	logp := p.LogPosterior
	if m.isSingle(b) {
		return m.predictSingle(ctx, p, b)
	}
	if b.Kind() == KindVectors {
		far := newFar(b.Len())
		err := m.applyInBlocks(ctx, logp, b, func(lo int, dst *mat.Dense, z Batch) error {
			err := logPosterior(ctx, dst, m.Classifier, z)
			if err == nil {
				n, _ := dst.Dims()
				m.label(p, far, lo, lo+n)
			}
			return err
		}, far)
		if err != nil {
			return err
		}
		p.noteOutliers(far, b.First, m.Input.Columns)
		return nil
	}
	recordings, far := b.Recordings, newFar(b.Len())
	far.measure(m, &b, StageOf[*Adaptation](m) != nil)
	own, err := m.predictMatrices(ctx, logp, b)
	if err != nil {
		return err
	}
	if err := m.drift(logp, recordings, far); err != nil {
		return err
	}
	par.For(b.Len(), blockRows, func(_, lo, hi int) { m.label(p, far, lo, hi) })
	p.noteOutliers(far, 0, m.Input.Columns)
	p.add(own)
	return nil
}

// isSingle reports whether b has a single observation that does not adapt the model.
func (m *Model) isSingle(b Batch) bool { return b.Len() == 1 && StageOf[*Adaptation](m) == nil }

// predictSingle classifies a single observation without allocating.
func (m *Model) predictSingle(ctx context.Context, p *Prediction, b Batch) error {
	s := scratches.Get().(*scratch)
	defer s.giveBack()
	z, far, err := s.single(ctx, m, b)
	if err == nil {
		err = m.classify(ctx, s.own[:], p.LogPosterior, z)
	}
	if err != nil {
		return err
	}
	m.label(p, far, 0, 1)
	p.noteOutliers(far, b.First, m.Input.Columns)
	p.add(s.own[:])
	return nil
}

// classify writes the log-posteriors of the output of the stages to logp. It also writes the decisions of a classifier
// with its own thresholds to own, and zero decisions for other classifiers.
func (m *Model) classify(ctx context.Context, own []lvq.Decision, logp *mat.Dense, z Batch) error {
	if d, ok := m.Classifier.(decider); ok {
		return d.Decide(ctx, own, logp, z.Stack)
	}
	clear(own)
	return logPosterior(ctx, logp, m.Classifier, z)
}

// add adds the decisions of a classifier with its own thresholds.
func (p *Prediction) add(own []lvq.Decision) {
	for i, o := range own {
		p.Rejected[i] = p.Rejected[i] || o.Rejected
		p.Outlier[i] = p.Outlier[i] || o.Outlier
	}
}

// stagesFrom maps a batch through the stages from index first on.
func (m *Model) stagesFrom(ctx context.Context, first int, b Batch) (Batch, error) {
	return m.stagesBetween(ctx, first, len(m.Stages), b)
}

// stagesBetween maps a batch through the stages [first,last).
func (m *Model) stagesBetween(ctx context.Context, first, last int, b Batch) (Batch, error) {
	for i := first; i < last; i++ {
		if err := ctx.Err(); err != nil {
			return b, err
		}
		var err error
		if a, ok := m.Stages[i].(*Adaptation); ok && m.Classifier != nil {
			b, err = a.apply(ctx, b, m.posteriorAfter(i))
		} else {
			memory := b.memory
			b, err = m.Stages[i].Apply(ctx, b)
			b.memory = memory
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

// posterior writes the log-probabilities of the classes for matrices.
type posterior = func(ctx context.Context, dst *mat.Dense, x *spd.Stack) error

// posteriorAfter returns the posterior of matrices that have passed stage i.
func (m *Model) posteriorAfter(i int) posterior {
	return func(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
		z, err := m.stagesFrom(ctx, i+1, Matrices(x))
		if err != nil {
			return err
		}
		return logPosterior(ctx, dst, m.Classifier, z)
	}
}

// applyInBlocks maps the vectors of x through the stages and f to rows of dst, one block at a time, and checks that
// every value is finite. lo is the index of the block's first row.
func (m *Model) applyInBlocks(ctx context.Context, dst *mat.Dense, x Batch,
	f func(lo int, dst *mat.Dense, z Batch) error, far *far) error {
	n, dim := x.X.Dims()
	_, out := dst.Dims()
	reader := rows.New(x.X)
	return par.Try(n, blockRows, func(_, lo, hi int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := scratches.Get().(*scratch)
		defer s.giveBack()
		vec.Room(&s.in, (hi-lo)*dim)
		in := mat.NewDense(hi-lo, dim, s.in)
		if err := m.standardizeRows(in, reader, x, lo, far); err != nil {
			return err
		}
		s.memory.reset()
		z, err := m.applyAfterScaling(ctx, in, x.First+lo, &s.memory)
		if err != nil {
			return err
		}
		return f(lo, dst.Slice(lo, hi, 0, out).(*mat.Dense), z)
	})
}

// applyToRow maps the observation with the given index through the stages, and overwrites it.
func (m *Model) applyToRow(ctx context.Context, in *mat.Dense, index int, memory *memory, far *far) (Batch, error) {
	m.Input.fillIn(in)
	if err := checkRows(in, index); err != nil {
		return Batch{}, err
	}
	m.standardize(in, 0, far)
	return m.applyAfterScaling(ctx, in, index, memory)
}

// scaling returns the first stage if it is a scaling, and nil otherwise.
func (m *Model) scaling() *Scaling {
	if len(m.Stages) == 0 {
		return nil
	}
	s, _ := m.Stages[0].(*Scaling)
	return s
}

// applyAfterScaling maps standardized rows, the first with index first, through the stages after the scaling.
func (m *Model) applyAfterScaling(ctx context.Context, in *mat.Dense, first int, memory *memory) (Batch, error) {
	b := Vectors(in)
	b.First, b.memory = first, memory
	if m.scaling() != nil {
		return m.stagesFrom(ctx, 1, b)
	}
	return m.stagesFrom(ctx, 0, b)
}

// resize gives the prediction memory for n observations of c classes, its own if that is large enough.
func (p *Prediction) resize(n, c int) {
	logp := p.LogPosterior
	if logp == nil {
		logp = new(mat.Dense)
	}
	if r, k := logp.Dims(); r != n || k != c {
		if stride := logp.RawMatrix().Stride; stride != k || n == 0 { // part of another matrix, or no observations
			logp = new(mat.Dense)
		}
		if n > 0 {
			rows.Reshape(logp, n, c)
		}
	}
	p.LogPosterior = logp
	p.Label = slices.Grow(p.Label[:0], n)[:n]
	p.Rejected = slices.Grow(p.Rejected[:0], n)[:n]
	p.Outlier = slices.Grow(p.Outlier[:0], n)[:n]
}

// label sets the labels of the observations lo to hi-1, and rejects those below the threshold or far outside the
// training data.
func (m *Model) label(p *Prediction, far *far, lo, hi int) {
	for i := lo; i < hi; i++ {
		p.Label[i], p.Outlier[i], p.Rejected[i] = m.decide(p.LogPosterior.RawRowView(i), far, i, nil)
	}
}

// decide returns the label of observation i with the log-posteriors logp, and whether it is far outside the training
// data and whether it is rejected. bias, which may be nil, adapts logp first. If no decision is possible, all classes
// become equally probable, and bias does not change.
func (m *Model) decide(logp []float64, far *far, i int, bias *classifiers.CausalBias) (label int, outlier,
	rejected bool) {
	top, usable := best(logp)
	if far.absurd[i] || !usable {
		uniform(logp)
		return 0, true, true
	}
	if bias != nil {
		bias.Push(logp)
		top, _ = best(logp)
	}
	outlier = far.is[i]
	return m.decided(logp, top), outlier, outlier || m.RejectBelow > 0 && math.Exp(logp[top]) < m.RejectBelow
}

// noteOutliers adds notes on the outliers among observations of the columns to the prediction. The first observation
// has index first.
func (p *Prediction) noteOutliers(far *far, first int, columns []string) {
	p.outliers = far.outliers(p.Outlier, first, columns)
	p.Notes = p.outliers.notes()
}
