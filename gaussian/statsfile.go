package gaussian

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"rao/internal/format/archive"
	"rao/internal/format/npy"
	"rao/internal/linalg/dense"
	"rao/internal/provenance"
)

type fileMeta struct {
	Kind      string            `json:"kind"`
	Form      string            `json:"form,omitempty"`   // pooled or diagonal; "" for full
	Classes   int               `json:"classes"`          // number of classes, c
	Dimension int               `json:"dimension"`        // number of columns, n
	Parts     []provenance.Part `json:"parts,omitempty"`  // data sets behind the statistics; absent if unknown
	Labels    LabelType         `json:"labels,omitempty"` // numpy type of the labels; absent if unknown
	Inputs    *Inputs           `json:"inputs,omitempty"` // how rows of a table became vectors
	Single    bool              `json:"single,omitempty"` // the covariances were stored in single precision
}

// FileKindError is the error for a file of a different kind than requested.
type FileKindError struct {
	Want, Got string // statistics, subclasses, basis, model, ...; Got is empty for a file that rao did not write
}

// Error implements error.
func (e *FileKindError) Error() string {
	if e.Got == "" {
		return fmt.Sprintf("the file is not of kind %q", e.Want)
	}
	return fmt.Sprintf("the file is of kind %q, but %q is needed", e.Got, e.Want)
}

const fileKind = "statistics"

// Check returns an error unless the file contains statistics.
func (m *fileMeta) Check() error {
	if m.Kind != fileKind {
		return &FileKindError{fileKind, m.Kind}
	}
	return nil
}

// Knows reports whether a file of statistics can contain the array.
func (m *fileMeta) Knows(array string) bool {
	return slices.Contains(statArrays, array) || array == KindPooled.spreadName() || array == KindDiagonal.spreadName()
}

// checkFull returns an error unless the file has a covariance for each class.
func (m *fileMeta) checkFull() error {
	if m.Form != "" {
		return fmt.Errorf("its statistics are %s, but the covariance of each class is needed; compute full statistics",
			m.Form)
	}
	return nil
}

// checkSize returns an error unless the numbers of classes and dimensions in the metadata match the arrays. A file from
// numpy has no metadata.
func (m *fileMeta) checkSize(classes, dim int) error {
	if m.Kind != "" && (m.Classes != classes || m.Dimension != dim) {
		return fmt.Errorf("the metadata describe %d classes in %d dimensions, but the arrays have %d classes in %d "+
			"dimensions; write both for the same data", m.Classes, m.Dimension, classes, dim)
	}
	return nil
}

// headArrays returns the arrays that files of every kind have.
func headArrays(classes []string, counts []int, weights, means []float64, n int, columns []string) []archive.Array {
	c := len(counts)
	whole := make([]int64, c)
	for i, v := range counts {
		whole[i] = int64(v)
	}
	arrays := columnArrays(columns)
	if weights != nil {
		arrays = append(arrays, archive.Array{Name: "weights", Shape: []int{c}, Float64: weights})
	}
	return append(arrays,
		archive.Array{Name: "names", Shape: []int{c}, Strings: classes},
		archive.Array{Name: "counts", Shape: []int{c}, Int64: whole},
		archive.Array{Name: "means", Shape: []int{c, n}, Float64: means})
}

func columnArrays(columns []string) []archive.Array {
	if columns == nil {
		return nil
	}
	return []archive.Array{{Name: "columns", Shape: []int{len(columns)}, Strings: columns}}
}

// columnsOf returns the names of n columns, or nil if there are none.
func columnsOf(of map[string]*archive.Array, n int) ([]string, error) {
	a := of["columns"]
	if a == nil {
		return nil, nil
	}
	if len(a.Shape) != 1 || a.Shape[0] != n {
		return nil, fmt.Errorf("the array \"columns\" has shape %v, but needs [%d], one name per column",
			a.Shape, n)
	}
	names := make([]string, n)
	for j := range names {
		names[j] = a.Text(j)
	}
	return names, nil
}

func momentArrays(cubic, quartic []float64, n int) []archive.Array {
	c := len(quartic)
	return []archive.Array{
		{Name: "cubic", Shape: []int{c, n}, Float64: cubic},
		{Name: "quartic", Shape: []int{c}, Float64: quartic},
	}
}

// WriteFile writes the statistics to path, atomically: a zip that numpy can open as npz, with the arrays names
// (strings), counts (c), means (c×n), covariances (c×n×n) and, if known, columns (n strings), weights (c: sums of the
// weights of the rows), cubic (c×n) and quartic (c). See [WriteSource] for smaller files.
func (s *Statistics) WriteFile(path string) error {
	if err := s.check(); err != nil {
		return err
	}
	c, n := s.NumClasses(), s.Dim
	arrays := append(headArrays(s.Classes, s.Counts, s.Weights, s.Means, n, s.Columns),
		archive.Array{Name: "covariances", Shape: []int{c, n, n}, Float64: s.Covariances})
	if s.Cubic != nil {
		arrays = append(arrays, momentArrays(s.Cubic, s.Quartic, n)...)
	}
	return archive.Write(path, fileMeta{Kind: fileKind, Classes: c, Dimension: n, Parts: s.Parts,
		Inputs: s.Inputs, Labels: s.Labels, Single: s.Single}, arrays)
}

// ReadFile reads full statistics from a file written by [Statistics.WriteFile] or [WriteSource], or from a numpy npz
// with the arrays means, covariances and counts and, optionally, names, cubic and quartic; classes without names are
// numbered. Covariances must be symmetric to single precision and are made exactly symmetric. They must be positive
// semidefinite, and zero for classes with fewer than two observations. Names must differ. The error names the array
// that is missing or invalid.
func ReadFile(path string) (*Statistics, error) {
	var meta fileMeta
	arrays, err := archive.Read(path, &meta)
	unmarked := errors.Is(err, archive.ErrNoManifest)
	if unmarked {
		if kind := FileKind(path); kind != KindFull {
			meta.Form = kind.String()
		}
		arrays, err = readPlain(path, statArrays)
	}
	if err != nil {
		return nil, err
	}
	if err := meta.checkFull(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s, err := fromArrays(arrays)
	if err == nil {
		err = meta.checkSize(s.NumClasses(), s.Dim)
	}
	if err == nil {
		s.Parts, s.Inputs, s.Labels, s.Unmarked = meta.Parts, meta.Inputs, meta.Labels, unmarked
		s.Single = s.Single || meta.Single
		err = s.validateFile()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// validateFile makes the checks that check omits because it trusts the origin of the statistics. A file may contain
// anything.
func (s *Statistics) validateFile() error {
	if err := distinct(s.Classes); err != nil {
		return err
	}
	if err := s.Inputs.validate(s.Columns, s.Dim); err != nil {
		return err
	}
	for i := range s.Parts {
		if err := s.Parts[i].Validate(); err != nil {
			return err
		}
	}
	if err := s.Labels.Validate(); err != nil {
		return err
	}
	return s.checkDefinite()
}

// statArrays are the arrays of a statistics file.
var statArrays = []string{"columns", "names", "counts", "weights", "means", "covariances", "cubic", "quartic"}

// readPlain reads the named arrays from an npz from numpy; others may be absent.
func readPlain(path string, names []string) ([]archive.Array, error) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var arrays []archive.Array
	for _, name := range names {
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

// headOf reads the counts, means, names and moments, from arrays of any numeric type.
func headOf(arrays []archive.Array) (*Statistics, error) {
	for i := range arrays {
		if err := arrays[i].Validate(); err != nil {
			return nil, err
		}
	}
	of := byName(arrays)
	means := of["means"]
	if means == nil || len(means.Shape) != 2 {
		return nil, fmt.Errorf("the array \"means\" is %s, but must have the shape classes × dimensions; a "+
			"statistics file contains counts, means, and covariances, covariance or variances", shapeOf(means))
	}
	c, n := means.Shape[0], means.Shape[1]
	s := &Statistics{Dim: n}
	var err error
	if s.Means, err = values(of, "means", c, n); err != nil {
		return nil, err
	}
	counts, err := values(of, "counts", c)
	if err != nil {
		return nil, err
	}
	for i, v := range counts {
		if v != math.Trunc(v) || v < 0 || v > math.MaxInt32 && v > math.MaxInt/2 {
			return nil, fmt.Errorf("count %d is %v; it must be a whole number of 0 or more", i, v)
		}
		s.Counts = append(s.Counts, int(v))
	}
	if of["weights"] != nil {
		if s.Weights, err = values(of, "weights", c); err != nil {
			return nil, err
		}
	}
	if of["cubic"] != nil || of["quartic"] != nil {
		if s.Cubic, err = values(of, "cubic", c, n); err != nil {
			return nil, err
		}
		if s.Quartic, err = values(of, "quartic", c); err != nil {
			return nil, err
		}
	}
	if s.Columns, err = columnsOf(of, n); err != nil {
		return nil, err
	}
	s.Classes, err = namesOf(of["names"], c)
	return s, err
}

// fromArrays builds statistics from arrays of any numeric type.
func fromArrays(arrays []archive.Array) (*Statistics, error) {
	s, err := headOf(arrays)
	if err != nil {
		return nil, err
	}
	of := byName(arrays)
	c, n := len(s.Counts), s.Dim
	if s.Covariances, err = covariancesOf(of, c, n); err != nil {
		return nil, err
	}
	s.Single = narrow(of["covariances"].Type)
	for i := range c {
		nearlySymmetric(n, s.cov(i))
	}
	return s, s.check()
}

// narrow reports whether an element type has floating-point numbers of fewer than eight bytes.
func narrow(element string) bool { return element == "f4" || element == "f2" }

// covariancesOf reads the covariances, full or as triangles.
func covariancesOf(of map[string]*archive.Array, c, n int) ([]float64, error) {
	if a := of["covariances"]; a == nil || len(a.Shape) != 2 {
		return values(of, "covariances", c, n, n)
	}
	if err := CheckSize(n, c); err != nil {
		return nil, err
	}
	a := of["covariances"]
	if err := hasShape(a, "covariances", c, packedLen(n)); err != nil {
		return nil, err
	}
	out := make([]float64, c*n*n)
	at := 0
	for i := range c {
		cov := out[i*n*n : (i+1)*n*n]
		for r := range n {
			for k := r; k < n; k++ {
				cov[r*n+k] = a.Value(at)
				at++
			}
		}
		dense.Mirror(n, cov, n)
	}
	return out, nil
}

// values returns a numeric array as float64 after checking its shape.
func values(of map[string]*archive.Array, name string, shape ...int) ([]float64, error) {
	a := of[name]
	if err := hasShape(a, name, shape...); err != nil {
		return nil, err
	}
	x, err := a.ToFloat64()
	if err != nil {
		return nil, fmt.Errorf("the array %q: %w", name, err)
	}
	return x, nil
}

// hasShape returns an error unless the array is numeric and has the shape.
func hasShape(a *archive.Array, name string, shape ...int) error {
	if a == nil || !a.Numeric() || !slices.Equal(a.Shape, shape) {
		return fmt.Errorf("the array %q is %s, but must have the shape %v; a statistics file contains counts, "+
			"means, and covariances, covariance or variances", name, shapeOf(a), shape)
	}
	return nil
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
		return nil, fmt.Errorf("the array \"names\" has shape %v, but needs [%d], one name per class", a.Shape, c)
	}
	for i := range names {
		names[i] = a.Text(i)
	}
	return names, nil
}

// nearlySymmetric averages elements that differ by no more than the rounding of float32. It leaves larger differences
// for check to report.
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
