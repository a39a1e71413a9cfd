package gaussian

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"rao/internal/format/archive"
	"rao/internal/format/npy"
	"rao/internal/linalg/tri"
)

// fileMeta is the metadata of a statistics file.
type fileMeta struct {
	Kind      string `json:"kind"`
	Classes   int    `json:"classes"`
	Dimension int    `json:"dimension"`
	Parts     []Part `json:"parts,omitempty"`
}

const fileKind = "statistics"

// WriteFile writes the statistics to path: a zip that numpy opens as an npz, with
// the arrays names (strings), counts (c), means (c×n), covariances (c×n×n) and,
// when known, cubic (c×n) and quartic (c). The file appears whole or not at all.
func (s *Statistics) WriteFile(path string) error {
	if err := s.check(); err != nil {
		return err
	}
	c, n := s.NumClasses(), s.Dim
	counts := make([]int64, c)
	for i, v := range s.Counts {
		counts[i] = int64(v)
	}
	arrays := []archive.Array{
		{Name: "names", Shape: []int{c}, Strings: s.Classes},
		{Name: "counts", Shape: []int{c}, Int64: counts},
		{Name: "means", Shape: []int{c, n}, Float64: s.Means},
		{Name: "covariances", Shape: []int{c, n, n}, Float64: s.Covariances},
	}
	if s.Cubic != nil {
		arrays = append(arrays,
			archive.Array{Name: "cubic", Shape: []int{c, n}, Float64: s.Cubic},
			archive.Array{Name: "quartic", Shape: []int{c}, Float64: s.Quartic})
	}
	return archive.Write(path, fileMeta{fileKind, c, n, s.Parts}, arrays)
}

// ReadFile reads what [Statistics.WriteFile] wrote, or an npz that numpy wrote
// with the arrays means, covariances and counts and perhaps names, cubic and
// quartic; classes without names are numbered. Covariances must be symmetric to
// single precision and are made exactly so; they must be positive semidefinite, names
// must differ, and a class of fewer than two observations has no spread. The error
// says which array is missing or wrong.
func ReadFile(path string) (*Statistics, error) {
	var meta fileMeta
	arrays, err := archive.Read(path, &meta)
	switch {
	case errors.Is(err, archive.ErrNoManifest):
		arrays, err = readPlain(path)
	case err == nil && meta.Kind != fileKind:
		err = fmt.Errorf("%s holds no statistics (its kind is %q): make some with rao stats", path, meta.Kind)
	}
	if err != nil {
		return nil, err
	}
	s, err := fromArrays(arrays)
	if err == nil {
		s.Parts = meta.Parts
		err = s.validateFile()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// definiteTol is the share of its mean variance by which an eigenvalue of a covariance
// from a file may lie below zero: that of single precision.
const definiteTol = 1e-5

// validateFile checks what check, which every method relies on, leaves to the source of
// the statistics.
func (s *Statistics) validateFile() error {
	classes := append([]string(nil), s.Classes...)
	if err := distinct(classes); err != nil {
		return err
	}
	for i := range s.Parts {
		if err := s.Parts[i].Validate(); err != nil {
			return err
		}
	}
	n := s.Dim
	work := make([]float64, n*n)
	for i := range s.NumClasses() {
		copy(work, s.cov(i))
		trace := 0.0
		for j := range n {
			trace += work[j*n+j]
		}
		switch {
		case trace == 0:
			continue
		case s.Counts[i] < 2:
			return fmt.Errorf("class %s has %d observations and a covariance that is not zero; counts and "+
				"covariances contradict each other", s.Name(i), s.Counts[i])
		}
		for j := range n {
			work[j*n+j] += definiteTol * trace / float64(n)
		}
		if column, _, ok := tri.Cholesky(n, work, 0); !ok {
			return fmt.Errorf("the covariance of class %s is not positive semidefinite, which shows at column %d; "+
				"a covariance of data always is: compute it again, in double precision", s.Name(i), column)
		}
	}
	return nil
}

// statArrays are the arrays of a statistics file.
var statArrays = []string{"names", "counts", "means", "covariances", "cubic", "quartic"}

// readPlain reads the statistics' arrays of an ordinary npz.
func readPlain(path string) ([]archive.Array, error) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var arrays []archive.Array
	for _, name := range statArrays {
		if !z.Has(name + ".npy") {
			continue
		}
		a, err := z.Read(name)
		if err != nil {
			return nil, err
		}
		a = a.Contiguous()
		a.Name = name
		arrays = append(arrays, *a)
	}
	return arrays, nil
}

// fromArrays builds statistics from arrays of any numeric type.
func fromArrays(arrays []archive.Array) (*Statistics, error) {
	of := make(map[string]*archive.Array)
	for i := range arrays {
		if err := arrays[i].Validate(); err != nil {
			return nil, err
		}
		of[arrays[i].Name] = &arrays[i]
	}
	means := of["means"]
	if means == nil || len(means.Shape) != 2 {
		return nil, fmt.Errorf("array means (classes, dimensions) is %s: a statistics file holds counts, means and "+
			"covariances", shapeOf(means))
	}
	c, n := means.Shape[0], means.Shape[1]
	s := &Statistics{Dim: n}
	var err error
	if s.Means, err = values(of, "means", c, n); err != nil {
		return nil, err
	}
	if s.Covariances, err = values(of, "covariances", c, n, n); err != nil {
		return nil, err
	}
	counts, err := values(of, "counts", c)
	if err != nil {
		return nil, err
	}
	for i, v := range counts {
		if v != math.Trunc(v) || v < 0 || v > math.MaxInt32 && v > math.MaxInt/2 {
			return nil, fmt.Errorf("count %d is %v, want a whole number", i, v)
		}
		s.Counts = append(s.Counts, int(v))
	}
	if of["cubic"] != nil || of["quartic"] != nil {
		if s.Cubic, err = values(of, "cubic", c, n); err != nil {
			return nil, err
		}
		if s.Quartic, err = values(of, "quartic", c); err != nil {
			return nil, err
		}
	}
	if s.Classes, err = namesOf(of["names"], c); err != nil {
		return nil, err
	}
	for i := range c {
		nearlySymmetric(n, s.cov(i))
	}
	return s, s.check()
}

// values returns a numeric array as float64 after checking its shape.
func values(of map[string]*archive.Array, name string, shape ...int) ([]float64, error) {
	a := of[name]
	ok := a != nil && len(a.Shape) == len(shape) && a.Numeric()
	for i := range shape {
		ok = ok && a.Shape[i] == shape[i]
	}
	if !ok {
		return nil, fmt.Errorf("array %s is %s, want shape %v: a statistics file holds counts, means and covariances",
			name, shapeOf(a), shape)
	}
	x, err := a.ToFloat64()
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", name, err)
	}
	return x, nil
}

func shapeOf(a *archive.Array) string {
	switch {
	case a == nil:
		return "missing"
	case !a.Numeric():
		return "not numeric"
	}
	return fmt.Sprintf("of shape %v", a.Shape)
}

func namesOf(a *archive.Array, c int) ([]string, error) {
	names := make([]string, c)
	if a == nil {
		for i := range names {
			names[i] = strconv.Itoa(i)
		}
		return names, nil
	}
	if len(a.Shape) != 1 || a.Shape[0] != c {
		return nil, fmt.Errorf("array names has shape %v, want [%d]", a.Shape, c)
	}
	for i := range names {
		names[i] = a.Text(i)
	}
	return names, nil
}

// nearlySymmetric averages elements that differ by no more than the rounding of
// float32; larger differences stay, for check to report.
func nearlySymmetric(n int, a []float64) {
	for i := range n {
		for j := i + 1; j < n; j++ {
			x, y := a[i*n+j], a[j*n+i]
			if x != y && math.Abs(x-y) <= 1e-5*math.Sqrt(math.Abs(a[i*n+i]*a[j*n+j])) {
				a[i*n+j], a[j*n+i] = (x+y)/2, (x+y)/2
			}
		}
	}
}
