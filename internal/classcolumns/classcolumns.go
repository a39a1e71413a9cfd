// Package classcolumns computes the means and variances of the columns in each class, and the weights of the classes.
package classcolumns

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/digest"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/moments"
	"rao/internal/naming"
	"rao/internal/par"
	"rao/internal/rows"
)

// Marginals contains the counts of c classes, and the mean and variance of each of n columns within each class: 2·c·n
// values and no covariances, which is sufficient for scaling.
type Marginals struct {
	Classes   []string
	Counts    []int
	Weights   []float64 // by class; nil if each observation weighs 1
	Dim       int
	Means     []float64 // c×n, row-major
	Variances []float64 // c×n, row-major, divisor count-1
}

// NumClasses returns the number of classes.
func (m *Marginals) NumClasses() int { return len(m.Counts) }

// Mean returns the mean of class i; it shares memory with m.
func (m *Marginals) Mean(i int) []float64 { return m.Means[i*m.Dim : (i+1)*m.Dim : (i+1)*m.Dim] }

// Variance returns the variances of the columns in class i; it shares memory with m.
func (m *Marginals) Variance(i int) []float64 {
	return m.Variances[i*m.Dim : (i+1)*m.Dim : (i+1)*m.Dim]
}

// WithDiagonals sets the variances to the diagonals of the covariances of the classes, and returns m.
func (m *Marginals) WithDiagonals(covariances []float64) *Marginals {
	m.Variances = make([]float64, len(m.Means))
	for k := range m.Variances {
		m.Variances[k] = covariances[k*m.Dim+k%m.Dim]
	}
	return m
}

// NumPairs returns c(c-1)/2, the number of pairs of c classes.
func NumPairs(c int) int { return c * (c - 1) / 2 }

// Total returns the number of observations in all classes.
func (m *Marginals) Total() int { return vec.Total(m.Counts) }

// Digest returns the digest of the counts, means and variances of the classes.
func (m *Marginals) Digest() string {
	d := digest.New()
	d.Ints(m.Counts)
	for i := range m.NumClasses() {
		d.Floats(m.Mean(i))
		d.Floats(m.Variance(i))
	}
	return d.String()
}

// Priors returns the share of each class in the total weight.
func (m *Marginals) Priors() []float64 { return Shares(m.Counts, m.Weights) }

// Estimate returns the marginals of the rows of x with labels in [0,len(classes)), at least two of each
// class, in two passes. It returns an error if the lengths differ, a label is out of range, or a value or its square
// is NaN or infinite; the message names row and column.
func Estimate(x mat.Matrix, labels []int, classes []string) (*Marginals, error) {
	in, c := rows.New(x), len(classes)
	n := in.Cols
	if err := indices.CheckOnePer("label", len(labels), "row", in.Rows); err != nil {
		return nil, err
	}
	counts, err := indices.Counts("row", labels, c)
	if err != nil {
		return nil, err
	}
	m := &Marginals{Classes: classes, Counts: counts, Dim: n, Means: make([]float64, c*n),
		Variances: make([]float64, c*n)}
	if err := m.ValidateFor(1); err != nil {
		return nil, err
	}
	if err := in.CheckFinite(); err != nil {
		return nil, err
	}
	m.each(in, labels, func(class, first int, row []float64) {
		weight, mean := 1/float64(m.Counts[class]), m.Means[class*n+first:]
		for j, v := range row {
			mean[j] += v * weight
		}
	})
	left := make([]float64, c*n) // correction for rounding of the deviations
	m.each(in, labels, func(class, first int, row []float64) {
		at := class*n + first
		mean, rest, squares := m.Means[at:], left[at:], m.Variances[at:]
		for j, v := range row {
			d := v - mean[j]
			rest[j] += d
			squares[j] += d * d
		}
	})
	for k, d := range left {
		count := float64(m.Counts[k/n])
		if m.Counts[k/n] > 0 {
			m.Means[k] += d / count
			m.Variances[k] = max(0, m.Variances[k]-d*d/count) / max(1, count-1)
		}
		if !vec.Finite(m.Variances[k]) {
			return nil, faults.Data("class %s: the squares of column %d overflow; rescale the data", m.name(k/n), k%n)
		}
	}
	return m, nil
}

// each passes every row to body, in order. It passes one block of columns at a time; first is the index of the block's
// first column. Blocks of columns run in parallel.
func (m *Marginals) each(in *rows.Reader, labels []int, body func(class, first int, row []float64)) {
	n := m.Dim
	block := min(max((1<<20)/n, 16), in.Rows)
	buf := make([]float64, block*n)
	for first := 0; first < in.Rows; first += block {
		k := min(block, in.Rows-first)
		in.Block(buf, first, first+k, nil)
		par.For(n, 256, func(_, lo, hi int) {
			for i, class := range labels[first : first+k] {
				body(class, lo, buf[i*n+lo:i*n+hi])
			}
		})
	}
}

// ValidateFor returns an error unless m has at least the given number of classes, each with at least two observations.
func (m *Marginals) ValidateFor(classes int) error {
	return Enough(m.Counts, m.Weights, classes, m.Classes)
}

func (m *Marginals) name(i int) string { return naming.Class(m.Classes, i) }

// Affine returns the marginals of (x-shift)·scale, column by column.
func (m *Marginals) Affine(shift, scale []float64) *Marginals {
	c, n := m.NumClasses(), m.Dim
	factor := moments.Factor(n, shift, scale)
	out := &Marginals{Classes: m.Classes, Counts: m.Counts, Weights: m.Weights, Dim: n, Means: make([]float64, c*n),
		Variances: make([]float64, c*n)}
	for k, x := range m.Means {
		a := factor(k % n)
		if shift != nil {
			x -= shift[k%n]
		}
		out.Means[k], out.Variances[k] = a*x, a*a*m.Variances[k]
	}
	return out
}

// Pooled returns the mean of all observations, and the variances of the columns about it. The classes are weighted by
// their shares of the observations.
func (m *Marginals) Pooled() (mean, variance []float64) {
	mean, variance = make([]float64, m.Dim), make([]float64, m.Dim)
	share := m.Priors()
	for i, p := range share {
		for j, x := range m.Mean(i) {
			mean[j] += p * x
		}
	}
	for i, p := range share {
		v := m.Variance(i)
		for j, x := range m.Mean(i) {
			variance[j] += p * (v[j] + (x-mean[j])*(x-mean[j]))
		}
	}
	return mean, variance
}

// GlobalScale returns the standard deviation of all values of all observations together, with the number of values as
// the divisor, like numpy's X.std(). It is NaN without observations.
func (m *Marginals) GlobalScale() float64 {
	all := TotalWeight(m.Counts, m.Weights) * float64(m.Dim)
	grand := 0.0
	for i := range m.Counts {
		sum := vec.Total(m.Mean(i))
		grand += WeightOf(m.Counts, m.Weights, i) * sum / all
	}
	variance := 0.0
	for i := range m.Counts {
		count := WeightOf(m.Counts, m.Weights, i)
		if count == 0 {
			continue
		}
		sum, v := 0.0, m.Variance(i)
		for j, x := range m.Mean(i) {
			d := x - grand
			sum += max(0, count-1)*v[j] + count*d*d
		}
		variance += sum / all
	}
	return math.Sqrt(variance)
}

// Enough returns a *[rao.ShapeError] unless counts has at least the given number of classes, each with at least two
// observations. The error names the class.
func Enough(counts []int, weights []float64, classes int, names []string) error {
	if c := len(counts); c < classes {
		return faults.Count(c, classes, "at least %d classes are needed, but the data have only %d; check "+
			"which column or variable contains the labels", classes, c)
	}
	for i, count := range counts {
		switch {
		case count == 0:
			return faults.Count(0, 2, "class %s has no observations; leave the class out or add data",
				naming.Class(names, i))
		case count == 1 && WeightOf(counts, weights, i) <= 1:
			return faults.Count(1, 2, "class %s has one observation, but every class needs at least two; "+
				"leave the class out or add data", naming.Class(names, i))
		}
	}
	return nil
}
