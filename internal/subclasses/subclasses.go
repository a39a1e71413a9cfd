// Package subclasses describes classes as mixtures of Gaussians: it clusters the rows of each class, and merges and
// stores the statistics of the clusters.
package subclasses

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/moments"
	"rao/internal/par"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
)

// Statistics are the statistics of classes that are mixtures of Gaussians: each class has at least one component, with
// its count, mean and covariance in the coordinates of a basis. [Estimate] computes them, and [Merge] merges them.
type Statistics struct {
	Classes    []string             // the c classes
	Of         []int                // the class of each component, ascending
	Components *gaussian.Statistics // statistics of the components in the coordinates, unshrunk
	Basis      *Basis               // basis of the coordinates
	Most       int                  // largest number of components per class; 0: chosen from the number of its rows

	// Sites is the number of data sets that were clustered separately. Stages is the number of successive merges: 0
	// for one data set, 1 for several merged at once. Merging in stages may give other components than merging at
	// once.
	Sites, Stages int
	Parts         []provenance.Part // the rows that the sub-classes are from, if known
}

// These constants are the defaults of sub-classes.
const (
	// DefaultComponents is the number of principal components of the basis.
	DefaultComponents = 128
	// A class of N rows has at most clamp(N/rowsEach, 1, mostByRows) components.
	mostByRows, rowsEach = 16, 50
	// smallest is the number of rows below which a component is merged with another.
	smallest = 20
	// shrinkRows is the number of rows for which the covariances of a component and of its class have the same weight.
	shrinkRows = 30
)

// componentsFor returns the largest number of components of a class with the given number of rows: most, or if most
// is 0, one for every 50 rows, up to 16.
func componentsFor(rows, most int) int {
	if most > 0 {
		return most
	}
	return min(max(rows/rowsEach, 1), mostByRows)
}

// NumClasses returns the number of classes.
func (s *Statistics) NumClasses() int { return len(s.Classes) }

// Shares returns the components' shares of all observations.
func (s *Statistics) Shares() []float64 { return s.Components.Priors() }

// members returns the range [lo,hi) of the components of class i.
func (s *Statistics) members(i int) (lo, hi int) {
	lo, _ = slices.BinarySearch(s.Of, i)
	hi, _ = slices.BinarySearch(s.Of, i+1)
	return lo, hi
}

// Shrunk returns statistics for a fit. Their classes are the components, shrunk as by [Shrink].
func (s *Statistics) Shrunk() *gaussian.Statistics { return Shrink(s.Components, s.Of) }

// Shrink shrinks the covariance of each component, with divisor n_k, towards the pooled within-component covariance of
// its class. Component k belongs to class of[k]:
//
//	Φ_k → (1-a) Φ_k + a Φ_class,  a = 30/(30 + n_k).
//
// Components with few rows then have usable covariances. It panics with mat.ErrShape unless of has one class per
// component.
func Shrink(components *gaussian.Statistics, of []int) *gaussian.Statistics {
	if len(of) != components.NumClasses() {
		panic(mat.ErrShape)
	}
	n := components.Dim
	out := &gaussian.Statistics{Classes: slices.Clone(components.Classes), Counts: slices.Clone(components.Counts),
		Dim: n, Means: slices.Clone(components.Means), Covariances: make([]float64, len(components.Covariances)),
		Single: components.Single}
	groups := indices.Groups(of, slices.Max(of)+1)
	par.For(len(groups), 1, func(_, lo, hi int) {
		pooled := make([]float64, n*n)
		for _, group := range groups[lo:hi] {
			poolComponents(pooled, components, group)
			for _, k := range group {
				shrinkComponent(classstats.CovarianceOf(out, k), components, k, pooled)
			}
		}
	})
	return out
}

// poolComponents writes the within-component covariance of a class, weighted by the components' numbers of rows.
func poolComponents(pooled []float64, components *gaussian.Statistics, group []int) {
	clear(pooled)
	rows := 0.0
	for _, k := range group {
		rows += float64(components.Counts[k])
	}
	for _, k := range group {
		vec.Axpy(pooled, float64(max(components.Counts[k]-1, 0))/rows, classstats.CovarianceOf(components, k))
	}
}

// shrinkComponent adds to dst, which is zero, the covariance of component k, shrunk towards the covariance of its
// class.
func shrinkComponent(dst []float64, components *gaussian.Statistics, k int, pooled []float64) {
	count := float64(components.Counts[k])
	if count == 0 {
		return
	}
	a := shrinkRows / (shrinkRows + count)
	vec.Axpy(dst, (1-a)*(count-1)/count, classstats.CovarianceOf(components, k))
	vec.Axpy(dst, a, pooled)
}

// ShrunkSource is like [Statistics.Shrunk], but needs memory for only one additional covariance.
func (s *Statistics) ShrunkSource() *gaussian.Source {
	c, n := s.Components, s.Components.Dim
	groups, last := indices.Groups(s.Of, s.NumClasses()), -1
	pooled, cov := make([]float64, n*n), mat.NewSymDense(n, nil)
	src := gaussian.NewSource(c.Classes, c.Counts, c.Means, func(k int) *mat.SymDense {
		if s.Of[k] != last {
			last = s.Of[k]
			poolComponents(pooled, c, groups[last])
		}
		out := cov.RawSymmetric().Data
		clear(out)
		shrinkComponent(out, c, k, pooled)
		return cov
	})
	src.Single = c.Single
	return src
}

// ClassStatistics returns the statistics of the classes in the coordinates of the basis, with the components of each
// class merged. If each class has one component, the result shares memory with s.
func (s *Statistics) ClassStatistics() *gaussian.Statistics {
	if c := s.Components; len(s.Of) == len(s.Classes) {
		return &gaussian.Statistics{Classes: s.Classes, Counts: c.Counts, Dim: c.Dim, Means: c.Means,
			Covariances: c.Covariances, Parts: s.Parts, Single: c.Single}
	}
	out := gaussian.New(s.Classes, s.Components.Dim)
	for i := range s.Classes {
		lo, hi := s.members(i)
		sum := &moments.Class{Mean: make([]float64, out.Dim), Scatter: make([]float64, out.Dim*out.Dim)}
		for k := lo; k < hi; k++ {
			sum.Add(momentsOf(s.Components, k))
		}
		setComponent(out, i, sum)
	}
	out.Parts, out.Single = s.Parts, s.Components.Single
	return out
}

// Scaled returns the sub-classes of the data multiplied by scale. If centered is false, the mean that was subtracted
// earlier is added again.
func (s *Statistics) Scaled(scale float64, centered bool) *Statistics {
	out := *s
	out.Components = s.Components.Affine(s.offset(centered), []float64{scale})
	return &out
}

// ScaleInPlace is like [Statistics.Scaled], but changes s.
func (s *Statistics) ScaleInPlace(scale float64, centered bool) {
	classstats.Affine(s.Components, s.offset(centered), []float64{scale})
}

// offset returns minus the center in the coordinates, or nil for data that stay centered.
func (s *Statistics) offset(centered bool) []float64 {
	if centered {
		return nil
	}
	n, d := s.Basis.Dims()
	shift := make([]float64, d)
	for j := range d {
		for i := range n {
			shift[j] -= s.Basis.Components.At(i, j) * s.Basis.Center[i]
		}
	}
	return shift
}

// Validate returns an error unless a fit can use the sub-classes, which may be read from a file: the fields must be
// consistent, and every class needs at least two observations.
func (s *Statistics) Validate() error {
	if s.Basis == nil || s.Components == nil {
		return fmt.Errorf("the sub-classes have no basis or no components; compute them again")
	}
	if err := s.Basis.Validate(); err != nil {
		return err
	}
	if err := arraysOf(s.Components).Check(); err != nil {
		return err
	}
	if err := statsarrays.Distinct(s.Classes); err != nil {
		return err
	}
	_, d := s.Basis.Dims()
	c, k := len(s.Classes), len(s.Components.Counts)
	switch {
	case s.Components.Dim != d:
		return fmt.Errorf("the components of the sub-classes have dimension %d, but the basis has %d; compute them "+
			"again", s.Components.Dim, d)
	case len(s.Of) != k:
		return fmt.Errorf("there are %d components, but class numbers for %d; every component needs one class number",
			k, len(s.Of))
	case s.Most < 0 || s.Sites < 1 || s.Stages < 0 || (s.Stages == 0) != (s.Sites == 1):
		return fmt.Errorf("the limit of %d components, the %d sites and the %d stages contradict each other; compute "+
			"the sub-classes again", s.Most, s.Sites, s.Stages)
	}
	next, rows := 0, make([]int, c)
	for i, of := range s.Of {
		if of != next && of != next-1 || of >= c || of < 0 {
			return fmt.Errorf("component %d has class %d; class numbers must ascend from 0 without gaps and stay "+
				"below %d", i, of, c)
		}
		if s.Components.Counts[i] < 1 {
			return fmt.Errorf("component %d of class %s has no observations; compute the sub-classes again", i,
				s.Classes[of])
		}
		next = of + 1
		rows[of] += s.Components.Counts[i]
	}
	for i, n := range rows {
		if n < 2 {
			return fmt.Errorf("class %s has too few observations (%d) for a covariance, which needs at least two; "+
				"remove the class or add data", s.Classes[i], n)
		}
	}
	return nil
}

// History describes, in words, the number of sites and the number of stages of merging.
func (s *Statistics) History() string {
	switch s.Stages {
	case 0:
		return "from one site"
	case 1:
		return fmt.Sprintf("merged from %d sites at once", s.Sites)
	}
	return fmt.Sprintf("merged from %d sites in %d stages", s.Sites, s.Stages)
}
