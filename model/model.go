package model

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/spd"
)

// Feature is a fitted map from observations to features.
type Feature interface {
	// Transform stores the features of the rows of x, N×out, in dst.
	Transform(dst *mat.Dense, x mat.Matrix)
	// Dims returns the number of dimensions in and out.
	Dims() (in, out int)
	// Validate checks the fields of a value that came from a file.
	Validate() error
}

// VectorClassifier is a fitted classifier of row vectors.
type VectorClassifier interface {
	// LogPosterior stores log P(class | row), N×c, in dst.
	LogPosterior(dst *mat.Dense, x mat.Matrix)
	NumClasses() int
	Dim() int
	Validate() error
}

// MatrixClassifier is a fitted classifier of SPD matrices.
type MatrixClassifier interface {
	// LogPosterior stores log P(class | matrix), N×c, in dst.
	LogPosterior(dst *mat.Dense, x *spd.Stack) error
	NumClasses() int
	Dim() int
	Validate() error
}

// Model is everything needed to predict: preprocessing, the fitted parts, the
// names of the classes. Exactly one of these holds:
//
//   - vectors: Feature, Vector, or both (Vector then works on the features);
//   - matrices: Matrix, Compression, or both (Matrix then works on the compressed ones).
//
// A model is safe for concurrent use once fitted or loaded.
type Model struct {
	Method  string
	Options []Option // the options that were given, in the order of their names
	Classes []string
	Input   Input

	Preprocess *Preprocess // for vectors; nil leaves them as they are
	Repair     *spd.Repair // for matrices; nil leaves them as they are
	// Recenter moves the matrices of every call to the identity by their own
	// Riemannian mean before they are classified, as the training matrices were. It
	// needs no labels, takes a call's matrices as one recording, and assumes that
	// its classes come in about the proportions of the training data.
	Recenter bool
	// Compression maps the matrices to smaller ones, after repair and re-centring.
	Compression *feature.Compression
	Feature     Feature
	Vector      VectorClassifier
	Matrix      MatrixClassifier

	Report  rao.Report
	Seconds Seconds
	Notes   []string // what a user should know of the fit, a sentence each
	Rejection
}

// Option is one option of the fit, as text.
type Option struct{ Name, Value string }

// Input describes one observation.
type Input struct {
	Kind     string   // "vectors" or "matrices"
	Dim      int      // length of a vector, or order of a matrix
	Image    [3]int   // rows, columns and channels when a vector is an image, else zero
	Channels []string // names of a matrix's rows, where known
}

// Seconds is the wall time of the parts of a fit.
type Seconds struct {
	Load       float64 `json:"load"`
	Statistics float64 `json:"statistics"`
	Fit        float64 `json:"fit"`
}

// Rejection says when a prediction is withheld.
type Rejection struct {
	RejectBelow float64 // reject when the largest posterior is below; 0 never rejects
}

// Validate returns an error if the parts do not fit together or one of them is
// not valid in itself.
func (m *Model) Validate() error {
	in := m.Input.Dim
	c := len(m.Classes)
	switch {
	case m.Method == "":
		return errors.New("the model names no method")
	case in < 1:
		return fmt.Errorf("the model's input has dimension %d", in)
	case c < 1:
		return errors.New("the model names no classes")
	case !(m.RejectBelow >= 0 && m.RejectBelow <= 1):
		return fmt.Errorf("the rejection threshold is %v, want 0 to 1", m.RejectBelow)
	}
	if err := m.validateInput(); err != nil {
		return err
	}
	if m.Preprocess != nil {
		if err := m.Preprocess.validate(in); err != nil {
			return err
		}
	}
	features := in
	if m.Feature != nil {
		if err := m.Feature.Validate(); err != nil {
			return fmt.Errorf("feature: %w", err)
		}
		fin, fout := m.Feature.Dims()
		if fin != in {
			return fmt.Errorf("feature: takes %d dimensions, the input has %d", fin, in)
		}
		features = fout
	}
	if m.Vector != nil {
		if err := m.Vector.Validate(); err != nil {
			return fmt.Errorf("classifier: %w", err)
		}
		return fits(m.Vector, features, c)
	}
	if m.Input.Kind == "matrices" {
		return m.validateMatrices()
	}
	return nil
}

// validateMatrices checks that the compression and the classifier of matrices fit
// what comes before them.
func (m *Model) validateMatrices() error {
	order, err := m.repairedDim()
	if err != nil {
		return err
	}
	if m.Compression != nil {
		if err := m.Compression.Validate(); err != nil {
			return fmt.Errorf("compression: %w", err)
		}
		in, out := m.Compression.Dims()
		if in != order {
			return fmt.Errorf("compression: takes matrices of order %d, gets %d", in, order)
		}
		order = out
	}
	if m.Matrix == nil {
		return nil
	}
	if err := m.Matrix.Validate(); err != nil {
		return fmt.Errorf("classifier: %w", err)
	}
	return fits(m.Matrix, order, len(m.Classes))
}

// repairedDim returns the order of the matrices after the repair.
func (m *Model) repairedDim() (int, error) {
	if m.Repair == nil {
		return m.Input.Dim, nil
	}
	if err := m.Repair.Validate(); err != nil {
		return 0, err
	}
	if m.Repair.Dim != m.Input.Dim {
		return 0, fmt.Errorf("repair: takes matrices of order %d, the input has %d", m.Repair.Dim, m.Input.Dim)
	}
	return m.Repair.OutDim(), nil
}

func (m *Model) validateInput() error {
	switch m.Input.Kind {
	case "vectors":
		if m.Matrix != nil || m.Compression != nil || (m.Feature == nil && m.Vector == nil) {
			return errors.New("a model of vectors needs a feature map or a vector classifier, and no matrix classifier")
		}
		for _, n := range m.Input.Image {
			if n < 0 {
				return fmt.Errorf("image shape %v is negative", m.Input.Image)
			}
		}
	case "matrices":
		if m.Matrix == nil && m.Compression == nil || m.Feature != nil || m.Vector != nil {
			return errors.New("a model of matrices needs a matrix classifier or a compression, and nothing of vectors")
		}
	default:
		return fmt.Errorf("unknown kind of input %q, want vectors or matrices", m.Input.Kind)
	}
	return nil
}

func fits(cl interface {
	Dim() int
	NumClasses() int
}, dim, classes int) error {
	if cl.Dim() != dim {
		return fmt.Errorf("classifier: takes %d dimensions, gets %d", cl.Dim(), dim)
	}
	if cl.NumClasses() != classes {
		return fmt.Errorf("classifier: has %d classes, the model names %d", cl.NumClasses(), classes)
	}
	return nil
}

// Preprocess is the affine map (x - Shift) * Scale applied to every vector before
// anything else. A nil Shift is zero; Scale has length 1 (one factor for all
// columns) or one factor a column; a nil Scale is one.
type Preprocess struct {
	Shift []float64
	Scale []float64
}

func (p *Preprocess) validate(dim int) error {
	if len(p.Shift) != 0 && len(p.Shift) != dim {
		return fmt.Errorf("preprocessing shifts %d columns, the input has %d", len(p.Shift), dim)
	}
	if n := len(p.Scale); n > 1 && n != dim {
		return fmt.Errorf("preprocessing scales %d columns, the input has %d", n, dim)
	}
	for _, part := range [][]float64{p.Shift, p.Scale} {
		for i, v := range part {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("preprocessing of column %d is %v", i, v)
			}
		}
	}
	return nil
}

// Apply maps the rows of dst in place.
func (p *Preprocess) Apply(dst *mat.Dense) {
	if p == nil {
		return
	}
	rows, _ := dst.Dims()
	for i := range rows {
		row := dst.RawRowView(i)
		if len(p.Shift) != 0 {
			for j, s := range p.Shift {
				row[j] -= s
			}
		}
		switch len(p.Scale) {
		case 0:
		case 1:
			for j := range row {
				row[j] *= p.Scale[0]
			}
		default:
			for j, s := range p.Scale {
				row[j] *= s
			}
		}
	}
}
