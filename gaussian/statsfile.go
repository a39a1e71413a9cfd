package gaussian

import (
	"context"
	"fmt"
	"slices"

	"rao/internal/format/archive"
	"rao/internal/naming"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
)

type fileMeta struct {
	Kind      string    `json:"kind"`
	Form      string    `json:"form,omitempty"`   // pooled or diagonal; absent: full
	Classes   int       `json:"classes"`          // number of classes, c
	Dimension int       `json:"dimension"`        // number of columns, n
	Parts     []Part    `json:"parts,omitempty"`  // data sets behind the statistics; absent if unknown
	Labels    LabelType `json:"labels,omitempty"` // numpy type of the labels; absent if unknown
	Inputs    *Inputs   `json:"inputs,omitempty"` // how rows of a table became vectors
	Single    bool      `json:"single,omitempty"` // the covariances were stored in single precision
}

// FileKindError is the error for a file of a different kind than requested.
type FileKindError struct {
	Want, Got string // data, statistics, subclasses, basis, model, ...; Got is empty for a file that rao did not write
}

// Error implements error.
func (e *FileKindError) Error() string {
	if e.Got == "" {
		return fmt.Sprintf("the file is not of kind %q", e.Want)
	}
	return fmt.Sprintf("the file is of kind %q, but %q is needed", e.Got, e.Want)
}

// Check returns an error unless the file contains statistics.
func (m *fileMeta) Check() error {
	if m.Kind != statsarrays.FileKind {
		return &FileKindError{statsarrays.FileKind, m.Kind}
	}
	return nil
}

// Knows reports whether a file of statistics can contain the array.
func (m *fileMeta) Knows(array string) bool {
	return slices.Contains(statsarrays.Names, array) || array == statsarrays.SpreadName(statsarrays.Pooled) ||
		array == statsarrays.SpreadName(statsarrays.Diagonal)
}

// checkForm returns an error unless the metadata describe a covariance for each class, which the arrays contain.
func (m *fileMeta) checkForm() error {
	if m.Form == "" || m.Form == statsarrays.Full {
		return nil
	}
	return fmt.Errorf("the metadata have the form %q, but the arrays have a covariance for each class; write both in "+
		"the same form", m.Form)
}

// check returns an error unless the metadata are valid and match the arrays, and the names of the classes differ. Files
// from numpy have no metadata.
func (m *fileMeta) check(classes, columns []string, dim int) error {
	if m.Kind != "" && (m.Classes != len(classes) || m.Dimension != dim) {
		return fmt.Errorf("the metadata describe %d classes in %d dimensions, but the arrays have %d classes in %d "+
			"dimensions; write both for the same data", m.Classes, m.Dimension, len(classes), dim)
	}
	if err := statsarrays.Distinct(classes); err != nil {
		return err
	}
	for i := range m.Parts {
		if err := provenance.CheckPart(m.Parts[i]); err != nil {
			return err
		}
	}
	if err := naming.CheckLabelType(string(m.Labels)); err != nil {
		return err
	}
	return m.Inputs.validate(columns, dim)
}

// WriteFile writes the statistics to path, atomically: a zip that numpy can open as npz, with the arrays names
// (strings), counts (c), means (c×n), covariances (c×n×n) and, if known, columns (n strings), weights (c: sums of the
// weights of the rows), cubic (c×n) and quartic (c). It returns an error if the statistics are invalid or the file
// cannot be written. See [WriteSource] for smaller files.
func (s *Statistics) WriteFile(path string) error {
	if err := s.check(); err != nil {
		return err
	}
	c, n := s.NumClasses(), s.Dim
	arrays := append(statsarrays.Head(s.Classes, s.Counts, s.Weights, s.Means, n, s.Columns),
		archive.Array{Name: "covariances", Shape: []int{c, n, n}, Float64: s.Covariances})
	if s.Cubic != nil {
		arrays = append(arrays, statsarrays.Moments(s.Cubic, s.Quartic, n)...)
	}
	return archive.Write(path, fileMeta{Kind: statsarrays.FileKind, Classes: c, Dimension: n, Parts: s.Parts,
		Inputs: s.Inputs, Labels: s.Labels, Single: s.Single}, arrays)
}

// ReadFile reads full statistics from a file written by [Statistics.WriteFile] or [WriteSource], or from a numpy npz
// with the arrays means, covariances and counts and, optionally, names, columns, weights, cubic and quartic; classes
// without names are numbered. Covariances must be symmetric to single precision and are made exactly symmetric. They
// must be positive semidefinite, and zero for classes with fewer than two observations. Names must differ. The error
// names the array that is missing or invalid.
func ReadFile(path string) (*Statistics, error) {
	src, err := OpenSource(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if s := src.Structure; s != "" && s != statsarrays.Full {
		return nil, fmt.Errorf("%s: its statistics are %s, but the covariance of each class is needed; compute full "+
			"statistics", path, s)
	}
	s, err := src.Load(context.Background())
	if err != nil {
		return nil, err
	}
	s.Unmarked = src.unmarked
	return s, nil
}
