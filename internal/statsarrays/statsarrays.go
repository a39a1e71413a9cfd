// Package statsarrays checks the arrays of class statistics, and converts them from and to the arrays of files.
package statsarrays

import (
	"fmt"
	"math"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/par"
	"rao/internal/text"
)

// Arrays are the arrays of statistics of c classes in n dimensions.
type Arrays struct {
	Classes     []string  // length c
	Counts      []int     // length c
	Weights     []float64 // length c; nil: each observation weighs 1
	Dim         int       // n
	Means       []float64 // c×n
	Covariances []float64 // c×n×n
	Cubic       []float64 // c×n; nil if unknown
	Quartic     []float64 // length c; nil if unknown
	Columns     []string  // length n; nil if unknown
	Single      bool      // the covariances were stored in single precision
	Symmetric   bool      // the covariances are known to be symmetric, and finite if the variances are
}

func (s *Arrays) name(i int) string { return naming.Class(s.Classes, i) }

func (s *Arrays) mean(i int) []float64 { return s.Means[i*s.Dim : (i+1)*s.Dim] }

// cov returns the covariance of class i, n×n row-major.
func (s *Arrays) cov(i int) []float64 { return s.Covariances[i*s.Dim*s.Dim : (i+1)*s.Dim*s.Dim] }

// Check verifies lengths, finiteness and symmetry. Classes with fewer than two observations pass, because parts may
// have them until they are merged.
func (s *Arrays) Check() error {
	c, n := len(s.Counts), s.Dim
	switch {
	case n < 1:
		return fmt.Errorf("the dimension of the statistics is %d; it must be 1 or more", n)
	case c == 0:
		return fmt.Errorf("the statistics have no classes; compute them again")
	case len(s.Classes) != c:
		return fmt.Errorf("the statistics have %s for %s; every class needs one name",
			text.Plural(len(s.Classes), "class name", "class names"), text.Plural(c, "class", "classes"))
	case s.Weights != nil && len(s.Weights) != c:
		return fmt.Errorf("the statistics have %s for %s; every class needs one weight",
			text.Plural(len(s.Weights), "weight", "weights"), text.Plural(c, "class", "classes"))
	case len(s.Means)/n != c || len(s.Means)%n != 0:
		return fmt.Errorf("the means of the statistics have %s, but %s of dimension %d need %d",
			text.Plural(len(s.Means), "value", "values"), text.Plural(c, "class", "classes"), n, c*n)
	case len(s.Covariances)/n/n != c || len(s.Covariances)%(n*n) != 0:
		return fmt.Errorf("the covariances of the statistics have %s, but %s of dimension %d need %d",
			text.Plural(len(s.Covariances), "value", "values"), text.Plural(c, "class", "classes"), n, c*n*n)
	case (s.Cubic == nil) != (s.Quartic == nil):
		return fmt.Errorf("the statistics have only one of the cubic and quartic moments; both are needed")
	case s.Cubic != nil && (len(s.Cubic) != c*n || len(s.Quartic) != c):
		return fmt.Errorf("the statistics have %d cubic and %d quartic moments, but need %d and %d",
			len(s.Cubic), len(s.Quartic), c*n, c)
	}
	if err := CheckColumns(s.Columns, n); err != nil {
		return err
	}
	return par.Try(c, 1, func(_, i, _ int) error { return s.CheckClass(i) })
}

func (s *Arrays) CheckClass(i int) error {
	if err := s.checkDiagonal(i); err != nil || s.Symmetric {
		return err
	}
	return s.checkSymmetric(i)
}

// checkDiagonal checks everything about a class except the covariances between different columns.
func (s *Arrays) checkDiagonal(i int) error {
	n := s.Dim
	if s.Counts[i] < 0 {
		return fmt.Errorf("class %s has %d observations; the number must be 0 or more", s.name(i), s.Counts[i])
	}
	bad := func(w float64, count int) bool { return !vec.Finite(w) || w < 0 || (w == 0) != (count == 0) }
	if s.Weights != nil && bad(s.Weights[i], s.Counts[i]) {
		return fmt.Errorf("class %s has %s, but weights of sum %v; the sum must be positive for a class with "+
			"observations, and 0 for any other", s.name(i),
			text.Plural(s.Counts[i], "observation", "observations"), s.Weights[i])
	}
	if err := CheckMeans(s.mean(i), s.name(i)); err != nil {
		return err
	}
	if s.Cubic != nil {
		cubic := s.Cubic[i*n : (i+1)*n]
		if j := vec.NotFinite(cubic); j >= 0 {
			return fmt.Errorf("class %s: the cubic moment of column %d is %v; it must be finite", s.name(i), j,
				cubic[j])
		}
		if q := s.Quartic[i]; !vec.Finite(q) || q < 0 {
			return fmt.Errorf("class %s: the quartic moment is %v; it must be finite and 0 or more", s.name(i), q)
		}
	}
	cov := s.cov(i)
	for j := range n {
		if v := cov[j*n+j]; !vec.Finite(v) || v < 0 {
			return fmt.Errorf("class %s: the variance of column %d is %v; it must be finite and 0 or more", s.name(i),
				j, v)
		}
	}
	return nil
}

// CheckMeans returns an error unless the means of a class and their squares are finite. Valid rows have such means,
// because their values and the squares of their values are finite.
func CheckMeans(mean []float64, class string) error {
	for j, x := range mean {
		switch {
		case !vec.Finite(x):
			return fmt.Errorf("class %s: the mean of column %d is %v; it must be finite", class, j, x)
		case !vec.Finite(x * x):
			return fmt.Errorf("class %s: the mean of column %d is %v, so large that its square overflows; rescale the "+
				"data", class, j, x)
		}
	}
	return nil
}

// checkSymmetric checks that the covariance of a class is finite and symmetric. Two columns are compared at the scale
// of their own variances, because columns may have different units. Matrices of channels have one unit, so
// [vec.Asymmetry] compares all entries with the largest.
func (s *Arrays) checkSymmetric(i int) error {
	n, cov := s.Dim, s.cov(i)
	if dense.Mirrored(n, cov) && vec.NotFinite(cov) < 0 {
		return nil
	}
	for k := range n {
		for j := range k {
			x, y := cov[j*n+k], cov[k*n+j]
			if !vec.Finite(x) || !vec.Finite(y) {
				return fmt.Errorf("class %s: the covariance of columns %d and %d is %v; it must be finite", s.name(i),
					j, k, x)
			}
			if math.Abs(x-y) > 1e-8*math.Sqrt(cov[j*n+j]*cov[k*n+k])+1e-12*math.Max(cov[j*n+j], cov[k*n+k]) {
				return fmt.Errorf("class %s: the covariance is not symmetric at columns %d and %d (%v and %v); "+
					"compute the statistics again", s.name(i), j, k, x, y)
			}
		}
	}
	return nil
}

// A covariance from a file may have negative eigenvalues of up to definiteTol times its mean variance, which can be
// rounding errors of single precision.
const definiteTol = 1e-5

// CheckDefinite returns an error unless all covariances are positive semidefinite, and zero if a class has fewer than
// two observations.
func (s *Arrays) CheckDefinite() error {
	c, n := len(s.Counts), s.Dim
	work := make([][]float64, par.Workers(c, 1))
	return par.Try(c, 1, func(worker, i, _ int) error {
		if work[worker] == nil {
			work[worker] = make([]float64, n*n)
		}
		return definite(work[worker], s.cov(i), n, s.Counts[i], s.name(i))
	})
}

// definite checks one covariance; work has n×n values.
func definite(work, cov []float64, n, count int, name string) error {
	copy(work, cov)
	trace := vec.Trace(work, n)
	switch {
	case trace == 0:
		return nil
	case count < 2:
		return fmt.Errorf("class %s has %s but a nonzero covariance; compute the statistics again", name,
			text.Plural(count, "observation", "observations"))
	}
	for j := range n {
		work[j*n+j] += definiteTol * trace / float64(n)
	}
	if column, _, ok := tri.Cholesky(n, work, 0); !ok {
		return fmt.Errorf("the covariance of class %s is not positive semidefinite (first seen at column %d), so it "+
			"is not a covariance of data; compute it again in double precision", name, column)
	}
	return nil
}

// CheckColumns returns an error unless there is a different name for each column, or none at all.
func CheckColumns(columns []string, n int) error {
	if columns != nil && len(columns) != n {
		return fmt.Errorf("the statistics have %s for %s; every column needs one name",
			text.Plural(len(columns), "column name", "column names"), text.Plural(n, "column", "columns"))
	}
	return naming.CheckColumns(columns)
}

// Distinct returns an error if a name occurs twice.
func Distinct(names []string) error {
	if name, ok := naming.Twice(names); ok {
		return fmt.Errorf("the class name %q occurs twice, so classes cannot be matched; rename one", name)
	}
	return nil
}

// largestStatistics is the limit of the memory for covariances, in bytes. It is more memory than a workstation has, and
// small enough to reject a transposed table.
const largestStatistics = 1 << 38

// CheckSize returns an error if the covariances of the given numbers of classes and columns exceed the memory of any
// machine.
func CheckSize(dim, classes int) error {
	if bytes := 8 * float64(dim) * float64(dim) * float64(classes); bytes > min(largestStatistics, math.MaxInt) {
		return fmt.Errorf("the covariances of %d columns in %d classes need %.0f GiB; reduce the number of columns "+
			"first, or transpose the data if rows and columns are swapped", dim, classes, bytes/(1<<30))
	}
	return nil
}
