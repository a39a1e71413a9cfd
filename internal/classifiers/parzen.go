package classifiers

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/argmax"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/parzen"
	"rao/internal/rows"
)

// Parzen is naive Bayes with Parzen windows: the density of a class is the product over columns of the mean of
// Gaussians around the training values,
//
//	p(x_j | i) = 1/N_i Σ_k φ((x_j − x_kj) / h_ij) / h_ij,   h_ij = (4/(3 N_i))^⅕ s_ij
//
// where s_ij is the standard deviation of column j in class i. If Of assigns each column to a class, class i is
// compared with all other classes in its own columns (Ang and others, 2012). Up to a constant, the log-probabilities of
// the classes are the log-probabilities of these comparisons.
//
// The exported fields determine the model.
type Parzen struct {
	Classes []string   `json:"classes"` // c class names
	Values  *mat.Dense `json:"values"`  // N×n, the training rows
	Labels  []int      `json:"labels"`  // class of each training row, 0..c−1
	Of      []int      `json:"of"`      // n: class that each column separates from the rest; nil: columns separate all
}

// FitParzen returns a model with a copy of the rows and their labels, which are 0..c−1 for the c names in classes. of
// is the class that each column separates from all other classes, or nil. Errors name the class.
func FitParzen(x *mat.Dense, labels []int, classes []string, of []int) (*Parzen, error) {
	m := &Parzen{Classes: append([]string(nil), classes...), Values: mat.DenseCopyOf(x),
		Labels: append([]int(nil), labels...), Of: append([]int(nil), of...)}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	for i, name := range m.Classes {
		if len(m.of(i, false)) < 2 {
			return nil, faults.Count(len(m.of(i, false)), 2,
				"class %s has fewer than two observations, so its spread is undefined; add data or "+
					"leave the class out", name)
		}
	}
	return m, nil
}

// Dims returns the number of columns, and the number of classes.
func (m *Parzen) Dims() (in, classes int) { _, n := m.Values.Dims(); return n, len(m.Classes) }

// of returns the training rows of a class or, if rest is true, of all other classes.
func (m *Parzen) of(class int, rest bool) []int {
	var rows []int
	for k, l := range m.Labels {
		if (l == class) != rest {
			rows = append(rows, k)
		}
	}
	return rows
}

// LogPosterior writes the N×c log-probabilities of the rows of x to dst. An empty dst is resized; another shape panics
// with mat.ErrShape. The cost per row of x is one kernel value for each training row and column. It returns the error
// of ctx if ctx ends.
func (m *Parzen) LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	count, n := x.Dims()
	if want, _ := m.Dims(); n != want {
		panic(mat.ErrShape)
	}
	rows.Shape(dst, count, len(m.Classes))
	for i := range m.Classes {
		var columns []int
		for j := range n {
			if m.Of == nil || m.Of[j] == i {
				columns = append(columns, j)
			}
		}
		own := m.density(columns, m.of(i, false))
		var others func(row []float64) float64
		if m.Of != nil {
			others = m.density(columns, m.of(i, true))
		}
		for k := range count {
			if err := ctx.Err(); err != nil {
				return err
			}
			row := mat.Row(nil, k, x)
			v := own(row)
			if others != nil { // logarithm of the probability of the class against the rest
				v = -vec.LogAdd(0, others(row)-v)
			}
			dst.Set(k, i, v)
		}
	}
	for k := range count {
		vec.LogSoftmax(dst.RawRowView(k))
	}
	return nil
}

// Predict returns the most probable class of each row; the first class wins ties.
func (m *Parzen) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// density returns a function that computes, for a row, the logarithm of the share of the members among the training
// rows times their density over the columns.
func (m *Parzen) density(columns, members []int) func(row []float64) float64 {
	windows := make([]parzen.Window, len(columns))
	for i, j := range columns {
		values := make([]float64, len(members))
		for k, r := range members {
			values[k] = m.Values.At(r, j)
		}
		windows[i] = parzen.New(values)
	}
	prior := math.Log(float64(len(members)) / float64(len(m.Labels)))
	return func(row []float64) float64 {
		v := prior
		for i, j := range columns {
			v += windows[i].LogDensity(row[j])
		}
		return v
	}
}

// Validate checks the exported fields. Call it after reading them from a file.
func (m *Parzen) Validate() error {
	if m.Values == nil || m.Values.IsEmpty() || len(m.Classes) < 2 {
		return errors.New("the Parzen classifier has no observations or fewer than two classes; fit the model again")
	}
	rows, n := m.Values.Dims()
	if len(m.Labels) != rows {
		return fmt.Errorf("the Parzen classifier has %d observations but %d labels; every observation needs one",
			rows, len(m.Labels))
	}
	if m.Of != nil && len(m.Of) != n {
		return fmt.Errorf("the Parzen classifier has %d columns, but a list of classes for %d columns; every column "+
			"needs a class, or none has one", n, len(m.Of))
	}
	for _, list := range [][]int{m.Labels, m.Of} {
		counts, err := indices.Counts("observation", list, len(m.Classes))
		if err != nil {
			return fmt.Errorf("the Parzen classifier: %w", err)
		}
		for i, count := range counts {
			if count == 0 && len(list) > 0 {
				return fmt.Errorf("the Parzen classifier has no observations of class %s; fit the model again",
					m.Classes[i])
			}
		}
	}
	for k := range rows {
		if j := vec.NotFinite(m.Values.RawRowView(k)); j >= 0 {
			return fmt.Errorf("the Parzen classifier has the value %g at row %d, column %d; it must be finite",
				m.Values.At(k, j), k, j)
		}
	}
	return nil
}
