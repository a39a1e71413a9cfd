package model

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/lvq"
	"rao/spd"
)

// blockRows is how many rows are preprocessed and mapped at a time: memory stays
// bounded whatever the number of observations.
const blockRows = 512

// Prediction holds what a model says of N observations.
type Prediction struct {
	Label        []int      // index of the most probable class
	LogPosterior *mat.Dense // N×c
	Rejected     []bool     // the largest posterior is below the threshold, or the observation is an outlier
	Outlier      []bool     // unlike the training data; only models that measure it say so
}

// decider is a classifier with thresholds of its own.
type decider interface {
	Decide(x *spd.Stack) ([]lvq.Decision, error)
}

// Transform returns the features of the rows of x, N×out. It fails when the model
// has no feature map or x has another width.
func (m *Model) Transform(x mat.Matrix) (*mat.Dense, error) {
	if m.Feature == nil && m.Compression == nil {
		return nil, fmt.Errorf("a %s model has no feature map; use predict", m.Method)
	}
	if err := m.checkWidth(x); err != nil {
		return nil, err
	}
	_, out := m.Feature.Dims()
	return m.blocks(x, out, func(dst *mat.Dense, x mat.Matrix) {
		m.Feature.Transform(dst, x)
	})
}

// Predict classifies the rows of x.
func (m *Model) Predict(x mat.Matrix) (*Prediction, error) {
	if m.Vector == nil {
		return nil, m.cannotPredict("vectors")
	}
	if err := m.checkWidth(x); err != nil {
		return nil, err
	}
	logp, err := m.blocks(x, len(m.Classes), func(dst *mat.Dense, x mat.Matrix) {
		if m.Feature == nil {
			m.Vector.LogPosterior(dst, x)
			return
		}
		var f mat.Dense
		m.Feature.Transform(&f, x)
		m.Vector.LogPosterior(dst, &f)
	})
	if err != nil {
		return nil, err
	}
	return m.decide(logp), nil
}

// PredictMatrices classifies the matrices of x, after the model's repair.
func (m *Model) PredictMatrices(x *spd.Stack) (*Prediction, error) {
	if m.Matrix == nil {
		return nil, m.cannotPredict("matrices")
	}
	x, err := m.prepareMatrices(x)
	if err != nil {
		return nil, err
	}
	if m.Compression != nil {
		x = m.Compression.Compress(x)
	}
	logp := new(mat.Dense)
	if err := m.Matrix.LogPosterior(logp, x); err != nil {
		return nil, err
	}
	p := m.decide(logp)
	if d, ok := m.Matrix.(decider); ok {
		own, err := d.Decide(x)
		if err != nil {
			return nil, err
		}
		for i, o := range own {
			p.Rejected[i] = p.Rejected[i] || o.Rejected
			p.Outlier[i] = o.Outlier
		}
	}
	return p, nil
}

// prepareMatrices repairs and re-centres.
func (m *Model) prepareMatrices(x *spd.Stack) (*spd.Stack, error) {
	if x.Dim != m.Input.Dim {
		return nil, fmt.Errorf("the matrices are of order %d, the model was fitted to order %d", x.Dim, m.Input.Dim)
	}
	if m.Repair != nil {
		var err error
		if x, err = m.Repair.Apply(x); err != nil {
			return nil, err
		}
	}
	if m.Recenter {
		return Recenter(context.Background(), x)
	}
	return x, nil
}

// CompressMatrices returns the smaller matrices that a model with a compression
// makes of x, after its repair and re-centring.
func (m *Model) CompressMatrices(x *spd.Stack) (*spd.Stack, error) {
	if m.Compression == nil {
		if m.Input.Kind == "matrices" {
			return nil, fmt.Errorf("a %s model has no compression; use predict", m.Method)
		}
		return nil, fmt.Errorf("a %s model works on %s, the data are matrices", m.Method, m.Input.Kind)
	}
	x, err := m.prepareMatrices(x)
	if err != nil {
		return nil, err
	}
	return m.Compression.Compress(x), nil
}

// Recenter moves matrices of one recording to the identity by their Riemannian mean,
//
//	X → M^-½ X M^-½
//
// so that recordings of other days, or of other people, lie in the same place (Zanini,
// Congedo, Jutten, Said and Berthoumieu 2018). Fewer matrices than their order give a
// poor mean and are an error.
func Recenter(ctx context.Context, x *spd.Stack) (*spd.Stack, error) {
	if x.Count < x.Dim {
		return nil, fmt.Errorf("re-centring takes the mean of a recording; %d matrices of order %d are too few, give at least %d together", x.Count, x.Dim, x.Dim)
	}
	mean, _, err := spd.Mean(ctx, x, nil, spd.Riemann, spd.MeanOptions{})
	if err != nil && !rao.IsNotConverged(err) {
		return nil, err
	}
	out := spd.NewStack(x.Count, x.Dim)
	return out, spd.Recenter(out, x, mean, nil)
}

func (m *Model) cannotPredict(kind string) error {
	if m.Vector == nil && m.Matrix == nil {
		return fmt.Errorf("the %s model was saved without a classifier; use transform, or fit again with one", m.Method)
	}
	return fmt.Errorf("a %s model classifies %s, the data are %s", m.Method, m.Input.Kind, kind)
}

func (m *Model) checkWidth(x mat.Matrix) error {
	if m.Input.Kind != "vectors" {
		return fmt.Errorf("a %s model works on %s, the data are vectors", m.Method, m.Input.Kind)
	}
	if _, n := x.Dims(); n != m.Input.Dim {
		return fmt.Errorf("the data have %d columns, the model was fitted to %d", n, m.Input.Dim)
	}
	return nil
}

// blocks maps the rows of x to rows of a new N×out matrix, a block at a time, and
// checks on the way that every value is finite.
func (m *Model) blocks(x mat.Matrix, out int, f func(dst *mat.Dense, x mat.Matrix)) (*mat.Dense, error) {
	n, dim := x.Dims()
	if n == 0 {
		return nil, fmt.Errorf("there are no observations")
	}
	reader := rows.New(x)
	dst := mat.NewDense(n, out, nil)
	errs := make([]error, par.Chunks(n, blockRows))
	work := make([]*mat.Dense, par.Workers(n, blockRows))
	par.For(n, blockRows, func(w, lo, hi int) {
		if work[w] == nil {
			work[w] = mat.NewDense(min(blockRows, n), dim, nil)
		}
		in := work[w].Slice(0, hi-lo, 0, dim).(*mat.Dense)
		raw := in.RawMatrix()
		reader.Read(raw.Data, raw.Stride, lo, hi, nil)
		if errs[lo/blockRows] = checkRows(in, lo); errs[lo/blockRows] != nil {
			return
		}
		m.Preprocess.Apply(in)
		f(dst.Slice(lo, hi, 0, out).(*mat.Dense), in)
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// checkRows returns an error that names the first value that is not finite; lo is
// the number of the first row.
func checkRows(x *mat.Dense, lo int) error {
	rows, _ := x.Dims()
	for i := range rows {
		for j, v := range x.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d, column %d is %v; remove the row or fill the value in", lo+i, j, v)
			}
		}
	}
	return nil
}

func (m *Model) decide(logp *mat.Dense) *Prediction {
	n, c := logp.Dims()
	p := &Prediction{Label: make([]int, n), LogPosterior: logp, Rejected: make([]bool, n), Outlier: make([]bool, n)}
	for i := range n {
		row := logp.RawRowView(i)
		best := 0
		for j := 1; j < c; j++ {
			if row[j] > row[best] {
				best = j
			}
		}
		p.Label[i] = best
		p.Rejected[i] = math.Exp(row[best]) < m.RejectBelow
	}
	return p
}
