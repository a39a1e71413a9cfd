package subclasses

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/format/archive"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
)

// These constants are the kinds of files. The meaning of a kind never changes.
const (
	subclassesKind = "subclasses"
	basisKind      = "basis"
)

// basisMeta is the metadata of a basis file, and of the basis in a file of sub-classes.
type basisMeta struct {
	Kind     string  `json:"kind"`
	Scale    float64 `json:"scale"`    // standard deviation of all values of all columns together
	Variance float64 `json:"variance"` // sum of the variances of all columns
}

type subclassesMeta struct {
	basisMeta
	Most   int               `json:"most"`             // largest number of components of a class; 0: chosen by its rows
	Sites  int               `json:"sites"`            // number of data sets that were clustered separately
	Stages int               `json:"stages"`           // number of successive merges; 0 for one data set
	Parts  []provenance.Part `json:"parts,omitempty"`  // data sets behind the components; absent if unknown
	Single bool              `json:"single,omitempty"` // the covariances were stored in single precision
}

// ofBasis is the metadata of a file that contains a basis, with or without sub-classes.
type ofBasis struct{ subclassesMeta }

// Check returns an error unless the file contains a basis.
func (m *ofBasis) Check() error {
	if m.Kind != basisKind && m.Kind != subclassesKind {
		return &gaussian.FileKindError{Want: basisKind, Got: m.Kind}
	}
	return nil
}

// Knows reports whether a file of a basis or of sub-classes can contain the array.
func (m *subclassesMeta) Knows(array string) bool {
	return slices.Contains(statsarrays.Names, array) || slices.Contains([]string{"basis_center", "basis_components",
		"basis_variances", "of"}, array)
}

// Check returns an error unless the file contains sub-classes.
func (m *subclassesMeta) Check() error {
	if m.Kind != subclassesKind {
		return &gaussian.FileKindError{Want: subclassesKind, Got: m.Kind}
	}
	return nil
}

func (b *Basis) arrays() []archive.Array {
	n, d := b.Dims()
	return append(statsarrays.Columns(b.Columns),
		archive.Array{Name: "basis_center", Shape: []int{n}, Float64: b.Center},
		archive.Array{Name: "basis_components", Shape: []int{n, d},
			Float64: mat.DenseCopyOf(b.Components).RawMatrix().Data},
		archive.Array{Name: "basis_variances", Shape: []int{d}, Float64: b.Variances})
}

// WriteFile writes the basis to path, atomically: a zip that numpy can open as npz, with the arrays basis_center (n),
// basis_components (n×d), basis_variances (d) and, if known, columns (n strings).
func (b *Basis) WriteFile(path string) error {
	if err := b.Validate(); err != nil {
		return err
	}
	return archive.Write(path, basisMeta{basisKind, b.Scale, b.Variance}, b.arrays())
}

// ReadBasis reads the basis from a file written by [Basis.WriteFile] or [Statistics.WriteFile]. It returns an error if
// the file is damaged or has no basis.
func ReadBasis(path string) (*Basis, error) {
	var meta ofBasis
	arrays, err := archive.Read(path, &meta)
	if err != nil {
		return nil, noManifest(err, basisKind)
	}
	b, err := meta.basis(statsarrays.ByName(arrays))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// noManifest returns the error for an npz written by another program.
func noManifest(err error, kind string) error {
	if errors.Is(err, archive.ErrNoManifest) {
		return fmt.Errorf("%w: %w", err, &gaussian.FileKindError{Want: kind})
	}
	return err
}

func (m *basisMeta) basis(of map[string]*archive.Array) (*Basis, error) {
	v := of["basis_components"]
	if v == nil || len(v.Shape) != 2 || v.Shape[0] < 1 || v.Shape[1] < 1 {
		return nil, fmt.Errorf("the array \"basis_components\" is %s, but must have the shape columns × "+
			"components", statsarrays.ShapeOf(v))
	}
	n, d := v.Shape[0], v.Shape[1]
	b := &Basis{Scale: m.Scale, Variance: m.Variance}
	data, err := statsarrays.Values(of, "basis_components", n, d)
	if err == nil {
		b.Components = mat.NewDense(n, d, data)
		b.Center, err = statsarrays.Values(of, "basis_center", n)
	}
	if err == nil {
		b.Variances, err = statsarrays.Values(of, "basis_variances", d)
	}
	if err == nil {
		b.Columns, err = statsarrays.ColumnsOf(of, n)
	}
	if err != nil {
		return nil, err
	}
	return b, b.Validate()
}

// WriteFile writes the sub-classes to path, atomically: a zip that numpy can open as npz, with the arrays of the
// basis, names (c strings), of, counts (k), means (k×d) and covariances (k×d×d, divisor count-1, unshrunk).
func (s *Statistics) WriteFile(path string) error { return s.writeFile(path, false) }

// WriteFileSingle is like [Statistics.WriteFile], but writes only the upper triangles of the covariances, k × d(d+1)/2,
// in single precision.
func (s *Statistics) WriteFileSingle(path string) error { return s.writeFile(path, true) }

func (s *Statistics) writeFile(path string, single bool) error {
	if err := s.Validate(); err != nil {
		return err
	}
	k, d := len(s.Of), s.Components.Dim
	of, counts := make([]int64, k), make([]int64, k)
	for i := range of {
		of[i], counts[i] = int64(s.Of[i]), int64(s.Components.Counts[i])
	}
	meta := subclassesMeta{basisMeta{subclassesKind, s.Basis.Scale, s.Basis.Variance}, s.Most, s.Sites,
		s.Stages, s.Parts, single || s.Components.Single}
	arrays := append(s.Basis.arrays(),
		archive.Array{Name: "names", Shape: []int{len(s.Classes)}, Strings: s.Classes},
		archive.Array{Name: "of", Shape: []int{k}, Int64: of},
		archive.Array{Name: "counts", Shape: []int{k}, Int64: counts},
		archive.Array{Name: "means", Shape: []int{k, d}, Float64: s.Components.Means})
	if single {
		return archive.WriteLarge(path, meta, arrays, statsarrays.Triangles(k, d, true,
			func(body func(i int, cov []float64) error) error {
				for i := range k {
					if err := body(i, classstats.CovarianceOf(s.Components, i)); err != nil {
						return err
					}
				}
				return nil
			}))
	}
	return archive.Write(path, meta, append(arrays,
		archive.Array{Name: "covariances", Shape: []int{k, d, d}, Float64: s.Components.Covariances}))
}

// IsFile reports whether the file at path contains sub-classes, according to its metadata.
func IsFile(path string) bool {
	kind, err := archive.Kind(path)
	return err == nil && kind == subclassesKind
}

// Read reads a file written by [Statistics.WriteFile]. The error names the missing or invalid part of the file.
func Read(path string) (*Statistics, error) {
	var meta subclassesMeta
	arrays, err := archive.Read(path, &meta)
	if err != nil {
		return nil, noManifest(err, subclassesKind)
	}
	s, err := meta.subclasses(arrays)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func (m *subclassesMeta) subclasses(arrays []archive.Array) (*Statistics, error) {
	of := statsarrays.ByName(arrays)
	s := &Statistics{Most: m.Most, Sites: m.Sites, Stages: m.Stages, Parts: m.Parts}
	var err error
	if s.Basis, err = m.basis(of); err != nil {
		return nil, err
	}
	names := of["names"]
	if names == nil || len(names.Shape) != 1 {
		return nil, fmt.Errorf("the array \"names\" is %s, but must have one name per class",
			statsarrays.ShapeOf(names))
	}
	if s.Classes, err = statsarrays.NamesOf(names, names.Shape[0]); err != nil {
		return nil, err
	}
	delete(of, "names") // names of the classes, not of the components
	delete(of, "columns")
	if s.Components, err = componentsOf(of); err != nil {
		return nil, err
	}
	classes, err := statsarrays.Values(of, "of", s.Components.NumClasses())
	if err != nil {
		return nil, err
	}
	for i, v := range classes {
		if v != math.Trunc(v) || v < 0 || v >= float64(len(s.Classes)) {
			return nil, fmt.Errorf("component %d has the class number %v, but it must be an integer from 0 to %d; "+
				"compute the statistics again", i, v, len(s.Classes)-1)
		}
		s.Of = append(s.Of, int(v))
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s.nameComponents()
	s.Components.Parts, s.Components.Single = s.Parts, s.Components.Single || m.Single
	if err := statsarrays.Distinct(s.Components.Classes); err != nil {
		return nil, err
	}
	for i := range s.Parts {
		if err := provenance.CheckPart(s.Parts[i]); err != nil {
			return nil, err
		}
	}
	return s, arraysOf(s.Components).CheckDefinite()
}

func componentsOf(of map[string]*archive.Array) (*gaussian.Statistics, error) {
	var own []archive.Array
	for _, name := range statsarrays.Names {
		if a := of[name]; a != nil {
			own = append(own, *a)
		}
	}
	a, err := statsarrays.Read(own)
	if err != nil {
		return nil, err
	}
	return &gaussian.Statistics{Classes: a.Classes, Counts: a.Counts, Weights: a.Weights, Dim: a.Dim, Means: a.Means,
		Covariances: a.Covariances, Cubic: a.Cubic, Quartic: a.Quartic, Columns: a.Columns, Single: a.Single}, nil
}
